//! Facts about a value and all nested values.

/// A set of facts about a value and all nested values. They show without a search whether a part of a template can be
/// shared, or contains secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits(u16);

impl Traits {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// Is or contains something to evaluate: a string that may be an expression (it begins with `[`), or a `copy`
    /// loop.
    pub const DYNAMIC: Self = Self(1);
    /// Is or contains an [`Unknown`](super::Unknown).
    pub const UNKNOWN: Self = Self(2);
    /// Is or contains a secret, or was computed from one. Such a value is never printed.
    pub const SECRET: Self = Self(4);

    /// Is or contains a string that is spelled like a number that JSON does not have: `0123`, `1.10`.
    pub const NUMERIC: Self = Self(8);
    /// Is or contains an unknown URI with a known path. Only the location that templates are deployed from and a
    /// token at its end are unknown. The approximation has the same path.
    pub const PATH: Self = Self(16);

    /// Is an unknown whose approximation depends only on assumptions about the environment, such as the location of
    /// the resource group. Applies only to the value itself, not to nested values.
    pub const ASSUMED: Self = Self(32);

    /// Is or contains `null`.
    pub const NULL: Self = Self(64);

    /// Is or contains something that depends on missing settings about the environment, such as the name of the
    /// resource group. It is a placeholder or unknown.
    pub const PLACEHOLDER: Self = Self(128);

    /// Is an array or object whose content depends on a placeholder. Applies only to the value itself, not to nested
    /// values.
    pub const SHAPED: Self = Self(256);

    /// Is a string that contains placeholders unchanged, so the text around them is certain. Applies only to the
    /// value itself, not to nested values.
    pub const INTACT: Self = Self(512);

    /// Is a string made from a placeholder of which the length and the signs are certain. Lower-case letters and digits
    /// in it may stand for others, as in a hash. It only concerns the value itself, not what it holds.
    pub const FORMED: Self = Self(1024);

    /// The facts that do not concern what is around a value.
    pub(super) const OF_ITSELF: Self = Self(Self::SHAPED.0 | Self::INTACT.0 | Self::FORMED.0);

    /// Returns whether all of `other` is in this set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns this set without `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl std::ops::BitOr for Traits {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
