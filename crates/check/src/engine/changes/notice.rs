//! Notices about how a change was determined: usually why everything is checked.

/// Notice for the user about how the change was determined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Notice {
    /// The base consists of zeros only.
    #[error(
        "the base is all zeros, which is how a push that makes a branch names it; everything is checked, name a branch to check less"
    )]
    Zeros,
    /// The base is not in this clone.
    #[error("the base `{base}` is not in this {}, so everything is checked; {}", clone_word(*.is_shallow), way_out(*.is_shallow))]
    Missing {
        /// The name that the user gave.
        base: String,
        /// True if the clone is shallow.
        is_shallow: bool,
    },
    /// `HEAD` and the base have no merge base in this clone.
    #[error(
        "`HEAD` and the base `{base}` have no common history in this {}, so what they differ in is checked, even what changed only in the base; {}",
        clone_word(*.is_shallow),
        way_out(*.is_shallow)
    )]
    Unrelated {
        /// The name that the user gave.
        base: String,
        /// True if the clone is shallow.
        is_shallow: bool,
    },
    /// The event describes no change.
    #[error("{run} has nothing to compare with, so everything is checked; `--changed=BASE` names a base")]
    Nothing {
        /// The run, as the subject of the message.
        run: String,
    },
    /// The base is checked out instead of the pull request.
    #[error(
        "a run by `pull_request_target` has the base checked out and nothing of the pull request, so everything is checked; a run by `pull_request` sees the change"
    )]
    Target,
    /// The default branch is not in this clone.
    #[error("the clone has no `{reference}` to compare with, so everything is checked; {way_out}")]
    NoBranch {
        /// The short name of the branch.
        reference: String,
        /// Instructions for fetching the branch.
        way_out: &'static str,
    },
    /// The description of the event, which the runner provides, is invalid.
    #[error("the event of this run cannot be told, so everything is checked: {message}")]
    Event {
        /// Description of the invalid part.
        message: String,
    },
    /// The base is not in this clone, and fetching it failed.
    #[error(
        "what to compare with cannot be fetched, so everything is checked: {message}; {way_out}{}",
        if *.has_credentials { "" } else { ", and a private repository requires a token in `GITHUB_TOKEN`" }
    )]
    NotFetched {
        /// The error message of git.
        message: String,
        /// True if git had credentials for the server.
        has_credentials: bool,
        /// Advice for the user.
        way_out: &'static str,
    },
    /// The merge base is too far back for this shallow clone.
    #[error(
        "the branch left its base more than 200 commits ago, too far for this shallow clone, so everything is checked; `fetch-depth: 0` of `actions/checkout` gets the history"
    )]
    TooFar,
    /// Git gave up on finding the files that were renamed.
    #[error(
        "too many files were deleted and added to tell which of them were renamed and edited, so those count as new with all of their lines and findings"
    )]
    Renames,
    /// Git failed or could not be used.
    #[error("what changed cannot be told, so everything is checked: {message}")]
    Untold {
        /// The error, with its causes.
        message: String,
    },
}

impl Notice {
    /// Returns `true` if reports contain the notice. A run without a base, such as that of a schedule, is normal.
    pub const fn is_unusual(&self) -> bool {
        !matches!(self, Self::Zeros | Self::Nothing { .. } | Self::Target)
    }
}

fn clone_word(is_shallow: bool) -> &'static str {
    if is_shallow { "shallow clone" } else { "clone" }
}

fn way_out(is_shallow: bool) -> &'static str {
    if is_shallow {
        "`git fetch --unshallow` gets the history, in a workflow `fetch-depth: 0` of `actions/checkout`"
    } else {
        "it may have gone with a forced push: name the branch instead"
    }
}
