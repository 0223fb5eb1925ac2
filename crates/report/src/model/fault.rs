//! Identity of a fault.

use std::fmt;

/// Identity of a fault: findings with the same rule, place, and message have the same ID. It is valid for one version
/// of their file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaultId(u64);

impl FaultId {
    /// Returns the ID for a digest.
    pub(super) const fn new(digest: u64) -> Self {
        Self(digest)
    }

    /// Parses hexadecimal digits, of which the first sixteen count.
    pub fn read(digits: &str) -> Option<Self> {
        u64::from_str_radix(digits.get(..16).unwrap_or(digits), 16).ok().map(Self)
    }
}

/// Formats the ID as in JSON reports.
impl fmt::Display for FaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
