//! The JSON report of a run, read back: the members that publishing needs.
//!
//! It may come from a workflow that ran code of a stranger, so nothing in it is believed: not its size, not its shape,
//! not its paths. Texts are cut, lists are bounded, and what is no path of the repository is never linked.

mod bounded;
mod error;
mod raw;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::diagnostic::{Level, Outcome, Severity};

pub use self::error::ReportError;

const SCHEMA: &str = "formwork/report/v1";

/// What code scanning accepts of one run, too.
const MAX_RESULTS: usize = 25_000;

/// Longest text, in characters.
const MAX_TEXT: usize = 2_000;

/// Longest name, in characters.
const MAX_NAME: usize = 300;

/// Longest path, in characters.
const MAX_PATH: usize = 1_000;

/// Most places of one finding of each kind; further ones are left out.
const MAX_PLACES: usize = 100;

/// A report that can be published.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    #[serde(default)]
    pub(super) change: Option<Change>,
    pub(super) summary: Counts,
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    rules: Vec<Rule>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) results: Vec<Finding>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) diagnostics: Vec<Problem>,
}

/// The change that the run looked at.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Change {
    /// The pull request.
    pub(super) pull_request: Option<u64>,
    /// The newest commit of the pull request.
    #[serde(deserialize_with = "bounded::sha_or_null")]
    pub(super) head: Option<String>,
    /// The commit that was looked at.
    #[serde(deserialize_with = "bounded::sha")]
    pub(super) commit: String,
}

/// The counts of the run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Counts {
    pub(super) templates: u64,
    pub(super) deployments: u64,
    pub(super) resources: u64,
    pub(super) unknown: u64,
    pub(super) suppressed: u64,
}

/// What there is to say of a rule beside its name.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Rule {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    id: String,
    /// How to fix what it finds.
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) recommendation: Option<String>,
    /// Where to read more.
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) help_uri: Option<String>,
}

/// A verdict of a rule.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Finding {
    /// Id of the rule.
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) rule: String,
    /// Name of the rule.
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
    #[serde(deserialize_with = "bounded::severity")]
    pub(super) severity: Severity,
    #[serde(deserialize_with = "bounded::outcome")]
    pub(super) outcome: Outcome,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
    /// The parameter files under which it holds.
    #[serde(deserialize_with = "bounded::first::<MAX_PLACES, _, _>")]
    pub(super) parameters: Vec<String>,
    pub(super) resource: Option<Resource>,
    /// The text to change.
    pub(super) location: Place,
    /// The places of further failing leaves.
    #[serde(deserialize_with = "bounded::first::<MAX_PLACES, _, _>")]
    pub(super) failures: Vec<Place>,
    /// Where the value came from, nearest first.
    #[serde(deserialize_with = "bounded::first::<MAX_PLACES, _, _>")]
    pub(super) related: Vec<Place>,
    #[serde(deserialize_with = "bounded::fingerprint")]
    pub(super) fingerprint: String,
    #[serde(default)]
    pub(super) fix: Option<Fix>,
}

/// The resource of a finding.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Resource {
    #[serde(rename = "type", deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) type_name: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
}

/// A problem of the run.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "raw::Problem")]
pub(super) struct Problem {
    pub(super) code: String,
    pub(super) level: Level,
    /// Where it is, and what it is.
    pub(super) place: Place,
}

/// Lines of a file, and what they have to do with the matter.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Place {
    /// The name of the file, as text; see [`Place::path`].
    #[serde(deserialize_with = "bounded::text::<MAX_PATH, _>")]
    pub(super) file: String,
    line: u32,
    end_line: u32,
    #[serde(default, deserialize_with = "bounded::head")]
    head: Head,
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
}

/// Whole lines, and what they are to be.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "raw::Fix")]
pub(super) struct Fix {
    /// The lines.
    pub(super) place: Place,
    /// The new lines, without the end of the last.
    pub(super) replacement: String,
}

/// Lines, both of them included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct Lines {
    /// The first, from 1.
    #[serde(rename = "line")]
    pub(super) start: u32,
    /// The last.
    #[serde(rename = "end_line")]
    pub(super) end: u32,
}

/// Where lines are in the head of a pull request.
#[derive(Clone, Copy, Debug, Default)]
enum Head {
    /// Where they were found.
    #[default]
    Same,
    /// They are not in it.
    Absent,
    /// Somewhere else.
    At(Lines),
}

/// Which lines of a report are lines of the head of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// None: it is of an older head.
    Stale,
    /// Those that say so: it is of another commit, as of a merge.
    Mapped,
    /// All: it is of the head.
    Head,
}

impl Report {
    /// A longer report is refused, in bytes.
    pub const MAX_BYTES: u64 = 20 * 1024 * 1024;

    /// Reads a report of the schema `formwork/report/v1`. The error names the member that is wrong, and repeats nothing
    /// of its value.
    pub fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        if u64::try_from(bytes.len()).is_ok_and(|length| length > Self::MAX_BYTES) {
            return Err(ReportError::TooLong);
        }
        let raw::Schema { schema } = error::read(bytes)?;
        if schema != SCHEMA {
            return Err(ReportError::Schema);
        }
        error::read(bytes)
    }

    /// The newest commit of the pull request when it was checked, in full.
    pub fn head(&self) -> Option<&str> {
        self.change.as_ref()?.head.as_deref()
    }

    /// The pull request that was checked.
    pub fn pull_request(&self) -> Option<u64> {
        self.change.as_ref()?.pull_request
    }

    /// What its lines are, now that `head` is the newest commit. `is_of_head` answers for a report that names no change.
    pub(super) fn basis(&self, head: &str, is_of_head: bool) -> Basis {
        match &self.change {
            Some(change) if change.head.as_ref().is_some_and(|it| it != head) => Basis::Stale,
            Some(change) if change.commit == head => Basis::Head,
            None if is_of_head => Basis::Head,
            _ => Basis::Mapped,
        }
    }

    /// The findings, in their order.
    pub(super) fn failed(&self) -> impl Iterator<Item = &Finding> {
        self.results.iter().filter(|it| it.outcome == Outcome::Failed)
    }

    /// The rules that it describes, by their ids.
    pub(super) fn rules(&self) -> BTreeMap<&str, &Rule> {
        self.rules.iter().map(|it| (it.id.as_str(), it)).collect()
    }

    /// The problems of one level.
    pub(super) fn problems(&self, level: Level) -> impl Iterator<Item = &Problem> {
        self.diagnostics.iter().filter(move |it| it.level == level)
    }

    /// Whether everything was analysed, so that what is not found is not there.
    pub(super) fn is_whole(&self) -> bool {
        self.problems(Level::Error).next().is_none()
    }
}

impl Place {
    /// The lines of the report.
    pub(super) fn lines(&self) -> Lines {
        Lines { start: self.line, end: self.end_line.max(self.line) }
    }

    /// The lines of the head of the pull request, where they are known.
    pub(super) fn head_lines(&self, basis: Basis) -> Option<Lines> {
        let lines = match (self.head, basis) {
            (_, Basis::Stale) | (Head::Absent, _) | (Head::Same, Basis::Mapped) => return None,
            (Head::At(lines), _) => lines,
            (Head::Same, Basis::Head) => self.lines(),
        };
        Some(Lines { start: lines.start, end: lines.end.max(lines.start) })
    }

    /// The file, where it is one of the repository: a path that leaves it would lead a link to anywhere.
    pub(super) fn path(&self) -> Option<&str> {
        let is_name = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\\');
        self.file.split('/').all(is_name).then_some(self.file.as_str())
    }
}
