//! Evaluates a rule on a resource.

use crate::guard::answer::Answer;
use crate::guard::path::{Root, Segment, Step};
use crate::guard::rule::{Branch, Check};
use crate::guard::select::{Found, Reached, visit};
use crate::model::Resource;
use crate::value::{Str, Value};

/// The result of a rule on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The resource satisfies the rule.
    Held,
    /// The resource breaks the rule.
    Failed,
    /// It depends on a value that only a deployment can know.
    Unknown,
    /// The rule does not apply: the property is missing, or the condition does not hold.
    Silent,
}

/// The value, or its absence, that decided a result.
#[derive(Debug)]
pub(super) struct Leaf {
    /// The path as messages show it.
    pub(super) shown: String,
    /// Where the rule's path begins.
    pub(super) root: Root,
    /// The steps that were taken from there.
    pub(super) trail: Vec<Step>,
    pub(super) kind: LeafKind,
}

/// What the path led to where the result was decided.
#[derive(Debug)]
pub(super) enum LeafKind {
    /// A value that fails the test.
    Wrong(Value),
    /// Nothing. The name is that of the missing member, if the path has one.
    Missing(Option<Str>),
    /// A value that is not known, and why.
    Unknown(Str),
}

/// The result of a branch on a resource. If `strict`, a missing property fails.
pub(super) fn branch(branch: &Branch, resource: &Resource, strict: bool) -> State {
    let condition = match &branch.condition {
        // A condition on a missing property does not hold, so conditions are always strict.
        Some(condition) => check(&condition.check, resource, true),
        None => State::Held,
    };
    match (condition, || check(&branch.check, resource, strict)) {
        (State::Failed | State::Silent, _) => State::Silent,
        (State::Held, check) => check(),
        (State::Unknown, check) => match check() {
            State::Failed => State::Unknown,
            other => other,
        },
    }
}

fn check(check: &Check, resource: &Resource, strict: bool) -> State {
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

fn judge(check: &Check, reached: &Reached<'_>, strict: bool) -> State {
    match reached.found {
        Found::Value(value) => match check.test.admits(value) {
            Answer::Yes => State::Held,
            Answer::No => State::Failed,
            Answer::Unknown => State::Unknown,
        },
        Found::Unseen(_) if check.test.depends_on_values() => State::Unknown,
        Found::Unseen(_) => State::Failed,
        Found::Missing if strict => State::Failed,
        // Without elements, "one passes" is false and "all pass" is true.
        Found::Empty if strict && check.any => State::Failed,
        Found::Missing | Found::Empty => State::Silent,
    }
}

/// The values that led to the result of a branch, which is `expected`: it failed or is unknown.
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

fn kind(reached: &Reached<'_>, expected: State) -> LeafKind {
    match reached.found {
        Found::Value(value) => match value.first_unknown() {
            Some(unknown) if expected == State::Unknown => LeafKind::Unknown(unknown.why.clone()),
            _ => LeafKind::Wrong(value.approximate()),
        },
        Found::Unseen(unknown) if expected == State::Unknown => LeafKind::Unknown(unknown.why.clone()),
        Found::Unseen(unknown) => LeafKind::Wrong(unknown.approximation.clone()),
        Found::Missing | Found::Empty => LeafKind::Missing(match reached.rest.first() {
            Some(Segment::Name { key, .. }) => Some(key.clone()),
            _ => None,
        }),
    }
}
