//! Plans, and carrying them out in a small model of a pull request.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::plan::fault::Fault;
use crate::plan::marker::{Marker, is_own};
use crate::plan::sample::{
    HEAD, apply, document, existing, file, finding, fingerprint, issue_comment, options, place, problem, publish, read,
    report, review_comment, user, with_members,
};
use crate::wire::{NewComment, PullFile};

/// A pull request that shows what a first run with these results published.
fn after(results: &[Value]) -> Existing {
    let mut existing = existing();
    publish(&report(results), &mut existing, &options());
    existing
}

fn comments(plan: &PublishPlan) -> Vec<NewComment> {
    plan.review.iter().flat_map(|review| review.comments.clone()).collect()
}

/// First and last line of each new comment.
fn lines(plan: &PublishPlan) -> Vec<(Option<u32>, u32)> {
    comments(plan).iter().map(|comment| (comment.start_line, comment.line)).collect()
}

#[test]
fn a_finding_is_commented_once() {
    let mut existing = existing();
    let plan = publish(&report(&[finding(1, 7)]), &mut existing, &options());
    let review = plan.review.unwrap();
    assert_eq!((review.commit_id.as_str(), review.event), (HEAD, "COMMENT"));
    let comment = &review.comments[0];
    assert_eq!((comment.path.as_str(), comment.line, comment.side), ("infra/main.json", 7, "RIGHT"));
    assert_eq!((comment.start_line, comment.start_side), (None, None));
    assert_eq!(plan.fingerprints, [fingerprint(1)]);
    assert_eq!(plan.counts, Counts { new: 1, kept: 0, not_inline: 0, fixed: 0 });
    assert!(matches!(plan.summary, Some(SummaryWrite::Create(_))));
}

#[test]
fn each_part_of_a_plan_is_something_to_write() {
    let plan = plan(&report(&[finding(1, 7)]), &existing(), &options());
    let review = PublishPlan { review: plan.review.clone(), ..PublishPlan::default() };
    let summary = PublishPlan { summary: plan.summary.clone(), ..PublishPlan::default() };
    let edit = CommentEdit { id: 1, node_id: "node1".to_owned(), body: None, state: State::Fixed, is_moved: false };
    let edits = PublishPlan { edits: vec![edit], ..PublishPlan::default() };
    let surplus = PublishPlan { surplus: vec![1], ..PublishPlan::default() };
    let Some(SummaryWrite::Create(body)) = plan.summary else { panic!("a first run creates a summary") };
    let update = PublishPlan { summary: Some(SummaryWrite::Update { id: 1, body }), ..PublishPlan::default() };
    for (plan, is_empty, creates) in [
        (PublishPlan::default(), true, false),
        (review, false, true),
        (summary, false, true),
        (update, false, false),
        (edits, false, false),
        (surplus, false, false),
    ] {
        assert_eq!((plan.is_empty(), plan.creates()), (is_empty, creates), "{plan:#?}");
    }
}

#[test]
fn a_fault_is_of_the_resources_of_its_findings() {
    let report = report(&[with_members(finding(1, 7), json!({"resource_fingerprint": "ab12ab12"})), finding(2, 9)]);
    let of: Vec<bool> = Fault::all(&report).iter().map(|fault| fault.is_of_resource("ab12ab12")).collect();
    assert_eq!(of, [true, false]);
}

#[test]
fn only_what_failed_is_published() {
    let results = ["unknown", "suppressed", "passed"].map(|word| with_members(finding(1, 7), json!({"outcome": word})));
    assert!(publish(&report(&results), &mut existing(), &options()).is_empty());
}

#[test]
fn moved_lines_are_nothing_new() {
    let mut existing = after(&[finding(1, 7), finding(2, 9)]);
    existing.head = "5".repeat(40);
    existing.files = vec![file("infra/main.json", 1, 90)];
    let change = json!({"pull_request": 12, "head": "5".repeat(40), "commit": "5".repeat(40)});
    let moved = with_members(document(&[finding(1, 47), finding(2, 49)], &[]), json!({"change": change}));
    let plan = publish(&read(&moved), &mut existing, &options());
    assert!(plan.is_empty(), "{plan:#?}");
    assert_eq!(plan.counts.kept, 2);
}

#[test]
fn only_the_new_finding_of_a_second_push_is_commented() {
    let mut existing = after(&[finding(1, 7)]);
    let plan = publish(&report(&[finding(1, 7), finding(2, 9)]), &mut existing, &options());
    assert_eq!(plan.fingerprints, [fingerprint(2)]);
    assert!(plan.edits.is_empty());
    assert!(matches!(plan.summary, Some(SummaryWrite::Update { .. })));
}

#[test]
fn another_text_is_written_into_the_same_comment() {
    let mut existing = after(&[finding(1, 7)]);
    let other = with_members(finding(1, 7), json!({"message": "another text"}));
    let plan = publish(&report(&[other]), &mut existing, &options());
    assert_eq!((plan.review, plan.edits.len(), plan.edits[0].state), (None, 1, State::Open));
    assert!(existing.comments[0].body.contains("another text"));
}

#[test]
fn the_comment_of_a_finding_that_is_gone_says_so() {
    let mut existing = after(&[finding(1, 7), finding(2, 9)]);
    let plan = publish(&report(&[finding(2, 9)]), &mut existing, &options());
    assert_eq!((plan.edits.len(), plan.edits[0].state, plan.counts.fixed), (1, State::Fixed, 1));
    let body = &existing.comments[0].body;
    assert!(body.starts_with("Fixed in <a href=\"https://github.com/octo/infra/commit/4b825dc"), "{body}");
    assert!(body.contains("accepts TLS older than 1.2"), "{body}");
    assert_eq!(Marker::read(body).unwrap().state, State::Fixed);
    assert!(existing.hidden.unwrap().contains("node101"));
}

#[test]
fn a_finding_that_is_back_gets_its_comment_back() {
    let mut existing = after(&[finding(1, 7)]);
    let first = existing.comments[0].body.clone();
    publish(&report(&[]), &mut existing, &options());
    let plan = publish(&report(&[finding(1, 7)]), &mut existing, &options());
    assert_eq!((plan.review, plan.edits[0].state), (None, State::Open));
    assert_eq!(existing.comments[0].body, first);
    assert_eq!(existing.hidden.unwrap().len(), 0);
}

#[test]
fn a_comment_that_says_fixed_and_is_shown_is_hidden() {
    let mut existing = after(&[finding(1, 7)]);
    apply(&plan(&report(&[]), &existing, &options()), &mut existing);
    existing.hidden = Some(BTreeSet::new());
    let plan = publish(&report(&[]), &mut existing, &options());
    assert_eq!((plan.edits.len(), plan.edits[0].body.clone(), plan.counts.fixed), (1, None, 0));
    existing.hidden = None;
    assert!(publish(&report(&[]), &mut existing, &options()).is_empty());
}

#[test]
fn what_could_not_be_checked_is_not_fixed() {
    let mut existing = after(&[finding(1, 7)]);
    let broken = document(&[], &[problem("error", "no value")]);
    let plan = publish(&read(&broken), &mut existing, &options());
    assert_eq!((plan.edits.len(), plan.counts.fixed), (0, 0));
    let undecided = report(&[with_members(finding(1, 7), json!({"outcome": "unknown"}))]);
    assert!(publish(&undecided, &mut existing, &options()).edits.is_empty());
    let warned = document(&[], &[problem("warning", "an odd value")]);
    assert_eq!(publish(&read(&warned), &mut existing, &options()).counts.fixed, 1);
}

#[test]
fn a_suppressed_finding_is_not_called_fixed() {
    let mut existing = after(&[finding(1, 7)]);
    publish(&report(&[with_members(finding(1, 7), json!({"outcome": "suppressed"}))]), &mut existing, &options());
    assert!(existing.comments[0].body.starts_with("Suppressed as of "), "{}", existing.comments[0].body);
}

#[test]
fn of_two_comments_on_one_finding_the_older_stays() {
    let mut existing = after(&[finding(1, 7)]);
    let body = existing.comments[0].body.clone();
    existing.comments.insert(0, review_comment(300, &existing.viewer, &body));
    let plan = publish(&report(&[finding(1, 7)]), &mut existing, &options());
    let edits: Vec<_> = plan.edits.iter().map(|edit| (edit.id, edit.state)).collect();
    assert_eq!((plan.review, edits), (None, vec![(300, State::Fixed)]));
}

#[test]
fn a_comment_of_somebody_else_is_never_touched() {
    let mut existing = after(&[finding(1, 7)]);
    let (body, summary) = (existing.comments[0].body.clone(), existing.summaries[0].body.clone().unwrap());
    let mut reply = review_comment(3, &existing.viewer, &body);
    reply.in_reply_to_id = Some(101);
    let mut impostor = review_comment(4, "mallory", &body);
    impostor.user = user(&existing.viewer);
    impostor.user.as_mut().unwrap().kind = "User".to_owned();
    let mut orphan = review_comment(5, "mallory", &body);
    orphan.user = None;
    existing.comments = vec![review_comment(2, "mallory", &body), reply, impostor, orphan];
    existing.comments.push(review_comment(6, "other[bot]", &body));
    existing.summaries = vec![issue_comment(1, "mallory", &summary), issue_comment(2, "other[bot]", &summary)];
    let plan = publish(&report(&[finding(1, 7)]), &mut existing.clone(), &options());
    assert_eq!((comments(&plan).len(), plan.edits.len()), (1, 0));
    assert!(matches!(plan.summary, Some(SummaryWrite::Create(_))));
    assert!(publish(&report(&[]), &mut existing, &options()).is_empty());
}

#[test]
fn thirty_findings_are_commented_and_the_others_listed() {
    let results: Vec<Value> = (0..200).map(|at| finding(at, at % 50 + 1)).collect();
    let mut existing = existing();
    let plan = publish(&report(&results), &mut existing, &options());
    assert_eq!(comments(&plan).len(), 30);
    assert_eq!(plan.counts, Counts { new: 30, kept: 0, not_inline: 170, fixed: 0 });
    let summary = existing.summaries[0].body.as_deref().unwrap();
    assert_eq!(summary.matches("<sub>no room</sub>").count(), 170);
    assert_eq!(summary.matches("\n| high |").count(), 200);
    assert!(summary.contains("Without a comment on their lines: 170 beyond the limit of 30 comments."));
}

#[test]
fn a_comment_that_is_gone_makes_room() {
    let results: Vec<Value> = (0..40).map(|at| finding(at, at + 1)).collect();
    let mut existing = after(&results);
    let plan = publish(&report(&results[3..]), &mut existing, &options());
    assert_eq!((plan.counts.fixed, plan.counts.new, plan.counts.not_inline), (3, 3, 7));
}

#[test]
fn the_worst_comes_first_and_then_one_of_each_rule_and_file() {
    let mut existing = existing();
    existing.files.push(file("infra/b.json", 1, 50));
    let of = |number: u32, severity: u8, rule: &str, file: &str| {
        let members = json!({"severity": severity, "rule": rule, "location": place(file, number + 1, number + 1)});
        with_members(finding(number, 1), members)
    };
    let mut results: Vec<Value> = (0..28).map(|at| of(at, 2, "A", "infra/main.json")).collect();
    results.push(of(28, 2, "B", "infra/main.json"));
    results.push(of(29, 2, "A", "infra/b.json"));
    results.push(of(30, 3, "C", "infra/b.json"));
    results.push(of(31, 1, "A", "infra/main.json"));
    let plan = publish(&report(&results), &mut existing, &options());
    assert_eq!(plan.fingerprints[..4], [31, 29, 28, 0].map(fingerprint));
    assert_eq!(plan.fingerprints.len(), 30);
    assert!(!plan.fingerprints.contains(&fingerprint(30)));
}

#[test]
fn a_refused_comment_is_listed() {
    let mut existing = existing();
    let options = Options { rejected: BTreeSet::from([fingerprint(1)]), ..options() };
    let plan = publish(&report(&[finding(1, 7), finding(2, 9)]), &mut existing, &options);
    assert_eq!(plan.fingerprints, [fingerprint(2)]);
    let body = plan.review.unwrap().body;
    assert!(body.contains("Without a comment on their lines: 1 where GitHub took no comment."), "{body}");
    assert!(existing.summaries[0].body.as_deref().unwrap().contains("<sub>refused</sub>"));
}

#[test]
fn jobs_of_different_categories_leave_each_other_alone() {
    let mut existing = existing();
    let of = |category: &str| Options { category: category.to_owned(), ..options() };
    publish(&report(&[finding(1, 7)]), &mut existing, &of("a"));
    let plan = publish(&report(&[finding(2, 7)]), &mut existing, &of("b"));
    assert_eq!((comments(&plan).len(), plan.edits.len()), (1, 0));
    assert_eq!((existing.comments.len(), existing.summaries.len()), (2, 2));
    assert!(publish(&report(&[finding(1, 7)]), &mut existing, &of("a")).is_empty());
}

#[test]
fn all_jobs_together_have_thirty_comments() {
    let mut existing = existing();
    let results: Vec<Value> = (0..29).map(|at| finding(at, at + 1)).collect();
    publish(&report(&results), &mut existing, &Options { category: "a".to_owned(), ..options() });
    let plan = publish(&report(&results), &mut existing, &options());
    assert_eq!((plan.counts.new, plan.counts.not_inline), (1, 28));
}

#[track_caller]
fn check_lines(members: Value, expected: &[(Option<u32>, u32)]) {
    let plan = publish(&report(&[with_members(finding(1, 7), members)]), &mut existing(), &options());
    assert_eq!(lines(&plan), expected);
    assert_eq!(plan.counts.not_inline, usize::from(expected.is_empty()));
}

#[test]
fn a_comment_is_at_the_first_place_that_is_changed() {
    let elsewhere = || place("infra/main.json", 90, 95);
    check_lines(json!({"location": elsewhere()}), &[]);
    let failures = json!([elsewhere(), place("infra/main.json", 8, 9)]);
    check_lines(json!({"location": elsewhere(), "failures": failures}), &[(Some(8), 9)]);
    let related = json!([with_members(place("infra/main.json", 3, 3), json!({"message": "here"}))]);
    check_lines(json!({"location": elsewhere(), "related": related}), &[(None, 3)]);
    check_lines(json!({"location": place("infra/main.json", 45, 60)}), &[(Some(45), 50)]);
    check_lines(json!({"location": place("infra/main.json", 10, 45)}), &[(Some(10), 29)]);
    check_lines(json!({"location": place("infra/other.json", 7, 7)}), &[]);
    check_lines(json!({"location": place("infra/../infra/main.json", 7, 7)}), &[]);
}

#[test]
fn a_comment_is_on_the_lines_of_the_head() {
    let moved =
        |head: Value| json!({"location": with_members(place("infra/main.json", 57, 57), json!({ "head": head }))});
    check_lines(moved(json!({"line": 15, "end_line": 16})), &[(Some(15), 16)]);
    check_lines(moved(Value::Null), &[]);
    let renamed = with_members(
        place("here.json", 57, 57),
        json!({"head": {"file": "infra/main.json", "line": 8, "end_line": 8}}),
    );
    check_lines(json!({"location": renamed}), &[(None, 8)]);
}

#[test]
fn nothing_is_commented_on_lines_of_another_commit() {
    let of = |head: &str, commit: &str| {
        let change = json!({"pull_request": 12, "head": head, "commit": commit});
        read(&with_members(document(&[finding(1, 7)], &[]), json!({"change": change})))
    };
    let other = "5".repeat(40);
    for report in [of(&other, &other), of(&other, HEAD), of(HEAD, &other)] {
        let plan = publish(&report, &mut existing(), &options());
        assert_eq!((plan.review, plan.counts.not_inline), (None, 1));
    }
}

#[test]
fn a_file_without_a_diff_has_no_comment() {
    let mut existing = existing();
    existing.files[0].patch = None;
    let plan = publish(&report(&[finding(1, 7)]), &mut existing, &options());
    assert_eq!(plan.review, None);
    assert!(existing.summaries[0].body.as_deref().unwrap().contains("<sub>no diff</sub>"));
}

fn fix(line: u32, end_line: u32, replacement: &str) -> Value {
    let place = place("infra/main.json", line, end_line);
    json!({"fix": with_members(place, json!({"title": "set it", "replacement": replacement}))})
}

#[track_caller]
fn check_suggestion(fix: Value, expected_lines: (Option<u32>, u32), expected: &str) {
    let plan = publish(&report(&[with_members(finding(1, 7), fix)]), &mut existing(), &options());
    assert_eq!(lines(&plan), [expected_lines]);
    let body = &comments(&plan)[0].body;
    let block = body.split_once("\n\n```").map_or("", |(_, rest)| rest.rsplit_once("\n\n<!--").unwrap().0);
    assert_eq!(block, expected);
}

#[test]
fn a_fix_is_suggested_where_its_lines_are_those_of_the_comment() {
    check_suggestion(fix(8, 8, "  \"a\": 1,"), (None, 8), "suggestion\n  \"a\": 1,\n```");
    check_suggestion(fix(8, 9, "\ta\n\n\tb"), (Some(8), 9), "suggestion\n\ta\n\n\tb\n```");
    check_suggestion(fix(50, 51, "a"), (None, 7), "");
    check_suggestion(fix(60, 60, "a"), (None, 7), "");
    check_suggestion(fix(8, 8, "```\n````js\n```"), (None, 8), "``suggestion\n```\n````js\n```\n`````");
}

#[test]
fn lines_that_a_reader_cannot_judge_are_not_suggested() {
    for replacement in ["", "a\r", "a\u{202e}b", "a\u{1b}b"] {
        check_suggestion(fix(8, 8, replacement), (None, 8), "");
    }
}

#[test]
fn a_suggestion_is_written_again_only_where_the_comment_still_is_on_its_lines() {
    let with_fix =
        |message: &str| with_members(with_members(finding(1, 7), fix(8, 9, "a")), json!({ "message": message }));
    let mut existing = after(&[with_fix("one")]);
    publish(&report(&[with_fix("two")]), &mut existing, &options());
    assert!(existing.comments[0].body.contains("\n```suggestion\na\n```\n"));
    existing.comments[0].line = None;
    publish(&report(&[with_fix("three")]), &mut existing, &options());
    assert!(!existing.comments[0].body.contains("suggestion"));
}

#[test]
fn a_comment_that_is_elsewhere_than_the_fix_suggests_nothing() {
    let with_fix =
        |message: &str| with_members(with_members(finding(1, 7), fix(8, 9, "a")), json!({ "message": message }));
    let mut existing = after(&[with_fix("one")]);
    existing.comments[0].start_line = None;
    publish(&report(&[with_fix("two")]), &mut existing, &options());
    assert!(existing.comments[0].body.contains("two") && !existing.comments[0].body.contains("suggestion"));
}

/// A finding on a resource that keeps its fingerprint.
fn of_resource(number: u32, resource: &str, path: &str) -> Value {
    with_members(finding(number, 7), json!({"resource_fingerprint": resource, "location": place(path, 7, 7)}))
}

#[test]
fn a_comment_follows_its_resource_where_its_file_is_gone() {
    let removed = PullFile { status: "removed".to_owned(), ..file("infra/main.json", 1, 50) };
    let other = || file("infra/other.json", 1, 50);
    for (files, resource, path, kept, why) in [
        (vec![other()], "ab12ab12", "infra/other.json", 1, "the file has another name"),
        (vec![other(), removed], "ab12ab12", "infra/other.json", 1, "the file was removed"),
        (vec![other(), file("infra/main.json", 1, 50)], "ab12ab12", "infra/other.json", 0, "the file is there"),
        (vec![file("infra/main.json", 1, 50)], "ab12ab12", "infra/main.json", 1, "the file is the same"),
        (vec![file("infra/main.json", 1, 50)], "cd34cd34", "infra/main.json", 0, "the resource is another one"),
    ] {
        let mut existing = after(&[of_resource(1, "ab12ab12", "infra/main.json")]);
        existing.files = files;
        let plan = publish(&report(&[of_resource(2, resource, path)]), &mut existing, &options());
        assert_eq!((plan.counts.kept, plan.counts.new, plan.counts.fixed), (kept, 1 - kept, 1 - kept), "{why}");
    }
}

#[test]
fn only_a_comment_whose_finding_is_fixed_follows_its_resource() {
    let first = of_resource(1, "ab12ab12", "infra/main.json");
    let second = || of_resource(2, "ab12ab12", "infra/main.json");
    let mut existing = after(std::slice::from_ref(&first));
    let unknown = with_members(first.clone(), json!({"outcome": "unknown"}));
    let plan = publish(&report(&[unknown, second()]), &mut existing, &options());
    assert_eq!((plan.counts.kept, plan.counts.new), (0, 1));
    let mut existing = after(&[first]);
    publish(&report(&[]), &mut existing, &options());
    let plan = publish(&report(&[second()]), &mut existing, &options());
    assert_eq!((plan.counts.kept, plan.counts.new), (0, 1));
}

#[test]
fn the_most_important_outcome_of_a_fingerprint_counts() {
    let outcome = |word: &str| with_members(finding(1, 7), json!({"outcome": word}));
    for results in [["unknown", "suppressed"], ["suppressed", "unknown"]] {
        let mut existing = after(&[finding(1, 7)]);
        let plan = publish(&report(&results.map(outcome)), &mut existing, &options());
        assert!(plan.edits.is_empty(), "{results:?}");
    }
}

#[test]
fn comments_that_stay_take_room() {
    let all: Vec<Value> = (1..=30).map(|number| finding(number, number)).collect();
    let full = || after(&all);
    let mut undecided: Vec<Value> =
        all.iter().map(|one| with_members(one.clone(), json!({"outcome": "unknown"}))).collect();
    undecided.push(finding(31, 40));
    let plan = publish(&report(&undecided), &mut full(), &options());
    assert_eq!((plan.counts.new, plan.counts.not_inline), (0, 1));
    let mut existing = full();
    existing.comments.iter_mut().for_each(|comment| comment.line = None);
    existing.files = vec![file("infra/main.json", 40, 50)];
    let more: Vec<Value> = all.into_iter().chain([finding(31, 40)]).collect();
    let plan = publish(&report(&more), &mut existing, &options());
    assert_eq!(plan.counts.new, 0, "{plan:#?}");
}

#[test]
fn an_outdated_comment_gives_way_to_a_new_one() {
    let mut existing = after(&[finding(1, 7)]);
    existing.comments[0].line = None;
    let plan = publish(&report(&[finding(1, 9)]), &mut existing, &options());
    assert!(plan.review.is_some() && plan.edits[0].is_moved, "{plan:#?}");
}

#[test]
fn without_a_summary_the_review_says_where_the_others_are() {
    let results = [finding(1, 7), finding(2, 60), finding(3, 61)];
    let options = Options { summary: false, ..options() };
    let plan = publish(&report(&results), &mut existing(), &options);
    assert_eq!(
        plan.review.unwrap().body,
        "formwork: 1 new finding on changed lines.\n\n\
         Without a comment on their lines: 2 outside of the lines that this pull request changes. All findings are \
         in the <a href=\"https://github.com/octo/infra/actions/runs/7\">workflow run</a>.\n\n\
         <!-- formwork:v1:default:review -->"
    );
    assert_eq!(plan.summary, None);
}

#[test]
fn without_a_review_there_are_neither_comments_nor_notes_on_them() {
    let mut existing = existing();
    let plan = publish(&report(&[finding(1, 60)]), &mut existing, &Options { review: false, ..options() });
    assert_eq!((plan.review, plan.edits.len(), plan.counts), (None, 0, Counts::default()));
    assert!(!existing.summaries[0].body.as_deref().unwrap().contains("<sub>not changed</sub>"));
}

#[test]
fn a_summary_is_there_only_if_there_is_something_to_say() {
    assert!(publish(&report(&[]), &mut existing(), &options()).is_empty());
    let broken = read(&document(&[], &[problem("error", "no value")]));
    assert!(publish(&broken, &mut existing(), &options()).summary.is_some());
    let warned = read(&document(&[], &[problem("warning", "no value")]));
    assert_eq!(publish(&warned, &mut existing(), &options()).summary, None);
}

#[test]
fn the_first_of_several_summaries_counts() {
    let mut existing = after(&[finding(1, 7)]);
    let body = existing.summaries[0].body.clone().unwrap();
    existing.summaries.push(issue_comment(900, &existing.viewer, &body));
    let plan = publish(&report(&[]), &mut existing, &options());
    assert!(matches!(plan.summary, Some(SummaryWrite::Update { id: 102, .. })), "{:?}", plan.summary);
}

/// One run: what it finds and how it is asked to publish.
#[derive(Clone, Debug)]
struct Step {
    results: Vec<Value>,
    is_broken: bool,
    options: Options,
    /// How much of a first try is carried out before it fails.
    done: (usize, bool, bool),
}

fn any_result() -> impl Strategy<Value = Value> {
    let outcome = prop_oneof![6 => Just("failed"), 1 => Just("unknown"), 1 => Just("suppressed"), 1 => Just("passed")];
    (0_u32..45, 1_u32..60, 1_u8..4, 0_u8..3, outcome, any::<bool>()).prop_map(
        |(number, line, severity, text, outcome, has_fix)| {
            let members = json!({
                "severity": severity, "outcome": outcome, "message": format!("text {text}"),
                "fix": if has_fix { fix(line, line + 1, "a")["fix"].clone() } else { Value::Null },
            });
            with_members(finding(number, line), members)
        },
    )
}

fn any_step() -> impl Strategy<Value = Step> {
    let results = prop::collection::vec(any_result(), 0..60);
    let flags = (prop::bool::weighted(0.2), prop::bool::weighted(0.8), any::<bool>(), any::<bool>());
    let rejected = prop::collection::btree_set((0_u32..45).prop_map(fingerprint), 0..3);
    (results, flags, rejected, (0_usize..40, any::<bool>(), any::<bool>())).prop_map(
        |(results, (is_broken, review, summary, is_other), rejected, done)| {
            let category = if is_other { "other".to_owned() } else { String::new() };
            Step { results, is_broken, options: Options { review, summary, category, rejected, ..options() }, done }
        },
    )
}

/// Carries out as much of a plan as was done before something failed.
fn apply_part(mut plan: PublishPlan, (edits, review, summary): (usize, bool, bool), existing: &mut Existing) {
    plan.edits.truncate(edits);
    plan.review = plan.review.filter(|_| review);
    plan.summary = plan.summary.filter(|_| summary);
    apply(&plan, existing);
}

/// The subject of each of our comments that holds, and its category.
fn open(existing: &Existing) -> Vec<&str> {
    let own = existing.comments.iter().filter(|comment| is_own(comment.user.as_ref(), &existing.viewer));
    let markers =
        own.filter_map(|comment| comment.body.lines().next_back()).filter(|comment| comment.contains(":open:"));
    markers.filter_map(|marker| marker.split_once(":open:")).map(|(subject, _)| subject).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn nothing_is_left_to_do_and_nothing_is_written_twice(
        steps in prop::collection::vec(any_step(), 1..6),
        knows_hidden: bool,
    ) {
        let mut existing = existing();
        existing.hidden = knows_hidden.then(BTreeSet::new);
        let forged = Category::new("").open(&fingerprint(1), "0", None);
        existing.comments.push(review_comment(1, "mallory", &forged));
        existing.summaries.push(issue_comment(2, "mallory", &Category::new("").summary("0")));
        for Step { results, is_broken, options, done } in steps {
            let problems = if is_broken { vec![problem("error", "no value")] } else { Vec::new() };
            let report = read(&document(&results, &problems));
            let count = existing.comments.len();
            apply_part(plan(&report, &existing, &options), done, &mut existing);
            let plan = publish(&report, &mut existing, &options);
            let open = open(&existing);
            prop_assert_eq!(open.iter().collect::<BTreeSet<_>>().len(), open.len(), "a finding has two comments");
            prop_assert!(plan.review.is_none() || open.len() <= 30, "{} comments", open.len());
            prop_assert!(existing.comments.len() >= count);
            prop_assert_eq!(&existing.comments[0].body, &forged);
            prop_assert!(existing.summaries.len() <= 3, "a category has two summaries");
            for comment in plan.review.iter().flat_map(|review| &review.comments) {
                prop_assert!(comment.line <= 50 && comment.start_line.is_none_or(|start| start < comment.line));
            }
        }
    }
}
