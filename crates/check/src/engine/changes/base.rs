//! Resolves the commit or tree that a change is compared with.

use crate::diagnostic::is_commit_id;
use crate::engine::changes::git::Git;
use crate::engine::changes::{Error, Notice};
use crate::text::escape::visible;

/// The base of a comparison.
#[derive(Debug)]
pub(super) enum Base {
    /// The id of a commit or tree.
    Tree(String),
    /// No base is known, so everything counts as changed.
    Unknown,
}

/// Returns the commit of `HEAD`; the empty tree in a repository without a commit.
pub(super) fn head(git: &Git) -> Result<String, Error> {
    match commit(git, "HEAD")? {
        Some(commit) => Ok(commit),
        None => Ok(String::from_utf8_lossy(&git.ask(&["hash-object", "-t", "tree", "--stdin"])?).trim().to_owned()),
    }
}

/// Returns the merge base of `HEAD` and `name`. If they have no common history, `name` itself, with a notice.
pub(super) fn merge_base(git: &Git, name: &str) -> Result<(Base, Option<Notice>), Error> {
    if name.starts_with('-') || name.trim().is_empty() {
        return Err(Error::BaseName { name: name.to_owned() });
    }
    if is_commit_id(name) && name.bytes().all(|byte| byte == b'0') {
        return Ok((Base::Unknown, Some(Notice::Zeros)));
    }
    let Some(base) = commit(git, name)? else { return missing(git, name) };
    let head = head(git)?;
    let merge = git.run(&["merge-base", &base, &head])?;
    if merge.is_success() {
        return Ok((Base::Tree(merge.line()), None));
    }
    let notice = Notice::Unrelated { base: name.to_owned(), is_shallow: is_shallow(git)? };
    Ok((Base::Tree(base), Some(notice)))
}

/// Returns the result for a name that git does not know. It is an error of the user, unless the clone may merely lack
/// the commit: because it is shallow, or because a forced push removed the commit from every branch.
fn missing(git: &Git, name: &str) -> Result<(Base, Option<Notice>), Error> {
    let is_shallow = is_shallow(git)?;
    if is_shallow || is_commit_id(name) {
        return Ok((Base::Unknown, Some(Notice::Missing { base: name.to_owned(), is_shallow })));
    }
    Err(unknown(git, name))
}

/// Maximum number of branches that a message lists.
const MAX_BRANCHES: usize = 5;

/// Returns the error for a name that git does not know.
pub(super) fn unknown(git: &Git, name: &str) -> Error {
    let remotes = listed(git, &["remote"]);
    let remote = name.split_once('/').map(|(remote, _)| remote);
    let missing = remote.filter(|remote| !remotes.iter().any(|known| known == remote));
    let branches =
        listed(git, &["for-each-ref", "--format=%(refname:short)", "--count=6", "refs/heads", "refs/remotes"]);
    let shown: Vec<String> = branches.iter().take(MAX_BRANCHES).map(|branch| format!("`{branch}`")).collect();
    let end = if branches.len() > MAX_BRANCHES { ", …" } else { "" };
    let no_remote = missing.map(|remote| format!("; there is no remote `{remote}`")).unwrap_or_default();
    let known = match shown.as_slice() {
        [] => no_remote,
        shown => format!("{no_remote}; branches here: {}{end}", shown.join(", ")),
    };
    Error::UnknownBase { name: name.to_owned(), known }
}

/// Returns the id of the commit that a name resolves to; `None` if there is none.
pub(super) fn commit(git: &Git, name: &str) -> Result<Option<String>, Error> {
    let wanted = format!("{name}^{{commit}}");
    let found = git.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])?;
    let id = found.line();
    Ok((found.is_success() && is_commit_id(&id)).then_some(id))
}

/// Returns `true` if this clone is shallow.
pub(super) fn is_shallow(git: &Git) -> Result<bool, Error> {
    Ok(git.run(&["rev-parse", "--is-shallow-repository"])?.line() == "true")
}

/// Returns the lines that a git command prints; none if it fails.
fn listed(git: &Git, arguments: &[&str]) -> Vec<String> {
    match git.run(arguments) {
        Ok(answer) if answer.is_success() => answer.line().lines().map(|line| visible(line).into_owned()).collect(),
        _ => Vec::new(),
    }
}
