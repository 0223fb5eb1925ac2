//! `--changed=auto`: determines the base of a comparison from the environment of a workflow.
//!
//! | event | compared with |
//! |---|---|
//! | `pull_request`, `pull_request_review`, `pull_request_review_comment` | the base, as the checked-out merge has it; where the head is checked out, the commit at which it left the base |
//! | `pull_request_target` | the same, if the workflow checked out the merge or the head; nothing otherwise |
//! | `merge_group` | the commit that the group is merged into |
//! | `push` | the branch before the push; of a new branch, where it left the default branch, if the clone has that |
//! | `workflow_dispatch`, `schedule`, `workflow_run`, `issue_comment`, … | nothing |
//! | none: no workflow | where the branch left `origin/HEAD` |
//!
//! If there is nothing to compare with, everything is checked, and a notice gives the reason.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::cli::Environment;
use crate::engine::{Auto, Notice, Remote, Wanted};
use crate::github::{Event, Push};

/// Information about the run of a workflow.
#[derive(Debug)]
pub(super) struct Workflow {
    /// Base of the comparison.
    pub(super) auto: Auto,
    /// Event. `None` outside of a workflow, and if it cannot be read.
    pub(super) event: Option<Event>,
    /// Commit that the run is for.
    pub(super) commit: Option<String>,
}

impl Workflow {
    /// Reads the variables that the runner sets, and the event file.
    pub(super) fn from_environment(environment: &Environment) -> Self {
        let server = environment.get("GITHUB_SERVER_URL");
        let remote = Remote { server: server.map(str::to_owned), token: token(environment).map(str::to_owned) };
        let commit = environment.get("GITHUB_SHA").map(str::to_owned);
        let (wanted, event) = match event(environment) {
            None => (outside(), None),
            Some(Ok(event)) => (wanted(&event, commit.as_deref()), Some(event)),
            Some(Err(message)) => (Wanted::Nothing(Notice::Event { message }), None),
        };
        Self { auto: Auto { wanted, remote }, event, commit }
    }
}

/// Returns the token for GitHub.
pub(super) fn token(environment: &Environment) -> Option<&str> {
    token_variable(environment).and_then(|name| environment.get(name))
}

/// Returns the variable with the token. The action's variable takes precedence, because the other may be meant for
/// something else. If the first one is set but empty, the user wants no token, and the other is not used either.
pub(super) fn token_variable(environment: &Environment) -> Option<&'static str> {
    let name = ["FORMWORK_TOKEN", "GITHUB_TOKEN"].into_iter().find(|name| environment.variables.contains_key(*name));
    name.filter(|name| environment.get(name).is_some())
}

/// Returns the address of the run's web page.
pub(super) fn run_url(environment: &Environment) -> Option<String> {
    let server = environment.get("GITHUB_SERVER_URL")?;
    let (repository, run) = (environment.get("GITHUB_REPOSITORY")?, environment.get("GITHUB_RUN_ID")?);
    let url = format!("{}/{repository}/actions/runs/{run}", server.trim_end_matches('/'));
    let is_address = url.starts_with("http") && url.bytes().all(|byte| byte.is_ascii_graphic());
    is_address.then_some(url)
}

/// Returns the event, if this is a workflow.
pub(super) fn event(environment: &Environment) -> Option<Result<Event, String>> {
    let name = environment.get("GITHUB_EVENT_NAME")?;
    let Some(path) = environment.get("GITHUB_EVENT_PATH") else {
        return Some(Err("`GITHUB_EVENT_NAME` is set and `GITHUB_EVENT_PATH` is not".to_owned()));
    };
    let payload = read(&environment.working.join(path), Event::MAX_PAYLOAD as u64);
    let payload = payload.map_err(|error| format!("cannot read the file of `GITHUB_EVENT_PATH`: {error}"));
    Some(payload.and_then(|bytes| Event::read(name, &bytes).map_err(|error| error.to_string())))
}

/// Returns the bytes of a file from a runner or another job, up to one above `most`, which is enough to detect that
/// it is too long.
pub(super) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the base outside of a workflow: that of the current branch.
fn outside() -> Wanted {
    let otherwise = Notice::NoBranch {
        reference: "origin/HEAD".to_owned(),
        way_out: "`git remote set-head origin --auto` sets it, or `--changed=BASE` names a base",
    };
    Wanted::Branch { reference: "refs/remotes/origin/HEAD".to_owned(), otherwise }
}

fn wanted(event: &Event, commit: Option<&str>) -> Wanted {
    match event {
        Event::PullRequest(it) => Wanted::PullRequest {
            base: it.base.sha.clone(),
            head: it.head.sha.clone(),
            commit: commit.map(str::to_owned),
            is_target: it.is_target(),
        },
        Event::MergeGroup(it) => Wanted::Commit { base: it.base_sha.clone(), may_be_gone: false },
        Event::Push(it) => push(it),
        Event::WorkflowRun(_) => nothing("a run by `workflow_run` sees the default branch and not the change: it"),
        Event::Other { name, .. } => nothing(&format!("a run by `{name}`")),
    }
}

fn push(push: &Push) -> Wanted {
    if let Some(before) = &push.before {
        return Wanted::Commit { base: before.clone(), may_be_gone: push.is_forced };
    }
    match (&push.branch, &push.default_branch) {
        (None, _) => nothing("a push of a tag"),
        (Some(branch), Some(default)) if branch != default => Wanted::Branch {
            reference: format!("refs/remotes/origin/{default}"),
            otherwise: Notice::NoBranch {
                reference: format!("origin/{default}"),
                way_out: "a push that makes a branch is compared with it, and `fetch-depth: 0` of `actions/checkout` brings it along",
            },
        },
        _ => nothing("the first push of a branch"),
    }
}

fn nothing(run: &str) -> Wanted {
    Wanted::Nothing(Notice::Nothing { run: run.to_owned() })
}
