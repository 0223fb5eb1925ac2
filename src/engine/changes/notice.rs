//! What the user should know of how a change was found: mostly, why everything is checked.

/// What the user should know of how the change was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Notice {
    /// The base is written with nothing but zeros.
    #[error(
        "the base is all zeros, which is how a push that makes a branch names it; everything is checked, name a branch to check less"
    )]
    Zeros,
    /// The base is not in this clone.
    #[error("the base `{base}` is not in this {}, so everything is checked; {}", clone_word(*.is_shallow), way_out(*.is_shallow))]
    Missing {
        /// What the user called it.
        base: String,
        /// Whether the history of the clone is cut off.
        is_shallow: bool,
    },
    /// Nothing tells where the branch left its base.
    #[error(
        "`HEAD` and the base `{base}` have no common history in this {}, so what they differ in is checked, even what changed only in the base; {}",
        clone_word(*.is_shallow),
        way_out(*.is_shallow)
    )]
    Unrelated {
        /// What the user called it.
        base: String,
        /// Whether the history of the clone is cut off.
        is_shallow: bool,
    },
    /// The event is about no change.
    #[error("{run} has nothing to compare with, so everything is checked; `--changed=BASE` names a base")]
    Nothing {
        /// What the run is.
        run: String,
    },
    /// The base is checked out, and not the pull request.
    #[error(
        "a run by `pull_request_target` has the base checked out and nothing of the pull request, so everything is checked; a run by `pull_request` sees the change"
    )]
    Target,
    /// The default branch is not in this clone.
    #[error("the clone has no `{reference}` to compare with, so everything is checked; {way_out}")]
    NoBranch {
        /// What people call it.
        reference: String,
        /// How to get it.
        way_out: &'static str,
    },
    /// What the runner says of the event makes no sense.
    #[error("the event of this run cannot be told, so everything is checked: {message}")]
    Event {
        /// Why.
        message: String,
    },
    /// What to compare with is not in this clone, and does not come.
    #[error(
        "what to compare with cannot be fetched, so everything is checked: {message}; {way_out}{}",
        if *.has_credentials { "" } else { ", and a private repository wants a token in `GITHUB_TOKEN`" }
    )]
    NotFetched {
        /// What git says.
        message: String,
        /// Whether git had something to show to the server.
        has_credentials: bool,
        /// What to do.
        way_out: &'static str,
    },
    /// The branch left its base long ago.
    #[error(
        "the branch left its base more than 200 commits ago, too far for this shallow clone, so everything is checked; `fetch-depth: 0` of `actions/checkout` gets the history"
    )]
    TooFar,
    /// git cannot be used.
    #[error("what changed cannot be told, so everything is checked: {message}")]
    Untold {
        /// Why.
        message: String,
    },
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
