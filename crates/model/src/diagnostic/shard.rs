//! A part of a run that several machines share.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::diagnostic::{FailOn, Finding};
use crate::text::{FileId, Span};

/// The number of a part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// The number of the part, from 1.
    pub index: u32,
    /// The number of all parts.
    pub count: u32,
}

/// Additional information in the report of a part, from which the reports of all parts are joined to that of the
/// whole run.
#[derive(Clone, Debug)]
pub struct Part {
    /// The number of the part.
    pub shard: Shard,
    /// The settings for the result of the whole run.
    pub gate: Gate,
    /// Stale entries of the baseline according to this part, in the order of its file.
    pub stale: Vec<StaleEntry>,
    /// Findings about suppressions in files of [`Shared`]. They are confirmed only by all parts together.
    pub open: Vec<Finding>,
}

/// Information about suppressions in settings and modules, which concern several templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// The files with such suppressions.
    pub files: BTreeSet<FileId>,
    /// True if everything that the suppressions could match was checked completely.
    pub is_everything: bool,
    /// True if a parameter file may be missing, so that no finding counts as fixed.
    pub is_in_doubt: bool,
}

/// The settings for the result of a run. Joining its parts must not read settings, which may differ from those of the
/// parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The severity from which findings fail the run.
    pub fail_on: FailOn,
    /// True if unknown results fail the run.
    pub fail_on_unknown: bool,
    /// True if unchecked parts fail the run.
    pub strict: bool,
    /// The name of the baseline, if there is one.
    pub baseline: Option<String>,
    /// Maximum size of a file in bytes.
    pub file_bytes: u64,
}

/// An entry of a baseline whose finding no longer occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleEntry {
    /// The ID of the rule.
    pub rule: String,
    /// The path of the template.
    pub template: String,
    /// True if the template exists and was checked.
    pub is_checked: bool,
    /// The position in the baseline file.
    pub place: Span,
}

/// Maximum number of stale entries in a diagnostic, besides the first.
pub const MAX_STALE_LABELS: usize = 10;

/// Returns the message and the help for stale entries. `count` is their number, `rule` and `template` are those of
/// the first, and `name` is the name of the baseline file.
pub fn stale_entries(rule: &str, template: &str, count: usize, name: &str) -> (String, String) {
    let message = match count {
        1 => format!("the baseline accepts `{rule}` in `{template}`, which is no longer found"),
        _ => format!("the baseline accepts {count} findings that are no longer found"),
    };
    (message, format!("`--write-baseline {name}` removes the entries that are no longer found"))
}

impl Shard {
    /// Maximum number of parts of a run. A matrix on GitHub has at most 256 jobs.
    pub const MAX: u32 = 1_000;

    /// Creates a part. `None` if the numbers are invalid.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        ((1..=Self::MAX).contains(&count) && (1..=count).contains(&index)).then_some(Self { index, count })
    }
}

/// Parses `2/4` as the second of four parts.
impl FromStr for Shard {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let (index, count) = text.split_once('/').ok_or(())?;
        number(index).zip(number(count)).and_then(|(index, count)| Self::new(index, count)).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_a_number_up_to_the_number_of_parts() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, count: 4 }));
        assert_eq!("1/1".parse(), Ok(Shard { index: 1, count: 1 }));
        for wrong in ["", "1", "0/4", "5/4", "1/0", "1/1001", "+1/4", "1/4/4", "a/b", "1 /4", "-1/4"] {
            assert_eq!(wrong.parse::<Shard>(), Err(()), "{wrong}");
        }
    }
}
