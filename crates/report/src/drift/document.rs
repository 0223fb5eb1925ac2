//! The format `formwork/drift/v1`. Members are added, never renamed.

use serde::Serialize;
use serde_json::Value as Json;

use crate::difference::Severity;

/// The name and the version of the format.
const SCHEMA: &str = "formwork/drift/v1";

/// Resources that exist, compared with templates.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DriftReport {
    schema: &'static str,
    /// The program that wrote the document.
    tool: DriftTool,
    pub summary: DriftSummary,
    /// The resources of the templates, and then those of the exports that are in no template.
    pub resources: Vec<ComparedResource>,
}

impl DriftReport {
    /// Creates the document of these resources.
    pub fn new(summary: DriftSummary, resources: Vec<ComparedResource>) -> Self {
        let tool = DriftTool { name: "formwork", version: env!("CARGO_PKG_VERSION") };
        Self { schema: SCHEMA, tool, summary, resources }
    }
}

/// A program and its version.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DriftTool {
    name: &'static str,
    version: &'static str,
}

/// Number of resources for each outcome.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DriftSummary {
    /// Resources of which a property has another value than in the template.
    pub drifted: usize,
    /// Resources of templates that do not exist.
    pub missing: usize,
    /// Resources that exist, and are in no template.
    pub unmanaged: usize,
    /// Resources of templates of which it is not known whether they exist.
    pub uncertain: usize,
    /// Resources that are as declared.
    pub same: usize,
    /// Values that templates set, and that cannot be compared.
    pub uncompared: usize,
    /// Items of the exports that are not resources.
    pub skipped: usize,
}

/// Relation of a resource to its template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DriftState {
    /// A property that the template sets has another value.
    Drifted,
    /// The template declares the resource, and it does not exist.
    Missing,
    /// The resource exists, and is in no template.
    Unmanaged,
    /// A resource that is not compared. `reason` says why.
    Uncertain,
    /// Every value that can be compared is as declared.
    Same,
}

/// A resource of a template or of an export.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedResource {
    pub outcome: DriftState,
    #[serde(rename = "type")]
    pub type_name: String,
    pub name: String,
    /// The ID of the resource that exists, or else the one that the template declares.
    pub id: String,
    /// The file that declares the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the resource in the file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Properties that differ, by path.
    pub changes: Vec<ComparedValues>,
    /// Number of properties that differ and are not listed.
    pub more_changes: usize,
    /// Paths that the template sets, and that the cloud does not return.
    pub unseen: Vec<String>,
    /// Paths whose values are secret, or known only after a deployment.
    pub uncompared: Vec<String>,
    /// Paths that could be set, and that the template leaves out. Empty without `--all`.
    pub unset: Vec<String>,
    /// The reason of the outcome, if there is more to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if the next deployment deletes the resource, because it is in no template.
    pub would_be_deleted: bool,
}

/// A property that differs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedValues {
    /// The path below the resource.
    pub path: String,
    /// The value in the template. `null` if it is not there, `"present"` for an item of a list, `"(secret)"` for a secret.
    pub template: Json,
    /// The value that exists, written like `template`.
    pub live: Json,
    pub severity: Severity,
}
