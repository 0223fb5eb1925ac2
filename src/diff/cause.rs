//! Which parameter of the deployment made a difference.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diff::digest::Rules;
use crate::diff::{Cause, Change, ResourceChange};
use crate::model::Document;
use crate::text::Span;
use crate::value::{Step, Traits, Value, Via};

/// The parameters of the deployment whose values differ.
pub(super) struct Causes {
    list: Vec<Candidate>,
}

struct Candidate {
    cause: Cause,
    /// Where the values are written on the old and on the new side, with all that is in them.
    spans: [Vec<Span>; 2],
}

impl Causes {
    /// Compares the parameters of both sides. A deployment that only one side has explains nothing.
    pub(super) fn of(old: Option<&Document>, new: Option<&Document>) -> Self {
        let rules = Rules::of(old, new);
        let (Some(old), Some(new)) = (old, new) else { return Self { list: Vec::new() } };
        let [old, new] = [old, new].map(|document| {
            let root = document.deployments.first();
            root.map_or(Value::NULL, |root| document.hidden.marked(&root.parameters))
        });
        let [old, new] = [rules.members(&old), rules.members(&new)];
        let names: BTreeMap<&String, &str> = old.iter().chain(&new).map(|(key, member)| (key, &*member.key)).collect();
        let candidate = |(key, name): (&String, &str)| {
            let [old, new] = [old.get(key), new.get(key)].map(|member| member.map(|member| member.value.clone()));
            let digest = |value: &Option<Value>| value.as_ref().map(|value| rules.digest(value));
            (digest(&old) != digest(&new)).then(|| candidate(name, old, new))
        };
        Self { list: names.into_iter().filter_map(candidate).collect() }
    }

    /// Notes the cause of each change that comes from exactly one of the parameters.
    pub(super) fn explain(&self, changes: &mut [Change]) {
        for change in changes {
            let [old, new] = [&change.old, &change.new].map(|value| {
                let mut steps = Vec::new();
                value
                    .iter()
                    .filter_map(|value| value.via.as_ref())
                    .for_each(|via| first_steps(via, &mut steps, &mut 0));
                steps
            });
            let mut made = self.list.iter().enumerate().filter(|(_, candidate)| {
                let [old_spans, new_spans] = &candidate.spans;
                let name = &candidate.cause.parameter;
                is_among(&old, name, old_spans) || is_among(&new, name, new_spans)
            });
            change.cause = made.next().map(|(at, _)| at).filter(|_| made.next().is_none());
        }
    }

    /// The causes of the changes, which refer to them by their new positions.
    pub(super) fn into_used(self, resources: &mut [ResourceChange]) -> Vec<Cause> {
        let mut used = vec![false; self.list.len()];
        let causes = resources.iter().flat_map(|resource| &resource.changes.list).filter_map(|change| change.cause);
        for at in causes {
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
        }
        let position = |at: usize| used.iter().take(at).filter(|used| **used).count();
        for change in resources.iter_mut().flat_map(|resource| &mut resource.changes.list) {
            change.cause = change.cause.map(position);
        }
        self.list.into_iter().zip(&used).filter(|(_, used)| **used).map(|(candidate, _)| candidate.cause).collect()
    }
}

fn candidate(name: &str, old: Option<Value>, new: Option<Value>) -> Candidate {
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
    Candidate { cause: Cause { parameter: name.to_owned(), old, new, is_secret, span, is_old_span }, spans }
}

/// The parameters at the beginning of the chains that led to a value. `visits` counts the steps so far: chains share parts.
pub(super) fn first_steps<'a>(via: &'a Arc<Via>, steps: &mut Vec<(&'a str, Option<Span>)>, visits: &mut usize) {
    /// A value with more steps has no single cause worth naming.
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

/// Whether the values of a parameter are where a chain begins.
fn is_among(steps: &[(&str, Option<Span>)], name: &str, spans: &[Span]) -> bool {
    let is_in = |at: Span| spans.iter().any(|span| span.contains(at));
    steps.iter().any(|(step, at)| step.eq_ignore_ascii_case(name) && at.is_some_and(is_in))
}
