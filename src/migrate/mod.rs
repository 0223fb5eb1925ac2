//! Settings of other tools, in the terms of formwork: what `formwork init` writes into `formwork.yaml`.
//!
//! Only decisions are imported: which rules run, which findings are accepted, and what fails a check. Each that has no
//! counterpart becomes a note where it is written. Facts about the target environment in `ps-rule.yaml` are not imported,
//! because every check reads them from there.

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

/// What the settings of other tools say, in our terms.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// The rules that run, if there are any.
    pub(crate) include: Vec<Entry>,
    /// The rules that do not run.
    pub(crate) exclude: Vec<Entry>,
    /// The severities of rules.
    pub(crate) severities: Vec<(Entry, Severity)>,
    /// Globs of the files that are not checked.
    pub(crate) excluded_paths: Vec<Entry>,
    /// The findings that are accepted.
    pub(crate) suppressions: Vec<Accepted>,
    /// The least severity that is reported.
    pub(crate) min_severity: Option<Entry>,
    /// The least severity that fails a check, or `never`.
    pub(crate) fail_on: Option<Entry>,
    /// What has no counterpart, and what was changed on the way.
    pub(crate) notes: Vec<Diagnostic>,
}

/// A value, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) value: String,
    /// What the other tool calls it, in which file, and what its author wrote beside it.
    pub(crate) comment: String,
}

/// Findings that are accepted. A list that is empty does not restrict them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accepted {
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
    /// How deep values may be nested.
    nesting: u32,
    imported: Imported,
    /// The baselines of `PSRule` that were found.
    baselines: Vec<resources::Baseline>,
    /// The name of the baseline that `ps-rule.yaml` asks for.
    chosen: Option<String>,
}

/// An ID of another tool, where it stands.
#[derive(Clone, Debug)]
struct Named {
    id: String,
    span: Span,
}

impl<'a> Importer<'a> {
    pub(crate) fn new(sources: &'a Sources, nesting: u32) -> Self {
        Self { sources, nesting, imported: Imported::default(), baselines: Vec::new(), chosen: None }
    }

    /// What all files say together.
    pub(crate) fn finish(mut self) -> Imported {
        self.import_baselines();
        let Imported { include, exclude, excluded_paths, .. } = &mut self.imported;
        for entries in [include, exclude, excluded_paths] {
            entries.sort_by(|a, b| a.value.cmp(&b.value));
            entries.dedup_by(|later, earlier| later.value == earlier.value);
        }
        self.imported
    }

    /// The parsed text of a file. Problems with its syntax are passed on.
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

    /// One note for all keys of an object that do not concern findings.
    fn note_keys(&mut self, members: &[&Member], tool: Tool) {
        let Some(first) = members.first() else { return };
        let names: Vec<String> = members.iter().map(|member| format!("`{}`", member.key)).collect();
        let verbs = if members.len() == 1 { "has no counterpart and is" } else { "have no counterparts and are" };
        let message = format!("{} of {} {verbs} not imported", names.join(", "), tool.name());
        self.note(first.key_span.or(first.value.span), message);
    }

    /// The strings of a list, or a single string, that may list several between commas.
    fn names(&mut self, value: &Value) -> Vec<Named> {
        let items = value.as_array().unwrap_or_else(|| std::slice::from_ref(value));
        let mut names = Vec::new();
        for item in items {
            let Some((text, span)) = item.as_str().zip(item.span) else {
                self.note(item.span, "expected the ID of a rule".to_owned());
                continue;
            };
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            names.extend(parts.map(|part| Named { id: part.to_owned(), span }));
        }
        names
    }

    /// Our rules for those of a tool, with a note about each that has none.
    fn translate(&mut self, tool: Tool, names: &[Named], purpose: Purpose) -> Vec<Entry> {
        let ids: Vec<&str> = names.iter().map(|name| name.id.as_str()).collect();
        let ours = counterparts::ours(&ids, purpose);
        let unknown: Vec<&Named> =
            names.iter().enumerate().filter(|(at, _)| !ours.knows(*at)).map(|(_, name)| name).collect();
        self.note_unknown(tool, &unknown);
        self.note_narrower(&ours, names);
        let entry = |(rule, theirs): &(&str, Vec<usize>)| Entry {
            value: (*rule).to_owned(),
            comment: self.comment(theirs.iter().filter_map(|at| names.get(*at))),
        };
        ours.rules.iter().map(entry).collect()
    }

    /// One note for the rules of a list that have no counterpart: a list may have hundreds.
    fn note_unknown(&mut self, tool: Tool, names: &[&Named]) {
        let Some(first) = names.first() else { return };
        let ids: Vec<String> = names.iter().map(|name| format!("`{}`", name.id)).collect();
        let verb = if ids.len() == 1 { "has no counterpart" } else { "have no counterparts" };
        let message = format!("{} of {} {verb}", ids.join(", "), tool.name());
        self.note(Some(first.span), message);
    }

    /// Says which of our rules keep running, because they find more than what is skipped.
    fn note_narrower(&mut self, ours: &Ours, names: &[Named]) {
        for (rule, theirs) in &ours.narrower {
            let named: Vec<&Named> = theirs.iter().filter_map(|at| names.get(*at)).collect();
            let ids: Vec<String> = named.iter().map(|name| format!("`{}`", name.id)).collect();
            let message =
                format!("{} finds only a part of what `{rule}` finds, so `{rule}` still runs", ids.join(" or "));
            self.note(named.first().map(|name| name.span), message);
        }
    }

    /// Where names are written, and the comments beside them.
    fn comment<'n>(&self, names: impl Iterator<Item = &'n Named>) -> String {
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

    /// The severity from which a check fails, as a member of a file says.
    fn fail_on(&mut self, word: &str, member: &Member) {
        let Some(span) = member.key_span.or(member.value.span) else { return };
        let comment = self.comment(std::iter::once(&Named { id: member.key.to_string(), span }));
        self.imported.fail_on = Some(Entry { value: word.to_owned(), comment });
    }

    /// The comment at the end of the line of a value.
    fn remark(&self, span: Span) -> Option<String> {
        let source = self.sources.get(span.file);
        let line = source.line(source.position(span.end).line)?;
        let (_, remark) = line.split_once(" #")?;
        Some(remark.trim().to_owned()).filter(|remark| !remark.is_empty())
    }
}
