//! What a run compares with that was told no base: what the event of its workflow says, in a clone that may be cut off
//! behind its last commit.
//!
//! | wanted | compared with | fetched, where the clone lacks it |
//! |---|---|---|
//! | [`Wanted::PullRequest`], its merge is checked out | first parent of the merge | the merge with its parents, once |
//! | [`Wanted::PullRequest`], its head is checked out | where it left its base | the history of both, farther each time |
//! | [`Wanted::Commit`] | that commit | that commit |
//! | [`Wanted::Branch`] | where `HEAD` left it | nothing |
//! | [`Wanted::Nothing`] | nothing: everything is checked | nothing |
//!
//! Whatever goes wrong, everything is checked then, and one notice says why.

use crate::engine::changes::base::{self, Base};
use crate::engine::changes::fetch::{Refused, Remote};
use crate::engine::changes::git::Git;
use crate::engine::changes::{Error, Notice};

/// How many commits are fetched from where history was cut off, one after the other.
const DEPTHS: [u32; 3] = [2, 20, 200];

/// At how many places history may be cut off, so that it is fetched from there.
const MAX_CUTS: &str = "--max-count=100";

/// What to compare with, where the user names nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Auto {
    /// What the event says.
    pub wanted: Wanted,
    /// Where missing commits come from.
    pub remote: Remote,
}

/// What an event says of a change. Commits are whole ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// What a pull request does to its base.
    PullRequest {
        /// The newest commit of the base when the event happened.
        base: String,
        /// The newest commit of the head.
        head: String,
        /// The commit that the run is for: usually the merge of both.
        commit: Option<String>,
        /// Whether the base is checked out, unless the workflow asked for something else.
        is_target: bool,
    },
    /// What differs from this commit, whatever else happened between them.
    Commit {
        /// The commit.
        base: String,
        /// Whether it may have gone for good, with a forced push.
        may_be_gone: bool,
    },
    /// What the current branch did since it left another.
    Branch {
        /// The full name of the reference to the other one.
        reference: String,
        /// What is said where there is none.
        otherwise: Notice,
    },
    /// Nothing is said, and this is why.
    Nothing(Notice),
}

/// What was found to compare with.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) base: Base,
    /// The head of the pull request, where its merge with the base is checked out.
    pub(super) merged_head: Option<String>,
    pub(super) notice: Option<Notice>,
}

impl From<(Base, Option<Notice>)> for Found {
    fn from((base, notice): (Base, Option<Notice>)) -> Self {
        Self { base, merged_head: None, notice }
    }
}

impl Found {
    /// This commit or tree.
    pub(super) fn tree(base: String) -> Self {
        Self { base: Base::Tree(base), merged_head: None, notice: None }
    }

    fn unknown(notice: Notice) -> Self {
        Self { base: Base::Unknown, merged_head: None, notice: Some(notice) }
    }
}

/// Finds what to compare with.
pub(super) fn find(git: &Git, auto: &Auto) -> Result<Found, Error> {
    let remote = &auto.remote;
    match &auto.wanted {
        Wanted::PullRequest { base, head, commit, is_target } => {
            pull_request(git, remote, Sides { base, head }, commit.as_deref(), *is_target)
        }
        Wanted::Commit { base, may_be_gone } => that_commit(git, remote, base, *may_be_gone),
        Wanted::Branch { reference, otherwise } => match base::commit(git, reference)? {
            Some(other) => Ok(base::merge_base(git, &other)?.into()),
            None => Ok(Found::unknown(otherwise.clone())),
        },
        Wanted::Nothing(notice) => Ok(Found::unknown(notice.clone())),
    }
}

/// The commits of a pull request when the event happened.
#[derive(Clone, Copy)]
struct Sides<'a> {
    base: &'a str,
    head: &'a str,
}

fn pull_request(
    git: &Git,
    remote: &Remote,
    sides: Sides<'_>,
    commit: Option<&str>,
    is_target: bool,
) -> Result<Found, Error> {
    let Some(own) = base::commit(git, "HEAD")? else { return left(git, remote, sides) };
    let parents = parents(git, &own)?;
    if let [first, second] = parents.as_slice()
        && own != sides.head
        && (second == sides.head || (!is_target && commit == Some(&own)))
    {
        return merge(git, remote, &own, first, second);
    }
    if is_target && own != sides.head {
        return Ok(Found::unknown(Notice::Target));
    }
    left(git, remote, sides)
}

/// The merge of a pull request is checked out: its first parent is the base as it was merged with, which may be newer than
/// the event says, and its second one the head.
fn merge(git: &Git, remote: &Remote, own: &str, base: &str, head: &str) -> Result<Found, Error> {
    if !has(git, base)? || !has(git, head)? {
        let depth = base::is_shallow(git)?.then_some(2);
        if let Err(refused) = remote.fetch(git, depth, &[own]) {
            return Ok(Found::unknown(not_fetched(refused, "`fetch-depth: 2` of `actions/checkout` brings it along")));
        }
    }
    Ok(Found { merged_head: Some(head.to_owned()), ..Found::tree(base.to_owned()) })
}

fn that_commit(git: &Git, remote: &Remote, base: &str, may_be_gone: bool) -> Result<Found, Error> {
    if !has(git, base)? {
        let depth = base::is_shallow(git)?.then_some(1);
        if let Err(refused) = remote.fetch(git, depth, &[base]) {
            let way_out = if may_be_gone {
                "it may have gone with the forced push, and `--changed=BASE` names another base"
            } else {
                "`fetch-depth: 0` of `actions/checkout` brings it along"
            };
            return Ok(Found::unknown(not_fetched(refused, way_out)));
        }
    }
    Ok(Found::tree(base.to_owned()))
}

/// Where the head left its base, with as much of the history of both as it takes.
fn left(git: &Git, remote: &Remote, sides: Sides<'_>) -> Result<Found, Error> {
    let way_out = "`fetch-depth: 0` of `actions/checkout` brings it along";
    if !base::is_shallow(git)? {
        if !has(git, sides.base)?
            && let Err(refused) = remote.fetch(git, None, &[sides.base])
        {
            return Ok(Found::unknown(not_fetched(refused, way_out)));
        }
        return Ok(base::merge_base(git, sides.base)?.into());
    }
    for depth in std::iter::once(None).chain(DEPTHS.map(Some)) {
        if depth.is_some() {
            let wanted = cuts(git, sides.base)?;
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            if let Err(refused) = remote.fetch(git, depth, &wanted) {
                return Ok(Found::unknown(not_fetched(refused, way_out)));
            }
        }
        if let Some(base) = certain_merge_base(git, sides.base)? {
            return Ok(Found::tree(base));
        }
    }
    Ok(Found::unknown(Notice::TooFar))
}

/// Where `HEAD` left `base`, if that does not hang on history that is not there. What a clone that was cut off takes for
/// the answer may be an older commit: the true one may be behind a cut on another way.
fn certain_merge_base(git: &Git, base: &str) -> Result<Option<String>, Error> {
    if !has(git, base)? {
        return Ok(None);
    }
    let merge = git.run(&["merge-base", base, "HEAD"])?;
    if !merge.is_success() {
        return Ok(None);
    }
    let found = merge.line();
    // Where history was cut off, a commit has no parents.
    let others = ["rev-list", "--max-count=1", "--max-parents=0", "HEAD", base, "--not", &found];
    Ok(git.ask(&others)?.is_empty().then_some(found))
}

/// From where history is to be fetched: where that of `HEAD` and of the base was cut off, and the base where it is not
/// there. The remote has all of them, even if `HEAD` was made here.
fn cuts(git: &Git, base: &str) -> Result<Vec<String>, Error> {
    let known = if has(git, base)? { Some(base) } else { None };
    let arguments: Vec<&str> = ["rev-list", MAX_CUTS, "--max-parents=0", "HEAD"].into_iter().chain(known).collect();
    let listed = git.ask(&arguments)?;
    let cuts = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect::<Vec<_>>();
    let missing = known.is_none().then(|| base.to_owned());
    Ok(cuts.into_iter().chain(missing).collect())
}

/// The parents that a commit names, whether or not the clone has them.
fn parents(git: &Git, commit: &str) -> Result<Vec<String>, Error> {
    let object = git.ask(&["cat-file", "commit", commit])?;
    let text = String::from_utf8_lossy(&object);
    let head = text.lines().take_while(|line| !line.is_empty());
    Ok(head.filter_map(|text| text.strip_prefix("parent ")).map(str::to_owned).collect())
}

fn has(git: &Git, commit: &str) -> Result<bool, Error> {
    Ok(git.run(&["cat-file", "-e", &format!("{commit}^{{commit}}")])?.is_success())
}

fn not_fetched(Refused { message, has_credentials }: Refused, way_out: &'static str) -> Notice {
    Notice::NotFetched { message, has_credentials, way_out }
}
