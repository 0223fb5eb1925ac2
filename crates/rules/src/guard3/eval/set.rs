//! Sets of possible results.

/// A set of PASS, FAIL and SKIP. For known values it has one element; with several, only the deployment knows the
/// result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard3) struct Set(u8);

impl Set {
    pub(in crate::guard3) const PASS: Self = Self(1);
    pub(in crate::guard3) const FAIL: Self = Self(2);
    pub(in crate::guard3) const SKIP: Self = Self(4);
    /// PASS or FAIL, which only the deployment decides.
    pub(in crate::guard3) const EITHER: Self = Self(3);
    pub(in crate::guard3) const NONE: Self = Self(0);

    /// Returns PASS if `holds`, else FAIL.
    pub(in crate::guard3) fn from_bool(holds: bool) -> Self {
        if holds { Self::PASS } else { Self::FAIL }
    }

    /// True if the set contains this result.
    pub(in crate::guard3) fn may(self, result: Self) -> bool {
        self.0 & result.0 != 0
    }

    /// True if this result is the only element.
    pub(in crate::guard3) fn is(self, result: Self) -> bool {
        self == result
    }

    /// Returns the union of both sets.
    #[must_use]
    pub(in crate::guard3) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns `result` if `holds`, else the empty set.
    pub(in crate::guard3) fn if_so(holds: bool, result: Self) -> Self {
        if holds { result } else { Self::NONE }
    }

    /// Removes SKIP.
    #[must_use]
    pub(in crate::guard3) fn without_skip(self) -> Self {
        Self(self.0 & Self::EITHER.0)
    }

    /// Swaps PASS and FAIL.
    #[must_use]
    pub(in crate::guard3) fn negated(self) -> Self {
        Self(self.0 & Self::SKIP.0 | (self.0 & 1) << 1 | (self.0 & 2) >> 1)
    }
}
