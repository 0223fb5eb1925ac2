//! Which findings fail a check.

use std::str::FromStr;

use crate::diagnostic::{Check, Severity};

/// From which severity on a finding counts towards the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of this severity or a higher one count.
    Severity(Severity),
    /// Findings never affect the exit code.
    Never,
}

/// Every finding counts, unless someone says otherwise.
impl Default for FailOn {
    fn default() -> Self {
        Self::Severity(Severity::Low)
    }
}

impl FailOn {
    /// The words of the command line and of `formwork.yaml`.
    pub const WORDS: [&'static str; 4] = ["high", "medium", "low", "never"];

    /// The word that settings and the command line have for it.
    pub const fn as_str(self) -> &'static str {
        let [high, medium, low, never] = Self::WORDS;
        match self {
            Self::Severity(Severity::High) => high,
            Self::Severity(Severity::Medium) => medium,
            Self::Severity(Severity::Low) => low,
            Self::Never => never,
        }
    }

    /// Whether a failed finding of a rule counts. As in Bicep, what its linter says counts only at the level of an error.
    pub fn is_reached_by_rule(self, id: &str, severity: Severity) -> bool {
        self.is_reached_by(severity) && !Check::is_advice(id, severity)
    }

    /// Whether a failed rule of this severity counts.
    pub fn is_reached_by(self, severity: Severity) -> bool {
        match self {
            Self::Severity(threshold) => severity <= threshold,
            Self::Never => false,
        }
    }
}

impl FromStr for FailOn {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "high" => Ok(Self::Severity(Severity::High)),
            "medium" => Ok(Self::Severity(Severity::Medium)),
            "low" => Ok(Self::Severity(Severity::Low)),
            "never" => Ok(Self::Never),
            _ => Err(()),
        }
    }
}
