//! Facts about a value and everything in it.

/// A small set of facts about a value and everything in it, so that a whole part of a template can be shared, or be
/// known to be free of secrets, without a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits(u16);

impl Traits {
    /// None of the facts holds.
    pub const NONE: Self = Self(0);
    /// Holds something to evaluate: a string that may be an expression (it begins with `[`), or a `copy` loop.
    pub const DYNAMIC: Self = Self(1);
    /// Is or holds an [`Unknown`](super::Unknown).
    pub const UNKNOWN: Self = Self(2);
    /// Is or holds a secret, or was made from one. Such a value is never printed.
    pub const SECRET: Self = Self(4);

    /// Is or holds a string that the source spells as a number, in a form that JSON does not have: `0123`, `1.10`.
    pub const NUMERIC: Self = Self(8);
    /// Is or holds an unknown URI with a known path: at most the location that templates are deployed from, and a token
    /// at its end, are unknown. The path of its approximation is that path.
    pub const PATH: Self = Self(16);

    /// Is an unknown whose approximation depends on nothing but what a run assumes of the environment, such as the location
    /// of the resource group. It only concerns the value itself, not what it holds.
    pub const ASSUMED: Self = Self(32);

    /// Is or holds `null`.
    pub const NULL: Self = Self(64);

    /// Is or holds something that depends on what the settings do not say of the environment, such as the name of the
    /// resource group: a placeholder stands for it, or it is unknown.
    pub const PLACEHOLDER: Self = Self(128);

    /// Is an array or object of which a placeholder decides what is in it. It only concerns the value itself, not what it
    /// holds.
    pub const SHAPED: Self = Self(256);

    /// Is a string in which placeholders stand as they are, so that what is around them is certain. It only concerns the value
    /// itself, not what it holds.
    pub const INTACT: Self = Self(512);

    /// Is a string made from a placeholder of which the length and the signs are certain. Lower-case letters and digits in it
    /// may stand for others, as in a hash. It only concerns the value itself, not what it holds.
    pub const FORMED: Self = Self(1024);

    /// The facts that do not concern what is around a value.
    pub(super) const OF_ITSELF: Self = Self(Self::SHAPED.0 | Self::INTACT.0 | Self::FORMED.0);

    /// Whether all of `other` is in this set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// This set without `other`.
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
