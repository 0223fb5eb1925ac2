//! Evaluates a rule on a resource.
//!
//! The outcome is neither true nor false if the rule does not apply: the property is missing, or the condition does not
//! hold.

use crate::guard::path::{Root, Segment, TrailStep};
use crate::guard::rule::{Branch, Check};
use crate::guard::select::{PathTarget, TargetValue, visit};
use crate::model::Resource;
use crate::outcomes::Outcomes;
use crate::value::{Str, Value};

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
pub(super) fn branch(branch: &Branch, resource: &Resource, strict: bool) -> Outcomes {
    let condition = match &branch.condition {
        // A condition on a missing property does not hold, so conditions are always strict.
        Some(condition) => evaluate_check(&condition.check, resource, true),
        None => Outcomes::TRUE,
    };
    match condition {
        Outcomes::TRUE => evaluate_check(&branch.check, resource, strict),
        Outcomes::UNKNOWN => match evaluate_check(&branch.check, resource, strict) {
            Outcomes::FALSE => Outcomes::UNKNOWN,
            other => other,
        },
        _ => Outcomes::NEITHER,
    }
}

fn evaluate_check(check: &Check, resource: &Resource, strict: bool) -> Outcomes {
    let mut outcomes = Outcomes::NEITHER;
    let combine = if check.any { Outcomes::or } else { Outcomes::and };
    visit(resource, &check.path, &mut |reached| outcomes = combine(outcomes, judge(check, &reached, strict)));
    outcomes
}

fn judge(check: &Check, reached: &PathTarget<'_>, strict: bool) -> Outcomes {
    match reached.found {
        TargetValue::Value(value) => check.test.admits(value),
        TargetValue::Unseen(_) if check.test.depends_on_values() => Outcomes::UNKNOWN,
        TargetValue::Unseen(_) => Outcomes::FALSE,
        TargetValue::Missing if strict => Outcomes::FALSE,
        // Without elements, "one passes" is false and "all pass" is true.
        TargetValue::Empty if strict && check.any => Outcomes::FALSE,
        TargetValue::Missing | TargetValue::Empty => Outcomes::NEITHER,
    }
}

/// Returns the values that decided the result of a branch. `expected` is that result: failed or unknown.
pub(super) fn leaves(branch: &Branch, resource: &Resource, strict: bool, expected: Outcomes) -> Vec<Leaf> {
    let mut leaves = collect(&branch.check, resource, strict, expected);
    if leaves.is_empty()
        && let Some(condition) = &branch.condition
    {
        leaves = collect(&condition.check, resource, true, expected);
    }
    leaves
}

fn collect(check: &Check, resource: &Resource, strict: bool, expected: Outcomes) -> Vec<Leaf> {
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

fn kind(reached: &PathTarget<'_>, expected: Outcomes) -> LeafKind {
    match reached.found {
        TargetValue::Value(value) => match value.first_unknown() {
            Some(unknown) if expected == Outcomes::UNKNOWN => LeafKind::Unknown(unknown.why.clone()),
            _ => LeafKind::Wrong(value.approximate()),
        },
        TargetValue::Unseen(unknown) if expected == Outcomes::UNKNOWN => LeafKind::Unknown(unknown.why.clone()),
        TargetValue::Unseen(unknown) => LeafKind::Wrong(unknown.approximation.clone()),
        TargetValue::Missing | TargetValue::Empty => LeafKind::Missing(match reached.rest.first() {
            Some(Segment::Name { key, .. }) => Some(key.clone()),
            _ => None,
        }),
    }
}
