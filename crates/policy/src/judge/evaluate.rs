//! Evaluates all definitions in force on the requests of a deployment.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::judge::bind::{Bound, with_judge};
use crate::judge::changes;
use crate::judge::conditions::Judge;
use crate::judge::entry::{Entry, Twins, entries};
use crate::judge::in_force::InForce;
use crate::judge::request::Request;
use crate::judge::surroundings::Surroundings;
use crate::judge::verdict::{Judged, Judgment, Trouble};
use crate::model::Quotas;
use crate::value::{Str, Value};

impl InForce<'_> {
    /// Evaluates the requests of one deployment. The result has one entry per request, in order. No text in it contains
    /// a secret of the requests, and values are marked.
    pub fn judge(&self, requests: &[Request], surroundings: &Surroundings) -> Vec<Judged> {
        self.judge_keeping(requests, surroundings, |_| true).judged
    }

    /// Judges the requests of one deployment as [`InForce::judge`] does, and keeps at most so many verdicts of
    /// definitions that do something. The others are counted: each definition keeps a part of its own.
    pub fn judge_up_to(&self, most: usize, requests: &[Request], surroundings: &Surroundings) -> Judgment {
        let quotas = Quotas::new(most as u64, self.bound.len());
        let left_out = RefCell::new(BTreeMap::new());
        let is_kept = |entry: &Entry<'_>| {
            if !entry.has_something_to_report() {
                return false;
            }
            let is_kept = quotas.take(entry.bound.index, 1);
            if let (false, Some(outcome)) = (is_kept, entry.outcome) {
                *left_out.borrow_mut().entry(outcome).or_default() += 1;
            }
            is_kept
        };
        let judgment = self.judge_keeping(requests, surroundings, is_kept);
        Judgment { left_out: left_out.into_inner(), ..judgment }
    }

    fn judge_keeping(
        &self,
        requests: &[Request],
        surroundings: &Surroundings,
        is_kept: impl Fn(&Entry<'_>) -> bool,
    ) -> Judgment {
        let works = self.bound.len();
        let ((mut judged, exceeded), mask) =
            with_judge(&self.limits, works, &self.lookups, surroundings, requests, |judge| {
                let judge_one = |request| self.judge_one(judge, request, surroundings, &is_kept);
                let judged: Vec<Judged> = requests.iter().map(judge_one).collect();
                (judged, judge.evaluator.world.budget.exceeded().collect::<Vec<usize>>())
            });
        judged.iter_mut().flat_map(|judged| &mut judged.verdicts).for_each(|verdict| verdict.hide_secrets(&mask));
        let most = Quotas::new(self.limits.steps, works).most();
        let trouble = |bound: &Bound| Trouble {
            assignment: bound.assignment,
            reference: bound.reference.clone(),
            definition: bound.name.clone(),
            why: Str::from(format!("it takes more than {most} steps on the resources of one deployment")),
            is_of_document: false,
        };
        let exceeded = exceeded.into_iter().filter_map(|at| self.bound.get(at)).map(trouble).collect();
        Judgment { judged, exceeded, left_out: BTreeMap::new() }
    }

    pub(super) fn judge_one<'a>(
        &'a self,
        judge: &Judge<'_, 'a>,
        request: &'a Request,
        surroundings: &'a Surroundings,
        is_kept: &dyn Fn(&Entry<'_>) -> bool,
    ) -> Judged {
        let mut entries = entries(self, judge, request, surroundings);
        // The first body is what the request most likely is; the others are what it may be.
        let mut bodies = vec![request.body.clone()];
        changes::apply(judge, &mut entries, &mut bodies);
        let mut twins = Twins::default();
        for entry in &mut entries {
            entry.judge_rest(judge, &bodies, &mut twins);
        }
        let after = bodies.into_iter().next().unwrap_or(Value::NULL);
        let verdicts = entries.into_iter().filter(|entry| is_kept(entry)).map(Entry::into_verdict).collect();
        Judged { verdicts, after }
    }
}
