//! The results of rules.

use std::sync::Arc;

use crate::diagnostic::{DeploymentKey, Fix, Holds, Label, Level, RuleDetails, Subject, Suppressed};
use crate::text::Span;
use crate::value::{Few, ValueExcerpt};

/// The result of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The template breaks the rule.
    Failed,
    /// The verdict depends on a value that only a real deployment can know.
    Unknown,
    /// The template breaks the rule, or may break it, and its author accepted that.
    Suppressed,
    /// The template follows the rule.
    Passed,
}

impl Outcome {
    /// The word of the JSON report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Suppressed => "suppressed",
            Self::Passed => "passed",
        }
    }
}

/// How severe findings of a rule are. JSON rules count from 1 (high) to 3 (low).
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
    /// 1, 2 or 3.
    pub const fn number(self) -> u8 {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// `high`, `medium` or `low`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// How reports mark a finding of this severity.
    pub const fn level(self) -> Level {
        match self {
            Self::High => Level::Error,
            Self::Medium => Level::Warning,
            Self::Low => Level::Note,
        }
    }
}

/// What reports say about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Stable id, for example `AZ-STORAGE-001`.
    pub id: String,
    /// A name for people, for example `Storage.MinTls12`.
    pub name: String,
    /// One sentence: what is checked.
    pub short_description: String,
    /// Why the rule matters, in full sentences.
    pub full_description: String,
    /// How to fix it.
    pub recommendation: Option<String>,
    /// Where to read more.
    pub help_uri: Option<String>,
    /// How severe its findings are.
    pub severity: Severity,
    /// The resource types that it looks at; empty for a rule over whole templates.
    pub resource_types: Vec<String>,
    /// Where it is defined. `None` for an embedded rule.
    pub definition: Option<Span>,
    /// What else it says of itself.
    pub details: Arc<RuleDetails>,
}

/// The resource that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceRef {
    /// Fully qualified type, such as `Microsoft.Web/sites`.
    pub type_name: String,
    /// Full name, `parent/child` for a child.
    pub name: String,
    /// Resource id; for an unknown part its approximation.
    pub id: String,
    /// Where it is declared. `None` if it has no text of its own.
    pub declared: Option<Span>,
}

/// One verdict of one rule at one place of one template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that gave the verdict.
    pub rule: Arc<RuleInfo>,
    /// How the rule decided.
    pub outcome: Outcome,
    /// Whether it is of the change, because the change touches its lines, or because the base does not have it; `None` where
    /// no change is known.
    pub in_change: Option<bool>,
    /// What is wrong, as one sentence for people.
    pub message: String,
    /// Name of the template's file.
    pub template: Arc<str>,
    /// Names of further templates that deploy the same linked template, and in which it was found as well.
    pub other_templates: Few<Arc<str>>,
    /// Names of the parameter files under which this holds, sorted. Empty for an expansion without one.
    pub parameters: Few<Arc<str>>,
    /// The deployments in which this holds, sorted. The resources of a loop are in one.
    pub deployments: Few<DeploymentKey>,
    /// What it holds for in each template that is deployed, ordered by deployment.
    pub holds: Few<Holds>,
    /// The resource, where there is one. Its findings share it.
    pub resource: Option<Arc<ResourceRef>>,
    /// The same resource in each of the trees of the run, sorted. Empty if the run has no trees.
    pub subjects: Few<Subject>,
    /// Path in the authored template; for a structured operator the path of its scope.
    pub path: String,
    /// Paths of the leaves that failed.
    pub failed_paths: FailedPaths,
    /// How many further places of its fault it stands for: paths of the template at which findings are not listed.
    pub more_places: u32,
    /// Path of the value that is not known, of a verdict that is unknown.
    pub undecided: Option<Box<str>>,
    /// The text to change.
    pub span: Span,
    /// Where the value came from, nearest first.
    pub related: Few<Label>,
    /// The places of further failing leaves of this same verdict.
    pub failures: Few<Span>,
    /// The whole texts of the values that failed, wherever they were written, and of those in which one is missing. They
    /// are not shown, but a change within them is one of the finding.
    pub extents: Few<Span>,
    /// The offending value. `None` if it is missing.
    pub actual: Option<ValueExcerpt>,
    /// How to change the text so that it is gone. `None` where that is not certain, and for one that did not fail.
    pub fix: Option<Box<Fix>>,
    /// Identity that survives shifted lines: from rule, template path, resource and property path.
    pub fingerprint: String,
    /// As the fingerprint, without the template path.
    pub resource_fingerprint: String,
    /// The fingerprints that it has in a run with a part of its parameter files, where its resource has another name.
    pub aliases: Few<String>,
    /// What suppresses it, if its outcome is [`Outcome::Suppressed`].
    pub suppressed: Option<Box<Suppressed>>,
}

/// Paths of the leaves that failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FailedPaths {
    /// Only the path of the finding itself, which is mostly so and not kept twice.
    Own,
    /// Others than that, or none, and how many more there are.
    Listed(Few<String>, u32),
}

impl FailedPaths {
    /// Those of a finding of which no leaf failed.
    pub const NONE: Self = Self::Listed(Few::NONE, 0);

    /// How many of them are listed: a rule that judges all items of a list may have thousands.
    pub const MOST: usize = 100;

    /// These paths and so many more, of a finding with the path `own`.
    pub fn new(paths: Vec<String>, more: usize, own: &str) -> Self {
        match paths.as_slice() {
            [only] if only == own && more == 0 => Self::Own,
            _ => Self::Listed(paths.into(), u32::try_from(more).unwrap_or(u32::MAX)),
        }
    }

    /// How many there are that are not listed.
    pub const fn more(&self) -> u32 {
        match self {
            Self::Own => 0,
            Self::Listed(_, more) => *more,
        }
    }

    /// The paths, of a finding with the path `own`.
    pub fn of<'a>(&'a self, own: &'a String) -> &'a [String] {
        match self {
            Self::Own => std::slice::from_ref(own),
            Self::Listed(paths, _) => paths,
        }
    }
}

impl Finding {
    /// Paths of the leaves that failed.
    pub fn failed_paths(&self) -> &[String] {
        self.failed_paths.of(&self.path)
    }

    /// How many places it stands for.
    pub fn places(&self) -> usize {
        usize::try_from(self.more_places).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// Marks it as suppressed.
    pub fn suppress(&mut self, by: Suppressed) {
        self.outcome = Outcome::Suppressed;
        self.undecided = None;
        self.suppressed = Some(Box::new(by));
    }

    /// How reports mark it.
    pub fn level(&self) -> Level {
        match self.outcome {
            Outcome::Failed | Outcome::Suppressed => self.rule.severity.level(),
            Outcome::Unknown | Outcome::Passed => Level::Note,
        }
    }

    /// Which value decides a verdict that is unknown, and why only a deployment knows it. `None` for other verdicts.
    pub fn reason(&self) -> Option<String> {
        let is_unknown = self.outcome == Outcome::Unknown;
        is_unknown.then(|| match self.undecided.as_deref().filter(|path| !path.is_empty()) {
            Some(path) => format!("`{path}`: {}", self.message),
            None => self.message.clone(),
        })
    }
}
