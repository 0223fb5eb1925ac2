//! Azure policies on resources: judging ends, says the same twice, and agrees with what is explained.

use std::sync::Arc;

use crate::invariants::{check_span, on_deep_stack, text};
use crate::model::Limits;
use crate::policy::judge::{Answer, Evaluated, Explained, Question};
use crate::policy::{
    Assignment, Definition, Effect, Exemption, InForce, Initiative, Judged, Outcome, Policies, Problem, Request,
    Standing, Surroundings, Verdict, lint,
};
use crate::syntax::json;
use crate::text::{Sources, Suggestions};
use crate::value::{Str, Value};

/// Little fuel, so that each try is quick.
const STEPS: u64 = 200_000;

/// Definitions, an initiative, an assignment, exemptions and resources, as members of one object in JSON.
pub fn policies(bytes: &[u8]) {
    let text = text(bytes);
    on_deep_stack(|| {
        let once = judged(&text);
        assert_eq!(once, judged(&text));
    });
}

/// Evaluates the policies of a case on its resources, and returns the verdicts in debug format.
fn judged(text: &str) -> String {
    let sources = Sources::new();
    let file = sources.add("case.json", text);
    let Some(case) = json::parse(file, sources.get(file).text(), Limits::default().nesting).value else {
        return String::new();
    };
    let items = |name: &str| case.get(name).and_then(Value::as_array).unwrap_or_default();
    let policies = Policies {
        definitions: items("definitions").iter().map(Definition::read).map(Arc::new).collect(),
        initiatives: case.get("initiative").map(Initiative::read).map(Arc::new).into_iter().collect(),
        assignments: vec![Assignment::read(case.get("assignment").unwrap_or(&Value::NULL))],
        exemptions: items("exemptions").iter().map(Exemption::read).collect(),
        ..Policies::default()
    };
    let suggestions = Suggestions::default();
    for definition in &policies.definitions {
        check_problems(&definition.problems, &sources);
        check_problems(&lint::lint(definition, &suggestions), &sources);
    }
    let requests: Vec<Request> = items("resources").iter().map(request).collect();
    let in_force = InForce::with_steps(&policies, STEPS);
    let surroundings = Surroundings::default();
    let all = in_force.judge(&requests, &surroundings);
    let asked: Vec<usize> = (0..requests.len()).collect();
    for name in ["", "assigned"] {
        let question = Question { policy: name, requests: &asked, needs_all: true, most: 1_000 };
        for explained in in_force.explain(&question, &requests, &surroundings).all {
            agree(&explained, all.get(explained.request));
        }
    }
    format!("{all:?}")
}

fn request(resource: &Value) -> Request {
    let part = |name: &str| resource.get(name).cloned().unwrap_or(Value::NULL);
    let text = |name: &str| part(name).as_shared_str().cloned().unwrap_or_else(|| Str::from(""));
    let (name, api_version) = (part("name"), part("apiVersion"));
    Request { id: text("id"), type_name: text("type"), name, api_version, body: resource.clone(), ..Request::default() }
}

/// Requires that what is explained is what was judged, and that the conditions say so.
#[track_caller]
fn agree(explained: &Explained, judged: Option<&Judged>) {
    let is_it =
        |verdict: &&Verdict| (verdict.assignment, &verdict.reference) == (explained.assignment, &explained.reference);
    let Some(verdict) = judged.and_then(|judged| judged.verdicts.iter().find(is_it)) else { return };
    // Explaining takes steps as well.
    let is_same = verdict.outcome == explained.outcome && explained.standing == Standing::Applies;
    let Some(condition) = explained.condition.as_ref().filter(|_| is_same) else { return };
    match (explained.outcome, explained.effects.as_slice()) {
        (Outcome::Effect(Effect::Audit), _) => assert!(may_be(condition, Answer::True), "{explained:?}"),
        (Outcome::None, [Effect::Audit | Effect::Deny]) => assert!(may_be(condition, Answer::False), "{explained:?}"),
        _ => {}
    }
}

/// Returns `true` if a condition has an answer, or is unknown.
fn may_be(condition: &Evaluated, answer: Answer) -> bool {
    condition.answer == answer || condition.answer == Answer::Unknown
}

#[track_caller]
fn check_problems(problems: &[Problem], sources: &Sources) {
    for problem in problems {
        problem.span.into_iter().for_each(|span| check_span(span, sources));
        assert!(!problem.message.is_empty());
    }
}
