//! The severity that fails a check.

use std::str::FromStr;

use crate::diagnostic::Severity;

/// The lowest severity that affects the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of this severity or a higher one affect the exit code.
    Severity(Severity),
    /// Findings never affect the exit code.
    Never,
}

/// Advice does not fail a check, unless the settings ask for it.
impl Default for FailOn {
    fn default() -> Self {
        Self::Severity(Severity::Medium)
    }
}

impl FailOn {
    /// The words of the command line and of `formwork.yaml`.
    pub const WORDS: [&'static str; 4] = ["high", "medium", "low", "never"];

    /// Returns the word in settings and on the command line.
    pub const fn as_str(self) -> &'static str {
        let [high, medium, low, never] = Self::WORDS;
        match self {
            Self::Severity(Severity::High) => high,
            Self::Severity(Severity::Medium) => medium,
            Self::Severity(Severity::Low) => low,
            Self::Never => never,
        }
    }

    /// True if a failed finding of this severity counts.
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
