//! Results of rules.

use std::borrow::Cow;
use std::sync::Arc;

use crate::diagnostic::{
    Check, CheckKind, DeploymentKey, FailedPaths, LabelRole, Level, Outcome, ResourceRef, Severity, Subject,
    SuppressionKind,
};
use crate::model::{FaultId, Fix, Place};
use crate::value::{Few, ValueExcerpt};

/// A rule in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable ID, for example `AZ-STORAGE-001`.
    pub id: String,
    /// Name for people, for example `Storage.MinTls12`.
    pub name: String,
    /// Requirement, in one sentence.
    pub short_description: String,
    /// Reason for the rule, in full sentences.
    pub full_description: String,
    /// Advice for fixing its findings.
    pub recommendation: Option<String>,
    /// Page with more information.
    pub help_uri: Option<String>,
    /// Severity of its findings.
    pub severity: Severity,
    /// Resource types that it is about; empty for a rule about whole templates.
    pub resource_types: Vec<String>,
    /// Controls that it covers, each as `framework:name`.
    pub controls: Vec<String>,
    /// Author of the rule, which decides whether its links are trusted.
    pub origin: Origin,
    /// Built-in check. `None` for a rule of a file.
    pub check: Option<Check>,
}

impl Rule {
    /// Returns the subject of a built-in check. `None` for a rule of a file.
    pub fn kind(&self) -> Option<CheckKind> {
        self.check.map(Check::kind)
    }
}

/// Author of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// formwork: the rule is embedded.
    Builtin,
    /// The base of the change.
    Base,
    /// The checkout, which the change may have written.
    #[default]
    Head,
}

/// A result of one rule at one place of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Rule, with the severity of this finding.
    pub rule: Arc<Rule>,
    /// Outcome of the rule.
    pub outcome: Outcome,
    /// True if the change touches its lines, or the base does not have it. `None` without a known change.
    pub in_change: Option<bool>,
    /// Problem, as one sentence for people.
    pub message: String,
    /// Unknown value that decides an unknown result, and why only a deployment knows it. `None` for other results.
    pub reason: Option<Box<str>>,
    /// Name of the template's file.
    pub template: Arc<str>,
    /// Names of the parameter files for which it holds, sorted. Empty for an expansion without one.
    pub parameters: Few<Arc<str>>,
    /// Deployments in which it holds, sorted. The resources of a loop are in one deployment.
    pub deployments: Few<DeploymentKey>,
    /// Resource, if there is one, shared by its findings.
    pub resource: Option<Arc<ResourceRef>>,
    /// The resource in each of the report's trees, sorted. Empty if the report has no trees.
    pub subjects: Few<Subject>,
    /// Path in the authored template; for a structured operator, the path of its scope.
    pub path: String,
    /// Paths of the failed leaves.
    pub failed_paths: FailedPaths,
    /// Number of further occurrences of its fault that are not listed.
    pub more_places: u32,
    /// Place of the text to change.
    pub place: Place,
    /// Provenance of the value, nearest first.
    pub related: Few<Label>,
    /// Places of further failed leaves of this result.
    pub failures: Few<Place>,
    /// Wrong value. `None` if it is missing.
    pub actual: Option<ValueExcerpt>,
    /// Change of the text that removes the finding. `None` if that is not certain, and for a result that did not fail.
    pub fix: Option<Box<Fix>>,
    /// Identity that survives shifted lines: from rule, template path, resource and property path.
    pub fingerprint: String,
    /// Fingerprint without the template path.
    pub resource_fingerprint: Box<str>,
    /// ID of its fault.
    pub fault: FaultId,
    /// Suppression, if the outcome is [`Outcome::Suppressed`].
    pub suppressed: Option<Box<Suppressed>>,
}

/// A place with its meaning for a finding or a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub place: Place,
    /// Relation to the finding or the problem.
    pub role: LabelRole,
    /// Message in lower case, without a period. [`Label::text`] has the words that the role adds.
    pub message: String,
}

impl Label {
    /// Creates an explanation.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, role: LabelRole::Note, message: message.into() }
    }

    /// Returns the text for people.
    pub fn text(&self) -> Cow<'_, str> {
        self.role.text(&self.message)
    }

    /// Returns the origin of the value, if this is a step of its provenance: ``parameter `tls` ``.
    pub fn origin(&self) -> Option<&str> {
        (self.role == LabelRole::Origin).then_some(self.message.as_str())
    }

    /// True if the place deploys the module of the finding.
    pub fn is_module(&self) -> bool {
        self.role == LabelRole::Module
    }
}

/// Suppression of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// Kind of the suppression.
    pub kind: SuppressionKind,
    /// Reason of its author. `None` if there is none, which only the baseline and other tools allow.
    pub reason: Option<String>,
    /// Place of the suppression. `None` for a baseline that was just made.
    pub place: Option<Place>,
}

/// A suppression that a change adds, with one of the rules whose findings it suppresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedSuppression {
    /// ID of the rule.
    pub rule: String,
    /// Kind of the suppression.
    pub kind: SuppressionKind,
    /// Text that its author wrote.
    pub place: Place,
    /// Reason of its author.
    pub reason: Option<String>,
    /// Number of the rule's findings that it suppresses.
    pub findings: usize,
}

impl Origin {
    /// Returns the word in the JSON report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

impl Finding {
    /// Returns the paths of the failed leaves.
    pub fn failed_paths(&self) -> &[String] {
        self.failed_paths.paths(&self.path)
    }

    /// True if the baseline of the run accepts it.
    pub fn is_in_baseline(&self) -> bool {
        self.suppressed.as_ref().is_some_and(|by| by.kind == SuppressionKind::Baseline)
    }

    /// Counts the occurrences that it stands for.
    pub fn places(&self) -> usize {
        usize::try_from(self.more_places).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// Returns all places in the finding.
    pub(super) fn named_places(&self) -> impl Iterator<Item = &Place> {
        let edits = self.fix.iter().flat_map(|fix| &fix.edits).map(|edit| &edit.place);
        let others = self.failures.iter().chain(self.related.iter().map(|label| &label.place)).chain(edits);
        let suppression = self.suppressed.iter().filter_map(|by| by.place.as_ref());
        std::iter::once(&self.place).chain(others).chain(suppression)
    }

    /// Returns the level in reports.
    pub fn level(&self) -> Level {
        match self.outcome {
            Outcome::Failed | Outcome::Suppressed => self.rule.severity.level(),
            Outcome::Unknown | Outcome::Passed => Level::Note,
        }
    }
}
