//! Failed checks.

use crate::guard3::ast::{ByteRange, Check, Test, Unary};
use crate::guard3::eval::Evaluator;
use crate::guard3::eval::results::FAIL;
use crate::guard3::eval::scope::LocatedItem;
use crate::guard3::eval::view::{Item, View};
use crate::guard3::names::Name;
use crate::outcomes::Outcomes;
use crate::value::Str;

/// A check that failed, or may fail.
#[derive(Clone, Debug)]
pub(in crate::guard3) struct Failure<'a> {
    /// Value, or its deepest existing ancestor. `None` if the clause has nothing to check.
    pub(in crate::guard3) at: Option<LocatedItem<'a>>,
    pub(in crate::guard3) why: FailureKind<'a>,
    /// Range of the clause in the rules file.
    pub(in crate::guard3) place: ByteRange,
    pub(in crate::guard3) message: Option<&'a Str>,
    /// Reason of the doubt; `None` for a certain failure.
    pub(in crate::guard3) doubt: Option<Str>,
}

impl Failure<'_> {
    /// True if cfn-guard crashes while it reports this: a literal of a wrong kind, or a number that is not finite.
    pub(in crate::guard3) fn crashes(&self) -> bool {
        let (Some(at), FailureKind::Value(check)) = (&self.at, &self.why) else { return false };
        let is_unary = matches!(&check.test, Test::Unary { operator, .. } if *operator != Unary::Empty);
        match at.item.view() {
            View::Float(float) => !float.is_finite() || is_unary && matches!(at.item, Item::Literal(_)),
            _ => is_unary && matches!(at.item, Item::Literal(_)),
        }
    }
}

/// Kind of a failure.
#[derive(Clone, Debug)]
pub(in crate::guard3) enum FailureKind<'a> {
    /// A value that does not pass this check.
    Value(&'a Check),
    /// A missing value, with its name if it is a member.
    Missing(Option<Str>),
    /// A query without results.
    Nothing,
    /// Another rule that this one refers to.
    Rule(Name),
}

/// Memory for one failure, in bytes, with the path and the position that are made of it for a report.
pub(super) const BYTES_OF_FAILURE: usize = 1 << 10;

/// The reason where none of the values that decide has one.
pub(super) const WITHOUT_REASON: &str = "it depends on a value that only a deployment can know";

impl<'a> Evaluator<'a> {
    /// Returns the number of failures so far.
    pub(super) fn mark(&self) -> usize {
        self.failures.borrow().len()
    }

    /// Adds a failure, except in a condition or a filter.
    pub(super) fn fail(&self, failure: impl FnOnce() -> Failure<'a>) {
        if self.gates.get() == 0 {
            // Beyond the limit, the next step fails.
            let _ = self.budget.keep(BYTES_OF_FAILURE);
            self.failures.borrow_mut().push(failure());
        }
    }

    /// Gives failures since `mark` that have no path, such as those of literals, the path of the value that their clause
    /// is evaluated on. cfn-guard gives them none.
    pub(super) fn place_failures(&self, mark: usize, at: &LocatedItem<'a>) {
        if self.document.is_raw || at.trail.is_root() {
            return;
        }
        for failure in self.failures.borrow_mut().iter_mut().skip(mark) {
            match &mut failure.at {
                // A section that is missing has its place.
                Some(_) if matches!(failure.why, FailureKind::Missing(Some(_))) => {}
                Some(own) if own.trail.is_root() => own.trail = at.trail.clone(),
                None => failure.at = Some(at.clone()),
                Some(_) => {}
            }
        }
    }

    /// Drops the failures since `mark` if their clause cannot fail, and marks them as uncertain if it may pass.
    pub(super) fn settle(&self, mark: usize, set: Outcomes) -> Outcomes {
        if set != FAIL {
            let mut failures = self.failures.borrow_mut();
            if set.may_be(FAIL) {
                let mut since = failures.iter_mut().skip(mark);
                let reason = since.find_map(|failure| failure.doubt.clone());
                for failure in failures.iter_mut().skip(mark).filter(|failure| failure.doubt.is_none()) {
                    failure.doubt = Some(reason.clone().unwrap_or_else(|| Str::from(WITHOUT_REASON)));
                }
            } else {
                self.budget.give_back(failures.len().saturating_sub(mark).saturating_mul(BYTES_OF_FAILURE));
                failures.truncate(mark);
            }
        }
        set
    }
}
