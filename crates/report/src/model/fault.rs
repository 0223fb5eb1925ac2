//! The identity of a fault.

use std::fmt;

/// What all findings with the same rule, place, and message have in common. It holds for one version of the file that
/// they are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaultId(u64);

impl FaultId {
    /// The identity of what a digest is of.
    pub(super) const fn new(digest: u64) -> Self {
        Self(digest)
    }

    /// Reads hexadecimal digits, of which the first sixteen count.
    pub fn read(digits: &str) -> Option<Self> {
        u64::from_str_radix(digits.get(..16).unwrap_or(digits), 16).ok().map(Self)
    }
}

/// As in JSON reports.
impl fmt::Display for FaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
