//! Evaluates a rule on a resource.

use crate::guard::answer::Answer;
use crate::guard::path::{Root, Segment, TrailStep};
use crate::guard::rule::{Branch, Check};
use crate::guard::select::{PathTarget, TargetValue, visit};
use crate::model::Resource;
use crate::value::{Str, Value};

/// Result of a rule on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The resource satisfies the rule.
    Held,
    /// The resource breaks the rule.
    Failed,
    /// Only the deployment knows the result.
    Unknown,
    /// The rule does not apply: the property is missing, or the condition does not hold.
    Silent,
}

/// Value, or absence of a value, that decided a result.
#[derive(Debug)]
pub(super) struct Leaf {
    /// Path for messages.
    pub(super) shown: String,
    /// Start of the rule's path.
    pub(super) root: Root,
    /// Steps taken from there.
    pub(super) trail: Vec<TrailStep>,
    pub(super) kind: LeafKind,
}

/// Kind of a leaf.
#[derive(Debug)]
pub(super) enum LeafKind {
    /// A value that fails the test.
    Wrong(Value),
    /// No value. Holds the name of the missing member, if the path has one.
    Missing(Option<Str>),
    /// An unknown value, with the reason.
    Unknown(Str),
}

/// Evaluates a branch on a resource. If `strict`, a missing property fails.
pub(super) fn branch(branch: &Branch, resource: &Resource, strict: bool) -> State {
    let condition = match &branch.condition {
        // A condition on a missing property does not hold, so conditions are always strict.
        Some(condition) => evaluate_check(&condition.check, resource, true),
        None => State::Held,
    };
    match (condition, || evaluate_check(&branch.check, resource, strict)) {
        (State::Failed | State::Silent, _) => State::Silent,
        (State::Held, check) => check(),
        (State::Unknown, check) => match check() {
            State::Failed => State::Unknown,
            other => other,
        },
    }
}

fn evaluate_check(check: &Check, resource: &Resource, strict: bool) -> State {
    let (mut held, mut failed, mut unknown) = (false, false, false);
    visit(resource, &check.path, &mut |reached| match judge(check, &reached, strict) {
        State::Held => held = true,
        State::Failed => failed = true,
        State::Unknown => unknown = true,
        State::Silent => {}
    });
    let order = if check.any {
        [(held, State::Held), (unknown, State::Unknown), (failed, State::Failed)]
    } else {
        [(failed, State::Failed), (unknown, State::Unknown), (held, State::Held)]
    };
    order.into_iter().find_map(|(is_so, state)| is_so.then_some(state)).unwrap_or(State::Silent)
}

fn judge(check: &Check, reached: &PathTarget<'_>, strict: bool) -> State {
    match reached.found {
        TargetValue::Value(value) => match check.test.admits(value) {
            Answer::Yes => State::Held,
            Answer::No => State::Failed,
            Answer::Unknown => State::Unknown,
        },
        TargetValue::Unseen(_) if check.test.depends_on_values() => State::Unknown,
        TargetValue::Unseen(_) => State::Failed,
        TargetValue::Missing if strict => State::Failed,
        // Without elements, "one passes" is false and "all pass" is true.
        TargetValue::Empty if strict && check.any => State::Failed,
        TargetValue::Missing | TargetValue::Empty => State::Silent,
    }
}

/// Returns the values that decided the result of a branch. `expected` is that result: failed or unknown.
pub(super) fn leaves(branch: &Branch, resource: &Resource, strict: bool, expected: State) -> Vec<Leaf> {
    let mut leaves = collect(&branch.check, resource, strict, expected);
    if leaves.is_empty()
        && let Some(condition) = &branch.condition
    {
        leaves = collect(&condition.check, resource, true, expected);
    }
    leaves
}

fn collect(check: &Check, resource: &Resource, strict: bool, expected: State) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    visit(resource, &check.path, &mut |reached| {
        if judge(check, &reached, strict) == expected {
            leaves.push(Leaf {
                shown: check.path.shown(reached.trail, reached.rest),
                root: check.path.root,
                trail: reached.trail.to_vec(),
                kind: kind(&reached, expected),
            });
        }
    });
    leaves
}

fn kind(reached: &PathTarget<'_>, expected: State) -> LeafKind {
    match reached.found {
        TargetValue::Value(value) => match value.first_unknown() {
            Some(unknown) if expected == State::Unknown => LeafKind::Unknown(unknown.why.clone()),
            _ => LeafKind::Wrong(value.approximate()),
        },
        TargetValue::Unseen(unknown) if expected == State::Unknown => LeafKind::Unknown(unknown.why.clone()),
        TargetValue::Unseen(unknown) => LeafKind::Wrong(unknown.approximation.clone()),
        TargetValue::Missing | TargetValue::Empty => LeafKind::Missing(match reached.rest.first() {
            Some(Segment::Name { key, .. }) => Some(key.clone()),
            _ => None,
        }),
    }
}
