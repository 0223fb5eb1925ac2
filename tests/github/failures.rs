//! GitHub refuses, fails, or wants to be left alone.

use serde_json::json;

use crate::github::fake::{Fault, denied, status};
use crate::github::{Job, NEW_SUMMARY, REVIEW, check_exit, notices};
use crate::server::Reply;

const OUTAGE: &str = "<html>bad gateway</html>";

fn outage() -> Reply {
    let mut answer = status(502, &json!(null));
    answer.body = OUTAGE.as_bytes().to_vec();
    Reply::Answer(answer)
}

fn refused_outage() -> Fault {
    match outage() {
        Reply::Answer(answer) => Fault::Refused(answer),
        Reply::Silence => unreachable!("an outage answers"),
    }
}

/// The comments and summaries that the pull request has in the end.
#[track_caller]
fn check_shown(job: &Job, comments: usize, summaries: usize) {
    let world = job.github.world();
    assert_eq!((world.comments.len(), world.summaries.len()), (comments, summaries));
}

#[test]
fn what_was_accepted_in_spite_of_an_error_is_not_written_again() {
    for reply in [outage, || Reply::Silence] {
        for (end, writes) in [("/reviews", [REVIEW, NEW_SUMMARY]), ("issues/12/comments", [REVIEW, NEW_SUMMARY])] {
            let job = Job::new(&["a", "b"]);
            job.github.world().fault("POST", end, Fault::Accepted(reply()));
            let ended = job.report();
            check_exit(&ended, 0);
            assert_eq!(job.writes(), writes);
            check_shown(&job, 2, 1);
            assert!(ended.stderr.starts_with("2 comments, summary written: https://"), "{ended:?}");
        }
    }
}

#[test]
fn what_was_not_accepted_is_written_once() {
    let job = Job::new(&["a", "b"]);
    job.github.world().fault("POST", "/reviews", refused_outage());
    job.github.world().fault("POST", "issues/12/comments", refused_outage());
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [REVIEW, REVIEW, NEW_SUMMARY, NEW_SUMMARY]);
    check_shown(&job, 2, 1);
}

#[test]
fn a_lasting_outage_is_an_error() {
    let job = Job::new(&["a"]);
    for _ in 0..10 {
        job.github.world().fault("POST", "/reviews", refused_outage());
    }
    let ended = job.report();
    check_exit(&ended, 3);
    assert_eq!(ended.stderr, "error: GitHub could not be reached: status 502\n");
    assert_eq!(job.writes(), [REVIEW; 3]);
    let job = Job::new(&["a"]);
    for _ in 0..3 {
        job.github.world().fault("GET", "/pulls/12", refused_outage());
    }
    check_exit(&job.report(), 3);
    let job = Job::new(&["a"]);
    for _ in 0..2 {
        job.github.world().fault("GET", "/pulls/12", refused_outage());
    }
    check_exit(&job.report(), 0);
    check_shown(&job, 1, 1);
}

#[test]
fn a_token_that_may_not_write_loses_nothing_and_is_reported_once() {
    for code in [403, 404] {
        let job = Job::new(&["a"]);
        job.github.world().fault("POST", "/reviews", Fault::Refused(denied(code)));
        let ended = job.report();
        check_exit(&ended, 0);
        assert_eq!(job.writes(), [REVIEW], "nothing more is tried");
        check_shown(&job, 0, 0);
        let [notice] = notices(&ended)[..] else { panic!("one notice: {ended:?}") };
        assert!(notice.contains("`permissions: pull-requests: write`"), "{notice}");
        assert!(notice.contains("docs/permissions.md"), "{notice}");
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn outside_a_workflow_a_notice_is_for_people() {
    let job = Job::new(&["a"]);
    job.github.world().fault("POST", "/reviews", Fault::Refused(denied(403)));
    let ended = job.report_with(&["--review"], &[("GITHUB_ACTIONS", "")]);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.starts_with("notice: the token may not write"), "{ended:?}");
}

#[test]
fn answers_of_the_server_are_not_workflow_commands() {
    let job = Job::new(&["a"]);
    let message = "x\n::error::forged\r\n##[error]forged % \u{1b}[31m";
    job.github.world().fault("POST", "/reviews", Fault::Refused(status(403, &json!({"message": message}))));
    let ended = job.report();
    assert_eq!(notices(&ended).len(), 1);
    assert!(ended.stdout.contains("forged %25 \\u{1b}[31m"), "{ended:?}");
    job.github.world().fault("POST", "/reviews", Fault::Refused(status(400, &json!({"message": message}))));
    let ended = job.report();
    check_exit(&ended, 3);
    assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    assert!(!ended.stderr.contains("##["), "{ended:?}");
}

#[test]
fn an_unknown_token_is_an_error() {
    let job = Job::new(&["a"]);
    job.github.world().fault("GET", "/pulls/12", Fault::Refused(status(401, &json!({"message": "Bad credentials"}))));
    let ended = job.report();
    check_exit(&ended, 3);
    assert_eq!(ended.stderr, "error: GitHub refuses: the token is not accepted: Bad credentials (401)\n");
}

#[test]
fn a_comment_that_github_cannot_place_goes_to_the_summary() {
    let names = ["a", "b", "c", "d", "e"];
    let job = Job::new(&names);
    check_exit(&job.report_with(&["--review"], &[]), 0);
    let lines = job.commented_lines();
    for refused in &lines {
        let job = Job::new(&names);
        job.github.world().refused_lines.insert(*refused);
        let ended = job.report();
        check_exit(&ended, 0);
        assert!(ended.stderr.starts_with("4 comments, 1 not placed by GitHub, summary written: "), "{ended:?}");
        let posted: Vec<u64> = lines.iter().copied().filter(|line| line != refused).collect();
        assert_eq!(job.commented_lines(), posted);
        let summary = job.github.world().summaries[0].body.clone();
        assert!(summary.contains("1 where GitHub took no comment"), "{summary}");
        job.writes();
        check_exit(&job.report(), 0);
        check_shown(&job, 4, 1);
        assert_eq!(job.writes(), [REVIEW], "only the comment that was refused is tried again");
    }
}

#[test]
fn all_comments_may_be_refused() {
    let job = Job::new(&["a", "b", "c"]);
    job.github.world().refused_lines.extend(1..100);
    let ended = job.report();
    check_exit(&ended, 0);
    check_shown(&job, 0, 1);
    assert!(ended.stderr.starts_with("3 not placed by GitHub, summary written: "), "{ended:?}");
}

#[test]
fn the_search_for_refused_comments_ends() {
    let names: Vec<String> = (0..200).map(|number| format!("site{number}")).collect();
    let job = Job::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    job.github.world().refused_lines.extend(1..2000);
    check_exit(&job.report(), 0);
    check_shown(&job, 0, 1);
    let writes = job.writes();
    // The last one writes into the summary which comments were refused.
    assert_eq!(writes.len(), 32, "{writes:?}");
    assert!(writes[31].starts_with("PATCH /repos/org/infra/issues/comments/"), "{writes:?}");
}

/// A refusal because of a limit, with these headers.
fn limit(code: u16, headers: &[(&str, &str)]) -> Fault {
    let mut answer = status(code, &json!({"message": "You have exceeded a secondary rate limit"}));
    answer.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Fault::Refused(answer)
}

#[test]
fn a_limit_is_waited_for() {
    // The date of the fake is 1795273200.
    let reset = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795273200")];
    for fault in [limit(429, &[("retry-after", "1")]), limit(403, &[("retry-after", "1")]), limit(403, &reset)] {
        let job = Job::new(&["a"]);
        job.github.world().fault("POST", "/reviews", fault);
        let start = std::time::Instant::now();
        let ended = job.report();
        check_exit(&ended, 0);
        assert!(start.elapsed().as_millis() >= 1000);
        assert_eq!(job.writes(), [REVIEW, REVIEW, NEW_SUMMARY]);
        check_shown(&job, 1, 1);
        assert!(ended.stderr.starts_with("GitHub has set a limit, waiting for 1 s\n"), "{ended:?}");
    }
}

#[test]
fn a_limit_that_takes_too_long_is_reported_once() {
    let job = Job::new(&["a"]);
    job.github.world().fault("POST", "/reviews", limit(429, &[("retry-after", "3600")]));
    let ended = job.report();
    check_exit(&ended, 0);
    let [notice] = notices(&ended)[..] else { panic!("one notice: {ended:?}") };
    assert!(notice.contains("required wait of 3600 s exceeds `--max-wait`"), "{notice}");
    assert_eq!(job.writes(), [REVIEW]);
    // The waits count together.
    let job = Job::new(&["a"]);
    for _ in 0..2 {
        job.github.world().fault("GET", "/pulls/12", limit(429, &[("retry-after", "1")]));
    }
    let ended = job.report_with(&["--review", "--max-wait", "1"], &[]);
    check_exit(&ended, 0);
    assert_eq!(notices(&ended).len(), 1);
    check_shown(&job, 0, 0);
}
