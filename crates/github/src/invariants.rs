//! Invariants of every event and every report of a workflow.

use crate::Event;
use crate::event::Branch;

/// Checks the payload of an event: text that becomes an argument of git or a part of an address is harmless.
pub fn event(bytes: &[u8]) {
    for name in ["pull_request", "pull_request_target", "merge_group", "push", "workflow_run", "issue_comment"] {
        match Event::read(name, bytes) {
            Ok(event) => check_event(&event),
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
        }
    }
}

fn check_event(event: &Event) {
    match event {
        Event::PullRequest(own) => {
            [&own.base, &own.head].into_iter().for_each(check_branch);
            own.head_repository.iter().for_each(|name| check_repository(name));
        }
        Event::MergeGroup(own) => [&own.base_sha, &own.head_sha].into_iter().for_each(|sha| check_sha(sha)),
        Event::Push(own) => {
            own.before.iter().chain(&own.after).for_each(|sha| check_sha(sha));
            own.branch.iter().chain(&own.default_branch).for_each(|name| check_name(name));
        }
        Event::WorkflowRun(_) | Event::Other { .. } => {}
    }
}

fn check_branch(branch: &Branch) {
    check_sha(&branch.sha);
    check_name(&branch.name);
}

fn check_sha(sha: &str) {
    assert!(matches!(sha.len(), 40 | 64) && sha.bytes().all(|byte| byte.is_ascii_hexdigit()), "{sha:?}");
}

/// Checks the name of a repository. It may contain several dots in a row, but no segment is only dots.
fn check_repository(name: &str) {
    assert!(name.split('/').all(|part| !matches!(part, "" | "." | "..")), "{name:?}");
    assert!(name.chars().all(|c| c.is_ascii_graphic()), "{name:?}");
}

fn check_name(name: &str) {
    let is_harmless = name.chars().all(|c| !c.is_control() && c != ' ');
    assert!(!name.is_empty() && is_harmless && !name.contains(".."), "{name:?}");
}

/// Checks a report: after its plan is carried out once, nothing is left to do.
#[cfg(feature = "publish")]
pub fn report(bytes: &[u8]) {
    use crate::plan::sample::{existing, options, publish};

    let Ok(report) = super::Report::read(bytes, &crate::diagnostic::CheckTable::default()) else { return };
    let mut existing = existing();
    publish(&report, &mut existing, &options());
    for comment in &existing.comments {
        assert!(!comment.body.contains(|c: char| c.is_control() && c != '\n'), "{:?}", comment.body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_testing::damage::{ALL, check};

    #[test]
    fn event_payloads_are_harmless() {
        check(event, include_bytes!("../../../tests/events/pull_request.json"), ALL);
        event(include_str!("../../../tests/events/pull_request.json").replace("Org/infra", "a..b/c..d").as_bytes());
        check(event, include_bytes!("../../../tests/events/push.json"), ALL);
        check(event, include_bytes!("../../../tests/events/merge_group.json"), ALL);
    }

    #[cfg(feature = "publish")]
    #[test]
    fn reports_are_published_once_or_refused() {
        use crate::plan::sample::{document, finding, problem};

        let results = document(&[finding(1, 7), finding(2, 900)], &[problem("error", "no \u{202e} value")]);
        check(report, results.to_string().as_bytes(), 300);
    }
}
