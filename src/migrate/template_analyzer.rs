//! `configuration.json` of Template Analyzer: the rules that run, and their severities.

use crate::diagnostic::Severity;
use crate::migrate::{ImportedValue, Importer, ToolRuleId};
use crate::rules::counterparts::{Purpose, Tool};
use crate::text::FileId;
use crate::value::{Member, Object, Value};

const TOOL: Tool = Tool::TemplateAnalyzer;

/// The sections of the file.
const SECTIONS: [&str; 3] = ["exclusions", "inclusions", "severityOverrides"];

impl Importer<'_> {
    /// Imports a file of Template Analyzer.
    pub(crate) fn template_analyzer(&mut self, file: FileId) {
        let Some(value) = self.parse(file, true) else { return };
        let root: Vec<&Member> = value.as_object().into_iter().flatten().collect();
        let section = |name: &str| value.get(name).and_then(Value::as_object).filter(|section| !section.is_empty());
        let (inclusions, exclusions) = (section("inclusions"), section("exclusions"));
        if let Some(inclusions) = inclusions {
            self.inclusions(inclusions);
            if exclusions.is_some() {
                let message = "Template Analyzer ignores `exclusions` beside `inclusions`, so they are not imported";
                self.note(value.get("exclusions").and_then(|value| value.span), message.to_owned());
            }
        } else if let Some(exclusions) = exclusions {
            self.exclusions(exclusions);
        }
        for member in section("severityOverrides").into_iter().flatten() {
            self.severity_override(member);
        }
        let others: Vec<&Member> = root.into_iter().filter(|member| !is_known(&member.key)).collect();
        self.note_keys(&others, TOOL);
    }

    fn inclusions(&mut self, section: &Object) {
        if let Some(ids) = section.get("ids") {
            let names = self.names(ids);
            let entries = self.translate(TOOL, &names, Purpose::Run);
            if entries.is_empty() && !names.is_empty() {
                let message = "none of the included rules has a counterpart, so all rules run";
                self.note(ids.span, message.to_owned());
            }
            self.imported.include.extend(entries);
        }
        let Some(severities) = section.get("severity") else { return };
        match (section.get("ids"), numbers(severities).as_slice()) {
            (None, [1]) => self.least(Severity::High, severities),
            (None, [1, 2]) => self.least(Severity::Medium, severities),
            (None, [1, 2, 3]) => {}
            (Some(_), _) => {
                let message = "rules are included either by ID or by severity; `severity` is not imported";
                self.note(severities.span, message.to_owned());
            }
            _ => self.note_severities(severities),
        }
    }

    fn exclusions(&mut self, section: &Object) {
        if let Some(ids) = section.get("ids") {
            let names = self.names(ids);
            let entries = self.translate(TOOL, &names, Purpose::Skip);
            self.imported.exclude.extend(entries);
        }
        let Some(severities) = section.get("severity") else { return };
        match numbers(severities).as_slice() {
            [] => {}
            [3] => self.least(Severity::Medium, severities),
            [2, 3] => self.least(Severity::High, severities),
            _ => self.note_severities(severities),
        }
    }

    fn least(&mut self, severity: Severity, value: &Value) {
        let name = value.span.map_or_else(String::new, |span| self.sources.get(span.file).name().to_string());
        self.imported.min_severity =
            Some(ImportedValue { value: severity.as_str().to_owned(), comment: format!("the severities of {name}") });
    }

    fn note_severities(&mut self, value: &Value) {
        let message = "only a least severity can be imported, as `min-severity`; these severities are not one";
        self.note(value.span, message.to_owned());
    }

    fn severity_override(&mut self, member: &Member) {
        let (Some(span), Some(severity)) = (member.key_span, severity(&member.value)) else {
            self.note(member.value.span, format!("expected `1`, `2`, or `3` as the severity of `{}`", member.key));
            return;
        };
        let named = ToolRuleId { id: member.key.to_string(), span };
        self.set_severity(TOOL, named, severity);
    }

    /// Sets the severity of the rules for one of another tool. If several differ, the highest one is used.
    pub(super) fn set_severity(&mut self, tool: Tool, named: ToolRuleId, severity: Severity) {
        let span = named.span;
        for entry in self.translate(tool, &[named], Purpose::Run) {
            match self.imported.severities.iter_mut().find(|(other, _)| other.value == entry.value) {
                None => self.imported.severities.push((entry, severity)),
                Some((other, set)) => {
                    *set = (*set).min(severity);
                    other.comment = format!("{}, {}", other.comment, entry.comment);
                    let message = format!("`{}` has other severities already; the highest one is used", entry.value);
                    self.note(Some(span), message);
                }
            }
        }
    }
}

fn is_known(key: &str) -> bool {
    SECTIONS.iter().any(|section| section.eq_ignore_ascii_case(key)) || key == "$schema"
}

/// Returns the numbers of a list, or a single number, in ascending order.
fn numbers(value: &Value) -> Vec<i64> {
    let items = value.as_array().unwrap_or_else(|| std::slice::from_ref(value));
    let mut numbers: Vec<i64> = items.iter().filter_map(Value::as_int).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Converts a severity of Template Analyzer. 1 is the highest.
fn severity(value: &Value) -> Option<Severity> {
    match value.as_int()? {
        1 => Some(Severity::High),
        2 => Some(Severity::Medium),
        3 => Some(Severity::Low),
        _ => None,
    }
}
