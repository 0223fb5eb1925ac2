//! The format `formwork/upgrade/v1`. Members are added, never renamed.

use serde::Serialize;

/// The name and the version of the format.
const SCHEMA: &str = "formwork/upgrade/v1";

/// The API versions of the resources of a repository.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Upgrades {
    schema: &'static str,
    /// The program that wrote the document.
    tool: Tool,
    pub summary: UpgradeSummary,
    /// The versions in the order of their files and lines, with those that stay as they are.
    pub resources: Vec<UpgradedVersion>,
}

impl Upgrades {
    /// Creates the document of these versions.
    pub fn new(summary: UpgradeSummary, resources: Vec<UpgradedVersion>) -> Self {
        let tool = Tool { name: "formwork", version: env!("CARGO_PKG_VERSION") };
        Self { schema: SCHEMA, tool, summary, resources }
    }
}

/// A program and its version.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// Number of versions for each outcome.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UpgradeSummary {
    /// Versions of which all resources fit a newer one.
    pub safe: usize,
    /// Versions of which some resource does not fit any newer one.
    pub stays: usize,
    /// Versions for which there is no newer one.
    pub current: usize,
    /// Versions that are not compared, or not edited.
    pub skipped: usize,
    /// Files that were changed.
    pub written: usize,
}

/// Decision about a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VersionOutcome {
    /// All resources fit the version `to`.
    Safe,
    /// Some resource does not fit the version `to`, which is the newest one, nor another newer one.
    Stays,
    /// There is no newer version.
    Current,
    /// The version is not compared, or not edited. `reason` says why.
    Skipped,
}

/// A version in a file, and the resources of one type that use it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UpgradedVersion {
    #[serde(rename = "type")]
    pub type_name: String,
    /// The name of the first resource. `null` if it is only read, and its name is not known.
    pub name: Option<String>,
    /// Number of resources of different names that use the version.
    pub count: usize,
    pub from: String,
    /// The version to move to, or the one that was tried.
    pub to: Option<String>,
    pub outcome: VersionOutcome,
    /// The newest stable version that the resources fit.
    pub fits: Option<String>,
    /// Properties that the version `to` refuses.
    pub breaking: Vec<BreakingDifference>,
    /// Paths of properties that are read-only in the version `to`.
    pub ignored: Vec<String>,
    /// Paths of values that are known only after a deployment, and that the version `to` may refuse.
    pub unseen: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub file: String,
    /// The line of the version in the file, counted from 1.
    pub line: u32,
    /// The column of the version in the line, counted from 1.
    pub column: u32,
}

/// A difference that the new version refuses.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BreakingDifference {
    /// The check that would fail.
    pub check: String,
    /// The path below the resource.
    pub path: String,
    /// The difference in words that follow the version.
    pub message: String,
    pub file: String,
    /// The line of the property in the file, counted from 1.
    pub line: u32,
}
