//! The workflow: event, token, proxies, and whether reports can be published.

use std::path::Path;

use serde::Serialize;

use crate::cli::Environment;
use crate::files::read_bytes;
use crate::github::Event;

/// Variables that may contain the address of a proxy.
const PROXIES: [&str; 6] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// Maximum size of the payload of an event, in bytes.
const MAX_PAYLOAD: u64 = 25 << 20;

/// The event that triggered the GitHub Actions workflow.
#[derive(Debug, Serialize)]
pub(super) struct Workflow {
    pub(super) event: String,
    pub(super) pull_request: Option<u64>,
    /// The commit or branch to compare with.
    pub(super) base: Option<String>,
    /// The reason why the payload cannot be used.
    pub(super) error: Option<String>,
}

/// A proxy. Credentials in its address are not kept.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Proxy {
    pub(super) variable: &'static str,
    pub(super) host: String,
}

/// The destinations to which `formwork` would publish findings.
#[derive(Debug, Serialize)]
pub(super) struct Publishing {
    /// True if a GitHub runner would show annotations.
    pub(super) annotations: bool,
    /// True if the runner accepts a job summary.
    pub(super) job_summary: bool,
    /// The pull request that `github report` would write to.
    pub(super) pull_request: Option<u64>,
    /// The reason why nothing would be written to a pull request. `None` if it would be.
    pub(super) obstacle: Option<String>,
}

/// Returns the event and its parsed payload. Both are `None` outside a workflow. The payload is also `None` if it is
/// invalid.
pub(super) fn read_event(environment: &Environment) -> (Option<Workflow>, Option<Event>) {
    let Some(name) = environment.get("GITHUB_EVENT_NAME") else { return (None, None) };
    let mut workflow = Workflow { event: name.to_owned(), pull_request: None, base: None, error: None };
    let payload = environment.get("GITHUB_EVENT_PATH").ok_or_else(|| "`GITHUB_EVENT_PATH` is not set".to_owned());
    let bytes = payload.and_then(|path| read_bytes(Path::new(path), MAX_PAYLOAD).map_err(|error| error.to_string()));
    let event = bytes.and_then(|bytes| Event::read(name, &bytes).map_err(|error| error.to_string()));
    match event {
        Ok(event) => {
            workflow.pull_request = event.pull_request();
            workflow.base = base(&event);
            (Some(workflow), Some(event))
        }
        Err(error) => (Some(Workflow { error: Some(error), ..workflow }), None),
    }
}

fn base(event: &Event) -> Option<String> {
    match event {
        Event::PullRequest(it) => Some(format!("{} at {}", it.base.name, it.base.sha)),
        Event::MergeGroup(it) => Some(it.base_sha.clone()),
        Event::Push(it) => it.before.clone(),
        Event::WorkflowRun(_) | Event::Other { .. } => None,
    }
}

pub(super) fn proxies(environment: &Environment) -> Vec<Proxy> {
    let set = PROXIES.into_iter().filter_map(|variable| Some((variable, environment.get(variable)?)));
    set.map(|(variable, address)| Proxy { variable, host: host_of(address) }).collect()
}

/// Returns the host and the port of an address. Everything before the last `@` may be a secret and is dropped.
fn host_of(address: &str) -> String {
    let rest = address.rsplit('@').next().unwrap_or_default();
    let rest = rest.split_once("://").map_or(rest, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-_:[]".contains(c));
    if is_host { host.to_owned() } else { "an address that cannot be read".to_owned() }
}

pub(super) fn publishing(
    environment: &Environment,
    workflow: Option<&Workflow>,
    event: Option<&Event>,
    token: Option<&'static str>,
) -> Publishing {
    let number = workflow.and_then(|workflow| workflow.pull_request);
    let obstacle = obstacle(environment, workflow, event, token);
    Publishing {
        annotations: environment.get("GITHUB_ACTIONS") == Some("true"),
        job_summary: environment.get("GITHUB_STEP_SUMMARY").is_some(),
        pull_request: number.filter(|_| obstacle.is_none()),
        obstacle,
    }
}

/// Returns the reason why nothing would be written to a pull request. `None` if it would be.
fn obstacle(
    environment: &Environment,
    workflow: Option<&Workflow>,
    event: Option<&Event>,
    token: Option<&'static str>,
) -> Option<String> {
    let Some(workflow) = workflow else { return Some("this is not a GitHub Actions workflow".to_owned()) };
    if !cfg!(feature = "github") {
        return Some("this formwork was built without the feature `github`".to_owned());
    }
    if workflow.error.is_some() {
        return Some("the payload of the event cannot be read".to_owned());
    }
    if workflow.pull_request.is_none() && !matches!(event, Some(Event::WorkflowRun(_))) {
        return Some(format!("the event `{}` is not about a pull request", workflow.event));
    }
    if environment.get("GITHUB_REPOSITORY").is_none() {
        return Some("`GITHUB_REPOSITORY` is not set".to_owned());
    }
    if token.is_none() {
        return Some("neither `FORMWORK_TOKEN` nor `GITHUB_TOKEN` is set".to_owned());
    }
    match event {
        Some(Event::PullRequest(it)) if it.is_fork && !it.is_target() => {
            Some("the pull request comes from a fork, so the token may not write".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_proxy_only_the_host_is_shown() {
        let check = |address: &str, host: &str| assert_eq!(host_of(address), host, "{address}");
        check("http://proxy.example.org:3128", "proxy.example.org:3128");
        check("http://user:secret@proxy:8080/", "proxy:8080");
        check("user:secret@proxy", "proxy");
        check("http://user:sec/ret@proxy/path", "proxy");
        check("http://user:sec@ret@[::1]:80", "[::1]:80");
        check("http://proxy/a@b c", "an address that cannot be read");
        check("http://", "an address that cannot be read");
    }
}
