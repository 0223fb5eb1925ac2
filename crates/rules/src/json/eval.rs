//! Evaluates rules on a document.

use crate::json::operators::{Answer, Test};
use crate::json::relations::Links;
use crate::json::rule::{Count, Evaluation, Operator, Reference};
use crate::lookup::{Owner, PathStep, Position, Target, TypeIndex};
use crate::model::Document;
use crate::outcomes::Outcomes;
use crate::value::{Str, Value};

/// Result of an evaluation at one position.
#[derive(Debug)]
pub(super) struct Hit<'a> {
    /// Value that was tested, or the scope of `allOf` and `anyOf`.
    pub(super) position: Position<'a>,
    pub(super) outcomes: Outcomes,
    /// Values that decided the result. Empty if the evaluation holds.
    pub(super) leaves: Vec<LeafHit<'a>>,
    /// True if one of the values would be enough to make the evaluation hold.
    pub(super) is_choice: bool,
    /// Reason of an unknown result, unless one of the values is the reason.
    pub(super) why: Option<Str>,
}

/// A value that violates its condition, or may violate it.
#[derive(Debug)]
pub(super) struct LeafHit<'a> {
    pub(super) position: Position<'a>,
    pub(super) wanted: TestedCondition<'a>,
    /// True under an odd number of `not`.
    pub(super) negated: bool,
    /// True if it certainly violates the condition.
    pub(super) failed: bool,
    /// True if another value could make up for it, as in an `anyOf`.
    pub(super) is_alternative: bool,
    pub(super) why: Option<Str>,
}

/// Condition that a value was tested with.
#[derive(Debug)]
pub(super) enum TestedCondition<'a> {
    /// The condition of a value operator.
    Value(&'a Test),
    /// The number of selected values: the least and the greatest possible one.
    Count(&'a Count, i64, Option<i64>),
    /// A reference from another resource.
    Reference(&'a Reference),
    /// An evaluation of the resource with this name, to which the value refers. Holds the values that decided.
    Target(Str, Vec<LeafHit<'a>>),
    /// An ID of a resource, which is missing.
    Id,
}

/// Evaluates rules on one document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluator<'a> {
    pub(super) document: &'a Document,
    pub(super) types: &'a TypeIndex<'a>,
    /// True if a path that leads to nothing has no result, as in `descendants`.
    pub(super) skips_missing: bool,
    /// Cache: references that were looked up.
    pub(super) links: &'a Links<'a>,
}

impl<'a> Evaluator<'a> {
    /// Adds the results of `evaluation` at `scope`. `negated` inverts every condition: `not` is pushed down to the
    /// values, so that a result can name those that decide.
    pub(super) fn evaluate(
        &self,
        evaluation: &'a Evaluation,
        scope: &Position<'a>,
        negated: bool,
        out: &mut Vec<Hit<'a>>,
    ) {
        if let Operator::Count(count) = &evaluation.operator {
            return self.count(evaluation, count, scope, negated, out);
        }
        for position in self.scopes(evaluation, scope) {
            let mut why = self.doubt(scope, &position);
            let mut in_doubt = why.is_some();
            if let Some(condition) = &evaluation.condition {
                match self.holds(condition, &position) {
                    Answer { outcomes: Outcomes::FALSE, .. } => continue,
                    Answer { outcomes: Outcomes::TRUE, .. } => {}
                    unknown => {
                        in_doubt = true;
                        why = unknown.why.or(why);
                    }
                }
            }
            let before = out.len();
            self.operate(&evaluation.operator, position, negated, out);
            out.iter_mut().skip(before).filter(|_| in_doubt).for_each(|hit| hit.may_be_absent(why.as_ref()));
        }
    }

    /// Returns the positions that `resourceType` and then `path` lead to.
    pub(super) fn scopes(&self, evaluation: &'a Evaluation, scope: &Position<'a>) -> Vec<Position<'a>> {
        let mut found: Vec<Position<'a>> = match (&evaluation.resource_type, &evaluation.path) {
            (None, None) => return vec![scope.clone()],
            (Some(type_name), None) => return self.types.select(scope, type_name),
            (None, Some(path)) => scope.resolve(self.document, path),
            (Some(type_name), Some(path)) => {
                let selected = self.types.select(scope, type_name);
                selected.iter().flat_map(|position| position.resolve(self.document, path)).collect()
            }
        };
        if self.skips_missing {
            found.retain(|position| !matches!(position.target, Target::Missing));
        }
        found
    }

    /// Returns the reason for which it is unknown if anything is at `position`, given that `scope` exists. A resource
    /// that a rule checks is checked as if it were deployed.
    pub(super) fn doubt(&self, scope: &Position<'a>, position: &Position<'a>) -> Option<Str> {
        if scope.resource_id().is_none() && !matches!(position.target, Target::UnseenItems(_)) {
            return None;
        }
        self.doubt_of_number(scope, position)
    }

    /// Returns the reason like [`Self::doubt`], for values that are only counted: the existence of a resource changes
    /// their number.
    pub(super) fn doubt_of_number(&self, scope: &Position<'a>, position: &Position<'a>) -> Option<Str> {
        if let Target::UnseenItems(unknown) = position.target {
            return Some(unknown.why.clone());
        }
        let entered = position.resource_id().filter(|_| position.resource_id() != scope.resource_id())?;
        self.types.doubt(entered).cloned()
    }

    /// Returns whether any result of a `where` holds, with the reason if that is unknown.
    pub(super) fn holds(&self, condition: &'a Evaluation, position: &Position<'a>) -> Answer {
        let mut hits = Vec::new();
        self.evaluate(condition, position, false, &mut hits);
        let each = hits.iter().map(|hit| hit.outcomes);
        let outcomes = Outcomes::any(each);
        let why = hits.iter().find_map(Hit::reason);
        Answer { outcomes, why }
    }

    fn operate(&self, operator: &'a Operator, position: Position<'a>, negated: bool, out: &mut Vec<Hit<'a>>) {
        match operator {
            Operator::Test(test) => out.push(test_at(position, test, negated)),
            Operator::All(parts) => self.combine(parts, position, negated, true, out),
            Operator::Any(parts) => self.combine(parts, position, negated, false, out),
            Operator::Not(inner) => self.evaluate(inner, &position, !negated, out),
            Operator::Evaluate(inner) => self.evaluate(inner, &position, negated, out),
            // The places that it counts are those that the evaluation selects.
            Operator::Count(_) => {}
            Operator::Descendants(inner) => self.descendants(inner, position, negated, out),
            Operator::RefersTo(inner) => self.refers_to(inner, position, negated, out),
            Operator::ReferencedBy(reference) => self.referenced_by(reference, position, negated, out),
        }
    }

    /// Adds the result of `allOf` or `anyOf`. Parts without a result do not count; if none has one, nothing is added.
    fn combine(
        &self,
        parts: &'a [Evaluation],
        position: Position<'a>,
        negated: bool,
        all: bool,
        out: &mut Vec<Hit<'a>>,
    ) {
        let mut hits = Vec::with_capacity(parts.len());
        for part in parts {
            let before = hits.len();
            self.evaluate(part, &position, negated, &mut hits);
            if hits.get(before..).is_some_and(|of_part| are_spellings(part, of_part)) {
                let spellings = hits.split_off(before);
                join(spellings, position.clone(), negated, !negated, &mut hits);
            }
        }
        join(hits, position, negated, all, out);
    }
}

/// True if all results of a part are about one name that an object has in several cases. None of them is an alternative
/// to the others.
fn are_spellings(part: &Evaluation, hits: &[Hit<'_>]) -> bool {
    let is_one_name = part.resource_type.is_none() && part.path.as_ref().is_some_and(|path| !path.has_wildcard);
    let mut pairs = hits.iter().zip(hits.iter().skip(1)).peekable();
    is_one_name && pairs.peek().is_some() && pairs.all(|(a, b)| a.position.owner == b.position.owner)
}

/// Adds the combined result of several hits: all of them must hold, or one of them.
pub(super) fn join<'a>(hits: Vec<Hit<'a>>, position: Position<'a>, negated: bool, all: bool, out: &mut Vec<Hit<'a>>) {
    // De Morgan: under a `not`, `allOf` is `anyOf` of the negations.
    let is_any = all == negated;
    let combine = if is_any { Outcomes::or } else { Outcomes::and };
    let Some(outcomes) = hits.iter().map(|hit| hit.outcomes).reduce(combine) else { return };
    let why = hits.iter().find_map(|hit| hit.why.clone());
    let mut missing = hits.iter().filter(|hit| hit.outcomes != Outcomes::TRUE);
    let is_choice = missing.clone().all(|hit| hit.is_choice) && (is_any || missing.nth(1).is_none());
    let mut leaves = deciding(hits, outcomes);
    if is_any {
        for leaf in &mut leaves {
            leaf.is_alternative = true;
        }
    }
    out.push(Hit { position, outcomes, leaves, is_choice, why });
}

impl Hit<'_> {
    /// Records that the position may be empty, with the reason of the doubt.
    pub(super) fn may_be_absent(&mut self, why: Option<&Str>) {
        self.outcomes = self.outcomes.union(Outcomes::NEITHER);
        self.why = self.why.take().or_else(|| why.cloned());
    }

    /// Returns the reason of an unknown result. `None` if the result is known, or if nothing gives a reason.
    pub(super) fn reason(&self) -> Option<Str> {
        self.why.clone().or_else(|| self.leaves.iter().find_map(|leaf| leaf.why.clone()))
    }
}

/// Returns the values that led to an outcome. For an unknown outcome, these are the unknown ones. For a failure, these
/// are the failed ones, then those that may fail, since a fix of the former should consider the latter.
fn deciding(mut hits: Vec<Hit<'_>>, outcomes: Outcomes) -> Vec<LeafHit<'_>> {
    let mut leaves = Vec::new();
    if outcomes == Outcomes::TRUE {
        return leaves;
    }
    let failed = |hit: &Hit<'_>| hit.outcomes == Outcomes::FALSE;
    let doubtful = |hit: &Hit<'_>| !failed(hit) && hit.outcomes != Outcomes::TRUE;
    let only_doubtful = outcomes != Outcomes::FALSE && hits.iter().any(doubtful);
    if !only_doubtful {
        hits.iter_mut().filter(|hit| failed(hit)).for_each(|hit| leaves.append(&mut hit.leaves));
    }
    hits.iter_mut().filter(|hit| doubtful(hit)).for_each(|hit| leaves.append(&mut hit.leaves));
    leaves.sort_by_key(|leaf| !leaf.failed);
    leaves
}

fn test_at<'a>(position: Position<'a>, test: &'a Test, negated: bool) -> Hit<'a> {
    let answer = answer(&position, test);
    hit(position, answer, TestedCondition::Value(test), negated)
}

/// True if a position is the location of a resource.
fn is_location(position: &Position<'_>) -> bool {
    let is_key = |step: &PathStep<'_>| matches!(step, PathStep::Key(key) if key.eq_ignore_ascii_case("location"));
    matches!(position.owner, Owner::Resource(_)) && matches!(&*position.steps, [step] if is_key(step))
}

/// Returns the result for one value, which is the leaf if it does not hold.
pub(super) fn hit<'a>(position: Position<'a>, answer: Answer, wanted: TestedCondition<'a>, negated: bool) -> Hit<'a> {
    let Answer { outcomes, why } = answer;
    let outcomes = outcomes.negated_if(negated);
    let mut leaves = Vec::new();
    if outcomes != Outcomes::TRUE {
        let failed = outcomes == Outcomes::FALSE;
        leaves.push(LeafHit { position: position.clone(), wanted, negated, failed, is_alternative: false, why });
    }
    Hit { position, outcomes, leaves, is_choice: true, why: None }
}

fn answer(position: &Position<'_>, test: &Test) -> Answer {
    match position.target {
        Target::Value(value) if is_location(position) => test.answer_for_location(value),
        Target::Value(value) => test.answer(Some(value)),
        Target::Missing => test.answer(None),
        Target::Resources(ids) => test.answer(Some(&Value::array(vec![Value::NULL; ids.len().min(1)]))),
        Target::Unseen(unknown) | Target::UnseenItems(unknown) => {
            Answer { outcomes: Outcomes::UNKNOWN, why: Some(unknown.why.clone()) }
        }
    }
}
