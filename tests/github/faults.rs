//! Comments on faults that several templates share, and comments whose lines or templates moved.

use serde_json::json;

use crate::faults;
use crate::github::fake::{BOT, World};
use crate::github::{HEAD, Job, NEW_SUMMARY, NUMBER, OTHER, REVIEW, check_exit, sites};
use crate::harness::Folder;

/// A pull request that brings in the module and templates that deploy it.
fn shared(names: &[String]) -> Job {
    let job = Job::new(&[]);
    push_shared(&job, HEAD, names);
    job
}

/// A new commit with the module and these templates.
fn push_shared(job: &Job, head: &str, names: &[String]) {
    let folder = Folder::new();
    faults::write(&folder, &names.iter().map(|name| (name.as_str(), 1)).collect::<Vec<_>>());
    let mut report = faults::check(&folder, &["--format", "json"]).json();
    job.move_to(head);
    let mut world = job.github.world();
    world.files.clear();
    world.add_file("m.bicep", faults::MODULE);
    for name in names {
        world.add_file(name, "module");
    }
    report["change"] = json!({
        "event": "pull_request", "pull_request": NUMBER, "base": "1".repeat(40), "head": head, "commit": head,
    });
    job.write_report(&report);
}

fn bodies(world: &World) -> Vec<&str> {
    world.comments.iter().map(|comment| comment.body.as_str()).collect()
}

#[test]
fn a_fault_that_twelve_templates_share_is_one_comment_and_one_row() {
    let job = shared(&faults::twelve());
    let ended = job.report();
    check_exit(&ended, 0);
    assert!(ended.stderr.starts_with("1 comment, summary written: "), "{ended:?}");
    {
        let world = job.github.world();
        let [comment] = &world.comments[..] else { panic!("one comment: {:?}", bodies(&world)) };
        assert_eq!(comment.place, Some(("m.bicep".to_owned(), 4)));
        assert!(comment.body.contains("also in 11 other deployments: app02.bicep"), "{}", comment.body);
        let summary = &world.summaries[0].body;
        assert!(summary.starts_with("## formwork: 12 findings from 1 fault\n\n12 high in 12 templates"), "{summary}");
        assert_eq!(summary.matches("\n| high |").count(), 1);
    }
    job.writes();
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn a_fault_keeps_its_comment_as_long_as_one_template_has_it() {
    let mut names = faults::twelve();
    let job = shared(&names);
    check_exit(&job.report(), 0);
    job.writes();
    // The comment has the fingerprint of the first template.
    names.remove(0);
    push_shared(&job, OTHER, &names);
    check_exit(&job.report(), 0);
    {
        let world = job.github.world();
        let [comment] = &world.comments[..] else { panic!("one comment: {:?}", bodies(&world)) };
        assert!(!comment.is_folded && comment.body.contains("also in 10 other deployments"), "{comment:?}");
    }
    push_shared(&job, HEAD, &[]);
    check_exit(&job.report(), 0);
    assert!(bodies(&job.github.world())[0].starts_with("Fixed in "));
}

#[test]
fn comments_that_an_older_version_wrote_for_each_template_become_one() {
    let job = shared(&faults::twelve());
    let mut old = job.read_report();
    for result in old["results"].as_array_mut().unwrap() {
        result.as_object_mut().unwrap().retain(|key, _| key != "fault" && key != "resource_fingerprint");
    }
    let new = job.read_report();
    job.write_report(&old);
    check_exit(&job.report(), 0);
    assert_eq!(job.github.world().comments.len(), 12);
    job.write_report(&new);
    check_exit(&job.report(), 0);
    let world = job.github.world();
    assert_eq!(world.comments.iter().filter(|comment| !comment.is_folded).count(), 1);
    assert_eq!(bodies(&world).iter().filter(|body| body.starts_with("Another comment says the same.")).count(), 11);
}

#[test]
fn an_outdated_comment_does_not_count_as_shown() {
    let job = Job::new(&["a", "b"]);
    check_exit(&job.report(), 0);
    job.writes();
    job.push(OTHER, &sites(&["a", "b"], 3));
    job.github.world().comments[0].is_outdated = true;
    let ended = job.report();
    check_exit(&ended, 0);
    assert!(ended.stderr.starts_with("1 comment, 1 moved"), "{ended:?}");
    {
        let world = job.github.world();
        let [old, other, new] = &world.comments[..] else { panic!("a new comment: {:?}", bodies(&world)) };
        assert!(old.is_folded && old.body.starts_with("Moved to <a href="), "{old:?}");
        assert!(old.body.contains("What was found"), "{old:?}");
        assert_eq!((other.edits, new.is_folded), (0, false));
    }
    job.writes();
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn an_outdated_comment_stays_where_there_is_no_line_for_another() {
    let job = Job::new(&["a"]);
    check_exit(&job.report(), 0);
    job.writes();
    {
        let mut world = job.github.world();
        world.comments[0].is_outdated = true;
        world.files.clear();
    }
    check_exit(&job.report(), 0);
    let world = job.github.world();
    assert_eq!((world.comments.len(), world.comments[0].edits, world.comments[0].is_folded), (1, 0, false));
    assert!(world.summaries[0].body.contains("1 outside of the lines that this pull request changes"));
}

#[test]
fn a_comment_of_a_finding_that_was_fixed_and_is_back_elsewhere_is_a_new_one() {
    let job = Job::new(&["a"]);
    check_exit(&job.report(), 0);
    job.push(OTHER, &sites(&[], 0));
    check_exit(&job.report(), 0);
    job.github.world().comments[0].is_outdated = true;
    job.push(HEAD, &sites(&["a"], 5));
    check_exit(&job.report(), 0);
    let world = job.github.world();
    assert_eq!((world.comments.len(), world.comments[0].is_folded, world.comments[1].is_folded), (2, true, false));
}

/// A push that renames the template, after the first run.
fn renamed(job: &Job, template: &str) {
    {
        let mut world = job.github.world();
        world.files.clear();
        for comment in &mut world.comments {
            comment.is_outdated = true;
        }
    }
    job.push_as(OTHER, "site.json", template);
}

#[test]
fn a_template_that_is_renamed_takes_its_findings_along() {
    let job = Job::new(&["a", "b"]);
    check_exit(&job.report(), 0);
    job.writes();
    renamed(&job, &sites(&["a", "b"], 0));
    let ended = job.report();
    check_exit(&ended, 0);
    assert!(ended.stderr.starts_with("2 comments, 2 moved, summary updated: "), "{ended:?}");
    {
        let world = job.github.world();
        let old = bodies(&world)[..2].to_vec();
        assert!(old.iter().all(|body| body.starts_with("Moved to <a href=") && body.contains("site.json:")), "{old:?}");
        assert!(!bodies(&world).iter().any(|body| body.starts_with("Fixed")), "{:?}", bodies(&world));
        let places: Vec<&str> = world.comments[2..].iter().map(|it| it.place.as_ref().unwrap().0.as_str()).collect();
        assert_eq!(places, ["site.json"; 2]);
    }
    job.writes();
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn what_a_rename_fixes_is_fixed() {
    let job = Job::new(&["a", "b"]);
    check_exit(&job.report(), 0);
    renamed(&job, &sites(&["b"], 0));
    let ended = job.report();
    check_exit(&ended, 0);
    assert!(ended.stderr.starts_with("1 comment, 1 fixed, 1 moved, "), "{ended:?}");
    let world = job.github.world();
    assert!(world.comments[0].body.starts_with("Fixed in ") && world.comments[1].body.starts_with("Moved to "));
}

#[test]
fn a_copy_of_a_template_does_not_take_the_comments_of_the_original() {
    let job = Job::new(&["a"]);
    check_exit(&job.report(), 0);
    // The original is corrected and stays in the pull request.
    job.github.world().add_file("main.json", &sites(&[], 0));
    job.push_as(OTHER, "copy.json", &sites(&["a"], 0));
    check_exit(&job.report(), 0);
    let world = job.github.world();
    assert!(world.comments[0].body.starts_with("Fixed in "), "{:?}", bodies(&world));
    assert_eq!(world.comments.len(), 2);
}

#[test]
fn a_module_keeps_its_comment_when_the_template_that_uses_it_is_renamed() {
    let job = shared(&["a.bicep".to_owned()]);
    check_exit(&job.report(), 0);
    push_shared(&job, OTHER, &["b.bicep".to_owned()]);
    check_exit(&job.report(), 0);
    job.writes();
    let world = job.github.world();
    assert_eq!((world.comments.len(), world.comments[0].edits, world.comments[0].is_folded), (1, 1, false));
}

/// What another run posts while this one runs: the summary of the same category.
fn other_summary(world: &mut World) {
    let marker = "<!-- formwork:v1:formwork:summary:open:0123456789abcdef -->";
    world.add_summary(BOT, &format!("## formwork: 1 finding\n\n{marker}"));
}

#[test]
fn two_runs_at_the_same_time_leave_one_summary() {
    // The other run writes its summary before this one does, after this one has read the comments.
    let job = Job::new(&["a"]);
    job.github.world().meanwhile.push(("GET", "issues/12/comments", other_summary));
    let ended = job.report();
    check_exit(&ended, 0);
    {
        let world = job.github.world();
        let [summary] = &world.summaries[..] else { panic!("one summary: {:?}", world.summaries) };
        assert!(summary.body.contains("main.json") && summary.edits == 1, "it says what is true: {summary:?}");
        let url = format!("https://github.com/org/infra/pull/12#issuecomment-{}", summary.id);
        assert!(ended.stderr.ends_with(&format!("{url}\n")) && job.outputs().contains(&url), "{ended:?}");
    }
    job.writes();
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [""; 0]);
}

#[test]
fn a_summary_that_another_run_writes_later_is_deleted_by_whoever_sees_both() {
    let job = Job::new(&["a"]);
    job.github.world().meanwhile.push(("POST", "issues/12/comments", other_summary));
    check_exit(&job.report(), 0);
    assert_eq!(job.github.world().summaries.len(), 1);
    // The other run was slower still.
    other_summary(&mut job.github.world());
    check_exit(&job.report(), 0);
    let writes = job.writes();
    assert_eq!(writes.last().map(String::as_str), Some("DELETE /repos/org/infra/issues/comments/1004"), "{writes:?}");
    assert_eq!(job.github.world().summaries.len(), 1);
}

#[test]
fn only_summaries_of_this_category_and_account_are_deleted() {
    let job = Job::new(&["a"]);
    check_exit(&job.report(), 0);
    let body = job.github.world().summaries[0].body.clone();
    for author in ["somebody", "other-app[bot]"] {
        job.github.world().add_summary(author, &body);
    }
    job.github.world().add_summary(BOT, &body.replace(":formwork:summary", ":other:summary"));
    check_exit(&job.report(), 0);
    assert_eq!(job.github.world().summaries.len(), 4);
    assert_eq!(job.writes(), [REVIEW, NEW_SUMMARY]);
}

#[test]
fn a_run_for_an_older_commit_does_not_undo_what_a_newer_one_wrote() {
    let job = Job::new(&["a"]);
    job.github.world().meanwhile.push(("GET", "issues/12/comments", |world| {
        OTHER.clone_into(&mut world.head);
        other_summary(world);
    }));
    // GitHub takes the review of an older commit.
    check_exit(&job.report_with(&["--summary"], &[]), 0);
    let world = job.github.world();
    let [summary] = &world.summaries[..] else { panic!("one summary: {:?}", world.summaries) };
    assert_eq!((summary.edits, summary.body.contains("main.json")), (0, false), "{summary:?}");
}

#[test]
fn two_reviews_at_the_same_time_leave_one_comment_open() {
    let job = Job::new(&["a"]);
    job.github.world().meanwhile.push(("POST", "/reviews", |world| {
        let mut copy = world.comments[0].clone();
        copy.id = 2000;
        world.comments.push(copy);
    }));
    check_exit(&job.report(), 0);
    let world = job.github.world();
    assert_eq!(world.comments.iter().filter(|comment| !comment.is_folded).count(), 1);
    assert!(world.comments[1].body.starts_with("Another comment says the same."));
}
