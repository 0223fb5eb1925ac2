//! The suppression of a finding: by a comment, metadata, settings, the baseline, or an exemption.

use crate::text::Span;

/// The kind of a suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuppressionKind {
    /// In a comment: `formwork:ignore RULE -- reason`.
    Comment,
    /// In the metadata of a resource or a template.
    Metadata,
    /// In `suppressions` of the settings.
    Settings,
    /// In the baseline, by the fingerprint.
    Baseline,
    /// In an exemption from an assignment of Azure Policy.
    Exemption,
}

impl SuppressionKind {
    /// Returns the word in the JSON report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Metadata => "metadata",
            Self::Settings => "settings",
            Self::Baseline => "baseline",
            Self::Exemption => "exemption",
        }
    }

    /// Returns whether the suppression is in the template itself, not in a separate file.
    pub const fn is_in_source(self) -> bool {
        matches!(self, Self::Comment | Self::Metadata)
    }
}

/// A suppression that a change adds, with one of the rules that it suppresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedSuppression {
    /// The ID of the rule.
    pub rule: String,
    /// The kind of suppression.
    pub kind: SuppressionKind,
    /// The text of the suppression.
    pub place: Span,
    /// The reason in the suppression.
    pub reason: Option<String>,
    /// The number of findings of the rule that it suppresses.
    pub findings: usize,
}

/// The suppression of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// The kind of suppression.
    pub kind: SuppressionKind,
    /// The reason in the suppression. `None` only in the baseline and in suppressions of other tools.
    pub reason: Option<String>,
    /// The text of the suppression. `None` for a baseline that was just created.
    pub place: Option<Span>,
}
