//! Converts results of evaluations to verdicts.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::diagnostic::Outcome;
use crate::json::Rule;
use crate::json::eval::{Evaluator, Hit, LeafHit};
use crate::json::message::{actual, message};
use crate::json::relations::Links;
use crate::json::value_fix::value_fixes;
use crate::lookup::{Position, TypeIndex, locate};
use crate::model::{DeploymentId, Document};
use crate::outcomes::Outcomes;
use crate::verdict::{Leaf, Verdict};

/// Outcome, path and paths of the leaves. Verdicts of one rule with the same identity look the same to the author:
/// iterations of a loop share paths, and a child may be reached through its parent and on its own.
type Identity = (Outcome, String, Vec<String>);

/// Adds the verdicts of a rule on the deployments of a document that it applies to.
pub(crate) fn check_rule(
    rule: &Rule,
    document: &Document,
    types: &TypeIndex<'_>,
    deployments: impl Iterator<Item = DeploymentId>,
    verdicts: &mut Vec<Verdict>,
) {
    let links = Links::default();
    let evaluator = Evaluator { document, types, skips_missing: false, links: &links };
    let mut seen: HashMap<Identity, usize> = HashMap::default();
    for deployment in deployments {
        let scope = Position::deployment(document, deployment);
        let mut hits = Vec::new();
        evaluator.evaluate(&rule.evaluation, &scope, false, &mut hits);
        for hit in hits {
            let Some(outcome) = verdict_of(hit.outcomes) else { continue };
            let verdict = verdict(rule, document, outcome, &hit);
            let leaves = verdict.leaves.iter().map(|leaf| leaf.path.clone()).collect();
            match seen.entry((outcome, verdict.path.clone(), leaves)) {
                Entry::Vacant(entry) => {
                    entry.insert(verdicts.len());
                    verdicts.push(verdict);
                }
                Entry::Occupied(entry) => {
                    let known = verdicts.get_mut(*entry.get()).filter(|_| outcome != Outcome::Passed);
                    if let Some(known) = known {
                        known.alike.extend(verdict.resource);
                    }
                }
            }
        }
    }
}

/// Returns the outcome of a rule, or `None` if the rule was skipped. A part that may be skipped does not refute a rule.
fn verdict_of(outcomes: Outcomes) -> Option<Outcome> {
    match outcomes.without(Outcomes::NEITHER) {
        Outcomes::NONE => None,
        Outcomes::TRUE => Some(Outcome::Passed),
        Outcomes::FALSE if outcomes == Outcomes::FALSE => Some(Outcome::Failed),
        _ => Some(Outcome::Unknown),
    }
}

fn verdict(rule: &Rule, document: &Document, outcome: Outcome, hit: &Hit<'_>) -> Verdict {
    let located = locate(document, &hit.position);
    let mut paths = HashSet::default();
    let leaves = hit.leaves.iter().filter(|_| outcome != Outcome::Passed).map(|leaf| located_leaf(document, leaf));
    let leaves = leaves.filter(|leaf| paths.insert(leaf.path.clone())).collect();
    Verdict {
        rule: Arc::clone(&rule.info),
        outcome,
        message: message(&rule.info, document, outcome, hit),
        resource: hit.position.resource_id(),
        alike: Vec::new(),
        path: located.path,
        span: located.span,
        leaves,
        value_fixes: if outcome == Outcome::Failed { value_fixes(rule, document, hit) } else { Vec::new() },
    }
}

fn located_leaf(document: &Document, leaf: &LeafHit<'_>) -> Leaf {
    let located = locate(document, &leaf.position);
    Leaf {
        path: located.path,
        span: located.span,
        extent: located.extent,
        related: located.related,
        actual: actual(&leaf.position),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_certain_only_where_it_cannot_fall_otherwise() {
        for (outcomes, verdict) in [
            (Outcomes::TRUE, Some(Outcome::Passed)),
            (Outcomes::FALSE, Some(Outcome::Failed)),
            (Outcomes::UNKNOWN, Some(Outcome::Unknown)),
            (Outcomes::NEITHER, None),
            (Outcomes::NONE, None),
            (Outcomes::TRUE.union(Outcomes::NEITHER), Some(Outcome::Passed)),
            (Outcomes::FALSE.union(Outcomes::NEITHER), Some(Outcome::Unknown)),
            (Outcomes::ANY, Some(Outcome::Unknown)),
        ] {
            assert_eq!(verdict_of(outcomes), verdict, "{outcomes:?}");
        }
    }
}
