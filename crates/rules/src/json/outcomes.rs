//! Three-valued logic whose parts may also be absent.

use crate::diagnostic::Outcome;

/// A set of possible outcomes: true, false, and absent (a skipped part). An unknown outcome has several elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcomes(u8);

impl Outcomes {
    const NOTHING: Self = Self(0);
    pub(super) const TRUE: Self = Self(1);
    pub(super) const FALSE: Self = Self(2);
    /// The part is skipped: neither true nor false.
    pub(super) const ABSENT: Self = Self(4);
    /// The part is true or false, but it is unknown which.
    pub(super) const UNKNOWN: Self = Self(3);

    /// Returns the union of both sets.
    pub(super) const fn or_possibly(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if any outcome in `other` is possible.
    pub(super) const fn may_be(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Swaps true and false.
    pub(super) const fn negated(self) -> Self {
        Self((self.0 & Self::ABSENT.0) | ((self.0 & 1) << 1) | ((self.0 & 2) >> 1))
    }

    /// Returns the possible outcomes of two parts combined. `winner` decides: it is false for "and", true for "or". An
    /// absent part does not count.
    pub(super) fn combined(self, other: Self, winner: Self) -> Self {
        let each = [Self::TRUE, Self::FALSE, Self::ABSENT];
        let mut all = Self::NOTHING;
        for a in each.into_iter().filter(|&outcome| self.may_be(outcome)) {
            for b in each.into_iter().filter(|&outcome| other.may_be(outcome)) {
                let outcome = match (a, b) {
                    (Self::ABSENT, present) | (present, Self::ABSENT) => present,
                    (a, b) if a == winner || b == winner => winner,
                    (a, _) => a,
                };
                all = all.or_possibly(outcome);
            }
        }
        all
    }

    /// Returns the outcome of a rule, or `None` if the rule was skipped.
    pub(super) fn verdict(self) -> Option<Outcome> {
        match (self.may_be(Self::TRUE), self.may_be(Self::FALSE), self.may_be(Self::ABSENT)) {
            (false, false, _) => None,
            (true, false, _) => Some(Outcome::Passed),
            (false, true, false) => Some(Outcome::Failed),
            _ => Some(Outcome::Unknown),
        }
    }
}

impl From<bool> for Outcomes {
    fn from(holds: bool) -> Self {
        if holds { Self::TRUE } else { Self::FALSE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Outcomes = Outcomes::TRUE;
    const F: Outcomes = Outcomes::FALSE;
    const U: Outcomes = Outcomes::UNKNOWN;
    const A: Outcomes = Outcomes::ABSENT;

    #[test]
    fn parts_combine_as_kleene_says() {
        for (a, b, and, or) in [
            (T, T, T, T),
            (T, F, F, T),
            (F, F, F, F),
            (T, U, U, T),
            (F, U, F, U),
            (U, U, U, U),
            (A, T, T, T),
            (A, F, F, F),
            (A, A, A, A),
            (A, U, U, U),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(a.combined(b, F), and, "{a:?} and {b:?}");
                assert_eq!(a.combined(b, T), or, "{a:?} or {b:?}");
            }
        }
    }

    #[test]
    fn a_part_that_may_be_absent_leaves_the_others_to_decide() {
        let true_or_absent = T.or_possibly(A);
        assert_eq!(true_or_absent.combined(F, F), F);
        assert_eq!(true_or_absent.combined(F, T), U);
        assert_eq!(true_or_absent.combined(T, T), T);
    }

    #[test]
    fn negation_keeps_what_is_absent_or_unknown() {
        assert_eq!(T.negated(), F);
        assert_eq!(F.negated(), T);
        assert_eq!(U.negated(), U);
        assert_eq!(T.or_possibly(A).negated(), F.or_possibly(A));
    }

    #[test]
    fn a_verdict_is_certain_only_where_it_cannot_fall_otherwise() {
        assert_eq!(T.verdict(), Some(Outcome::Passed));
        assert_eq!(F.verdict(), Some(Outcome::Failed));
        assert_eq!(U.verdict(), Some(Outcome::Unknown));
        assert_eq!(A.verdict(), None);
        assert_eq!(T.or_possibly(A).verdict(), Some(Outcome::Passed));
        assert_eq!(F.or_possibly(A).verdict(), Some(Outcome::Unknown));
    }
}
