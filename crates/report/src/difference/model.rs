//! A difference, read back from JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use crate::read::{ReportError, bounded, read_as};
use crate::text::{cut, cut_apart};

/// The name and the version of the format.
const SCHEMA: &str = "formwork/diff/v1";

/// Longest name and reason, in characters.
const MAX_TEXT: usize = 1_000;

/// Most deployments, resources of one, and properties of one that are read.
const MAX_LIST: usize = 100_000;

/// How many resources one is in at most.
const MAX_DEPTH: usize = 40;

/// How many bytes of a value are shown.
const MAX_VALUE: usize = 120;

/// What a change deploys.
#[derive(Clone, Debug, Deserialize)]
pub struct Difference {
    pub(super) old: Side,
    pub(super) new: Side,
    pub(super) summary: Summary,
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub(super) deployments: Vec<Deployment>,
}

/// A state that was compared.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Side {
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) name: String,
}

/// The counts of all deployments.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Summary {
    pub(super) deployments: BTreeMap<String, u64>,
    pub(super) resources: BTreeMap<String, u64>,
    /// Templates and parameter files that the change cannot touch, and that were not expanded.
    #[serde(default)]
    pub(super) untouched: usize,
}

/// What is said of templates and parameter files that were not expanded.
pub fn untouched(count: usize) -> String {
    match count {
        1 => "1 template or parameter file that the change does not affect was not expanded".to_owned(),
        _ => format!("{count} templates and parameter files that the change does not affect were not expanded"),
    }
}

/// What is known of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    New,
    Changed,
    Removed,
    Unreadable,
}

/// A deployment that differs.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deployment {
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) template: String,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) parameters: Option<String>,
    pub(super) status: Status,
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub(super) causes: Vec<Cause>,
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub(super) resources: Vec<Resource>,
    /// How many more resources there are, by outcome.
    #[serde(default)]
    pub(super) more_resources: BTreeMap<String, u64>,
}

/// A parameter whose value differs.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Cause {
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) parameter: String,
    pub(super) old: Option<Shown>,
    pub(super) new: Option<Shown>,
}

/// What happens to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Create,
    Change,
    Remove,
    Uncertain,
}

/// A resource that differs.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resource {
    pub(super) outcome: Outcome,
    #[serde(rename = "type", deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) type_name: String,
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) name_is_approximate: bool,
    /// What it is in, from the outside.
    #[serde(default, deserialize_with = "bounded::list::<MAX_DEPTH, _, _>")]
    pub(super) parents: Vec<Parent>,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) old_name: Option<String>,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) new_name: Option<String>,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) old_maybe: Option<String>,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) new_maybe: Option<String>,
    pub(super) fate: Option<Fate>,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) file: Option<String>,
    #[serde(default)]
    pub(super) line: u32,
    #[serde(default, deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub(super) risks: Vec<Risk>,
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub(super) changes: Vec<Change>,
    #[serde(default)]
    pub(super) more_changes: usize,
}

/// A resource that another one is in: its parent, or a nested deployment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct Parent {
    #[serde(rename = "type", deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) type_name: String,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) name: String,
}

/// What becomes of a resource that is not deployed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fate {
    Untouched,
    Deleted,
    Snapshot,
    Kept,
}

/// How bad a risk is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    High,
    Medium,
    Low,
}

impl Severity {
    pub(super) const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// What a change puts at risk.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Risk {
    pub(super) severity: Severity,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) message: String,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>")]
    pub(super) path: Option<String>,
}

/// A property that differs.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Change {
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub(super) path: String,
    pub(super) old: Option<Shown>,
    pub(super) new: Option<Shown>,
    pub(super) cause: Option<usize>,
}

/// A value on one line, of which pages show a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) is_secret: bool,
}

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Raw {
            #[serde(default)]
            value: Json,
            unknown: Option<String>,
            #[serde(default)]
            secret: bool,
        }
        let Raw { value, unknown, secret } = Raw::deserialize(json)?;
        let text = match unknown {
            _ if secret => "(secret)".to_owned(),
            Some(why) => format!("(known after deployment): {}", cut(&why, MAX_TEXT)),
            None => cut(&value.to_string(), MAX_TEXT),
        };
        Ok(Self { text, is_secret: secret })
    }
}

impl Difference {
    /// The longest JSON that is read, in bytes.
    pub const MAX_BYTES: u64 = 50_000_000;

    /// Reads the JSON of a difference.
    ///
    /// # Errors
    ///
    /// Fails if the text is too long, if it is not JSON of the schema `formwork/diff/v1`, or if a member is not what it has
    /// to be.
    pub fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        let mut difference: Self = read_as(SCHEMA, bytes, Self::MAX_BYTES)?;
        difference.sort();
        Ok(difference)
    }

    /// Reads a difference that this process made, however long it is: pages show a part of it.
    ///
    /// # Errors
    ///
    /// As [`Difference::read`].
    pub fn read_own(bytes: &[u8]) -> Result<Self, ReportError> {
        let mut difference: Self = read_as(SCHEMA, bytes, u64::MAX)?;
        difference.sort();
        Ok(difference)
    }

    /// Puts the worst risks first; otherwise the order stays.
    fn sort(&mut self) {
        for deployment in &mut self.deployments {
            deployment.resources.sort_by_cached_key(|resource| resource.worst().map_or(3, |severity| severity as u8));
        }
        self.deployments.sort_by_cached_key(|deployment| {
            let count = |severity| std::cmp::Reverse(deployment.risks(severity));
            Severity::ALL.map(count)
        });
    }

    /// Whether nothing differs, and nothing is unreadable.
    pub fn is_empty(&self) -> bool {
        self.deployments.is_empty()
    }

    /// How many risks have a severity.
    pub(super) fn risks(&self, severity: Severity) -> usize {
        self.deployments.iter().map(|deployment| deployment.risks(severity)).sum()
    }

    /// Whether it has to be said that nothing is deleted.
    pub(super) fn leaves_resources(&self) -> bool {
        let resources = self.deployments.iter().flat_map(|deployment| &deployment.resources);
        resources.into_iter().any(|resource| resource.fate == Some(Fate::Untouched))
    }

    /// `2 to create, 8 to change, 4 no longer deployed, 1 uncertain, 0 the same`
    pub(super) fn counts(&self) -> String {
        let of = |word: &str| self.summary.resources.get(word).copied().unwrap_or_default();
        format!(
            "{} to create, {} to change, {} no longer deployed, {} uncertain, {} the same",
            of("create"),
            of("change"),
            of("remove"),
            of("uncertain"),
            of("same")
        )
    }

    /// How many deployments differ, how many there are, and how many cannot be compared.
    pub(super) fn deployments(&self) -> (u64, u64, u64) {
        let of = |word: &str| self.summary.deployments.get(word).copied().unwrap_or_default();
        let all = self.summary.deployments.values().copied().fold(0, u64::saturating_add);
        (of("new").saturating_add(of("changed")).saturating_add(of("removed")), all, of("unreadable"))
    }
}

impl Deployment {
    pub(super) fn risks(&self, severity: Severity) -> usize {
        let risks = self.resources.iter().flat_map(|resource| &resource.risks);
        risks.filter(|risk| risk.severity == severity).count()
    }

    /// `1 to create, 2 to change`
    pub(super) fn counts(&self) -> String {
        let of = |outcome, word| {
            let listed = self.resources.iter().filter(|resource| resource.outcome == outcome).count() as u64;
            listed.saturating_add(self.more_resources.get(word).copied().unwrap_or_default())
        };
        let counts = [
            (of(Outcome::Create, "create"), "to create"),
            (of(Outcome::Change, "change"), "to change"),
            (of(Outcome::Remove, "remove"), "no longer deployed"),
            (of(Outcome::Uncertain, "uncertain"), "uncertain"),
        ];
        let present = counts.iter().filter(|(count, _)| *count > 0);
        let mut parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
        for severity in Severity::ALL {
            let count = self.risks(severity);
            let noun = if count == 1 { "risk" } else { "risks" };
            parts.extend((count > 0).then(|| format!("{count} {} {noun}", severity.as_str())));
        }
        parts.join(", ")
    }

    /// How many more resources there are than are listed.
    pub(super) fn unlisted(&self) -> u64 {
        self.more_resources.values().copied().fold(0, u64::saturating_add)
    }

    /// What is to be said of it besides its resources.
    pub(super) const fn note(&self) -> &'static str {
        match self.status {
            Status::New => "a new deployment",
            Status::Changed => "",
            Status::Removed => "no longer deployed",
            Status::Unreadable => "cannot be compared, because one side cannot be read",
        }
    }

    /// For each resource, the cause under which it is only counted: it differs by nothing else, has no risk, and others
    /// like it are shown.
    pub(super) fn folded(&self) -> Vec<Option<usize>> {
        /// How many resources are shown in full that differ only by the same parameter.
        const MAX_OF_CAUSE: usize = 3;
        let mut shown = vec![0_usize; self.causes.len()];
        let mut fold = |resource: &Resource| {
            let cause = resource.only_cause()?;
            let shown = shown.get_mut(cause)?;
            *shown += 1;
            (*shown > MAX_OF_CAUSE).then_some(cause)
        };
        self.resources.iter().map(&mut fold).collect()
    }
}

impl Resource {
    pub(super) fn worst(&self) -> Option<Severity> {
        self.risks.iter().map(|risk| risk.severity).min()
    }

    fn only_cause(&self) -> Option<usize> {
        let first = self.changes.first()?.cause?;
        let is_plain = self.outcome == Outcome::Change && self.more_changes == 0 && self.risks.is_empty();
        (is_plain && self.changes.iter().all(|change| change.cause == Some(first))).then_some(first)
    }

    pub(super) const fn sign(&self) -> &'static str {
        match self.outcome {
            Outcome::Create => "+",
            Outcome::Remove => "-",
            Outcome::Change => "~",
            Outcome::Uncertain => "?",
        }
    }

    /// What else there is to know, as texts with names in backticks.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.name_is_approximate {
            notes.push("name known after deployment".to_owned());
        }
        if let (Outcome::Uncertain, Some(why)) = (self.outcome, self.new_maybe.as_ref().or(self.old_maybe.as_ref())) {
            notes.push(format!("depends on a condition: {why}"));
        }
        notes.extend(self.old_name.as_ref().map(|name| format!("renamed from {name}")));
        let is_renamed = self.new_name.is_some();
        notes.extend(self.new_name.as_ref().map(|name| format!("renamed to {name}")));
        match self.fate {
            Some(Fate::Deleted) => notes.push("deleted".to_owned()),
            Some(Fate::Snapshot) => notes.push("deleted after a snapshot".to_owned()),
            Some(Fate::Kept) => notes.push("kept by its `DeletionPolicy`".to_owned()),
            Some(Fate::Untouched) if is_renamed => {
                notes.push("Azure creates a second one and keeps the first".to_owned());
            }
            _ => {}
        }
        notes
    }
}

/// The two texts of a change, `None` for a value that is not there. Of long ones, the parts that differ are shown.
pub(super) fn both(old: Option<&Shown>, new: Option<&Shown>) -> [Option<String>; 2] {
    match (old, new) {
        (Some(old), Some(new)) if old.is_secret || new.is_secret => {
            ["(secret)", "(changed)"].map(|text| Some(text.to_owned()))
        }
        (Some(old), Some(new)) => cut_apart(&old.text, &new.text, MAX_VALUE).map(Some),
        _ => [old, new].map(|shown| shown.map(|shown| cut(&shown.text, MAX_VALUE))),
    }
}
