//! Finds the base of a run for which the user named none: the event of its workflow determines it. The clone may be
//! shallow, and may have no more than the last commit.
//!
//! | event | compared with | fetched, if the clone lacks it |
//! |---|---|---|
//! | [`Wanted::PullRequest`], its merge is checked out | first parent of the merge | the merge with its parents, once |
//! | [`Wanted::PullRequest`], its head is checked out | the merge base | the history of both, deeper each time |
//! | [`Wanted::Commit`] | that commit | that commit |
//! | [`Wanted::Branch`] | its merge base with `HEAD` | nothing |
//! | [`Wanted::Nothing`] | nothing: everything is checked | nothing |
//!
//! If anything goes wrong, everything is checked, and one notice says why.

use crate::engine::changes::base::{self, Base};
use crate::engine::changes::fetch::{Refused, Remote};
use crate::engine::changes::git::Git;
use crate::engine::changes::{Error, Notice};

/// The depths of successive fetches: how many commits each one adds to a shallow history.
const DEPTHS: [u32; 3] = [2, 20, 200];

/// The greatest number of boundaries of a shallow history from which it is deepened.
const MAX_CUTS: &str = "--max-count=100";

/// Data for finding the base if the user names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auto {
    /// The kind of change that the event describes.
    pub wanted: Wanted,
    /// The remote from which missing commits are fetched.
    pub remote: Remote,
}

/// The change that an event describes. Commits are full ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The changes of a pull request to its base.
    PullRequest {
        /// The newest commit of the base when the event happened.
        base: String,
        /// The newest commit of the head.
        head: String,
        /// The commit that the run is for: usually the merge of the head into the base.
        commit: Option<String>,
        /// True if the event is `pull_request_target`, for which the base is checked out by default.
        is_target: bool,
    },
    /// All differences from one commit, such as the one before a push.
    Commit {
        /// The id of that commit.
        base: String,
        /// True if the commit may be gone for good because of a forced push.
        may_be_gone: bool,
    },
    /// The changes of the current branch since it left another branch.
    Branch {
        /// The full name of the reference to the other branch.
        reference: String,
        /// The notice if there is no such reference.
        otherwise: Notice,
    },
    /// The event describes no change, for this reason.
    Nothing(Notice),
}

/// The base that was found.
#[derive(Debug)]
pub(super) struct FoundBase {
    pub(super) base: Base,
    /// The head of the pull request, if its merge with the base is checked out.
    pub(super) merged_head: Option<String>,
    pub(super) notice: Option<Notice>,
}

impl From<(Base, Option<Notice>)> for FoundBase {
    fn from((base, notice): (Base, Option<Notice>)) -> Self {
        Self { base, merged_head: None, notice }
    }
}

impl FoundBase {
    /// Returns the result for a base that is this commit or tree.
    pub(super) fn tree(base: String) -> Self {
        Self { base: Base::Tree(base), merged_head: None, notice: None }
    }

    fn unknown(notice: Notice) -> Self {
        Self { base: Base::Unknown, merged_head: None, notice: Some(notice) }
    }
}

/// Finds the base, and fetches it if the clone lacks it.
pub(super) fn find(git: &Git, auto: &Auto) -> Result<FoundBase, Error> {
    let remote = &auto.remote;
    match &auto.wanted {
        Wanted::PullRequest { base, head, commit, is_target } => {
            pull_request(git, remote, Sides { base, head }, commit.as_deref(), *is_target)
        }
        Wanted::Commit { base, may_be_gone } => that_commit(git, remote, base, *may_be_gone),
        Wanted::Branch { reference, otherwise } => match base::commit(git, reference)? {
            Some(other) => Ok(base::merge_base(git, &other)?.into()),
            None => Ok(FoundBase::unknown(otherwise.clone())),
        },
        Wanted::Nothing(notice) => Ok(FoundBase::unknown(notice.clone())),
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
) -> Result<FoundBase, Error> {
    let Some(own) = base::commit(git, "HEAD")? else { return left(git, remote, sides) };
    let parents = parents(git, &own)?;
    if let [first, second] = parents.as_slice()
        && own != sides.head
        && (second == sides.head || (!is_target && commit == Some(&own)))
    {
        return merge(git, remote, &own, first, second);
    }
    if is_target && own != sides.head {
        return Ok(FoundBase::unknown(Notice::Target));
    }
    left(git, remote, sides)
}

/// Finds the base if the merge of a pull request is checked out. The first parent is the base that was merged, which
/// may be newer than the one in the event; the second parent is the head.
fn merge(git: &Git, remote: &Remote, own: &str, base: &str, head: &str) -> Result<FoundBase, Error> {
    if !has(git, base)? || !has(git, head)? {
        let depth = base::is_shallow(git)?.then_some(2);
        if let Err(refused) = remote.fetch(git, depth, &[own]) {
            return Ok(FoundBase::unknown(not_fetched(
                refused,
                "`fetch-depth: 2` of `actions/checkout` brings it along",
            )));
        }
    }
    Ok(FoundBase { merged_head: Some(head.to_owned()), ..FoundBase::tree(base.to_owned()) })
}

fn that_commit(git: &Git, remote: &Remote, base: &str, may_be_gone: bool) -> Result<FoundBase, Error> {
    if !has(git, base)? {
        let depth = base::is_shallow(git)?.then_some(1);
        if let Err(refused) = remote.fetch(git, depth, &[base]) {
            let way_out = if may_be_gone {
                "it may have gone with the forced push, and `--changed=BASE` names another base"
            } else {
                "`fetch-depth: 0` of `actions/checkout` brings it along"
            };
            return Ok(FoundBase::unknown(not_fetched(refused, way_out)));
        }
    }
    Ok(FoundBase::tree(base.to_owned()))
}

/// Finds the merge base of head and base. Fetches more of their history until it is certain.
fn left(git: &Git, remote: &Remote, sides: Sides<'_>) -> Result<FoundBase, Error> {
    let way_out = "`fetch-depth: 0` of `actions/checkout` brings it along";
    if !base::is_shallow(git)? {
        if !has(git, sides.base)?
            && let Err(refused) = remote.fetch(git, None, &[sides.base])
        {
            return Ok(FoundBase::unknown(not_fetched(refused, way_out)));
        }
        return Ok(base::merge_base(git, sides.base)?.into());
    }
    for depth in std::iter::once(None).chain(DEPTHS.map(Some)) {
        if depth.is_some() {
            let wanted = cuts(git, sides.base)?;
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            if let Err(refused) = remote.fetch(git, depth, &wanted) {
                return Ok(FoundBase::unknown(not_fetched(refused, way_out)));
            }
        }
        if let Some(base) = certain_merge_base(git, sides.base)? {
            return Ok(FoundBase::tree(base));
        }
    }
    Ok(FoundBase::unknown(Notice::TooFar))
}

/// Returns the merge base of `HEAD` and `base`; `None` if it depends on history that the clone lacks. In a shallow
/// clone, git may return an older commit than the true merge base, which may lie beyond a boundary of the history.
fn certain_merge_base(git: &Git, base: &str) -> Result<Option<String>, Error> {
    if !has(git, base)? {
        return Ok(None);
    }
    let merge = git.run(&["merge-base", base, "HEAD"])?;
    if !merge.is_success() {
        return Ok(None);
    }
    let found = merge.line();
    // A commit at the boundary of a shallow history has no parents.
    let others = ["rev-list", "--max-count=1", "--max-parents=0", "HEAD", base, "--not", &found];
    Ok(git.ask(&others)?.is_empty().then_some(found))
}

/// Returns the commits whose history is fetched: the boundaries of the history of `HEAD` and of the base, and the base
/// itself if the clone lacks it. The remote has all of them, even if `HEAD` is a local commit.
fn cuts(git: &Git, base: &str) -> Result<Vec<String>, Error> {
    let known = if has(git, base)? { Some(base) } else { None };
    let arguments: Vec<&str> = ["rev-list", MAX_CUTS, "--max-parents=0", "HEAD"].into_iter().chain(known).collect();
    let listed = git.ask(&arguments)?;
    let cuts = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect::<Vec<_>>();
    let missing = known.is_none().then(|| base.to_owned());
    Ok(cuts.into_iter().chain(missing).collect())
}

/// Returns the parents that a commit object lists, whether or not the clone has them.
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
