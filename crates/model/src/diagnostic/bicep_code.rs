//! The codes of Bicep's own diagnostics.

use std::fmt;
use std::num::NonZeroU16;

/// The code of a Bicep diagnostic, such as `BCP033`. Source: <https://aka.ms/bicep/core-diagnostics>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BicepCode(NonZeroU16);

impl BicepCode {
    /// Parses a code. `None` if it is not one of Bicep's compiler.
    pub fn read(code: &str) -> Option<Self> {
        code.strip_prefix("BCP")?.parse().ok().map(Self)
    }

    /// Parses the ID of the code in reports and settings, such as `bicep/BCP033`.
    pub fn read_id(id: &str) -> Option<Self> {
        Self::read(id.strip_prefix("bicep/")?)
    }

    /// Returns the ID of the code in reports and settings, such as `bicep/BCP033`.
    pub fn rule_id(self) -> String {
        format!("bicep/{self}")
    }
}

impl fmt::Display for BicepCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BCP{:03}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_written_as_it_is_read() {
        for code in ["BCP001", "BCP033", "BCP444"] {
            assert_eq!(BicepCode::read(code).unwrap().to_string(), code);
        }
        assert_eq!([BicepCode::read("BCP000"), BicepCode::read("no-unused-params")], [None, None]);
    }
}
