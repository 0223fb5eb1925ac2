//! The results of rules.

use std::sync::Arc;

use crate::diagnostic::{Check, CheckKind, DeploymentKey, Fix, Holds, Label, Level, RuleDetails, Subject, Suppressed};
use crate::text::Span;
use crate::value::{Few, ValueExcerpt};

/// The result of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The template violates the rule.
    Failed,
    /// The result depends on a value that is known only after a deployment.
    Unknown,
    /// The template violates the rule, or may violate it, but its author accepted this.
    Suppressed,
    /// The template follows the rule.
    Passed,
}

impl Outcome {
    /// Returns the word in the JSON report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Suppressed => "suppressed",
            Self::Passed => "passed",
        }
    }
}

/// The severity of the findings of a rule. JSON rules count from 1 (high) to 3 (low).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Written as 1 in JSON rules.
    High,
    /// Written as 2 in JSON rules.
    Medium,
    /// Written as 3 in JSON rules.
    Low,
}

impl Severity {
    /// Returns the number in JSON rules: 1, 2, or 3.
    pub const fn number(self) -> u8 {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// Returns `high`, `medium`, or `low`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Returns the level of findings of this severity in reports.
    pub const fn level(self) -> Level {
        match self {
            Self::High => Level::Error,
            Self::Medium => Level::Warning,
            Self::Low => Level::Note,
        }
    }
}

/// The description of a rule for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Stable ID, for example `AZ-STORAGE-001`.
    pub id: String,
    /// Readable name, for example `Storage.MinTls12`.
    pub name: String,
    /// A sentence that describes the check.
    pub short_description: String,
    /// The reason why the rule matters, in full sentences.
    pub full_description: String,
    /// The recommended fix.
    pub recommendation: Option<String>,
    /// The URL of the documentation.
    pub help_uri: Option<String>,
    /// The severity of its findings.
    pub severity: Severity,
    /// The resource types that the rule checks. Empty for a rule on whole templates.
    pub resource_types: Vec<String>,
    /// The definition of the rule. `None` for an embedded rule.
    pub definition: Option<Span>,
    /// The built-in check. `None` for a rule of a file.
    pub check: Option<Check>,
    /// Further properties.
    pub details: Arc<RuleDetails>,
}

impl RuleInfo {
    /// Returns the subject of a built-in check. `None` for a rule of a file.
    pub fn kind(&self) -> Option<CheckKind> {
        self.check.map(Check::kind)
    }
}

/// The resource of a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceRef {
    /// Fully qualified type, such as `Microsoft.Web/sites`.
    pub type_name: String,
    /// Full name. For a child, `parent/child`.
    pub name: String,
    /// Resource ID. Unknown parts are approximated.
    pub id: String,
    /// The declaration. `None` if the resource has no text of its own.
    pub declared: Option<Span>,
}

/// The result of one rule at one location of one template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule with this result.
    pub rule: Arc<RuleInfo>,
    /// The result of the rule.
    pub outcome: Outcome,
    /// True if the finding is part of the change: the change touches its lines, or the base does not have the
    /// finding. `None` if no change is known.
    pub in_change: Option<bool>,
    /// The problem as one readable sentence.
    pub message: String,
    /// Name of the template's file.
    pub template: Arc<str>,
    /// Names of other templates that deploy the same linked template and have the same finding.
    pub other_templates: Few<Arc<str>>,
    /// Names of the parameter files with this finding, sorted. Empty for an expansion without parameter files.
    pub parameters: Few<Arc<str>>,
    /// The deployments with this finding, sorted. The resources of a loop are in one deployment.
    pub deployments: Few<DeploymentKey>,
    /// The resources with this finding in each template that is deployed, sorted by deployment.
    pub holds: Few<Holds>,
    /// The resource, which all its findings share. `None` if the finding is about the template.
    pub resource: Option<Arc<ResourceRef>>,
    /// This resource in each tree of the run, sorted. Empty if the run has no trees.
    pub subjects: Few<Subject>,
    /// Path in the template. For a structured operator, the path of its scope.
    pub path: String,
    /// Paths of the failed leaves.
    pub failed_paths: FailedPaths,
    /// Number of further locations of the same fault whose findings are not listed.
    pub more_places: u32,
    /// Path of the unknown value that an unknown result depends on.
    pub undecided: Option<Box<str>>,
    /// The text to change.
    pub span: Span,
    /// The origins of the value, nearest first.
    pub related: Few<Label>,
    /// Locations of further failed leaves of this result.
    pub failures: Few<Span>,
    /// The complete texts of the values that failed, and of objects with a missing value. They are not shown, but a
    /// change in them makes the finding part of the change.
    pub extents: Few<Span>,
    /// The incorrect value. `None` if it is missing.
    pub actual: Option<ValueExcerpt>,
    /// The fix. `None` if it is uncertain, or if the finding did not fail.
    pub fix: Option<Box<Fix>>,
    /// Identity that does not depend on line numbers: from the rule, template path, resource, and property path.
    pub fingerprint: String,
    /// Like the fingerprint, but without the template path.
    pub resource_fingerprint: String,
    /// Fingerprints of the same finding in runs with fewer parameter files, where its resource has another name.
    pub aliases: Few<String>,
    /// The suppression, if the outcome is [`Outcome::Suppressed`].
    pub suppressed: Option<Box<Suppressed>>,
}

/// Paths of the failed leaves of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FailedPaths {
    /// Only the path of the finding, which is not stored twice.
    Own,
    /// Other paths or none, and the number of paths that are not listed.
    Listed(Few<String>, u32),
}

impl FailedPaths {
    /// The value for a finding without failed leaves.
    pub const NONE: Self = Self::Listed(Few::NONE, 0);

    /// Maximum number of listed paths. A rule on all items of a list may have thousands.
    pub const MOST: usize = 100;

    /// Creates the paths of a finding. `own` is its path, and `more` the number of paths that are not listed.
    pub fn new(paths: Vec<String>, more: usize, own: &str) -> Self {
        match paths.as_slice() {
            [only] if only == own && more == 0 => Self::Own,
            _ => Self::Listed(paths.into(), u32::try_from(more).unwrap_or(u32::MAX)),
        }
    }

    /// Returns the number of paths that are not listed.
    pub const fn more(&self) -> u32 {
        match self {
            Self::Own => 0,
            Self::Listed(_, more) => *more,
        }
    }

    /// Returns the listed paths of a finding with the path `own`.
    pub fn paths<'a>(&'a self, own: &'a String) -> &'a [String] {
        match self {
            Self::Own => std::slice::from_ref(own),
            Self::Listed(paths, _) => paths,
        }
    }
}

impl Finding {
    /// Returns the listed paths of the failed leaves.
    pub fn failed_paths(&self) -> &[String] {
        self.failed_paths.paths(&self.path)
    }

    /// Returns the number of locations that the finding represents.
    pub fn places(&self) -> usize {
        usize::try_from(self.more_places).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// Marks the finding as suppressed.
    pub fn suppress(&mut self, by: Suppressed) {
        self.outcome = Outcome::Suppressed;
        self.undecided = None;
        self.suppressed = Some(Box::new(by));
    }

    /// Returns the level in reports.
    pub fn level(&self) -> Level {
        match self.outcome {
            Outcome::Failed | Outcome::Suppressed => self.rule.severity.level(),
            Outcome::Unknown | Outcome::Passed => Level::Note,
        }
    }

    /// Returns the value that an unknown result depends on, with the reason why it is unknown. `None` for other
    /// results.
    pub fn reason(&self) -> Option<String> {
        let is_unknown = self.outcome == Outcome::Unknown;
        is_unknown.then(|| match self.undecided.as_deref().filter(|path| !path.is_empty()) {
            Some(path) => format!("`{path}`: {}", self.message),
            None => self.message.clone(),
        })
    }
}
