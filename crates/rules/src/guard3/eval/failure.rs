//! The checks that failed.

use crate::guard3::ast::{Check, Place, Test, Unary};
use crate::guard3::eval::scope::At;
use crate::guard3::eval::view::{Item, View};
use crate::guard3::eval::{Evaluator, Set};
use crate::guard3::names::Name;
use crate::value::Str;

/// A check that failed, or may fail.
#[derive(Clone, Debug)]
pub(in crate::guard3) struct Failure<'a> {
    /// The value, or the deepest one that exists. `None` where a clause has nothing to check.
    pub(in crate::guard3) at: Option<At<'a>>,
    pub(in crate::guard3) why: Why<'a>,
    /// The clause in the rules file.
    pub(in crate::guard3) place: Place,
    pub(in crate::guard3) message: Option<&'a Str>,
    /// Why it is not certain; `None` if it is.
    pub(in crate::guard3) doubt: Option<Str>,
}

impl Failure<'_> {
    /// Whether cfn-guard crashes while it reports this: a literal whose kind is wrong, or a number that is not finite.
    pub(in crate::guard3) fn crashes(&self) -> bool {
        let (Some(at), Why::Value(check)) = (&self.at, &self.why) else { return false };
        let is_unary = matches!(&check.test, Test::Unary { operator, .. } if *operator != Unary::Empty);
        match at.item.view() {
            View::Float(float) => !float.is_finite() || is_unary && matches!(at.item, Item::Literal(_)),
            _ => is_unary && matches!(at.item, Item::Literal(_)),
        }
    }
}

/// The kind of a failure.
#[derive(Clone, Debug)]
pub(in crate::guard3) enum Why<'a> {
    /// A value that does not pass this check.
    Value(&'a Check),
    /// Something is missing, with this name if it is a member.
    Missing(Option<Str>),
    /// A query without results.
    Nothing,
    /// Another rule that this one refers to.
    Rule(Name),
}

/// How many bytes a failure takes, with the path and the position that are made of it for a report.
pub(super) const BYTES_OF_FAILURE: usize = 1 << 10;

/// The reason where none of the values that decide has one.
pub(super) const WITHOUT_REASON: &str = "it depends on a value that only a deployment can know";

impl<'a> Evaluator<'a> {
    /// How many failures there are.
    pub(super) fn mark(&self) -> usize {
        self.failures.borrow().len()
    }

    /// Notes a failure, unless it is part of a condition or a filter.
    pub(super) fn fail(&self, failure: impl FnOnce() -> Failure<'a>) {
        if self.gates.get() == 0 {
            // Beyond the limit, the next step fails.
            let _ = self.budget.keep(BYTES_OF_FAILURE);
            self.failures.borrow_mut().push(failure());
        }
    }

    /// Forgets the failures since `mark` if what they are part of does not fail, and doubts them if it may pass.
    pub(super) fn settle(&self, mark: usize, set: Set) -> Set {
        if !set.is(Set::FAIL) {
            let mut failures = self.failures.borrow_mut();
            if set.may(Set::FAIL) {
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
