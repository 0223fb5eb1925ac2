//! Applies the policies that append to and modify a request, before all others are evaluated.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::bodies::{CHANGED, bounded};
use crate::judge::change::{Applied, Obstacle, Operation, Operations, appended, modified};
use crate::judge::conditions::Judge;
use crate::judge::effect::Effect;
use crate::judge::entry::{Entry, on_all, possible};
use crate::judge::truth::Truth;
use crate::judge::verdict::{Outcome, Standing};
use crate::value::{Kind, Str, Unknown, Value};

/// Planned changes of a policy.
#[derive(Debug)]
struct Planned {
    /// Index of the entry.
    at: usize,
    /// Effect: `append` or `modify`.
    kind: Effect,
    /// Condition on the request as it was sent.
    truth: Truth,
    operations: Operations,
    /// True if all operations certainly happen, unless another policy conflicts.
    is_certain: bool,
    /// True if a conflict with another policy denies the request.
    conflict_denies: bool,
}

/// Decides the policies that change the request, and changes it. Afterwards, `bodies` has the alternatives of the
/// request.
pub(super) fn apply<'a>(judge: &Judge<'_, 'a>, entries: &mut [Entry<'a>], bodies: &mut Vec<Value>) {
    let original = bodies.clone();
    let mut planned = Vec::new();
    for (at, entry) in entries.iter_mut().enumerate() {
        let is_change = |effect: &&Effect| matches!(effect, Effect::Append | Effect::Modify);
        if let Some(kind) = entry.effects.iter().find(is_change).filter(|_| entry.outcome.is_none()) {
            let _work = judge.evaluator.world.budget.work(entry.bound.index);
            planned.push(plan(judge, at, entry, *kind, &original));
        }
    }
    resolve_conflicts(entries, &mut planned);
    for planned in &planned {
        let Some(entry) = entries.get_mut(planned.at) else { continue };
        let _work = judge.evaluator.world.budget.work(entry.bound.index);
        match &planned.operations.obstacle {
            None => apply_one(judge, entry, planned, &original, bodies),
            Some(obstacle) => stop_one(judge, entry, planned, obstacle, bodies),
        }
        let size = bodies.first().map_or(0, |body| body.size().weight as usize);
        // What exceeds the limit on steps is unknown from here on.
        let _ = judge.evaluator.world.step(size.saturating_mul(bodies.len()));
    }
}

/// Plans the changes of a policy. A condition that is false now may be true after another change.
fn plan<'a>(judge: &Judge<'_, 'a>, at: usize, entry: &Entry<'a>, kind: Effect, original: &[Value]) -> Planned {
    let truth = on_all(judge, entry, original);
    let scene = entry.bound.scene(entry.request, original.first().unwrap_or(&Value::NULL));
    let (details, resource_type) = (&entry.rule.details, entry.request.judged_type());
    judge.functions.within(scene, || {
        let operations = match kind {
            Effect::Append => appended(judge, details, resource_type),
            _ => modified(judge, details, resource_type),
        };
        let conflict = details.get("conflictEffect").and_then(|written| judge.value(written).ok());
        let conflict_denies =
            conflict.as_ref().and_then(Value::as_str).is_none_or(|effect| effect.eq_ignore_ascii_case("deny"));
        let Operations { known, obstacle } = &operations;
        let is_applied = entry.standing == Standing::Applies && entry.has_only(kind) && truth.holds();
        let is_certain = is_applied && obstacle.is_none() && known.iter().all(|operation| operation.doubt.is_none());
        Planned { at, kind, truth, operations, is_certain, conflict_denies }
    })
}

/// Resolves conflicts: if several policies modify one property, those that deny on a conflict deny if there are several
/// of them; a single one is applied. If none of them denies on a conflict, no policy is applied.
fn resolve_conflicts(entries: &mut [Entry<'_>], planned: &mut [Planned]) {
    let is_active = |planned: &Planned| {
        planned.truth.can_hold()
            && entries.get(planned.at).is_some_and(|entry| {
                planned.kind == Effect::Modify && matches!(entry.standing, Standing::Applies | Standing::Conditional)
            })
    };
    // The policies that change each property, in their order.
    let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, one) in planned.iter().enumerate().filter(|(_, one)| is_active(one)) {
        for operation in &one.operations.known {
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
        let operations = &mut one.operations.known;
        operations.retain(|operation| !dropped.contains(&*key(operation)));
        if let Some(entry) = entries.get_mut(one.at).filter(|_| operations.is_empty()) {
            entry.decide(Outcome::None, &in_conflict(path));
        }
    }
}

/// Returns the reason for which a policy in a conflict is not applied.
fn in_conflict(path: &str) -> String {
    format!("another policy modifies `{path}`, too")
}

/// Resolves the conflict about one property, between these policies. The path is added to `dropped` for policies whose
/// operations on it do not happen.
fn settle<'p>(
    entries: &mut [Entry<'_>],
    planned: &[Planned],
    path: &'p str,
    concerned: &[usize],
    dropped: &mut [BTreeSet<&'p str>],
) {
    let is_certain = concerned.iter().filter_map(|at| planned.get(*at)).all(|one| one.is_certain);
    let denies = concerned.iter().filter(|at| planned.get(**at).is_some_and(|one| one.conflict_denies)).count();
    for at in concerned {
        let (Some(one), Some(dropped)) = (planned.get(*at), dropped.get_mut(*at)) else { continue };
        let Some(entry) = entries.get_mut(one.at) else { continue };
        let why = in_conflict(path);
        if !is_certain {
            // What another property denies stays denied.
            if entry.outcome != Some(Outcome::Effect(Effect::Deny)) {
                entry.decide(Outcome::Unknown, &why);
            }
        } else if one.conflict_denies && denies > 1 {
            entry.decide(Outcome::Effect(Effect::Deny), &why);
        } else if !one.conflict_denies || denies != 1 {
            dropped.insert(path);
        }
    }
}

/// Returns the key of the property that an operation changes.
fn key(operation: &Operation) -> String {
    operation.path.to_string().to_ascii_lowercase()
}

/// Application of one policy's operations to one body.
#[derive(Debug, Default)]
struct OperationRun {
    /// Alternative bodies afterwards, likeliest first.
    bodies: Vec<Value>,
    conflict: Option<String>,
    unknown: Option<Str>,
}

fn run(judge: &Judge<'_, '_>, operations: &[Operation], body: &Value) -> OperationRun {
    let mut result = OperationRun { bodies: vec![body.clone()], ..OperationRun::default() };
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
        result.bodies = bounded(after);
    }
    result
}

/// Evaluates the condition of a policy before and after other policies change the request.
fn truth_of<'a>(judge: &Judge<'_, 'a>, entry: &Entry<'a>, planned: &Planned, bodies: &[Value]) -> Truth {
    planned.truth.clone().union(on_all(judge, entry, bodies)).because(CHANGED)
}

/// Decides a policy with unknown operations.
fn stop_one<'a>(
    judge: &Judge<'_, 'a>,
    entry: &mut Entry<'a>,
    planned: &Planned,
    obstacle: &Obstacle,
    bodies: &mut Vec<Value>,
) {
    let truth = truth_of(judge, entry, planned, bodies);
    if truth.is_false() {
        return entry.decide(Outcome::None, "");
    }
    let may_change = matches!(entry.standing, Standing::Applies | Standing::Conditional);
    match obstacle {
        Obstacle::Fails(why) if truth.holds() && entry.has_only(planned.kind) => {
            return entry.decide(Outcome::Effect(Effect::Deny), why);
        }
        Obstacle::Unknown(_) if may_change && truth.can_hold() => {
            let known = &planned.operations.known;
            let changed: Vec<Value> = bodies.iter().flat_map(|body| run(judge, known, body).bodies).collect();
            *bodies = bounded(std::mem::take(bodies).into_iter().chain(changed));
        }
        Obstacle::UnknownField(why) if may_change => {
            let anything = Value::unknown(Unknown::new(Kind::Object, why.clone()));
            *bodies = bounded(std::mem::take(bodies).into_iter().chain([anything]));
        }
        Obstacle::Fails(_) | Obstacle::Unknown(_) | Obstacle::UnknownField(_) => {}
    }
    let (Obstacle::Fails(why) | Obstacle::Unknown(why) | Obstacle::UnknownField(why)) = obstacle;
    entry.decide(Outcome::Unknown, why);
}

fn apply_one<'a>(
    judge: &Judge<'_, 'a>,
    entry: &mut Entry<'a>,
    planned: &Planned,
    original: &[Value],
    bodies: &mut Vec<Value>,
) {
    if !matches!(entry.outcome, None | Some(Outcome::Unknown)) {
        return;
    }
    let operations = &planned.operations.known;
    let kind = planned.kind;
    let truth = truth_of(judge, entry, planned, bodies);
    let results: Vec<OperationRun> = bodies.iter().map(|body| run(judge, operations, body)).collect();
    if entry.outcome.is_some() || !entry.has_only(kind) {
        // It is decided that it is not certain, or another effect may count.
        if truth.can_hold() && matches!(entry.standing, Standing::Applies | Standing::Conditional) {
            let changed = results.into_iter().flat_map(|run| run.bodies);
            *bodies = bounded(std::mem::take(bodies).into_iter().chain(changed));
        }
        return;
    }
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
        entry.changes = operations.iter().map(|operation| operation.change(start, after)).collect();
    }
    match (entry.standing, outcome) {
        (Standing::Applies, Outcome::Effect(effect)) if effect == kind => *bodies = bounded(changed),
        (Standing::Applies | Standing::Conditional, _) if truth.can_hold() => {
            *bodies = bounded(std::mem::take(bodies).into_iter().chain(changed));
        }
        _ => {}
    }
    entry.decide(outcome, &reason.unwrap_or_default());
}
