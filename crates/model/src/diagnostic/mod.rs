//! The results of a run: problems that prevent checks ([`Diagnostic`]), and findings of the rules ([`Finding`]). They
//! do not depend on output formats.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod bicep_code;
mod change;
mod check;
mod code;
pub mod common_checks;
mod deployment;
mod details;
mod fail_on;
mod finding;
mod fix;
mod label;
mod not_checked;
mod page;
mod run;
mod shard;
mod suppressed;
mod suppression;
mod tree;

use std::borrow::Cow;

use crate::text::{FileId, Span, cut_long};

pub use self::bicep_code::BicepCode;
pub use self::change::{EventChange, HeadFile, is_commit_id};
pub use self::check::{Check, CheckDeclaration, CheckKind, CheckTable, TextTag};
pub use self::code::{Code, CodeFamily, Effect};
pub use self::deployment::{DeploymentKey, Holds};
pub use self::details::{Category, Control, DeclaredFix, Framework, Pillar, RuleDetails, RuleExample, read_tag};
pub use self::fail_on::FailOn;
pub use self::finding::{FailedPaths, Finding, ResourceRef, RuleInfo};
pub use self::finding::{Outcome, Severity};
pub use self::fix::{Edit, Fix, rewritten};
pub use self::label::{Label, LabelRole};
pub use self::not_checked::NotChecked;
pub use self::page::{anchor, homepage, rule_page, service_of};
pub use self::run::{Analysed, BySeverity, NoLongerDeployed, ParameterSet, Run, Summary};
pub use self::shard::{Gate, MAX_STALE_LABELS, Part, Shard, Shared, StaleEntry, stale_entries};
pub use self::suppressed::{AddedSuppression, Suppressed, SuppressionKind};
pub use self::suppression::{RulePattern, Suppression, matches_pattern, parse_date};
pub use self::tree::{ResourceNode, ResourceTree, Subject};

/// The level of a diagnostic or finding, as in SARIF and on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Information that does not affect the exit code.
    Note,
    /// A probable mistake. The run continued with the available data.
    Warning,
    /// Something could not be analyzed.
    Error,
}

impl Level {
    /// Returns `error`, `warning`, or `note`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A problem in a file of the user, with a stable code and a position.
///
/// Messages are lower case without a period at the end. They quote names in backticks, and state the actual and the
/// expected input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of problem. Never renamed after its release.
    pub code: Code,
    /// The level of the problem.
    pub level: Level,
    /// The problem in one line.
    pub message: String,
    /// The location of the problem.
    pub primary: Label,
    /// Other locations that explain the problem.
    pub secondary: Vec<Label>,
    /// The recommended fix.
    pub help: Option<String>,
    /// The kind of input that is not checked, although it may be valid.
    pub not_checked: Option<NotChecked>,
    /// The code of the problem in Bicep.
    pub bicep_code: Option<BicepCode>,
}

/// Maximum length of a message in bytes. A message quotes names, which may be as long as a file.
const MAX_MESSAGE: usize = 2_000;

impl Diagnostic {
    /// Creates a problem at `span`, at the default level of its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            level: code.level(),
            message: cut_long(message.into(), MAX_MESSAGE),
            primary: Label::new(span, String::new()),
            secondary: Vec::new(),
            help: None,
            not_checked: None,
            bicep_code: None,
        }
    }

    /// Returns the ID of the problem in reports: its code in Bicep, such as `bicep/BCP033`, or else its code.
    pub fn id(&self) -> Cow<'static, str> {
        match self.bicep_code {
            Some(code) if self.code == Code::BicepDiagnostic => Cow::Owned(code.rule_id()),
            _ => Cow::Borrowed(self.code.as_str()),
        }
    }

    /// Creates a problem with a whole file.
    pub fn of_file(code: Code, file: FileId, message: impl Into<String>) -> Self {
        Self::new(code, Span::whole_file(file), message)
    }

    /// Sets the recommended fix.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a location that explains the problem.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label::new(span, message));
        self
    }

    /// Sets the text beside the caret of the primary location.
    #[must_use]
    pub fn with_caption(mut self, message: impl Into<String>) -> Self {
        self.primary.message = message.into();
        self
    }

    /// Marks the problem as input that is not checked.
    #[must_use]
    pub fn not_checked(mut self, kind: NotChecked) -> Self {
        self.not_checked = Some(kind);
        self
    }

    /// Sets the code of the problem in Bicep, such as `BCP033`.
    #[must_use]
    pub fn with_bicep_code(mut self, code: &str) -> Self {
        self.bicep_code = BicepCode::read(code);
        self
    }

    /// Overrides the level of the code.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }
}
