//! `ps-rule.yaml`: the rules that run, and the findings that are accepted. Checks read `configuration` and
//! `input.pathIgnore`
//! from there themselves.

use crate::diagnostic::Severity;
use crate::migrate::{ImportedSuppression, Importer, ToolRuleId};
use crate::rules::counterparts::{Purpose, Tool};
use crate::text::FileId;
use crate::value::{Member, Value};

const TOOL: Tool = Tool::PsRule;

/// Levels of `override.level`, with the severities of formwork.
const LEVELS: [(&str, Severity); 3] =
    [("Error", Severity::High), ("Warning", Severity::Medium), ("Information", Severity::Low)];

impl Importer<'_> {
    /// Imports the options of `PSRule`. `is_key` returns whether a check reads a key of `configuration`.
    pub(crate) fn ps_rule(&mut self, file: FileId, is_key: impl Fn(&str) -> bool) {
        let Some(value) = self.parse(file, false) else { return };
        let mut others = Vec::new();
        for member in value.as_object().into_iter().flatten() {
            match &*member.key {
                "configuration" => self.configuration(&member.value, &is_key),
                "input" => self.input(&member.value),
                "rule" => self.rule(&member.value),
                "suppression" => self.suppressions(&member.value),
                "override" => self.overrides(&member.value),
                _ => others.push(member),
            }
        }
        self.note_keys(&others, TOOL);
    }

    fn configuration(&mut self, value: &Value, is_key: &impl Fn(&str) -> bool) {
        let unknown: Vec<&Member> =
            value.as_object().into_iter().flatten().filter(|member| !is_key(&member.key)).collect();
        self.note_keys(&unknown, TOOL);
    }

    fn input(&mut self, value: &Value) {
        let others: Vec<&Member> =
            value.as_object().into_iter().flatten().filter(|member| &*member.key != "pathIgnore").collect();
        self.note_keys(&others, TOOL);
    }

    /// Imports `rule`, from the options or a baseline.
    pub(super) fn rule(&mut self, value: &Value) {
        let mut others = Vec::new();
        for member in value.as_object().into_iter().flatten() {
            match &*member.key {
                "include" => {
                    let names = self.names(&member.value);
                    let entries = self.translate(TOOL, &names, Purpose::Run);
                    if entries.is_empty() && !names.is_empty() {
                        let message = "none of the included rules has a counterpart, so all rules run";
                        self.note(member.value.span, message.to_owned());
                    }
                    self.imported.include.extend(entries);
                }
                "exclude" => {
                    let names = self.names(&member.value);
                    let entries = self.translate(TOOL, &names, Purpose::Skip);
                    self.imported.exclude.extend(entries);
                }
                "baseline" => self.chosen = member.value.as_str().map(str::to_owned),
                _ => others.push(member),
            }
        }
        self.note_keys(&others, TOOL);
    }

    /// Imports `suppression`, which lists the names of resources for each rule.
    fn suppressions(&mut self, value: &Value) {
        for member in value.as_object().into_iter().flatten() {
            let Some(span) = member.key_span else { continue };
            let targets = member.value.get("targetName").unwrap_or(&member.value);
            let names: Vec<String> = self.names(targets).into_iter().map(|name| name.id).collect();
            let named = ToolRuleId { id: member.key.to_string(), span };
            let entries = self.translate(TOOL, std::slice::from_ref(&named), Purpose::SkipOnResource);
            if entries.is_empty() || names.is_empty() {
                continue;
            }
            let file = self.sources.get(span.file).name().to_string();
            self.imported.suppressions.push(ImportedSuppression {
                rules: entries.into_iter().map(|entry| entry.value).collect(),
                names,
                reason: self.remark(span).unwrap_or_else(|| format!("suppressed in {file}")),
                comment: format!("{} of {file}", member.key),
                ..ImportedSuppression::default()
            });
        }
    }

    /// Imports `override.level`, which sets levels by rule.
    pub(super) fn overrides(&mut self, value: &Value) {
        let mut others = Vec::new();
        for member in value.as_object().into_iter().flatten() {
            if &*member.key != "level" {
                others.push(member);
                continue;
            }
            for entry in member.value.as_object().into_iter().flatten() {
                let level = entry.value.as_str().unwrap_or_default();
                let severity = LEVELS.iter().find(|(word, _)| word.eq_ignore_ascii_case(level));
                match (severity, entry.key_span) {
                    (Some(&(_, severity)), Some(span)) => {
                        self.set_severity(TOOL, ToolRuleId { id: entry.key.to_string(), span }, severity);
                    }
                    _ => self.note(entry.value.span, format!("`{level}` is not a level of PSRule")),
                }
            }
        }
        self.note_keys(&others, TOOL);
    }
}
