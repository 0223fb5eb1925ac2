//! `suppressions` of `formwork.yaml`.
//!
//! ```yaml
//! suppressions:
//!   - rule: secret/*                    # an ID, a name, or a pattern; or a list of them
//!     path: samples/**                  # a glob, relative to this file; or a list
//!     resource-type: Microsoft.Storage/storageAccounts
//!     resource: "demo*"                 # the name of a resource
//!     reason: the samples show wrong templates on purpose
//!     until: 2027-01-31                 # the last day on which it holds
//! ```

use std::path::PathBuf;

use crate::config::reader::SettingsReader;
use crate::diagnostic::{Finding, RulePattern, Suppression, SuppressionKind, matches_pattern, parse_date};
use crate::files::PathGlobs;
use crate::value::{Member, Value};

/// A key of a suppression.
pub(super) struct SuppressionKey {
    pub name: &'static str,
    pub takes: Form,
    pub summary: &'static str,
}

/// The values that a key of a suppression takes.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// A string or a list of strings.
    Strings,
    Text,
    /// A day, such as `2027-01-31`.
    Date,
}

/// The keys of a suppression.
pub(super) const KEYS: &[SuppressionKey] = &[
    SuppressionKey {
        name: "rule",
        takes: Form::Strings,
        summary: "IDs, names, or patterns of rules, such as `secret/*`.",
    },
    SuppressionKey {
        name: "path",
        takes: Form::Strings,
        summary: "Globs of the files in which findings are accepted. Relative to the settings file.",
    },
    SuppressionKey { name: "resource-type", takes: Form::Strings, summary: "Types of resources, or patterns." },
    SuppressionKey { name: "resource", takes: Form::Strings, summary: "Names of resources, or patterns." },
    SuppressionKey {
        name: "reason",
        takes: Form::Text,
        summary: "Why the findings are accepted. A suppression without a reason suppresses nothing.",
    },
    SuppressionKey { name: "until", takes: Form::Date, summary: "The last day on which the suppression holds." },
];

/// A suppression of the settings, and what it covers.
#[derive(Clone, Debug)]
pub struct ScopedSuppression {
    /// Suppressed rules, and the reason.
    pub suppression: Suppression,
    /// Findings of the rules that are covered.
    pub scope: SuppressionScope,
}

/// Condition for the findings that a suppression of the settings covers: they fit each list that is not empty.
#[derive(Clone, Debug, Default)]
pub struct SuppressionScope {
    /// Globs of the files in which findings are reported, and of the templates that deploy what these are about.
    pub paths: Vec<PathGlobs>,
    /// Patterns of resource types.
    pub types: Vec<String>,
    /// Patterns of the names of resources.
    pub names: Vec<String>,
}

impl SuppressionScope {
    /// Returns `true` if a finding in the file `name` lies in the paths of this scope. `reached` returns the absolute
    /// paths that lead to a file, by its name. A module or a linked template may lie elsewhere than what deploys it,
    /// and a link may lead to either, so all of these paths have to be covered.
    pub fn covers_place(&self, finding: &Finding, name: &str, reached: &dyn Fn(&str) -> Vec<PathBuf>) -> bool {
        let is_in = |name: &str| reached(name).iter().all(|path| self.paths.iter().any(|globs| globs.matches(path)));
        let is_inside = || {
            let others = finding.other_templates.iter().chain([&finding.template]);
            is_in(name) && others.filter(|other| ***other != *name).all(|other| is_in(other))
        };
        self.paths.is_empty() || is_inside()
    }

    /// Returns `true` if the scope covers findings about the resource of a finding, and about the resources that the
    /// finding stands for.
    pub fn covers_resource(&self, finding: &Finding) -> bool {
        let fits = |patterns: &[String], text: Option<&str>| {
            patterns.is_empty()
                || text.is_some_and(|text| patterns.iter().any(|pattern| matches_pattern(pattern, text)))
        };
        let resource = finding.resource.as_deref();
        fits(&self.types, resource.map(|resource| resource.type_name.as_str()))
            && (self.names.is_empty() || finding.more_places == 0)
            && fits(&self.names, resource.map(|resource| resource.name.as_str()))
    }
}

impl SettingsReader<'_> {
    /// Reads the list of suppressions.
    pub(super) fn suppressions(&mut self, member: &Member) -> Vec<ScopedSuppression> {
        let Some(items) = member.value.as_array() else {
            self.wrong_kind(&member.value, "`suppressions`", "a list of objects");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.suppression(item)).collect()
    }

    fn suppression(&mut self, value: &Value) -> Option<ScopedSuppression> {
        let (object, place) = self.object(value, "a suppression").zip(value.span)?;
        self.report_unknown(object, KEYS.iter().map(|key| key.name));
        let mut suppression = Suppression {
            kind: SuppressionKind::Settings,
            rules: Vec::new(),
            reason: None,
            until: None,
            place,
            is_foreign: false,
        };
        let mut scope = SuppressionScope::default();
        let mut is_valid = true;
        for member in object {
            let patterns = |reader: &mut Self| reader.strings(member).into_iter().map(|(text, _)| text).collect();
            match &*member.key {
                "rule" => suppression.rules = self.rule_patterns(member),
                "path" => scope.paths = self.globs(member),
                "resource-type" => scope.types = patterns(self),
                "resource" => scope.names = patterns(self),
                "reason" => suppression.reason = self.reason(member),
                "until" => {
                    suppression.until = member.value.as_str().and_then(parse_date);
                    is_valid &= suppression.until.is_some();
                    if suppression.until.is_none() {
                        self.invalid(&member.value, "`until`: expected a date such as `2027-01-31`".to_owned());
                    }
                }
                _ => {}
            }
        }
        if suppression.rules.is_empty() && object.get_exact("rule").is_none() {
            self.invalid(value, "a suppression needs a `rule`".to_owned());
        }
        // A scope that is written and empty would cover everything.
        let is_scoped = |key: &str, is_empty: bool| object.get_exact(key).is_none() || !is_empty;
        let is_scoped = is_scoped("path", scope.paths.is_empty())
            && is_scoped("resource-type", scope.types.is_empty())
            && is_scoped("resource", scope.names.is_empty());
        (is_valid && is_scoped && !suppression.rules.is_empty()).then_some(ScopedSuppression { suppression, scope })
    }

    /// Returns the names of rules in a list; a single string is a list of one.
    pub(super) fn rule_patterns(&mut self, member: &Member) -> Vec<RulePattern> {
        self.strings(member).into_iter().map(|(text, span)| RulePattern { text, span }).collect()
    }

    /// Returns the reason, if it is not blank.
    fn reason(&mut self, member: &Member) -> Option<String> {
        if member.value.is_null() {
            return None;
        }
        let text = member.value.as_str();
        if text.is_none() {
            self.wrong_kind(&member.value, "`reason`", "a string");
        }
        text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    }
}
