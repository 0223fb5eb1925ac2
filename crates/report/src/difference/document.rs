//! The format `formwork/diff/v1`: one declaration, from which it is written and read, and of which a test makes the schema.
//!
//! Members are added, never renamed. What is read may come from a workflow that ran untrusted code, so all of it has a bound.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::read::{ReportError, bounded, read_as};
use crate::text::cut;

/// The name and the version of the format.
const SCHEMA: &str = "formwork/diff/v1";

/// Longest name, reason, and value that is read, in characters.
pub(super) const MAX_TEXT: usize = 1_000;

/// Most deployments, resources of one, and properties of one that are read.
const MAX_LIST: usize = 100_000;

/// Greatest number of resources around one.
pub const MAX_DEPTH: usize = 40;

/// What a change deploys.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    #[serde(skip_deserializing, default = "name")]
    schema: &'static str,
    /// The program that wrote the difference.
    #[serde(default)]
    tool: Tool,
    /// The state before the change.
    pub old: Side,
    /// The state after it.
    pub new: Side,
    /// The counts of all deployments.
    pub summary: Summary,
    /// The deployments that differ or cannot be compared.
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub deployments: Vec<Deployment>,
}

const fn name() -> &'static str {
    SCHEMA
}

/// A program and its version.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool {
    #[serde(deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    name: Cow<'static, str>,
    #[serde(deserialize_with = "bounded::cow::<MAX_TEXT, _>")]
    version: Cow<'static, str>,
}

impl Default for Tool {
    fn default() -> Self {
        Self { name: Cow::Borrowed("formwork"), version: Cow::Borrowed(env!("CARGO_PKG_VERSION")) }
    }
}

/// A state that is compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Side {
    /// What the user calls it.
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub name: String,
    /// The ID of its commit.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub commit: Option<String>,
}

/// The counts of all deployments.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// How many deployments there are, by status.
    pub deployments: DeploymentCounts,
    /// How many resources there are, by outcome.
    pub resources: ResourceCounts,
    /// How many risks there are, by severity.
    #[serde(default)]
    pub risks: RiskCounts,
    /// How many templates and parameter files were not expanded, because the change does not affect them.
    #[serde(default)]
    pub untouched: usize,
    /// How many resources have another API version.
    #[serde(default, skip_serializing_if = "VersionCounts::is_zero")]
    pub versions: VersionCounts,
}

/// Number of resources that have another API version, and of those that do not fit it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct VersionCounts {
    pub changed: usize,
    pub breaking: usize,
}

impl VersionCounts {
    /// True if no resource has another API version.
    pub(super) fn is_zero(&self) -> bool {
        self.changed == 0
    }
}

/// How many deployments have a [`Status`], or are the same on both sides.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DeploymentCounts {
    /// Only the new side has them.
    pub new: usize,
    /// Both sides have them.
    pub changed: usize,
    /// Only the old side has them.
    pub removed: usize,
    /// None of their resources differs.
    pub same: usize,
    /// One side cannot be used.
    pub unreadable: usize,
}

/// How many resources have an [`Outcome`], or are the same on both sides.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ResourceCounts {
    pub create: usize,
    pub change: usize,
    pub remove: usize,
    pub uncertain: usize,
    pub same: usize,
}

/// How many risks have a [`Severity`].
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RiskCounts {
    pub high: usize,
    pub medium: usize,
    pub low: usize,
}

/// What is known of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Only the new side has it.
    New,
    /// Both sides have it.
    Changed,
    /// Only the old side has it.
    Removed,
    /// One side has it, and on the other one its files are there and cannot be used.
    Unreadable,
}

/// A template with one parameter file or none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// Its template, on the new side if it is there.
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub template: String,
    /// The parameter file that it is deployed with.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub parameters: Option<String>,
    /// The template of the old side, if it has another name.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub old_template: Option<String>,
    /// The parameter file of the old side.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub old_parameters: Option<String>,
    /// What is known of it.
    pub status: Status,
    /// How many of its resources are the same.
    #[serde(default)]
    pub same: usize,
    /// The parameters that made differences.
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub causes: Vec<Cause>,
    /// The resources that differ.
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub resources: Vec<Resource>,
    /// How many more resources differ than are listed, by outcome.
    #[serde(default, skip_serializing_if = "Unlisted::is_empty")]
    pub more_resources: Unlisted,
}

/// How many resources are not listed, by their [`Outcome`]. Numbers that are zero are not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Unlisted {
    #[serde(skip_serializing_if = "is_zero")]
    pub create: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub change: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub remove: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub uncertain: usize,
}

impl Unlisted {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A parameter whose value differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cause {
    /// The name of the parameter.
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub parameter: String,
    /// The value on the old side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value on the new side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// The file that its value is written in.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub file: Option<String>,
    /// The line in that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What happens to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Only the new side deploys it.
    Create,
    /// Both sides deploy it, with other properties.
    Change,
    /// Only the old side deploys it.
    Remove,
    /// Whether it is deployed is only known after the deployment.
    Uncertain,
}

/// A resource that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// What happens to it.
    pub outcome: Outcome,
    /// The type of the resource.
    #[serde(rename = "type", deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub type_name: String,
    /// The name of the resource.
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub name: String,
    /// The ID of the resource.
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub id: String,
    /// Whether a part of the name is known only after the deployment.
    #[serde(default, skip_serializing_if = "is_false")]
    pub name_is_approximate: bool,
    /// What the resource is in, from the outside: nested deployments and parents, of the side that it is shown of. Absent
    /// if it is in none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "bounded::list::<MAX_DEPTH, _, _>")]
    pub parents: Vec<Parent>,
    /// Whether the old side has it.
    #[serde(default)]
    pub in_old: bool,
    /// Whether the new side has it.
    #[serde(default)]
    pub in_new: bool,
    /// Why it is not certain that the old side deploys it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub old_maybe: Option<String>,
    /// Why it is not certain that the new side deploys it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub new_maybe: Option<String>,
    /// The name of the resource at the same place on the old side.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub old_name: Option<String>,
    /// The name of the resource at the same place on the new side.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub new_name: Option<String>,
    /// What becomes of it if only the old side has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    /// The file that declares it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub file: Option<String>,
    /// The line in that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What the change puts at risk. Absent if that is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub risks: Vec<Risk>,
    /// The properties that differ.
    #[serde(deserialize_with = "bounded::list::<MAX_LIST, _, _>")]
    pub changes: Vec<Change>,
    /// How many more properties differ than are listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_changes: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A resource that another one is in: its parent, or a nested deployment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Parent {
    /// The type of the resource.
    #[serde(rename = "type", deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub type_name: String,
    /// The name of the resource.
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub name: String,
}

/// What becomes of a resource that is not deployed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// An incremental deployment of Resource Manager does not touch it.
    Untouched,
    /// The deployment or the stack deletes it.
    Deleted,
    /// CloudFormation deletes it after it made a snapshot of it.
    Snapshot,
    /// Its `DeletionPolicy` says that CloudFormation keeps it.
    Kept,
}

/// How bad a risk is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As bad as a finding that fails a run.
    High,
    /// Worth a look before the deployment.
    Medium,
    /// Worth knowing, and no more.
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

/// Something that a change puts at risk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Risk {
    /// How bad it is.
    pub severity: Severity,
    /// What is at risk, in a word, such as `data` or `access`.
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub kind: String,
    /// What the change means.
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub message: String,
    /// The property that it is about.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub path: Option<String>,
    /// The page that says so.
    #[serde(default, deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub source: String,
}

/// A property that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The path of the property.
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    pub path: String,
    /// Where it is on the old side, if that is elsewhere.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounded::text_or_null::<MAX_TEXT, _>"
    )]
    pub old_path: Option<String>,
    /// The value on the old side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value on the new side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// The parameter that made the difference, as its position in `causes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<usize>,
}

/// A value of a property or of a parameter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(with = "Members"))]
pub enum Value {
    /// A known value. What is not known in it is `(known after deployment)`, and secrets are `(secret)`.
    Known(Json),
    /// The beginning of a known value that was read and is too long to be kept.
    Cut(String),
    /// A value that only a deployment knows.
    Unknown {
        /// Why it is not known.
        why: String,
        /// What is known of it.
        approximation: Option<Json>,
    },
    /// A value that must not be shown.
    Secret,
}

/// A value: what it is, why only a deployment knows it, or that it is a secret.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
struct Members {
    /// The value itself. What is not known in it is `(known after deployment)`, and secrets are `(secret)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Json>,
    /// Why it is not known before the deployment.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    /// What is known of an unknown value.
    #[serde(skip_serializing_if = "Option::is_none")]
    approximation: Option<Json>,
    /// Whether it is a secret.
    #[serde(skip_serializing_if = "is_false")]
    secret: bool,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let members = match self {
            Self::Known(value) => Members { value: Some(value.clone()), ..Members::default() },
            Self::Cut(text) => Members { value: Some(Json::from(text.as_str())), ..Members::default() },
            Self::Unknown { why, approximation } => {
                Members { unknown: Some(why.clone()), approximation: approximation.clone(), ..Members::default() }
            }
            Self::Secret => Members { secret: true, ..Members::default() },
        };
        members.serialize(out)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let Members { value, unknown, secret, .. } = Members::deserialize(json)?;
        if secret {
            return Ok(Self::Secret);
        }
        if let Some(why) = unknown {
            return Ok(Self::Unknown { why: cut(&why, MAX_TEXT), approximation: None });
        }
        let value = value.unwrap_or_default();
        let text = value.to_string();
        Ok(if text.len() > MAX_TEXT { Self::Cut(cut(&text, MAX_TEXT)) } else { Self::Known(value) })
    }
}

impl Difference {
    /// The longest JSON that is read, in bytes.
    pub const MAX_BYTES: u64 = 50_000_000;

    /// A difference that this program found.
    pub fn new([old, new]: [Side; 2], summary: Summary, deployments: Vec<Deployment>) -> Self {
        Self { schema: SCHEMA, tool: Tool::default(), old, new, summary, deployments }
    }

    /// Reads the JSON of a difference, and puts the worst risks first.
    ///
    /// # Errors
    ///
    /// Fails if the text is too long, if it is not JSON of the schema `formwork/diff/v1`, or if a member is not what it has
    /// to be.
    pub fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        read_as(SCHEMA, bytes, Self::MAX_BYTES).map(Self::worst_first)
    }
}
