//! A fact of a service, as a row of its file says it.

use crate::checks::{SERVICE_COMBINATION, SERVICE_DUPLICATE, SERVICE_LIMIT, SERVICE_REQUIRED, SERVICE_VALUE};
use crate::diagnostic::{Check, Severity};
use crate::published::services::path::Path;
use crate::published::services::predicate::{Operator, Predicate};

/// All facts of one file.
#[derive(Debug, Default)]
pub(super) struct ServiceFile {
    /// The name of the service in the documentation.
    pub(super) service: &'static str,
    pub(super) facts: Vec<Fact>,
    /// Problems of the file, with line numbers.
    pub(super) problems: Vec<String>,
}

/// A fact: what a value must be, under which conditions, and who says so.
#[derive(Debug)]
pub(super) struct Fact {
    /// The types that it is about.
    pub(super) targets: Vec<FactTarget>,
    /// The path of the value, below the target.
    pub(super) path: Path,
    /// The fact holds where all of these do.
    pub(super) conditions: Vec<Condition>,
    pub(super) must: Predicate,
    /// The message, if it is not made from the rest.
    pub(super) message: Option<&'static str>,
    /// True if the value is a secret: it is compared also if it is marked as one, and never shown.
    pub(super) is_secret: bool,
    /// True if the service refuses every resource that breaks it; otherwise it is most likely a mistake.
    pub(super) is_certain: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "the page and the tests read it"))]
    pub(super) evidence: Evidence,
}

/// Who says a fact, and what shows it.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The line of the file at which the fact begins.
    pub(super) line: usize,
    /// The error code that the platform returns; empty if it is not known.
    pub(super) code: &'static str,
    /// The page or thread that says it.
    pub(super) source: &'static str,
    /// The day on which the source said it, `2026-11-28`.
    pub(super) date: &'static str,
    /// Resources that break the fact, in JSON.
    pub(super) bad: Vec<&'static str>,
    /// Resources that comply with the fact, in JSON.
    pub(super) good: Vec<&'static str>,
}

/// A type of resources, and which of its values a fact is about.
#[derive(Clone, Debug)]
pub(super) struct FactTarget {
    /// Full name of the type; `*` for all types of the file's provider.
    pub(super) type_name: &'static str,
    /// Path of the objects that the paths of the fact begin at; empty for the resource.
    pub(super) at: Path,
}

/// A predicate that must hold at a path for a fact to apply.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) path: Path,
    pub(super) predicate: Predicate,
    /// True if the predicate must not hold.
    pub(super) is_negated: bool,
}

impl Fact {
    /// Returns the check that a resource fails that breaks the fact.
    pub(super) fn check_of_breach(&self) -> Check {
        match &self.must.operator {
            Operator::Present => SERVICE_REQUIRED,
            Operator::Absent => SERVICE_COMBINATION,
            Operator::Unique(_) => SERVICE_DUPLICATE,
            _ if !self.conditions.is_empty() => SERVICE_COMBINATION,
            Operator::Range(_) | Operator::MultipleOf(_) | Operator::Characters(_) | Operator::Items(_) => {
                SERVICE_LIMIT
            }
            _ => SERVICE_VALUE,
        }
    }

    /// Returns the severity, if it is not that of the check.
    pub(super) fn severity(&self) -> Option<Severity> {
        (!self.is_certain).then_some(Severity::Low)
    }

    /// True if the name of a property is what is wrong, not its value.
    pub(super) fn is_about_name(&self) -> bool {
        matches!(self.must.operator, Operator::Absent)
    }
}
