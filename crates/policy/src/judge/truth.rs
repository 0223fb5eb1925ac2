//! Outcomes of a condition, with the reason of a doubt.

use crate::outcomes::Outcomes;
use crate::value::Str;

/// Possible outcomes of a condition, with the reason if they are not certain. The third outcome is a failure: a function
/// that fails denies the request.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    outcomes: Outcomes,
    /// Reason of an unknown value or a failure.
    why: Option<Str>,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        Self { outcomes: Outcomes::from(value), why: None }
    }
}

impl Truth {
    /// Returns true or false, with the reason for which it is unknown: lower case, without a final period.
    pub(super) fn unknown(why: impl Into<Str>) -> Self {
        Self { outcomes: Outcomes::UNKNOWN, why: Some(why.into()) }
    }

    /// Returns a failure with this message.
    pub(super) fn failed(why: impl Into<Str>) -> Self {
        Self { outcomes: Outcomes::NEITHER, why: Some(why.into()) }
    }

    /// Returns the possible outcomes.
    pub(super) fn outcomes(&self) -> Outcomes {
        self.outcomes
    }

    /// True if it may be true.
    pub(super) fn can_hold(&self) -> bool {
        self.outcomes.may_be(Outcomes::TRUE)
    }

    /// True if it may be false.
    pub(super) fn can_be_false(&self) -> bool {
        self.outcomes.may_be(Outcomes::FALSE)
    }

    /// True if it may fail.
    pub(super) fn can_fail(&self) -> bool {
        self.outcomes.may_be(Outcomes::NEITHER)
    }

    /// True if it is certainly true.
    pub(super) fn holds(&self) -> bool {
        self.outcomes == Outcomes::TRUE
    }

    /// True if it is certainly false.
    pub(super) fn is_false(&self) -> bool {
        self.outcomes == Outcomes::FALSE
    }

    /// Returns the reason of an unknown value or a failure.
    pub(super) fn why(&self) -> Option<&Str> {
        self.why.as_ref()
    }

    /// Returns the union of the possible outcomes of both.
    pub(super) fn union(self, other: Self) -> Self {
        Self { outcomes: self.outcomes.union(other.outcomes), why: self.why.or(other.why) }
    }

    /// Sets the reason of an unknown value that has none. A certain value is returned unchanged.
    pub(super) fn because(mut self, why: &str) -> Self {
        if self.outcomes.is_open() && self.why.is_none() {
            self.why = Some(Str::from(why));
        }
        self
    }

    /// Returns the negation: true and false are swapped, and a failure stays one.
    pub(super) fn not(self) -> Self {
        Self { outcomes: !self.outcomes, ..self }
    }

    /// Returns the conjunction. If one part may be false, a failure of the other is only possible, not certain.
    pub(super) fn and(self, other: Self) -> Self {
        let outcomes = self.outcomes.and_fallible(other.outcomes);
        let is_certain = outcomes.without(Outcomes::FALSE) == Outcomes::NONE;
        let why = if is_certain { None } else { self.why.or(other.why) };
        Self { outcomes, why }
    }

    /// Returns the disjunction. If one part may be true, a failure of the other is only possible, not certain.
    pub(super) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(truth: &Truth) -> String {
        let mark = |is: bool, text: &'static str| if is { text } else { "" };
        let (can_hold, can_be_false) = (truth.can_hold(), truth.can_be_false());
        [mark(can_hold, "T"), mark(can_be_false, "F"), mark(truth.can_fail(), "X")].concat()
    }

    #[test]
    fn what_is_unknown_decides_only_if_all_agree() {
        let value = |name: char| match name {
            'T' => Truth::from(true),
            'F' => Truth::from(false),
            'U' => Truth::unknown("a test says so"),
            _ => Truth::failed("a test says so"),
        };
        for (a, b, all, any) in [
            ('T', 'T', "T", "T"),
            ('T', 'F', "F", "T"),
            ('T', 'U', "TF", "T"),
            ('F', 'U', "F", "TF"),
            ('U', 'U', "TF", "TF"),
            ('X', 'T', "X", "TX"),
            ('X', 'F', "FX", "X"),
            ('X', 'U', "FX", "TX"),
            ('X', 'X', "X", "X"),
        ] {
            assert_eq!(shown(&value(a).and(value(b))), all, "{a} and {b}");
            assert_eq!(shown(&value(b).and(value(a))), all, "{b} and {a}");
            assert_eq!(shown(&value(a).or(value(b))), any, "{a} or {b}");
        }
        assert_eq!(shown(&value('F').not()), "T");
        assert_eq!(shown(&value('X').not()), "X");
    }
}
