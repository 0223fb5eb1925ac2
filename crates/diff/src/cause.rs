//! Finds the parameter of the deployment that caused a change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::digest::Rules;
use crate::model::Document;
use crate::text::Span;
use crate::value::{Step, Traits, Value, Via};
use crate::{Cause, Change, ResourceChange};

/// Parameters of the deployment whose values differ.
pub(super) struct Causes {
    list: Vec<CauseCandidate>,
    /// Positions in the list, by the parameter's name in lower case.
    positions: BTreeMap<String, usize>,
}

struct CauseCandidate {
    cause: Cause,
    /// Spans of the values on the old and on the new side.
    spans: [Vec<Span>; 2],
}

impl Causes {
    /// Compares the parameters of both sides. A deployment that only one side has is never a cause.
    pub(super) fn between(old: Option<&Document>, new: Option<&Document>) -> Self {
        let rules = Rules::for_documents(old, new);
        let (Some(old), Some(new)) = (old, new) else {
            return Self { list: Vec::new(), positions: BTreeMap::new() };
        };
        let [old, new] = [old, new].map(|document| {
            let root = document.deployments.first();
            root.map_or(Value::NULL, |root| document.hidden.marked(&root.parameters))
        });
        let [old, new] = [rules.members(&old), rules.members(&new)];
        let names: BTreeMap<&String, &str> = old.iter().chain(&new).map(|(key, member)| (key, &*member.key)).collect();
        let candidates = names.into_iter().filter_map(|(key, name)| {
            let [old, new] = [old.get(key), new.get(key)].map(|member| member.map(|member| member.value.clone()));
            let [from, to] = [&old, &new].map(|value| value.as_ref().map(|value| rules.digest(value)));
            (from != to).then(|| candidate(name, old, new))
        });
        let list: Vec<CauseCandidate> = candidates.collect();
        Self {
            positions: list
                .iter()
                .enumerate()
                .map(|(at, candidate): (usize, &CauseCandidate)| (candidate.cause.parameter.to_ascii_lowercase(), at))
                .collect(),
            list,
        }
    }

    /// Sets the cause of each change that comes from exactly one of the parameters.
    pub(super) fn explain(&self, changes: &mut [Change]) {
        for change in changes {
            let mut made = BTreeSet::new();
            for (side, value) in [&change.old, &change.new].into_iter().enumerate() {
                let mut steps = Vec::new();
                let via = value.iter().filter_map(|value| value.via.as_ref());
                via.for_each(|via| first_steps(via, &mut steps, &mut 0));
                made.extend(steps.into_iter().filter_map(|(name, at)| self.maker(name, at?, side)));
            }
            change.cause = made.first().copied().filter(|_| made.len() == 1);
        }
    }

    /// Returns the position of the parameter with this name, if its value on this side contains the span.
    fn maker(&self, name: &str, at: Span, side: usize) -> Option<usize> {
        let position = *self.positions.get(&name.to_ascii_lowercase())?;
        let spans = self.list.get(position)?.spans.get(side)?;
        spans.iter().any(|span| span.contains(at)).then_some(position)
    }

    /// Returns the causes that changes refer to, and updates the positions in the changes.
    pub(super) fn into_used(self, resources: &mut [ResourceChange]) -> Vec<Cause> {
        let mut used = vec![false; self.list.len()];
        let causes = resources.iter().flat_map(|resource| &resource.changes.list).filter_map(|change| change.cause);
        for at in causes {
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
        }
        let counts =
            used.iter().scan(0, |count, is_used| Some(std::mem::replace(count, *count + usize::from(*is_used))));
        let positions: Vec<usize> = counts.collect();
        for change in resources.iter_mut().flat_map(|resource| &mut resource.changes.list) {
            change.cause = change.cause.and_then(|at| positions.get(at).copied());
        }
        self.list.into_iter().zip(&used).filter(|(_, used)| **used).map(|(candidate, _)| candidate.cause).collect()
    }
}

fn candidate(name: &str, old: Option<Value>, new: Option<Value>) -> CauseCandidate {
    let spans = [&old, &new].map(|value| {
        value
            .iter()
            .flat_map(|value| [value.span, value.via.as_ref().and_then(|via| via.span)])
            .flatten()
            .collect::<Vec<_>>()
    });
    let is_secret = [&old, &new].into_iter().flatten().any(|value| value.traits.has(Traits::SECRET));
    let [old_spans, new_spans] = &spans;
    let (span, is_old_span) = match (new_spans.first(), old_spans.first()) {
        (Some(span), _) => (Some(*span), false),
        (None, span) => (span.copied(), span.is_some()),
    };
    CauseCandidate { cause: Cause { parameter: name.to_owned(), old, new, is_secret, span, is_old_span }, spans }
}

/// Collects the parameters at the beginning of the chains that led to a value. `visits` counts the steps so far, since
/// chains share parts.
pub(super) fn first_steps<'a>(via: &'a Arc<Via>, steps: &mut Vec<(&'a str, Option<Span>)>, visits: &mut usize) {
    /// Steps that are visited. A value with more has no single cause worth naming.
    const MAX_VISITS: usize = 256;
    *visits += 1;
    if *visits > MAX_VISITS {
        return;
    }
    if let (Step::Parameter(name) | Step::Default(name), true) = (&via.step, via.earlier.is_empty()) {
        steps.push((name, via.span));
    }
    via.earlier.iter().for_each(|earlier| first_steps(earlier, steps, visits));
}
