//! Metadata in the comments above a rule.
//!
//! The keys are those of Guard 1.0 (`id`, `severity`, `summary`, and so on), and `report: false` for a rule that is
//! only a part of others. The header of the AWS Guard Rules Registry counts, too: `Rule Identifier:` and
//! `Description:`, each with its text on the following lines.

use crate::diagnostic::{Diagnostic, RuleInfo};
use crate::guard::{Fault, Metadata, Piece};
use crate::guard3::ast::{NamedRule, RulesFile};
use crate::rule_fix::RuleFix;

/// Comments of a rule.
#[derive(Debug)]
pub(super) struct Header<'t> {
    metadata: Metadata<'t>,
    /// Identifier in the header of the registry.
    identifier: Option<String>,
    description: Option<String>,
    /// True if a failure of the rule is not a finding.
    pub(super) is_silent: bool,
}

/// The comments of a file.
pub(super) struct Headers<'f, 't> {
    file: &'f RulesFile,
    lines: Vec<Piece<'t>>,
    /// Offsets of the statements of the file, in order, and whether each is an assignment.
    statements: Vec<(u32, bool)>,
}

impl<'f, 't> Headers<'f, 't> {
    pub(super) fn new(text: &'t str, file: &'f RulesFile) -> Self {
        let rules = file.rules.iter().map(|rule| rule.place).chain(file.parameterized.iter().map(|rule| rule.place));
        let rules = rules.map(|place| (place.start, false));
        let lets = file.lets.iter().map(|assignment| (assignment.place.start, true));
        let mut statements: Vec<(u32, bool)> = rules.chain(lets).collect();
        statements.sort_unstable();
        Self { file, lines: Piece::whole(text).lines().map(|(_, line)| line).collect(), statements }
    }

    /// Reads the comments of a rule, and adds their problems.
    pub(super) fn read(&self, rule: &NamedRule, problems: &mut Vec<Diagnostic>) -> Header<'t> {
        let comments = self.comments(rule);
        let is_silent = comments.iter().any(|comment| comment.text == "report: false");
        let identifier = below(&comments, "Rule Identifier:");
        let description = below(&comments, "Description:");
        let of_metadata = comments.into_iter().filter(|comment| comment.text != "report: false");
        // The header of the registry is for people, and has lines that look like metadata.
        let of_metadata: Vec<Piece<'t>> = if identifier.is_some() { Vec::new() } else { of_metadata.collect() };
        let mut faults: Vec<Fault<'t>> = Vec::new();
        let metadata = Metadata::new(&of_metadata, &mut faults);
        problems.extend(faults.into_iter().map(|fault| fault.into_diagnostic(self.file.file)));
        Header { metadata, identifier, description, is_silent }
    }

    /// Returns the comments right above a rule or above the assignments right before it; in a file with one rule,
    /// otherwise the first comments.
    fn comments(&self, rule: &NamedRule) -> Vec<Piece<'t>> {
        let mut comments = self.above(rule.place.start);
        let before = self.statements.partition_point(|(start, _)| *start < rule.place.start);
        let before = self.statements.get(..before).unwrap_or_default();
        let mut assignments = before.iter().rev().take_while(|(_, is_assignment)| *is_assignment);
        while comments.is_empty()
            && let Some((start, _)) = assignments.next()
        {
            comments = self.above(*start);
        }
        if self.file.rules.len() + self.file.parameterized.len() == 1 {
            let first = self.lines.iter().position(|line| line.text.trim_start().starts_with('#')).unwrap_or(0);
            let of_file: Vec<Piece<'t>> = self.lines.iter().skip(first).map_while(|line| comment(*line)).collect();
            let is_header = of_file.iter().any(|comment| comment.text == "Rule Identifier:");
            if is_header || comments.is_empty() {
                return of_file;
            }
        }
        comments
    }

    /// Returns the comments right above the line of an offset, in order.
    fn above(&self, at: u32) -> Vec<Piece<'t>> {
        let line = self.lines.partition_point(|line| line.start <= at as usize).saturating_sub(1);
        let before = self.lines.get(..line).unwrap_or_default();
        let mut comments: Vec<Piece<'t>> = before.iter().rev().map_while(|line| comment(*line)).collect();
        comments.reverse();
        comments
    }
}

impl Header<'_> {
    /// Applies the comments to the defaults of a rule. Returns the declared fixes.
    pub(super) fn describe(&self, info: &mut RuleInfo) -> Vec<RuleFix> {
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

/// Returns the text of a comment line.
fn comment(line: Piece<'_>) -> Option<Piece<'_>> {
    let line = line.trim();
    let (mark, text) = line.split_at(1);
    (mark.text == "#").then(|| text.trim())
}

/// Returns the text in the lines after a heading.
fn below(comments: &[Piece<'_>], heading: &str) -> Option<String> {
    let at = comments.iter().position(|comment| comment.text == heading)?;
    let lines =
        comments.iter().skip(at + 1).take_while(|comment| !comment.text.is_empty() && !comment.text.ends_with(':'));
    let text = lines.map(|comment| comment.text).collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}
