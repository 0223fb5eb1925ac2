//! Logic of values that are partly unknown: sets of possible outcomes.
//!
//! A condition on a known value has one outcome. If the value is known only after deployment, it has several possible
//! ones, and the operations return all outcomes that their operands can lead to. With [`Outcomes::UNKNOWN`], this is
//! Kleene's three-valued logic.

use std::ops::Not;

/// A set of possible outcomes: true, false, and neither.
///
/// The third outcome is for conditions that can end without a result. Its meaning is up to the caller: a part that is
/// skipped, an evaluation that fails, or values that cannot be compared.
///
/// # Examples
///
/// ```
/// use formwork_model::outcomes::Outcomes;
///
/// let unknown = Outcomes::UNKNOWN;
/// assert_eq!(unknown.and(Outcomes::FALSE), Outcomes::FALSE);
/// assert_eq!(unknown.and(Outcomes::TRUE), unknown);
/// assert_eq!(!Outcomes::TRUE, Outcomes::FALSE);
/// assert_eq!(Outcomes::from(true), Outcomes::TRUE);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outcomes(u8);

impl Outcomes {
    /// No outcome: nothing was evaluated.
    pub const NONE: Self = Self(0);
    pub const TRUE: Self = Self(1);
    pub const FALSE: Self = Self(2);
    /// True or false; only the deployment decides.
    pub const UNKNOWN: Self = Self(3);
    /// Neither true nor false.
    pub const NEITHER: Self = Self(4);
    /// Every outcome.
    pub const ANY: Self = Self(7);

    const TRUE_OR_NEITHER: Self = Self(5);

    /// Returns `true` if an outcome is in both sets.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// assert!(Outcomes::UNKNOWN.may_be(Outcomes::FALSE));
    /// assert!(!Outcomes::UNKNOWN.may_be(Outcomes::NEITHER));
    /// ```
    pub const fn may_be(self, outcomes: Self) -> bool {
        self.0 & outcomes.0 != 0
    }

    /// Returns `true` if more than one outcome is possible.
    pub const fn is_open(self) -> bool {
        self.0.count_ones() > 1
    }

    /// Returns the Boolean, if the outcome is certainly one.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// assert_eq!(Outcomes::FALSE.to_bool(), Some(false));
    /// assert_eq!(Outcomes::UNKNOWN.to_bool(), None);
    /// assert_eq!(Outcomes::NEITHER.to_bool(), None);
    /// ```
    pub const fn to_bool(self) -> Option<bool> {
        match self {
            Self::TRUE => Some(true),
            Self::FALSE => Some(false),
            _ => None,
        }
    }

    /// Returns the union of both sets.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// assert_eq!(Outcomes::TRUE.union(Outcomes::FALSE), Outcomes::UNKNOWN);
    /// ```
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the outcomes that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the set itself if `is_possible`, else the empty set.
    #[must_use]
    pub const fn only_if(self, is_possible: bool) -> Self {
        if is_possible { self } else { Self::NONE }
    }

    /// Returns the negation: true and false are swapped, and neither stays.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self((self.0 & Self::NEITHER.0) | ((self.0 & Self::TRUE.0) << 1) | ((self.0 & Self::FALSE.0) >> 1))
    }

    /// Returns the negation if `is_negated`, else the set itself.
    #[must_use]
    pub const fn negated_if(self, is_negated: bool) -> Self {
        if is_negated { self.negated() } else { self }
    }

    /// Returns the conjunction of two parts, where a part that is neither true nor false does not count.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// let skipped = Outcomes::NEITHER;
    /// assert_eq!(Outcomes::TRUE.and(Outcomes::FALSE), Outcomes::FALSE);
    /// assert_eq!(skipped.and(Outcomes::TRUE), Outcomes::TRUE);
    /// assert_eq!(skipped.and(skipped), skipped);
    /// ```
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        let may_be_true = self.may_be(Self::TRUE_OR_NEITHER)
            && other.may_be(Self::TRUE_OR_NEITHER)
            && self.union(other).may_be(Self::TRUE);
        let may_be_neither = self.may_be(Self::NEITHER) && other.may_be(Self::NEITHER);
        Self::TRUE
            .only_if(may_be_true)
            .union(Self::FALSE.only_if(self.may_be_in_pair(Self::FALSE, other)))
            .union(Self::NEITHER.only_if(may_be_neither))
    }

    /// Returns the disjunction of two parts, where a part that is neither true nor false does not count.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// assert_eq!(Outcomes::TRUE.or(Outcomes::UNKNOWN), Outcomes::TRUE);
    /// assert_eq!(Outcomes::NEITHER.or(Outcomes::FALSE), Outcomes::FALSE);
    /// ```
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        self.negated().and(other.negated()).negated()
    }

    /// Returns the conjunction of two parts, where neither is a failure that ends the evaluation. The order of
    /// evaluation is not known: a part that may be false may hide the failure of the other.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// let failure = Outcomes::NEITHER;
    /// assert_eq!(failure.and_fallible(Outcomes::TRUE), failure);
    /// assert_eq!(failure.and_fallible(Outcomes::FALSE), failure.union(Outcomes::FALSE));
    /// ```
    #[must_use]
    pub const fn and_fallible(self, other: Self) -> Self {
        Self::TRUE
            .only_if(self.may_be(Self::TRUE) && other.may_be(Self::TRUE))
            .union(Self::FALSE.only_if(self.may_be_in_pair(Self::FALSE, other)))
            .union(Self::NEITHER.only_if(self.may_be_in_pair(Self::NEITHER, other)))
    }

    /// Returns the disjunction of two parts, where neither is a failure: see [`Self::and_fallible`].
    #[must_use]
    pub const fn or_fallible(self, other: Self) -> Self {
        self.negated().and_fallible(other.negated()).negated()
    }

    /// Returns `true` if an outcome of a pair, one from each set, may be `outcome`.
    const fn may_be_in_pair(self, outcome: Self, other: Self) -> bool {
        (self.may_be(outcome) && other.0 != 0) || (other.may_be(outcome) && self.0 != 0)
    }

    /// Returns the conjunction of all parts; true if there are none. The rest is not evaluated after a part that is
    /// false.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// assert_eq!(Outcomes::all([Outcomes::TRUE, Outcomes::UNKNOWN]), Outcomes::UNKNOWN);
    /// assert_eq!(Outcomes::all([]), Outcomes::TRUE);
    /// ```
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::TRUE;
        for part in parts {
            all = all.and(part);
            if all == Self::FALSE {
                break;
            }
        }
        all
    }

    /// Returns the disjunction of all parts; false if there are none. The rest is not evaluated after a part that is
    /// true.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// assert_eq!(Outcomes::any([Outcomes::FALSE, Outcomes::UNKNOWN]), Outcomes::UNKNOWN);
    /// assert_eq!(Outcomes::any([]), Outcomes::FALSE);
    /// ```
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::all(parts.into_iter().map(Self::negated)).negated()
    }

    /// Returns the union of all sets, such as those of the alternatives of an unknown value. Without any, nothing is
    /// known about the outcome.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::outcomes::Outcomes;
    ///
    /// assert_eq!(Outcomes::union_of([Outcomes::TRUE, Outcomes::TRUE]), Outcomes::TRUE);
    /// assert_eq!(Outcomes::union_of([Outcomes::TRUE, Outcomes::FALSE]), Outcomes::UNKNOWN);
    /// assert_eq!(Outcomes::union_of([]), Outcomes::UNKNOWN);
    /// ```
    pub fn union_of(sets: impl IntoIterator<Item = Self>) -> Self {
        sets.into_iter().reduce(Self::union).unwrap_or(Self::UNKNOWN)
    }
}

impl From<bool> for Outcomes {
    fn from(is_true: bool) -> Self {
        if is_true { Self::TRUE } else { Self::FALSE }
    }
}

/// Converts `None` to [`Outcomes::UNKNOWN`].
impl From<Option<bool>> for Outcomes {
    fn from(is_true: Option<bool>) -> Self {
        is_true.map_or(Self::UNKNOWN, Self::from)
    }
}

impl Not for Outcomes {
    type Output = Self;

    fn not(self) -> Self {
        self.negated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Outcomes = Outcomes::TRUE;
    const F: Outcomes = Outcomes::FALSE;
    const U: Outcomes = Outcomes::UNKNOWN;
    const N: Outcomes = Outcomes::NEITHER;

    /// Returns all eight sets.
    fn all_sets() -> impl Iterator<Item = Outcomes> {
        (0..8).map(Outcomes)
    }

    /// Returns the union of the outcomes of all pairs, one from each set.
    fn of_pairs(a: Outcomes, b: Outcomes, combine: fn(Outcomes, Outcomes) -> Outcomes) -> Outcomes {
        let elements = |set: Outcomes| [T, F, N].into_iter().filter(move |&outcome| set.may_be(outcome));
        let pairs = elements(a).flat_map(|a| elements(b).map(move |b| combine(a, b)));
        pairs.fold(Outcomes::NONE, Outcomes::union)
    }

    #[test]
    fn parts_combine_as_kleene_says() {
        for (a, b, and, or) in [
            (T, T, T, T),
            (T, F, F, T),
            (F, F, F, F),
            (T, U, U, T),
            (F, U, F, U),
            (U, U, U, U),
            (N, T, T, T),
            (N, F, F, F),
            (N, N, N, N),
            (N, U, U, U),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(a.and(b), and, "{a:?} and {b:?}");
                assert_eq!(a.or(b), or, "{a:?} or {b:?}");
            }
        }
    }

    #[test]
    fn failures_count_unless_another_part_decides() {
        for (a, b, and, or) in [
            (T, T, T, T),
            (T, F, F, T),
            (F, F, F, F),
            (T, U, U, T),
            (F, U, F, U),
            (U, U, U, U),
            (N, T, N, T.union(N)),
            (N, F, F.union(N), N),
            (N, U, F.union(N), T.union(N)),
            (N, N, N, N),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(a.and_fallible(b), and, "{a:?} and {b:?}");
                assert_eq!(a.or_fallible(b), or, "{a:?} or {b:?}");
            }
        }
    }

    #[test]
    fn operations_on_sets_are_those_on_their_elements() {
        for a in all_sets() {
            for b in all_sets() {
                assert_eq!(a.and(b), of_pairs(a, b, Outcomes::and), "{a:?} and {b:?}");
                assert_eq!(a.or(b), of_pairs(a, b, Outcomes::or), "{a:?} or {b:?}");
                assert_eq!(a.and_fallible(b), of_pairs(a, b, Outcomes::and_fallible), "{a:?} and {b:?}");
                assert_eq!(a.or_fallible(b), of_pairs(a, b, Outcomes::or_fallible), "{a:?} or {b:?}");
            }
        }
    }

    #[test]
    fn operations_are_associative() {
        for (a, b, c) in all_sets().flat_map(|a| all_sets().flat_map(move |b| all_sets().map(move |c| (a, b, c)))) {
            assert_eq!(a.and(b).and(c), a.and(b.and(c)), "{a:?} {b:?} {c:?}");
            assert_eq!(a.or(b).or(c), a.or(b.or(c)), "{a:?} {b:?} {c:?}");
        }
    }

    #[test]
    fn negation_keeps_neither_and_unknown() {
        for (set, negated) in
            [(T, F), (F, T), (U, U), (N, N), (T.union(N), F.union(N)), (Outcomes::NONE, Outcomes::NONE)]
        {
            assert_eq!(!set, negated, "{set:?}");
            assert_eq!(set.negated_if(false), set);
            assert_eq!(set.negated_if(true), negated);
        }
    }

    #[test]
    fn a_part_that_may_be_skipped_leaves_the_others_to_decide() {
        let true_or_skipped = T.union(N);
        assert_eq!(true_or_skipped.and(F), F);
        assert_eq!(true_or_skipped.or(F), U);
        assert_eq!(true_or_skipped.or(T), T);
    }

    #[test]
    fn a_decisive_part_ends_the_evaluation() {
        let undecided = [N, T, U];
        let mut parts = undecided.into_iter().chain([F]).chain(std::iter::once_with(|| panic!("evaluated")));
        assert_eq!(Outcomes::all(parts.by_ref()), F);
        let mut parts =
            undecided.map(Outcomes::negated).into_iter().chain([T]).chain(std::iter::once_with(|| panic!()));
        assert_eq!(Outcomes::any(parts.by_ref()), T);
        assert_eq!(Outcomes::all(undecided), U);
    }

    #[test]
    fn several_possible_outcomes_are_open() {
        for set in all_sets() {
            let elements = [T, F, N].into_iter().filter(|&outcome| set.may_be(outcome)).count();
            assert_eq!(set.is_open(), elements > 1, "{set:?}");
            assert_eq!(set.without(U), if set.may_be(N) { N } else { Outcomes::NONE }, "{set:?}");
            assert_eq!(Outcomes::from(set.to_bool()) == set, matches!(set, T | F | U), "{set:?}");
        }
    }
}
