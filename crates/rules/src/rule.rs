//! Rules of all languages.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::unread::Unread;
use crate::{guard, guard3, json};

/// A compiled rule.
#[derive(Debug)]
pub enum Rule {
    /// A rule in the language of Template Analyzer.
    Json(json::Rule),
    /// A line of a Guard ruleset.
    Guard(guard::Rule),
    /// A rule of Guard 2 or 3.
    Guard3(guard3::Rule),
    /// An embedded rule that has not been read yet.
    Unread(Unread),
}

impl Rule {
    /// Returns the metadata of the rule.
    pub fn info(&self) -> &Arc<RuleInfo> {
        match self {
            Self::Json(rule) => rule.info(),
            Self::Guard(rule) => rule.info(),
            Self::Guard3(rule) => rule.info(),
            Self::Unread(rule) => &rule.info,
        }
    }

    /// Removes the definition: an embedded rule is in no file of the user.
    #[must_use]
    pub fn embedded(self) -> Self {
        match self {
            Self::Json(rule) => Self::Json(rule.embedded()),
            Self::Guard(rule) => Self::Guard(rule.embedded()),
            Self::Guard3(rule) => Self::Guard3(rule.embedded()),
            Self::Unread(rule) => Self::Unread(rule),
        }
    }

    /// Sets the severity.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        match self {
            Self::Json(rule) => Self::Json(rule.with_severity(severity)),
            Self::Guard(rule) => Self::Guard(rule.with_severity(severity)),
            Self::Guard3(rule) => Self::Guard3(rule.with_severity(severity)),
            Self::Unread(rule) => Self::Unread(rule.with_severity(severity)),
        }
    }
}

impl From<json::Rule> for Rule {
    fn from(rule: json::Rule) -> Self {
        Self::Json(rule)
    }
}

impl From<Unread> for Rule {
    fn from(rule: Unread) -> Self {
        Self::Unread(rule)
    }
}

impl From<guard3::Rule> for Rule {
    fn from(rule: guard3::Rule) -> Self {
        Self::Guard3(rule)
    }
}

impl From<guard::Rule> for Rule {
    fn from(rule: guard::Rule) -> Self {
        Self::Guard(rule)
    }
}
