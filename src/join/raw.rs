//! The members of a JSON report that make a run again, each with its bound.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::diagnostic::{Code, FailOn, Level, NotChecked, Outcome, Severity, SuppressionKind};
use crate::report::bounded;

/// The most findings, and the most diagnostics, of one report.
const MAX_RESULTS: usize = 250_000;

/// The most places of one finding of each kind.
const MAX_PLACES: usize = 20_000;

/// The longest text, in characters.
const MAX_TEXT: usize = 20_000;

/// The longest path and the longest name, in characters.
const MAX_NAME: usize = 8_000;

#[derive(Debug, Deserialize)]
pub(super) struct Report {
    pub(super) tool: Tool,
    #[serde(default)]
    pub(super) shard: Option<Shard>,
    #[serde(default)]
    pub(super) change: Option<Change>,
    pub(super) summary: Summary,
    #[serde(default, deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) notices: Vec<String>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) results: Vec<Verdict>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) diagnostics: Vec<Problem>,
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) added_suppressions: Vec<Added>,
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) rules: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tool {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) version: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Shard {
    pub(super) index: u32,
    pub(super) count: u32,
    pub(super) gate: Gate,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) rules: Vec<FullRule>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) stale: Vec<Stale>,
    pub(super) suppressions: Suppressions,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) head: Vec<HeadFile>,
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) trees: Vec<Tree>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tree {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) key: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) template: String,
    #[serde(deserialize_with = "bounded::text_or_null::<MAX_NAME, _>")]
    pub(super) parameters: Option<String>,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) nodes: Vec<Node>,
    pub(super) more: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) r#type: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) location: Place,
    pub(super) uncertain: bool,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Gate {
    #[serde(deserialize_with = "fail_on")]
    pub(super) fail_on: FailOn,
    pub(super) fail_on_unknown: bool,
    #[serde(default)]
    pub(super) strict: bool,
    #[serde(deserialize_with = "bounded::text_or_null::<MAX_NAME, _>")]
    pub(super) baseline: Option<String>,
    pub(super) file_bytes: u64,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct FullRule {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) id: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) description: String,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) full_description: String,
    #[serde(deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) recommendation: Option<String>,
    #[serde(deserialize_with = "bounded::text_or_null::<MAX_NAME, _>")]
    pub(super) help_uri: Option<String>,
    #[serde(deserialize_with = "bounded::severity")]
    pub(super) severity: Severity,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) resource_types: Vec<String>,
    pub(super) origin: Author,
}

/// Who wrote a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Author {
    Builtin,
    Base,
    #[default]
    Head,
}

#[derive(Debug, Deserialize)]
pub(super) struct Stale {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) rule: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) template: String,
    pub(super) checked: bool,
    pub(super) location: Place,
}

#[derive(Debug, Deserialize)]
pub(super) struct Suppressions {
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) files: Vec<String>,
    pub(super) everything: bool,
    pub(super) in_doubt: bool,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) findings: Vec<Verdict>,
}

#[derive(Debug, Deserialize)]
pub(super) struct HeadFile {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) file: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
    pub(super) hunks: Option<Vec<[u32; 4]>>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Change {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) event: String,
    pub(super) pull_request: Option<u64>,
    #[serde(deserialize_with = "bounded::sha_or_null")]
    pub(super) base: Option<String>,
    #[serde(deserialize_with = "bounded::sha_or_null")]
    pub(super) head: Option<String>,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) commit: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Summary {
    pub(super) templates: usize,
    pub(super) deployments: usize,
    pub(super) resources: usize,
    pub(super) rules: usize,
    pub(super) passed: usize,
    #[serde(default)]
    pub(super) unreadable: usize,
    #[serde(default)]
    pub(super) outside: Outside,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Outside {
    pub(super) high: usize,
    pub(super) medium: usize,
    pub(super) low: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Rule {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) id: String,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) description: String,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) recommendation: Option<String>,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_NAME, _>")]
    pub(super) help_uri: Option<String>,
    #[serde(default)]
    pub(super) origin: Author,
}

#[derive(Debug, Deserialize)]
pub(super) struct Verdict {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) rule: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
    #[serde(deserialize_with = "bounded::severity")]
    pub(super) severity: Severity,
    #[serde(deserialize_with = "bounded::outcome")]
    pub(super) outcome: Outcome,
    #[serde(default)]
    pub(super) on_changed_lines: Option<bool>,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) reason: Option<String>,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) template: String,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) parameters: Vec<String>,
    pub(super) resource: Option<Resource>,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) path: String,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) failed_paths: Vec<String>,
    pub(super) location: Place,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) failures: Vec<Place>,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) related: Vec<Related>,
    /// Absent if there is no value: `null` is a value.
    #[serde(default, deserialize_with = "present")]
    pub(super) actual: Option<Value>,
    #[serde(default)]
    pub(super) fix: Option<Lines>,
    #[serde(default)]
    pub(super) edits: Option<Edits>,
    #[serde(default, deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) subjects: Vec<Subject>,
    #[serde(deserialize_with = "bounded::fingerprint")]
    pub(super) fingerprint: String,
    #[serde(deserialize_with = "bounded::fingerprint")]
    pub(super) resource_fingerprint: String,
    #[serde(deserialize_with = "bounded::list::<MAX_RESULTS, _, _>")]
    pub(super) deployments: Vec<String>,
    #[serde(default)]
    pub(super) suppressed: Option<Suppressed>,
}

/// The resource of a finding in a tree.
#[derive(Debug, Deserialize)]
pub(super) struct Subject {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) tree: String,
    pub(super) node: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Suppressed {
    #[serde(deserialize_with = "suppression_kind")]
    pub(super) kind: SuppressionKind,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) reason: Option<String>,
    pub(super) place: Option<Place>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Added {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) rule: String,
    #[serde(deserialize_with = "suppression_kind")]
    pub(super) kind: SuppressionKind,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) reason: Option<String>,
    pub(super) place: Place,
    pub(super) findings: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Resource {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) r#type: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) name: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) id: String,
}

/// The whole lines that a fix replaces.
#[derive(Debug, Deserialize)]
pub(super) struct Lines {
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) title: String,
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) end_line: u32,
    pub(super) replacement: String,
    #[serde(default, rename = "unsafe")]
    pub(super) is_guess: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Edits {
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) title: String,
    #[serde(default, rename = "unsafe")]
    pub(super) is_guess: bool,
    #[serde(deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) replacements: Vec<Replacement>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Replacement {
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Related {
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
    #[serde(flatten)]
    pub(super) place: Place,
}

#[derive(Debug, Deserialize)]
pub(super) struct Place {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
}

#[derive(Debug, Deserialize)]
pub(super) struct Problem {
    #[serde(deserialize_with = "code")]
    pub(super) code: Code,
    #[serde(deserialize_with = "bounded::level")]
    pub(super) level: Level,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
    #[serde(flatten)]
    pub(super) place: Place,
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) caption: String,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) help: Option<String>,
    #[serde(default, deserialize_with = "bounded::list::<MAX_PLACES, _, _>")]
    pub(super) related: Vec<Related>,
    #[serde(default, deserialize_with = "not_checked")]
    pub(super) not_checked: Option<NotChecked>,
}

/// A value that is there, `null` too.
fn present<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(json).map(Some)
}

fn code<'de, D: Deserializer<'de>>(json: D) -> Result<Code, D::Error> {
    let name = String::deserialize(json)?;
    let found = Code::ALL.iter().copied().find(|code| code.as_str() == name);
    found.ok_or_else(|| serde::de::Error::custom("expected the code of a diagnostic"))
}

fn not_checked<'de, D: Deserializer<'de>>(json: D) -> Result<Option<NotChecked>, D::Error> {
    let name = String::deserialize(json)?;
    name.parse().map(Some).map_err(|()| serde::de::Error::custom("expected a kind of what is not checked"))
}

fn fail_on<'de, D: Deserializer<'de>>(json: D) -> Result<FailOn, D::Error> {
    let word = String::deserialize(json)?;
    let [high, medium, low, never] = FailOn::WORDS;
    let expected = || serde::de::Error::custom(format!("expected `{high}`, `{medium}`, `{low}` or `{never}`"));
    word.parse().map_err(|()| expected())
}

fn suppression_kind<'de, D: Deserializer<'de>>(json: D) -> Result<SuppressionKind, D::Error> {
    let word = String::deserialize(json)?;
    SuppressionKind::read(&word).ok_or_else(|| serde::de::Error::custom("expected what suppresses a finding"))
}

impl Report {
    /// Calls `look` with each place of the report.
    pub(super) fn places<'a>(&'a self, mut look: impl FnMut(&'a Place)) {
        let shard = self.shard.iter();
        shard.clone().flat_map(|shard| &shard.stale).for_each(|stale| look(&stale.location));
        let nodes = shard.clone().flat_map(|shard| &shard.trees).flat_map(|tree| &tree.nodes);
        nodes.for_each(|node| look(&node.location));
        let open = shard.flat_map(|shard| &shard.suppressions.findings);
        for verdict in self.results.iter().chain(open) {
            look(&verdict.location);
            verdict.failures.iter().for_each(&mut look);
            verdict.related.iter().for_each(|related| look(&related.place));
            verdict.suppressed.iter().filter_map(|by| by.place.as_ref()).for_each(&mut look);
            let edits = verdict.edits.iter().flat_map(|edits| &edits.replacements);
            edits.for_each(|edit| look(&edit.place));
        }
        self.added_suppressions.iter().for_each(|added| look(&added.place));
        for problem in &self.diagnostics {
            look(&problem.place);
            problem.related.iter().for_each(|related| look(&related.place));
        }
    }

    /// How many of the verdicts that it lists passed.
    pub(super) fn passed(&self) -> usize {
        self.results.iter().filter(|verdict| verdict.outcome == Outcome::Passed).count()
    }
}
