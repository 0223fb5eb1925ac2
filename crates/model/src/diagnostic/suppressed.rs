//! What suppresses a finding, and why: the same for comments, metadata, settings, and the baseline.

use crate::text::Span;

/// Where a suppression is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuppressionKind {
    /// In a comment: `formwork:ignore RULE -- reason`.
    Comment,
    /// In the metadata of a resource or a template.
    Metadata,
    /// In `suppressions` of the settings.
    Settings,
    /// By its fingerprint, in the baseline.
    Baseline,
    /// In an exemption from an assignment of Azure Policy.
    Exemption,
}

impl SuppressionKind {
    /// The word of the JSON report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Metadata => "metadata",
            Self::Settings => "settings",
            Self::Baseline => "baseline",
            Self::Exemption => "exemption",
        }
    }

    /// Whether it is written in the file that it is about, and not in one of its own.
    pub const fn is_in_source(self) -> bool {
        matches!(self, Self::Comment | Self::Metadata)
    }
}

/// A suppression that a change adds, with one of the rules whose findings it suppresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedSuppression {
    /// The ID of the rule.
    pub rule: String,
    /// Where it is written.
    pub kind: SuppressionKind,
    /// The text that its author wrote.
    pub place: Span,
    /// The reason that its author gave.
    pub reason: Option<String>,
    /// How many findings of the rule it suppresses.
    pub findings: usize,
}

/// What suppresses a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// Where it is written.
    pub kind: SuppressionKind,
    /// The reason that its author gave. `None` if there is none, which only the baseline and other tools allow.
    pub reason: Option<String>,
    /// Its text. `None` for a baseline that was just made.
    pub place: Option<Span>,
}
