//! The results of rules.

use std::sync::Arc;

use crate::diagnostic::{
    DeploymentKey, FailedPaths, Level, MODULE, ORIGIN, Outcome, ResourceRef, Severity, Subject, SuppressionKind,
};
use crate::model::{FaultId, Fix, Place};
use crate::value::{Few, ValueExcerpt};

/// What reports say about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable ID, for example `AZ-STORAGE-001`.
    pub id: String,
    /// A name for people, for example `Storage.MinTls12`.
    pub name: String,
    /// One sentence: what is checked.
    pub short_description: String,
    /// Why the rule matters, in full sentences.
    pub full_description: String,
    /// How to fix what it finds.
    pub recommendation: Option<String>,
    /// Where to read more.
    pub help_uri: Option<String>,
    /// How severe its findings are.
    pub severity: Severity,
    /// The resource types that it looks at; empty for a rule over whole templates.
    pub resource_types: Vec<String>,
    /// The controls that it helps to meet, each as `framework:name`.
    pub controls: Vec<String>,
    /// Who wrote it, which decides whether its links are trusted.
    pub origin: Origin,
}

/// Who wrote a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// It is embedded in formwork.
    Builtin,
    /// It is a file of the base of the change.
    Base,
    /// It is a file of the checkout, which the change may have written.
    #[default]
    Head,
}

/// The result of one rule at one place of one template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule, with the severity that this finding has.
    pub rule: Arc<Rule>,
    /// How the rule decided.
    pub outcome: Outcome,
    /// Whether it is of the change, because the change touches its lines, or because the base does not have it; `None` where
    /// no change is known.
    pub in_change: Option<bool>,
    /// What is wrong, as one sentence for people.
    pub message: String,
    /// Which value decides a result that is unknown, and why only a deployment knows it. `None` for other results.
    pub reason: Option<Box<str>>,
    /// Name of the template's file.
    pub template: Arc<str>,
    /// Names of the parameter files under which this holds, sorted. Empty for an expansion without one.
    pub parameters: Few<Arc<str>>,
    /// The deployments in which this holds, sorted. The resources of a loop are in one.
    pub deployments: Few<DeploymentKey>,
    /// The resource, where there is one. Its findings share it.
    pub resource: Option<Arc<ResourceRef>>,
    /// The same resource in each of the trees of the report, sorted. Empty if the report has no trees.
    pub subjects: Few<Subject>,
    /// Path in the authored template; for a structured operator the path of its scope.
    pub path: String,
    /// Paths of the leaves that failed.
    pub failed_paths: FailedPaths,
    /// How many further places of its fault it stands for: paths of the template at which findings are not listed.
    pub more_places: u32,
    /// The text to change.
    pub place: Place,
    /// Where the value came from, nearest first.
    pub related: Few<Label>,
    /// The places of further failing leaves of this same result.
    pub failures: Few<Place>,
    /// The offending value. `None` if it is missing.
    pub actual: Option<ValueExcerpt>,
    /// How to change the text so that it is gone. `None` where that is not certain, and for one that did not fail.
    pub fix: Option<Box<Fix>>,
    /// Identity that survives shifted lines: from rule, template path, resource and property path.
    pub fingerprint: String,
    /// As the fingerprint, without the template path.
    pub resource_fingerprint: Box<str>,
    /// What all findings with the same rule, place, and message have in common.
    pub fault: FaultId,
    /// What suppresses it, if its outcome is [`Outcome::Suppressed`].
    pub suppressed: Option<Box<Suppressed>>,
}

/// A place and what it has to do with a finding or a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub place: Place,
    /// Lower case, without a period.
    pub message: String,
}

impl Label {
    /// The step that the value comes from, if the place is an origin of it: ``parameter `tls` ``.
    pub fn origin(&self) -> Option<&str> {
        self.message.strip_prefix(ORIGIN)
    }

    /// Whether the place deploys the module that the finding is in.
    pub fn is_module(&self) -> bool {
        self.message == MODULE
    }
}

/// What suppresses a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// Where it is written.
    pub kind: SuppressionKind,
    /// The reason that its author gave. `None` if there is none, which only the baseline and other tools allow.
    pub reason: Option<String>,
    /// Its text. `None` for a baseline that was just made.
    pub place: Option<Place>,
}

/// A suppression that a change adds, with one of the rules whose findings it suppresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedSuppression {
    /// The ID of the rule.
    pub rule: String,
    /// Where it is written.
    pub kind: SuppressionKind,
    /// The text that its author wrote.
    pub place: Place,
    /// The reason that its author gave.
    pub reason: Option<String>,
    /// How many findings of the rule it suppresses.
    pub findings: usize,
}

impl Origin {
    /// The word of the JSON report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

impl Finding {
    /// Paths of the leaves that failed.
    pub fn failed_paths(&self) -> &[String] {
        self.failed_paths.of(&self.path)
    }

    /// Whether the baseline of the run accepts it.
    pub fn is_in_baseline(&self) -> bool {
        self.suppressed.as_ref().is_some_and(|by| by.kind == SuppressionKind::Baseline)
    }

    /// How many places of its fault it stands for.
    pub fn places(&self) -> usize {
        usize::try_from(self.more_places).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// The places that it names.
    pub(super) fn named_places(&self) -> impl Iterator<Item = &Place> {
        let edits = self.fix.iter().flat_map(|fix| &fix.edits).map(|edit| &edit.place);
        let others = self.failures.iter().chain(self.related.iter().map(|label| &label.place)).chain(edits);
        let suppression = self.suppressed.iter().filter_map(|by| by.place.as_ref());
        std::iter::once(&self.place).chain(others).chain(suppression)
    }

    /// How reports mark it.
    pub fn level(&self) -> Level {
        match self.outcome {
            Outcome::Failed | Outcome::Suppressed => self.rule.severity.level(),
            Outcome::Unknown | Outcome::Passed => Level::Note,
        }
    }
}
