//! A part of a run that several machines share.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::diagnostic::{FailOn, Finding};
use crate::text::{FileId, Span};

/// Which part of a run this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// The number of the part, from 1.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
}

/// What the report of a part says in addition, so that the reports of all parts are that of the whole run.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which part it is.
    pub shard: Shard,
    /// What the settings say about the result of the whole run.
    pub gate: Gate,
    /// The entries of the baseline that this part shows to be stale, in the order of its file.
    pub stale: Vec<StaleEntry>,
    /// Findings about suppressions in files of [`Shared`]. Only all parts together show which of them hold.
    pub open: Vec<Finding>,
}

/// What a run knows about suppressions that are not about one template alone: those of settings and of modules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// The files with such suppressions.
    pub files: BTreeSet<FileId>,
    /// Whether all that they could cover in this run was checked in full.
    pub is_everything: bool,
    /// Whether a parameter file may be missing, so that nothing counts as not found.
    pub is_in_doubt: bool,
}

/// What the settings say about the result of a run. Whoever joins its parts need not read settings, which may be those
/// of the change and not those that the parts were checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Which findings fail the run.
    pub fail_on: FailOn,
    /// Whether undecided verdicts fail it as well.
    pub fail_on_unknown: bool,
    /// Whether what is not checked fails it.
    pub strict: bool,
    /// The name of the baseline, if there is one.
    pub baseline: Option<String>,
    /// The largest file that is read, in bytes.
    pub file_bytes: u64,
}

/// An entry of a baseline that is no longer found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleEntry {
    /// The ID of its rule.
    pub rule: String,
    /// The path of its template.
    pub template: String,
    /// Whether its template was checked, and is not gone.
    pub is_checked: bool,
    /// Where it is in the file of the baseline.
    pub place: Span,
}

/// How many entries a problem about stale ones points at, besides the first.
pub const MAX_STALE_LABELS: usize = 10;

/// What a problem says about so many stale entries, of which the first is that of `rule` in `template`, and what to do.
/// `name` is the name of the baseline file.
pub fn stale_entries(rule: &str, template: &str, count: usize, name: &str) -> (String, String) {
    let message = match count {
        1 => format!("the baseline accepts `{rule}` in `{template}`, which is no longer found"),
        _ => format!("the baseline accepts {count} findings that are no longer found"),
    };
    (message, format!("`--write-baseline {name}` removes the entries that are no longer found"))
}

impl Shard {
    /// The most parts of a run. A matrix on GitHub has at most 256 jobs.
    pub const MAX: u32 = 1_000;

    /// The part with these numbers, if there is one.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        ((1..=Self::MAX).contains(&count) && (1..=count).contains(&index)).then_some(Self { index, count })
    }
}

/// `2/4` for the second of four.
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
