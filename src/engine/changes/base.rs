//! What a change is compared with.

use crate::diagnostic::is_commit_id;
use crate::engine::changes::git::Git;
use crate::engine::changes::{Error, Notice};

/// A tree to compare with.
#[derive(Debug)]
pub(super) enum Base {
    /// This commit or tree.
    Tree(String),
    /// Nothing is known to compare with, so everything counts as changed.
    Unknown,
}

/// What `HEAD` is; the empty tree in a repository without a commit.
pub(super) fn head(git: &Git) -> Result<String, Error> {
    match commit(git, "HEAD")? {
        Some(commit) => Ok(commit),
        None => Ok(String::from_utf8_lossy(&git.ask(&["hash-object", "-t", "tree", "--stdin"])?).trim().to_owned()),
    }
}

/// Where the current branch left `name`. Where the history does not tell, `name` itself.
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

/// A name that means nothing is a slip of the user, unless this clone may merely lack what it means: a shallow one, or
/// one made after a forced push, whose event names a commit that is on no branch any more.
fn missing(git: &Git, name: &str) -> Result<(Base, Option<Notice>), Error> {
    let is_shallow = is_shallow(git)?;
    if is_shallow || is_commit_id(name) {
        return Ok((Base::Unknown, Some(Notice::Missing { base: name.to_owned(), is_shallow })));
    }
    Err(Error::UnknownBase { name: name.to_owned() })
}

/// The id of a commit, by any name of it.
pub(super) fn commit(git: &Git, name: &str) -> Result<Option<String>, Error> {
    let wanted = format!("{name}^{{commit}}");
    let found = git.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])?;
    let id = found.line();
    Ok((found.is_success() && is_commit_id(&id)).then_some(id))
}

/// Whether the history of this clone is cut off.
pub(super) fn is_shallow(git: &Git) -> Result<bool, Error> {
    Ok(git.run(&["rev-parse", "--is-shallow-repository"])?.line() == "true")
}
