//! The results of a run: problems that prevent checks ([`Diagnostic`]) and what the rules found
//! ([`Finding`]). Neither knows how it will be printed.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod bicep_code;
mod change;
#[macro_use]
mod checks_macro;
mod check;
mod code;
mod deployment;
mod details;
mod fail_on;
mod finding;
mod fix;
mod not_checked;
mod page;
mod run;
mod shard;
mod suppressed;
mod suppression;
mod tree;
mod vendor_page;

use crate::text::{FileId, Span, cut_long};

pub use self::bicep_code::BicepCode;
pub use self::change::{EventChange, HeadFile, is_commit_id};
pub use self::check::Check;
pub use self::code::{Code, Effect};
pub use self::deployment::{DeploymentKey, Holds};
pub use self::details::{Category, Control, DeclaredFix, Framework, Pillar, RuleDetails, RuleExample, read_tag};
pub use self::fail_on::FailOn;
pub use self::finding::{FailedPaths, Finding, ResourceRef, RuleInfo};
pub use self::finding::{Outcome, Severity};
pub use self::fix::{Edit, Fix, rewritten};
pub use self::not_checked::NotChecked;
pub use self::page::{anchor, homepage, rule_page, service_of};
pub use self::run::{Analysed, BySeverity, ParameterSet, Run, Summary};
pub use self::shard::{Gate, MAX_STALE_LABELS, Part, Shard, Shared, StaleEntry, stale_entries};
pub use self::suppressed::{AddedSuppression, Suppressed, SuppressionKind};
pub use self::suppression::{RulePattern, Suppression, matches_pattern, parse_date};
pub use self::tree::{ResourceNode, ResourceTree, Subject};

/// How bad a diagnostic or a finding is, in SARIF's and GitHub's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; changes no exit code.
    Note,
    /// Probably wrong, and the run went on with what it had.
    Warning,
    /// Something could not be analyzed.
    Error,
}

impl Level {
    /// `error`, `warning` or `note`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How the message of a label begins that is about an origin of a value.
pub const ORIGIN: &str = "value comes from ";

/// The message of a label at the statement that deploys a Bicep module.
pub const MODULE: &str = "deployed by this module";

/// A source text and what it has to do with a problem. The message of a primary label may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The source text that the label points at.
    pub span: Span,
    /// Lower case, no final stop.
    pub message: String,
}

/// A problem in the user's files, with a stable code, a position and a way out.
///
/// Messages are lower case without a final stop, put names in backticks, and say what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of problem it is. Never renamed once released.
    pub code: Code,
    /// How bad it is.
    pub level: Level,
    /// What is wrong, in one line.
    pub message: String,
    /// Where it is wrong.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// What it says is not checked, although nothing is wrong with it.
    pub not_checked: Option<NotChecked>,
    /// The code that Bicep gives the problem.
    pub bicep_code: Option<BicepCode>,
}

/// The longest message, in bytes. A message quotes names, which may be as long as a file.
const MAX_MESSAGE: usize = 2_000;

impl Diagnostic {
    /// A problem at `span`, at the usual level of its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            level: code.level(),
            message: cut_long(message.into(), MAX_MESSAGE),
            primary: Label { span, message: String::new() },
            secondary: Vec::new(),
            help: None,
            not_checked: None,
            bicep_code: None,
        }
    }

    /// A problem with a file as a whole.
    pub fn of_file(code: Code, file: FileId, message: impl Into<String>) -> Self {
        Self::new(code, Span::whole_file(file), message)
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place that explains the problem.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label { span, message: message.into() });
        self
    }

    /// Text beside the caret of the primary place.
    #[must_use]
    pub fn with_caption(mut self, message: impl Into<String>) -> Self {
        self.primary.message = message.into();
        self
    }

    /// Marks it as saying that something is not checked.
    #[must_use]
    pub fn not_checked(mut self, kind: NotChecked) -> Self {
        self.not_checked = Some(kind);
        self
    }

    /// Adds the code that Bicep gives the problem, such as `BCP033`.
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
