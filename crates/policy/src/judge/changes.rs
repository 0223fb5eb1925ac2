//! Applies what appends to and modifies a request, before anything else judges it.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::change::{Applied, Operation, Plan, appended, modified};
use crate::judge::conditions::Judge;
use crate::judge::entry::{Entry, possible};
use crate::judge::truth::Truth;
use crate::judge::verdict::{Outcome, Standing};
use crate::judge::{Effect, on_all, scene};
use crate::value::{Str, Value};

/// The most bodies that a request may turn out to have.
const MAX_BODIES: usize = 8;

/// What a policy would change.
#[derive(Debug)]
struct Planned {
    /// Index of the entry.
    at: usize,
    /// Whether its condition holds on the request as it was sent.
    truth: Truth,
    operations: Vec<Operation>,
    /// Whether a conflict with another policy denies the request.
    conflict_denies: bool,
}

/// Decides the policies that change the request, and changes it. Afterwards, it may be each of the bodies.
pub(super) fn apply<'a>(judge: &Judge<'_, 'a>, entries: &mut [Entry<'a>], bodies: &mut Vec<Value>) {
    let original = bodies.clone();
    let mut planned = Vec::new();
    for (at, entry) in entries.iter_mut().enumerate() {
        let is_change = entry.has_only(Effect::Append) || entry.has_only(Effect::Modify);
        if is_change && entry.outcome.is_none() && !entry.effects.is_empty() {
            planned.extend(plan(judge, at, entry, &original));
        }
    }
    resolve_conflicts(entries, &mut planned);
    for planned in &planned {
        if let Some(entry) = entries.get_mut(planned.at).filter(|entry| entry.outcome.is_none()) {
            apply_one(judge, entry, planned, &original, bodies);
        }
    }
}

/// What a policy would change, unless it is decided that it changes nothing.
fn plan<'a>(judge: &Judge<'_, 'a>, at: usize, entry: &mut Entry<'a>, original: &[Value]) -> Option<Planned> {
    let truth = on_all(judge, entry, original);
    if !truth.can_hold() && !truth.can_fail() {
        // Another change may still make it true.
        return Some(Planned {
            at,
            truth,
            operations: operations(judge, entry, original).ok()?,
            conflict_denies: true,
        });
    }
    match operations(judge, entry, original) {
        Ok(operations) => {
            let conflict = entry.rule.details.get("conflictEffect").and_then(|written| {
                let scene = scene(entry.bound, entry.request, original.first().unwrap_or(&Value::NULL));
                judge.functions.within(scene, || judge.value(written)).ok()
            });
            let conflict_denies =
                conflict.as_ref().and_then(Value::as_str).is_none_or(|effect| effect.eq_ignore_ascii_case("deny"));
            Some(Planned { at, truth, operations, conflict_denies })
        }
        Err(Plan::Fails(why)) if truth.holds() => {
            entry.decide(Outcome::Effect(Effect::Deny), &why);
            None
        }
        Err(Plan::Fails(why) | Plan::Unknown(why)) => {
            entry.decide(Outcome::Unknown, &why);
            None
        }
        Err(Plan::Operations(_)) => None,
    }
}

fn operations<'a>(judge: &Judge<'_, 'a>, entry: &Entry<'a>, original: &[Value]) -> Result<Vec<Operation>, Plan> {
    let scene = scene(entry.bound, entry.request, original.first().unwrap_or(&Value::NULL));
    let kind = entry.request.judged_type();
    let plan = judge.functions.within(scene, || {
        if entry.has_only(Effect::Append) {
            appended(judge, &entry.rule.details, kind)
        } else {
            modified(judge, &entry.rule.details, kind)
        }
    });
    match plan {
        Plan::Operations(operations) => Ok(operations),
        other => Err(other),
    }
}

/// Where several policies modify one property, those that deny on a conflict deny if they are several, and one alone is
/// applied. Otherwise, none is.
fn resolve_conflicts(entries: &mut [Entry<'_>], planned: &mut [Planned]) {
    let is_active = |planned: &Planned| {
        planned.truth.can_hold()
            && entries.get(planned.at).is_some_and(|entry| {
                entry.has_only(Effect::Modify) && matches!(entry.standing, Standing::Applies | Standing::Conditional)
            })
    };
    // The policies that change each property, in their order.
    let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, one) in planned.iter().enumerate().filter(|(_, one)| is_active(one)) {
        for operation in &one.operations {
            let concerned = by_path.entry(key(operation)).or_default();
            if concerned.last() != Some(&at) {
                concerned.push(at);
            }
        }
    }
    let mut dropped = vec![BTreeSet::new(); planned.len()];
    for (path, concerned) in by_path.iter().filter(|(_, concerned)| concerned.len() > 1) {
        settle(entries, planned, path, concerned, &mut dropped);
    }
    for (one, dropped) in planned.iter_mut().zip(dropped) {
        let Some(path) = dropped.first() else { continue };
        one.operations.retain(|operation| !dropped.contains(&*key(operation)));
        if let Some(entry) = entries.get_mut(one.at).filter(|_| one.operations.is_empty()) {
            entry.decide(Outcome::None, &in_conflict(path));
        }
    }
}

/// Why a policy does not do what it says.
fn in_conflict(path: &str) -> String {
    format!("another policy modifies `{path}`, too")
}

/// Settles the conflict about one property, between these policies. Those whose operations on it do not happen have its path
/// added to theirs in `dropped`.
fn settle<'p>(
    entries: &mut [Entry<'_>],
    planned: &[Planned],
    path: &'p str,
    concerned: &[usize],
    dropped: &mut [BTreeSet<&'p str>],
) {
    let is_certain = concerned.iter().filter_map(|at| planned.get(*at)).all(|one| {
        let applies = entries.get(one.at).is_some_and(|entry| entry.standing == Standing::Applies);
        applies && one.truth.holds() && one.operations.iter().all(|operation| operation.doubt.is_none())
    });
    let denies = concerned.iter().filter(|at| planned.get(**at).is_some_and(|one| one.conflict_denies)).count();
    for at in concerned {
        let (Some(one), Some(dropped)) = (planned.get(*at), dropped.get_mut(*at)) else { continue };
        let Some(entry) = entries.get_mut(one.at) else { continue };
        let why = in_conflict(path);
        if !is_certain {
            entry.decide(Outcome::Unknown, &why);
        } else if one.conflict_denies && denies > 1 {
            entry.decide(Outcome::Effect(Effect::Deny), &why);
        } else if !one.conflict_denies || denies != 1 {
            dropped.insert(path);
        }
    }
}

/// What identifies the property that an operation changes.
fn key(operation: &Operation) -> String {
    operation.path.to_string().to_ascii_lowercase()
}

/// What the operations of one policy make of one body.
#[derive(Debug, Default)]
struct Run {
    /// What the body may be afterwards, the likeliest first.
    bodies: Vec<Value>,
    conflict: Option<String>,
    unknown: Option<Str>,
}

fn run(judge: &Judge<'_, '_>, operations: &[Operation], body: &Value) -> Run {
    let mut result = Run { bodies: vec![body.clone()], ..Run::default() };
    for operation in operations {
        let mut after = Vec::new();
        for body in &result.bodies {
            match operation.apply(judge, body) {
                Applied::Body(changed, false) => after.push(changed),
                Applied::Body(changed, true) => after.extend([changed, body.clone()]),
                Applied::Conflict(message) => {
                    result.conflict = Some(message);
                    after.push(body.clone());
                }
                Applied::Unknown(why, changed) => {
                    result.unknown = Some(why);
                    after.extend([body.clone(), changed]);
                }
            }
        }
        after.truncate(MAX_BODIES);
        result.bodies = after;
    }
    result
}

fn apply_one<'a>(
    judge: &Judge<'_, 'a>,
    entry: &mut Entry<'a>,
    planned: &Planned,
    original: &[Value],
    bodies: &mut Vec<Value>,
) {
    let kind = if entry.has_only(Effect::Append) { Effect::Append } else { Effect::Modify };
    let truth =
        planned.truth.clone().or_else(on_all(judge, entry, bodies)).because("it depends on what other policies change");
    let results: Vec<Run> = bodies.iter().map(|body| run(judge, &planned.operations, body)).collect();
    let mut outcomes = possible(&truth, kind);
    let mut reason = truth.why().map(|why| (**why).to_owned());
    for outcome in outcomes.iter_mut().filter(|outcome| **outcome == Outcome::Effect(kind)) {
        if let Some(why) = results.iter().find_map(|run| run.unknown.as_ref()) {
            *outcome = Outcome::Unknown;
            reason = Some((**why).to_owned());
        } else if let Some(message) = results.iter().find_map(|run| run.conflict.as_ref()) {
            let all = results.iter().all(|run| run.conflict.is_some());
            *outcome = if all { Outcome::Effect(Effect::Deny) } else { Outcome::Unknown };
            reason = Some(message.clone());
        }
    }
    let first = outcomes.first().copied().unwrap_or(Outcome::None);
    let outcome = if outcomes.iter().all(|outcome| *outcome == first) { first } else { Outcome::Unknown };
    let before = original.first().unwrap_or(&Value::NULL);
    let changed: Vec<Value> = results.into_iter().flat_map(|run| run.bodies).collect();
    if outcome == Outcome::Effect(kind) {
        let after = changed.first().unwrap_or(before);
        let start = bodies.first().unwrap_or(before);
        entry.changes = planned.operations.iter().map(|operation| operation.change(start, after)).collect();
    }
    match (entry.standing, outcome) {
        (Standing::Applies, Outcome::Effect(effect)) if effect == kind => *bodies = changed,
        (Standing::Applies | Standing::Conditional, _) if truth.can_hold() => bodies.extend(changed),
        _ => {}
    }
    dedup(bodies);
    entry.decide(outcome, &reason.unwrap_or_default());
}

/// Removes what is there twice, and what is too much.
fn dedup(bodies: &mut Vec<Value>) {
    let mut kept: Vec<Value> = Vec::new();
    for body in bodies.drain(..) {
        if kept.len() < MAX_BODIES && !kept.iter().any(|known| known.same(&body)) {
            kept.push(body);
        }
    }
    *bodies = kept;
}
