//! The results that something may have.

/// A set of PASS, FAIL and SKIP. For known values it has one element; several mean that it depends on a value that only a
/// deployment can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard3) struct Set(u8);

impl Set {
    pub(in crate::guard3) const PASS: Self = Self(1);
    pub(in crate::guard3) const FAIL: Self = Self(2);
    pub(in crate::guard3) const SKIP: Self = Self(4);
    /// It passes or fails, which only a deployment decides.
    pub(in crate::guard3) const EITHER: Self = Self(3);
    pub(in crate::guard3) const NONE: Self = Self(0);

    /// PASS if `holds`, else FAIL.
    pub(in crate::guard3) fn of(holds: bool) -> Self {
        if holds { Self::PASS } else { Self::FAIL }
    }

    /// Whether it may have this result.
    pub(in crate::guard3) fn may(self, result: Self) -> bool {
        self.0 & result.0 != 0
    }

    /// Whether it has this result and no other.
    pub(in crate::guard3) fn is(self, result: Self) -> bool {
        self == result
    }

    /// All results of both.
    #[must_use]
    pub(in crate::guard3) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `result` if `holds`, else nothing.
    pub(in crate::guard3) fn if_so(holds: bool, result: Self) -> Self {
        if holds { result } else { Self::NONE }
    }

    /// The results without SKIP.
    #[must_use]
    pub(in crate::guard3) fn without_skip(self) -> Self {
        Self(self.0 & Self::EITHER.0)
    }

    /// PASS and FAIL swapped.
    #[must_use]
    pub(in crate::guard3) fn negated(self) -> Self {
        Self(self.0 & Self::SKIP.0 | (self.0 & 1) << 1 | (self.0 & 2) >> 1)
    }
}
