//! What people see in a pull request, from one push to the next.

use serde_json::Value;

use crate::github::fake::BOT;
use crate::github::{HEAD, Job, NEW_SUMMARY, OTHER, REVIEW, check_exit, sites};

#[test]
fn the_first_run_posts_one_review_and_one_summary() {
    let job = Job::new(&["a", "b", "c"]);
    let ended = job.report();
    check_exit(&ended, 0);
    assert_eq!(job.writes(), [REVIEW, NEW_SUMMARY]);
    assert_eq!(job.commented_lines().len(), 3);
    let url = "https://github.com/org/infra/pull/12#issuecomment-1004";
    assert_eq!(ended.stderr, format!("3 comments, summary written: {url}\n"));
    assert_eq!(ended.stdout, "");
    assert_eq!(job.outputs(), format!("comment-url={url}\n"));
}

#[test]
fn a_second_run_posts_nothing_and_still_links_the_summary() {
    let job = Job::new(&["a", "b"]);
    check_exit(&job.report(), 0);
    job.writes();
    let ended = job.report();
    check_exit(&ended, 0);
    assert_eq!(job.writes(), [""; 0]);
    assert_eq!(ended.stderr, "nothing new to publish\n");
    let url = "comment-url=https://github.com/org/infra/pull/12#issuecomment-1003\n";
    assert_eq!(job.outputs(), url.repeat(2));
}

#[test]
fn a_push_that_shifts_all_lines_posts_nothing() {
    let job = Job::new(&["a", "b"]);
    check_exit(&job.report(), 0);
    job.writes();
    job.push(OTHER, &sites(&["a", "b"], 40));
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [""; 0]);
    assert_eq!(job.github.world().comments.len(), 2);
}

#[test]
fn a_fixed_finding_is_marked_and_folded() {
    let job = Job::new(&["a", "b"]);
    check_exit(&job.report(), 0);
    job.writes();
    job.push(OTHER, &sites(&["b"], 0));
    let ended = job.report();
    check_exit(&ended, 0);
    let expected =
        ["PATCH /repos/org/infra/pulls/comments/1001", "POST /graphql", "PATCH /repos/org/infra/issues/comments/1003"];
    assert_eq!(job.writes(), expected);
    assert!(ended.stderr.starts_with("1 fixed, summary updated: "), "{ended:?}");
    {
        let world = job.github.world();
        let [a, b] = &world.comments[..] else { panic!("two comments") };
        assert!(a.is_folded && !a.is_resolved && a.edits == 1, "the token may not resolve: {a:?}");
        assert!(!b.is_folded && b.edits == 0, "{b:?}");
    }
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn a_conversation_is_resolved_where_the_token_may() {
    let job = Job::new(&["a"]);
    job.github.world().may_resolve = true;
    check_exit(&job.report(), 0);
    job.push(OTHER, &sites(&[], 0));
    check_exit(&job.report(), 0);
    assert!(job.github.world().comments[0].is_resolved);
    job.push(HEAD, &sites(&["a"], 0));
    check_exit(&job.report(), 0);
    let world = job.github.world();
    let [comment] = &world.comments[..] else { panic!("the finding has its comment again") };
    assert!(!comment.is_resolved && !comment.is_folded, "{comment:?}");
}

#[test]
fn of_many_findings_the_first_thirty_have_comments() {
    let names: Vec<String> = (0..200).map(|number| format!("site{number}")).collect();
    let job = Job::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [REVIEW, NEW_SUMMARY]);
    let world = job.github.world();
    assert_eq!((world.reviews, world.comments.len()), (1, 30));
    assert!(world.summaries[0].body.contains("200"), "{}", world.summaries[0].body);
}

#[test]
fn our_comments_are_found_on_later_pages() {
    let job = Job::new(&["a"]);
    for number in 0..230 {
        let mut world = job.github.world();
        world.add_summary("somebody", &format!("comment {number}"));
        world.add_comment("somebody", &format!("comment {number}"), ("main.json", 1), None);
    }
    check_exit(&job.report(), 0);
    for number in 0..20 {
        let mut world = job.github.world();
        world.add_summary("somebody", &format!("later comment {number}"));
        world.add_comment("somebody", &format!("later comment {number}"), ("main.json", 1), None);
    }
    job.writes();
    check_exit(&job.report(), 0);
    assert_eq!(job.github.world().summaries.len(), 251);
    let pages = |world: &crate::github::fake::World, end: &str| {
        world.requests.iter().filter(|request| request.path.split('?').next().unwrap().ends_with(end)).count()
    };
    assert_eq!(pages(&job.github.world(), "issues/12/comments"), 3);
    assert_eq!(pages(&job.github.world(), "pulls/12/comments"), 3);
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn a_marker_of_somebody_else_is_only_text() {
    let job = Job::new(&["a"]);
    check_exit(&job.report(), 0);
    let (comment, summary) = {
        let world = job.github.world();
        (world.comments[0].body.clone(), world.summaries[0].body.clone())
    };
    // The same marks, by a user, by a user who calls himself like the app, and by another app.
    let other = Job::new(&["a"]);
    for author in ["somebody", "github-actions", "other-app[bot]"] {
        let mut world = other.github.world();
        world.add_comment(author, &comment, ("main.json", 1), None);
        world.add_summary(author, &summary);
    }
    check_exit(&other.report(), 0);
    assert_eq!(other.writes(), [REVIEW, NEW_SUMMARY]);
    other.push(OTHER, &sites(&[], 0));
    check_exit(&other.report(), 0);
    let world = other.github.world();
    for it in world.comments.iter().chain(&world.summaries).filter(|it| it.author != BOT) {
        assert_eq!((it.edits, it.is_folded), (0, false), "{it:?}");
    }
}

#[test]
fn replies_of_people_are_left_unchanged() {
    let job = Job::new(&["a"]);
    check_exit(&job.report(), 0);
    let first = job.github.world().comments[0].clone();
    let reply = job.github.world().add_comment("somebody", "why?", ("main.json", 1), Some(first.id));
    // Even a reply of the account of the token, with a copy of the marks.
    let copy = job.github.world().add_comment(BOT, &first.body, ("main.json", 1), Some(first.id));
    job.push(OTHER, &sites(&[], 0));
    check_exit(&job.report(), 0);
    let world = job.github.world();
    for id in [reply, copy] {
        let reply = world.comments.iter().find(|comment| comment.id == id).unwrap();
        assert_eq!((reply.edits, reply.is_folded), (0, false), "{reply:?}");
    }
    assert!(world.comments[0].is_folded);
}

#[test]
fn jobs_of_other_categories_have_their_own_comments() {
    let job = Job::new(&["a"]);
    check_exit(&job.report(), 0);
    check_exit(&job.report_with(&["--review", "--summary", "--category", "other"], &[]), 0);
    assert_eq!(job.writes(), [REVIEW, NEW_SUMMARY, REVIEW, NEW_SUMMARY]);
    check_exit(&job.report_with(&["--review", "--summary", "--category", "other"], &[]), 0);
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn a_dry_run_prints_what_a_real_run_sends() {
    let job = Job::new(&["a", "b"]);
    let check = || {
        job.writes();
        let dry = job.report_with(&["--review", "--summary", "--dry-run"], &[]);
        check_exit(&dry, 0);
        assert_eq!(job.writes(), [""; 0]);
        check_exit(&job.report(), 0);
        let world = job.github.world();
        let printed: Vec<Value> = dry.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let sent: Vec<Value> = world
            .writes()
            .iter()
            .map(|request| serde_json::json!({"method": request.method, "path": request.path, "body": request.body}))
            .collect();
        assert_eq!(printed, sent);
        sent.len()
    };
    assert_eq!(check(), 2);
    job.push(OTHER, &sites(&["b"], 0));
    assert_eq!(check(), 3);
    job.push(HEAD, &sites(&["a", "b"], 0));
    assert_eq!(check(), 3);
}
