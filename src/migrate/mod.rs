//! Converts settings of other tools to those of formwork, for `formwork init`.
//!
//! Only decisions are imported: the rules that run, the findings that are accepted, and the severity that fails a
//! check. A setting without a counterpart results in a note at its location. Assumptions about the environment in
//! `ps-rule.yaml` are not imported, because every check reads them there.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod cfn_lint;
mod checkov;
mod conditions;
mod ps_rule;
mod resources;
mod template_analyzer;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::rules::counterparts::{self, Ours, Purpose, Tool};
use crate::syntax;
use crate::text::{FileId, Sources, Span};
use crate::value::{Member, Value};

/// Settings of other tools, converted to those of formwork.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// The rules that run. Empty if all run.
    pub(crate) include: Vec<ImportedValue>,
    /// The rules that do not run.
    pub(crate) exclude: Vec<ImportedValue>,
    /// The severities of rules.
    pub(crate) severities: Vec<(ImportedValue, Severity)>,
    /// Globs of the files that are not checked.
    pub(crate) excluded_paths: Vec<ImportedValue>,
    /// The findings that are accepted.
    pub(crate) suppressions: Vec<ImportedSuppression>,
    /// The least severity that is reported.
    pub(crate) min_severity: Option<ImportedValue>,
    /// The least severity that fails a check, or `never`.
    pub(crate) fail_on: Option<ImportedValue>,
    /// Notes on settings that have no counterpart or were changed.
    pub(crate) notes: Vec<Diagnostic>,
}

/// A value, and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportedValue {
    pub(crate) value: String,
    /// The name in the other tool, the file, and the comment of its author.
    pub(crate) comment: String,
}

/// Findings that are accepted. An empty list does not restrict them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImportedSuppression {
    pub(crate) rules: Vec<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) reason: String,
    /// The last day, as `2027-01-31`.
    pub(crate) until: Option<String>,
    pub(crate) comment: String,
}

/// Imports files, one after the other.
#[derive(Debug)]
pub(crate) struct Importer<'a> {
    sources: &'a Sources,
    /// Maximum nesting of values.
    nesting: u32,
    imported: Imported,
    /// The baselines of `PSRule` in the imported files.
    baselines: Vec<resources::PsRuleBaseline>,
    /// The name of the baseline that `ps-rule.yaml` selects.
    chosen: Option<String>,
}

/// An ID of another tool, with its position.
#[derive(Clone, Debug)]
struct ToolRuleId {
    id: String,
    span: Span,
}

impl<'a> Importer<'a> {
    pub(crate) fn new(sources: &'a Sources, nesting: u32) -> Self {
        Self { sources, nesting, imported: Imported::default(), baselines: Vec::new(), chosen: None }
    }

    /// Returns the settings of all files.
    pub(crate) fn finish(mut self) -> Imported {
        self.import_baselines();
        let Imported { include, exclude, excluded_paths, .. } = &mut self.imported;
        for entries in [include, exclude, excluded_paths] {
            entries.sort_by(|a, b| a.value.cmp(&b.value));
            entries.dedup_by(|later, earlier| later.value == earlier.value);
        }
        self.imported
    }

    /// Parses a file. Syntax errors are added to the notes.
    fn parse(&mut self, file: FileId, is_json: bool) -> Option<Value> {
        let source = self.sources.get(file);
        let read = if is_json { syntax::json::parse } else { syntax::yaml::parse };
        let parsed = read(file, source.text(), self.nesting);
        self.imported.notes.extend(parsed.diagnostics);
        parsed.value.filter(|value| !value.is_null())
    }

    /// Adds a problem with a file that cannot be imported.
    pub(crate) fn add_note(&mut self, problem: Diagnostic) {
        self.imported.notes.push(problem);
    }

    fn note(&mut self, span: Option<Span>, message: String) {
        if let Some(span) = span {
            self.imported.notes.push(Diagnostic::new(Code::ConfigNotImported, span, message));
        }
    }

    /// Adds one note for all keys of an object that do not concern findings.
    fn note_keys(&mut self, members: &[&Member], tool: Tool) {
        let Some(first) = members.first() else { return };
        let names: Vec<String> = members.iter().map(|member| format!("`{}`", member.key)).collect();
        let verbs = if members.len() == 1 { "has no counterpart and is" } else { "have no counterparts and are" };
        let message = format!("{} of {} {verbs} not imported", names.join(", "), tool.name());
        self.note(first.key_span.or(first.value.span), message);
    }

    /// Returns the strings of a list, or of a single string. Each may contain several, separated by commas.
    fn names(&mut self, value: &Value) -> Vec<ToolRuleId> {
        let items = value.as_array().unwrap_or_else(|| std::slice::from_ref(value));
        let mut names = Vec::new();
        for item in items {
            let Some((text, span)) = item.as_str().zip(item.span) else {
                self.note(item.span, "expected the ID of a rule".to_owned());
                continue;
            };
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            names.extend(parts.map(|part| ToolRuleId { id: part.to_owned(), span }));
        }
        names
    }

    /// Returns the rules of formwork for those of a tool. Adds a note about rules without a counterpart.
    fn translate(&mut self, tool: Tool, names: &[ToolRuleId], purpose: Purpose) -> Vec<ImportedValue> {
        let ids: Vec<&str> = names.iter().map(|name| name.id.as_str()).collect();
        let ours = counterparts::ours(&ids, purpose);
        let unknown: Vec<&ToolRuleId> =
            names.iter().enumerate().filter(|(at, _)| !ours.knows(*at)).map(|(_, name)| name).collect();
        self.note_unknown(tool, &unknown);
        self.note_narrower(&ours, names);
        let entry = |(rule, theirs): &(&str, Vec<usize>)| ImportedValue {
            value: (*rule).to_owned(),
            comment: self.comment(theirs.iter().filter_map(|at| names.get(*at))),
        };
        ours.rules.iter().map(entry).collect()
    }

    /// Adds one note for all rules of a list without a counterpart. A list may have hundreds.
    fn note_unknown(&mut self, tool: Tool, names: &[&ToolRuleId]) {
        let Some(first) = names.first() else { return };
        let ids: Vec<String> = names.iter().map(|name| format!("`{}`", name.id)).collect();
        let verb = if ids.len() == 1 { "has no counterpart" } else { "have no counterparts" };
        let message = format!("{} of {} {verb}", ids.join(", "), tool.name());
        self.note(Some(first.span), message);
    }

    /// Adds notes on rules that still run, because they find more than the skipped rules.
    fn note_narrower(&mut self, ours: &Ours, names: &[ToolRuleId]) {
        for (rule, theirs) in &ours.narrower {
            let named: Vec<&ToolRuleId> = theirs.iter().filter_map(|at| names.get(*at)).collect();
            let ids: Vec<String> = named.iter().map(|name| format!("`{}`", name.id)).collect();
            let message =
                format!("{} finds only a part of what `{rule}` finds, so `{rule}` still runs", ids.join(" or "));
            self.note(named.first().map(|name| name.span), message);
        }
    }

    /// Returns the names with their file, and the comments beside them.
    fn comment<'n>(&self, names: impl Iterator<Item = &'n ToolRuleId>) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut remarks: Vec<String> = Vec::new();
        let mut file = None;
        for name in names {
            parts.push(name.id.clone());
            file = Some(name.span.file);
            remarks.extend(self.remark(name.span));
        }
        parts.dedup();
        let of = file.map_or_else(String::new, |file| format!(" of {}", self.sources.get(file).name()));
        let remarks = if remarks.is_empty() { String::new() } else { format!(": {}", remarks.join("; ")) };
        format!("{}{of}{remarks}", parts.join(", "))
    }

    /// Imports a member of a file as the least severity that fails a check.
    fn fail_on(&mut self, word: &str, member: &Member) {
        let Some(span) = member.key_span.or(member.value.span) else { return };
        let comment = self.comment(std::iter::once(&ToolRuleId { id: member.key.to_string(), span }));
        self.imported.fail_on = Some(ImportedValue { value: word.to_owned(), comment });
    }

    /// Returns the comment at the end of the line of a value.
    fn remark(&self, span: Span) -> Option<String> {
        let source = self.sources.get(span.file);
        let line = source.line(source.position(span.end).line)?;
        let (_, remark) = line.split_once(" #")?;
        Some(remark.trim().to_owned()).filter(|remark| !remark.is_empty())
    }
}
