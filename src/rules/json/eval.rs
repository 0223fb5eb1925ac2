//! Evaluating a rule over a document.

use crate::model::Document;
use crate::rules::json::operators::{Answer, Test};
use crate::rules::json::outcomes::Outcomes;
use crate::rules::json::rule::{Evaluation, Operator};
use crate::rules::lookup::TypeIndex;
use crate::rules::lookup::{Node, Place};
use crate::value::{Str, Value};

/// What an evaluation says of one place.
#[derive(Debug)]
pub(super) struct Hit<'a> {
    /// The place: of a value, or the scope of `allOf` and `anyOf`.
    pub(super) place: Place<'a>,
    pub(super) outcomes: Outcomes,
    /// The values that decided, unless it holds.
    pub(super) leaves: Vec<LeafHit<'a>>,
    /// Why it is not known, where no value is to blame.
    pub(super) why: Option<Str>,
}

/// A value that did not fulfil its condition, or may not.
#[derive(Debug)]
pub(super) struct LeafHit<'a> {
    pub(super) place: Place<'a>,
    pub(super) test: &'a Test,
    /// Whether it lies under an odd number of `not`.
    pub(super) negated: bool,
    /// Whether it is known not to fulfil it.
    pub(super) failed: bool,
    /// Whether another one beside it would have been enough.
    pub(super) is_alternative: bool,
    pub(super) why: Option<Str>,
}

/// Evaluates over one document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluator<'a> {
    pub(super) document: &'a Document,
    pub(super) types: &'a TypeIndex<'a>,
}

impl<'a> Evaluator<'a> {
    /// What `evaluation` says at `scope`. `negated` turns every condition around: that is how `not` reaches the values,
    /// so that those which decide can be named.
    pub(super) fn evaluate(
        &self,
        evaluation: &'a Evaluation,
        scope: &Place<'a>,
        negated: bool,
        out: &mut Vec<Hit<'a>>,
    ) {
        for place in self.scopes(evaluation, scope) {
            let mut why = self.doubt(scope, &place);
            let mut in_doubt = why.is_some();
            if let Some(condition) = &evaluation.condition {
                match self.holds(condition, &place) {
                    Answer { outcomes: Outcomes::FALSE, .. } => continue,
                    Answer { outcomes: Outcomes::TRUE, .. } => {}
                    unknown => {
                        in_doubt = true;
                        why = unknown.why.or(why);
                    }
                }
            }
            let before = out.len();
            self.operate(&evaluation.operator, place, negated, out);
            for hit in out[before..].iter_mut().filter(|_| in_doubt) {
                hit.outcomes = hit.outcomes.or_possibly(Outcomes::ABSENT);
                hit.why = hit.why.take().or_else(|| why.clone());
            }
        }
    }

    /// The places that `resourceType` and then `path` lead to.
    fn scopes(&self, evaluation: &'a Evaluation, scope: &Place<'a>) -> Vec<Place<'a>> {
        let selected = match &evaluation.resource_type {
            Some(type_name) => self.types.select(scope, type_name),
            None => vec![scope.clone()],
        };
        match &evaluation.path {
            Some(path) => selected.iter().flat_map(|place| place.resolve(self.document, path)).collect(),
            None => selected,
        }
    }

    /// Why it is not known whether there is anything at `place`, given that `scope` is there.
    fn doubt(&self, scope: &Place<'a>, place: &Place<'a>) -> Option<Str> {
        if let Node::UnseenItems(unknown) = place.node {
            return Some(unknown.why.clone());
        }
        let entered = place.resource_id().filter(|_| place.resource_id() != scope.resource_id())?;
        self.types.doubt(entered).cloned()
    }

    /// Whether any result of a `where` holds.
    fn holds(&self, condition: &'a Evaluation, place: &Place<'a>) -> Answer {
        let mut hits = Vec::new();
        self.evaluate(condition, place, false, &mut hits);
        let each = hits.iter().map(|hit| hit.outcomes);
        let outcomes = each.fold(Outcomes::FALSE, |all, it| all.combined(it, Outcomes::TRUE));
        let why = hits.iter().find_map(Hit::reason);
        Answer { outcomes, why }
    }

    fn operate(&self, operator: &'a Operator, place: Place<'a>, negated: bool, out: &mut Vec<Hit<'a>>) {
        match operator {
            Operator::Test(test) => out.push(test_at(place, test, negated)),
            Operator::All(parts) => self.combine(parts, place, negated, true, out),
            Operator::Any(parts) => self.combine(parts, place, negated, false, out),
            Operator::Not(inner) => self.evaluate(inner, &place, !negated, out),
            Operator::Evaluate(inner) => self.evaluate(inner, &place, negated, out),
        }
    }

    /// `allOf` and `anyOf`. Parts without a result have no say; without any result there is none.
    fn combine(&self, parts: &'a [Evaluation], place: Place<'a>, negated: bool, all: bool, out: &mut Vec<Hit<'a>>) {
        let mut hits = Vec::new();
        for part in parts {
            self.evaluate(part, &place, negated, &mut hits);
        }
        // De Morgan: under a `not`, `allOf` is `anyOf` of the negations.
        let winner = if all != negated { Outcomes::FALSE } else { Outcomes::TRUE };
        let Some(outcomes) = hits.iter().map(|hit| hit.outcomes).reduce(|a, b| a.combined(b, winner)) else { return };
        let why = hits.iter().find_map(|hit| hit.why.clone());
        let mut leaves = deciding(hits, outcomes);
        if winner == Outcomes::TRUE {
            for leaf in &mut leaves {
                leaf.is_alternative = true;
            }
        }
        out.push(Hit { place, outcomes, leaves, why });
    }
}

impl Hit<'_> {
    /// Why it is not known.
    pub(super) fn reason(&self) -> Option<Str> {
        let leaf = || self.leaves.iter().find_map(|leaf| leaf.why.clone());
        self.why.clone().or_else(leaf)
    }
}

/// The leaves behind an outcome: of a failure those that failed, and behind them those beside them that are not known to
/// hold, since whoever mends the ones has to look at the others; of an unknown those that are unknown.
fn deciding(hits: Vec<Hit<'_>>, outcomes: Outcomes) -> Vec<LeafHit<'_>> {
    if outcomes == Outcomes::TRUE {
        return Vec::new();
    }
    let failed = |hit: &Hit<'_>| hit.outcomes == Outcomes::FALSE;
    let doubtful = |hit: &Hit<'_>| !failed(hit) && hit.outcomes != Outcomes::TRUE;
    let only_doubtful = outcomes != Outcomes::FALSE && hits.iter().any(doubtful);
    let (failures, others): (Vec<_>, Vec<_>) = hits.into_iter().partition(failed);
    let failures = failures.into_iter().filter(|_| !only_doubtful);
    let mut leaves: Vec<LeafHit<'_>> =
        failures.chain(others.into_iter().filter(doubtful)).flat_map(|hit| hit.leaves).collect();
    leaves.sort_by_key(|leaf| !leaf.failed);
    leaves
}

fn test_at<'a>(place: Place<'a>, test: &'a Test, negated: bool) -> Hit<'a> {
    let Answer { outcomes, why } = answer(&place, test);
    let outcomes = if negated { outcomes.negated() } else { outcomes };
    let mut leaves = Vec::new();
    if outcomes != Outcomes::TRUE {
        let failed = outcomes == Outcomes::FALSE;
        leaves.push(LeafHit { place: place.clone(), test, negated, failed, is_alternative: false, why });
    }
    Hit { place, outcomes, leaves, why: None }
}

fn answer(place: &Place<'_>, test: &Test) -> Answer {
    match place.node {
        Node::Value(value) => test.answer(Some(value)),
        Node::Missing => test.answer(None),
        Node::Resources(ids) => test.answer(Some(&Value::array(vec![Value::NULL; ids.len().min(1)]))),
        Node::Unseen(unknown) | Node::UnseenItems(unknown) => {
            Answer { outcomes: Outcomes::UNKNOWN, why: Some(unknown.why.clone()) }
        }
    }
}
