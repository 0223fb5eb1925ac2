//! The JSON report, `formwork/report/v1`, member by member.
//!
//! These structs are the contract with everyone who reads a report: fields are added, never renamed. Reports are written
//! from them and read into them, and the JSON schema is made of them. Columns count UTF-16 code units.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Level, Outcome, Severity, SuppressionKind};
use crate::read::bounded;

/// The name of this schema.
pub(super) const SCHEMA: &str = "formwork/report/v1";

/// The most findings, problems, and members of other long lists.
pub(super) const MAX_RESULTS: usize = 250_000;

/// The most places of one finding of each kind.
const MAX_PLACES: usize = 20_000;

/// The longest text, in characters.
const MAX_TEXT: usize = 20_000;

/// The longest path and the longest name, in characters.
const MAX_NAME: usize = 8_000;

// A report. The writer writes its members one by one, since there may be a million results.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Report<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) schema: Cow<'a, str>,
    pub(super) tool: Tool<'a>,
    /// Only of a part of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<Shard<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) change: Option<Change<'a>>,
    pub(super) summary: Summary,
    #[serde(
        default,
        deserialize_with = "bounded::strings::<MAX_PLACES, _>",
        skip_serializing_if = "<[String]>::is_empty"
    )]
    pub(super) notices: Cow<'a, [String]>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) results: Vec<Verdict<'a>>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) diagnostics: Vec<Problem<'a>>,
    /// What is not checked although nothing is wrong with it; each is a diagnostic, too.
    #[serde(skip_deserializing)]
    pub(super) not_checked: Vec<Unchecked<'a>>,
    /// The suppressions that the change adds. Absent if there are none.
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>", skip_serializing_if = "Vec::is_empty")]
    pub(super) added_suppressions: Vec<Added<'a>>,
    /// Those that failed somewhere, ordered by id.
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) rules: Vec<Rule<'a>>,
    /// What the change deploys, as `formwork diff --format json` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) difference: Option<serde_json::Value>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Tool<'a> {
    #[serde(skip_deserializing)]
    pub(super) name: &'static str,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) version: Cow<'a, str>,
}

/// What the event of the workflow says.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Change<'a> {
    #[serde(default, deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) event: Cow<'a, str>,
    pub(super) pull_request: Option<u64>,
    #[serde(default, deserialize_with = "bounded::commit_or_null")]
    pub(super) base: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "bounded::commit_or_null")]
    pub(super) head: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) commit: Cow<'a, str>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Summary {
    pub(super) templates: usize,
    pub(super) deployments: usize,
    pub(super) resources: usize,
    #[serde(default)]
    pub(super) rules: usize,
    #[serde(default)]
    pub(super) failed: usize,
    /// Findings that failed, where those with the same rule, place, and message count as one.
    #[serde(skip_deserializing)]
    pub(super) faults: usize,
    #[serde(default)]
    pub(super) passed: usize,
    #[serde(default)]
    pub(super) unknown: usize,
    #[serde(default)]
    pub(super) suppressed: usize,
    #[serde(default)]
    pub(super) errors: usize,
    /// Errors that `--allow-unreadable` turned into warnings.
    #[serde(default)]
    pub(super) unreadable: usize,
    /// The entries of `not_checked`.
    #[serde(skip_deserializing)]
    pub(super) not_checked: usize,
    /// True if reports for people count findings of low severity instead of listing them. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) hides_low: bool,
    /// Findings that count towards the exit code and are not listed, because they lie outside of the change. Absent if
    /// there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) outside: Option<Outside>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Outside {
    pub(super) high: usize,
    pub(super) medium: usize,
    pub(super) low: usize,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Verdict<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) rule: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) name: Cow<'a, str>,
    #[serde(with = "bounded::severity")]
    #[cfg_attr(test, schemars(with = "u8"))]
    pub(super) severity: Severity,
    #[serde(skip_deserializing)]
    pub(super) level: &'static str,
    #[serde(with = "bounded::outcome")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) outcome: Outcome,
    /// Whether the change touches the lines of the finding or brings it. Absent if no change is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) on_changed_lines: Option<bool>,
    #[serde(deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) message: Cow<'a, str>,
    /// Only of a verdict that is unknown.
    #[serde(
        default,
        deserialize_with = "bounded::cow_or_null::<MAX_TEXT, _>",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) reason: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) template: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) parameters: Vec<Cow<'a, str>>,
    pub(super) resource: Option<Resource<'a>>,
    #[serde(default, deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) path: Cow<'a, str>,
    #[serde(default, deserialize_with = "bounded::strings::<MAX_PLACES, _>")]
    pub(super) failed_paths: Cow<'a, [String]>,
    /// The number of further leaves that failed. Absent if all are listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) more_failed_paths: u32,
    /// The number of further paths of the template with the same fault, at which findings are not listed. The counts of
    /// `summary` include them. Absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) more_places: u32,
    pub(super) location: Location<'a>,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) failures: Vec<Location<'a>>,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) related: Vec<Related<'a>>,
    /// Absent if there is no value: `null` is a value.
    #[serde(default, deserialize_with = "bounded::present", skip_serializing_if = "Option::is_none")]
    pub(super) actual: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<SuggestedFix<'a>>,
    /// The parts of the fix, only in the report of a part of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edits: Option<Edits<'a>>,
    /// Its resource in the trees of the deployments, only in the report of a part of a run.
    #[serde(
        default,
        deserialize_with = "bounded::some_list::<MAX_RESULTS, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) subjects: Option<Vec<Place<'a>>>,
    #[serde(deserialize_with = "bounded::fingerprint")]
    pub(super) fingerprint: Cow<'a, str>,
    /// The same for findings with the same rule, place, and message.
    #[serde(default, deserialize_with = "bounded::fingerprint")]
    pub(super) fault: Cow<'a, str>,
    /// As `fingerprint`, without the path of the template: the same after it was renamed.
    #[serde(default, deserialize_with = "bounded::fingerprint")]
    pub(super) resource_fingerprint: Cow<'a, str>,
    /// The IDs of the deployments in which it was found.
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) deployments: Vec<String>,
    /// Only of a finding that is suppressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) suppressed: Option<Suppressed<'a>>,
}

/// What suppresses a finding.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Suppressed<'a> {
    #[serde(with = "bounded::suppression_kind")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) kind: SuppressionKind,
    #[serde(default, deserialize_with = "bounded::cow_or_null::<MAX_TEXT, _>")]
    pub(super) reason: Option<Cow<'a, str>>,
    pub(super) place: Option<Location<'a>>,
}

/// Whole lines for whole lines, as a review comment suggests them.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SuggestedFix<'a> {
    #[serde(default, deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) title: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) file: Cow<'a, str>,
    pub(super) line: u32,
    pub(super) end_line: u32,
    /// Joined by `\n`, without a line ending after the last.
    pub(super) replacement: Cow<'a, str>,
    /// Whether it is only likely that the author wants it.
    #[serde(default, rename = "unsafe", skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_guess: bool,
    /// As that of a place; `null` also where the head does not have the lines one after the other.
    #[serde(default, deserialize_with = "head", skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<HeadPlace<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Resource<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) r#type: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) name: Cow<'a, str>,
    #[serde(default, deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) id: Cow<'a, str>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Location<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) file: Cow<'a, str>,
    pub(super) line: u32,
    #[serde(default = "first")]
    pub(super) column: u32,
    pub(super) end_line: u32,
    #[serde(default = "first")]
    pub(super) end_column: u32,
    /// `column` in bytes of UTF-8, only in the report of a part of a run, and where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) byte_column: Option<u32>,
    /// As `byte_column`, of `end_column`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end_byte_column: Option<u32>,
    /// Left out where the head has the same lines; `null` where it does not have the line.
    #[serde(default, deserialize_with = "head", skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<HeadPlace<'a>>,
}

/// Where a place is in the head of the pull request.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum HeadPlace<'a> {
    Lines(HeadLines<'a>),
    Nowhere,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct HeadLines<'a> {
    /// The path from the root of the repository, where the report calls the file something else.
    #[serde(
        default,
        deserialize_with = "bounded::cow_or_null::<MAX_NAME, _>",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) file: Option<Cow<'a, str>>,
    pub(super) line: u32,
    pub(super) end_line: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Related<'a> {
    #[serde(default, deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) message: Cow<'a, str>,
    #[serde(flatten)]
    pub(super) location: Location<'a>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Problem<'a> {
    #[serde(deserialize_with = "bounded::word")]
    pub(super) code: Cow<'a, str>,
    #[serde(with = "bounded::level")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) level: Level,
    #[serde(deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) message: Cow<'a, str>,
    #[serde(flatten)]
    pub(super) location: Location<'a>,
    /// What is at the place, where the message does not say it.
    #[serde(default, deserialize_with = "bounded::cow::<MAX_TEXT, _>", skip_serializing_if = "str::is_empty")]
    pub(super) caption: Cow<'a, str>,
    #[serde(
        default,
        deserialize_with = "bounded::cow_or_null::<MAX_TEXT, _>",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) help: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) related: Vec<Related<'a>>,
    /// The kind, if it says that something is not checked.
    #[serde(default, deserialize_with = "bounded::word_if_any", skip_serializing_if = "Option::is_none")]
    pub(super) not_checked: Option<Cow<'a, str>>,
}

/// A suppression that the change adds, with one of its rules.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Added<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) rule: Cow<'a, str>,
    #[serde(with = "bounded::suppression_kind")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) kind: SuppressionKind,
    #[serde(default, deserialize_with = "bounded::cow_or_null::<MAX_TEXT, _>")]
    pub(super) reason: Option<Cow<'a, str>>,
    pub(super) place: Location<'a>,
    /// How many findings of the rule it suppresses.
    pub(super) findings: usize,
}

/// A part of the inputs that is not checked.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Unchecked<'a> {
    /// One of a fixed list of names.
    pub(super) kind: &'a str,
    pub(super) message: &'a str,
    #[serde(flatten)]
    pub(super) location: Location<'a>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Rule<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) id: Cow<'a, str>,
    #[serde(default, deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) description: Cow<'a, str>,
    #[serde(default, deserialize_with = "bounded::cow_or_null::<MAX_TEXT, _>")]
    pub(super) recommendation: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "bounded::cow_or_null::<MAX_NAME, _>")]
    pub(super) help_uri: Option<Cow<'a, str>>,
    /// Who wrote the rule: `builtin`, or the `base` or the `head` of the change.
    #[serde(default = "head_word", deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) origin: Cow<'a, str>,
}

/// What the report of a part has in addition, so that merging all parts gives the report of the whole run.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Shard<'a> {
    pub(super) index: u32,
    pub(super) count: u32,
    /// What decides on the result of the whole run.
    pub(super) gate: Gate<'a>,
    /// All rules that ran, ordered by ID.
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) rules: Vec<FullRule<'a>>,
    /// The entries of the baseline that are no longer found.
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) stale: Vec<Stale<'a>>,
    pub(super) suppressions: Suppressions<'a>,
    /// The files that have other names or lines in the head of the pull request.
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) head: Vec<HeadFile<'a>>,
    /// What its deployments would create.
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) trees: Vec<Tree<'a>>,
    /// The lines that reports show, with secrets masked.
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) files: Vec<FileLines<'a>>,
}

/// The lines of a file that reports show, by their numbers.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FileLines<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) file: Cow<'a, str>,
    pub(super) lines: BTreeMap<u32, Cow<'a, str>>,
    /// What code scanning knows lines with findings by.
    pub(super) hashes: BTreeMap<u32, Cow<'a, str>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Tree<'a> {
    /// What findings refer to it by.
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) key: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) template: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow_or_null::<MAX_NAME, _>")]
    pub(super) parameters: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) nodes: Vec<Node<'a>>,
    /// How many resources there are beyond `nodes`.
    pub(super) more: usize,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Node<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) r#type: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) name: Cow<'a, str>,
    /// The position of the resource that it is in.
    pub(super) parent: Option<usize>,
    pub(super) location: Location<'a>,
    pub(super) uncertain: bool,
}

/// The position of the resource of a finding in a tree.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Place<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) tree: Cow<'a, str>,
    pub(super) node: usize,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Gate<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) fail_on: Cow<'a, str>,
    pub(super) fail_on_unknown: bool,
    #[serde(default)]
    pub(super) strict: bool,
    #[serde(deserialize_with = "bounded::cow_or_null::<MAX_NAME, _>")]
    pub(super) baseline: Option<Cow<'a, str>>,
    pub(super) file_bytes: u64,
}

/// All that reports say about a rule.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FullRule<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) id: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) name: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) description: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) full_description: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow_or_null::<MAX_TEXT, _>")]
    pub(super) recommendation: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "bounded::cow_or_null::<MAX_NAME, _>")]
    pub(super) help_uri: Option<Cow<'a, str>>,
    #[serde(with = "bounded::severity")]
    #[cfg_attr(test, schemars(with = "u8"))]
    pub(super) severity: Severity,
    #[serde(deserialize_with = "bounded::strings::<MAX_PLACES, _>")]
    pub(super) resource_types: Cow<'a, [String]>,
    /// The controls that it helps to meet, such as `nist:AC-3`.
    #[serde(default, deserialize_with = "bounded::strings::<MAX_PLACES, _>")]
    pub(super) controls: Cow<'a, [String]>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) origin: Cow<'a, str>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Stale<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) rule: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) template: Cow<'a, str>,
    /// Whether its template was checked, and is not gone.
    pub(super) checked: bool,
    pub(super) location: Location<'a>,
}

/// Suppressions that are not about one template alone: those of settings and of modules.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Suppressions<'a> {
    #[serde(deserialize_with = "bounded::strings::<MAX_RESULTS, _>")]
    pub(super) files: Cow<'a, [String]>,
    /// Whether all that they could cover in this part was checked in full.
    pub(super) everything: bool,
    /// Whether a parameter file may be missing, so that nothing counts as not found.
    pub(super) in_doubt: bool,
    /// Findings about them, as far as this part can tell.
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) findings: Vec<Verdict<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct HeadFile<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) file: Cow<'a, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) name: Cow<'a, str>,
    /// Each as `[old start, old count, new start, new count]`; `null` for a file that the head does not have.
    pub(super) hunks: Option<Vec<[u32; 4]>>,
}

/// A fix, as replacements that only together are one.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Edits<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    pub(super) title: Cow<'a, str>,
    /// Whether it is only likely that the author wants it.
    #[serde(default, rename = "unsafe", skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_guess: bool,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) replacements: Vec<Replacement<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Replacement<'a> {
    #[serde(deserialize_with = "bounded::cow::<MAX_NAME, _>")]
    pub(super) file: Cow<'a, str>,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) byte_column: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end_byte_column: Option<u32>,
    pub(super) text: Cow<'a, str>,
}

/// A column of a report that does not say it.
const fn first() -> u32 {
    1
}

/// The origin of a rule in a report that does not say it.
const fn head_word() -> Cow<'static, str> {
    Cow::Borrowed("head")
}

/// The member `head`, which may be `null`, where it is there.
fn head<'de, 'a, D: serde::Deserializer<'de>>(json: D) -> Result<Option<HeadPlace<'a>>, D::Error> {
    let lines = Option::<HeadLines<'static>>::deserialize(json)?;
    Ok(Some(lines.map_or(HeadPlace::Nowhere, HeadPlace::Lines)))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
