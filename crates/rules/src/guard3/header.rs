//! What the comments above a rule say of it.
//!
//! The keys are those of Guard 1.0 (`id`, `severity`, `summary`, and so on), and `report: false` for a rule that is only a
//! part of others. The header of the AWS Guard Rules Registry counts, too: `Rule Identifier:` and `Description:`, each with
//! its text on the following lines.

use crate::diagnostic::{Diagnostic, RuleInfo};
use crate::guard::{Fault, Metadata, Piece};
use crate::guard3::ast::{NamedRule, RulesFile};
use crate::mend::Mend;

/// The comments of a rule.
#[derive(Debug)]
pub(super) struct Header<'t> {
    metadata: Metadata<'t>,
    /// What the header of the registry says.
    identifier: Option<String>,
    description: Option<String>,
    /// Whether a failure of the rule is no finding.
    pub(super) is_silent: bool,
}

impl<'t> Header<'t> {
    pub(super) fn new(text: &'t str, file: &RulesFile, rule: &NamedRule, problems: &mut Vec<Diagnostic>) -> Self {
        let lines: Vec<Piece<'t>> = Piece::whole(text).lines().map(|(_, line)| line).collect();
        let comments = comments(&lines, file, rule);
        let is_silent = comments.iter().any(|comment| comment.text == "report: false");
        let identifier = below(&comments, "Rule Identifier:");
        let description = below(&comments, "Description:");
        let of_metadata = comments.into_iter().filter(|comment| comment.text != "report: false");
        // The header of the registry is for people, and has lines that look like metadata.
        let of_metadata: Vec<Piece<'t>> = if identifier.is_some() { Vec::new() } else { of_metadata.collect() };
        let mut faults: Vec<Fault<'t>> = Vec::new();
        let metadata = Metadata::new(&of_metadata, &mut faults);
        problems.extend(faults.into_iter().map(|fault| fault.into_diagnostic(file.file)));
        Self { metadata, identifier, description, is_silent }
    }

    /// Overrides the defaults of a rule. Returns the fixes that it declares.
    pub(super) fn describe(&self, info: &mut RuleInfo) -> Vec<Mend> {
        if let Some(identifier) = &self.identifier {
            info.name.clone_from(identifier);
        }
        if let Some(description) = &self.description {
            info.short_description.clone_from(description);
        }
        let fixes = self.metadata.describe(info);
        if info.full_description.is_empty() {
            info.full_description.clone_from(&info.short_description);
        }
        fixes
    }
}

/// The comments right above a rule, or above the assignments right before it; in a file with one rule, else the first ones.
fn comments<'t>(lines: &[Piece<'t>], file: &RulesFile, rule: &NamedRule) -> Vec<Piece<'t>> {
    let line_of = |at: u32| lines.iter().rposition(|line| line.start <= at as usize).unwrap_or(0);
    let mut line = line_of(rule.place.start);
    let mut comments = above(lines, line);
    for assignment in file.lets.iter().rev().filter(|assignment| assignment.place.start < rule.place.start) {
        let own = line_of(assignment.place.start);
        let is_between = file
            .rules
            .iter()
            .any(|other| other.place.start > assignment.place.start && other.place.start < rule.place.start);
        if !comments.is_empty() || is_between || own > line {
            break;
        }
        line = own;
        comments = above(lines, line);
    }
    if file.rules.len() + file.parameterized.len() == 1 {
        let first = lines.iter().position(|line| line.text.trim_start().starts_with('#')).unwrap_or(0);
        let of_file: Vec<Piece<'t>> = lines.iter().skip(first).map_while(|line| comment(*line)).collect();
        let is_header = of_file.iter().any(|comment| comment.text == "Rule Identifier:");
        if is_header || comments.is_empty() {
            return of_file;
        }
    }
    comments
}

/// The comments in the lines right above a line, in the order of the text.
fn above<'t>(lines: &[Piece<'t>], line: usize) -> Vec<Piece<'t>> {
    let before = lines.get(..line).unwrap_or_default();
    let mut comments: Vec<Piece<'t>> = before.iter().rev().map_while(|line| comment(*line)).collect();
    comments.reverse();
    comments
}

/// The text of a line that is a comment.
fn comment(line: Piece<'_>) -> Option<Piece<'_>> {
    let line = line.trim();
    let (mark, text) = line.split_at(1);
    (mark.text == "#").then(|| text.trim())
}

/// The text in the lines after a heading.
fn below(comments: &[Piece<'_>], heading: &str) -> Option<String> {
    let at = comments.iter().position(|comment| comment.text == heading)?;
    let lines =
        comments.iter().skip(at + 1).take_while(|comment| !comment.text.is_empty() && !comment.text.ends_with(':'));
    let text = lines.map(|comment| comment.text).collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}
