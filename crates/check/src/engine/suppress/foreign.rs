//! Suppressions that are written for other tools: what they mean for our rules.

use crate::diagnostic::{Code, Diagnostic, RulePattern, Suppression, SuppressionKind};
use crate::engine::enclosing::Enclosing;
use crate::engine::suppress::Context;
use crate::model::ResourceId;
use crate::rules::counterparts::{self, Purpose};
use crate::text::{FileId, Source, Span};

/// Common ending of [`PREFIXES`].
pub(super) const SKIP: &str = ":skip=";

/// Starts of comments for checkov, under its names of the years.
const PREFIXES: [&str; 3] = ["checkov:skip=", "bridgecrew:skip=", "cortex:skip="];

/// Returns `true` if a text may have comments for other tools.
pub(super) fn may_have_comments(text: &str) -> bool {
    text.contains(SKIP) && PREFIXES.iter().any(|prefix| text.contains(prefix))
}

/// Reads a comment `checkov:skip=ID[,ID]:reason` at `start` in its file. `None` if it is not one.
pub(super) fn comment(comment: &str, file: FileId, start: usize) -> Option<Suppression> {
    let prefix = PREFIXES.iter().find(|prefix| comment.contains(**prefix))?;
    let (before, rest) = comment.split_once(prefix)?;
    let line = rest.lines().next()?.trim_end().trim_end_matches("*/");
    let list = line.trim_start_matches(' ');
    let is_of_list = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ',');
    let (ids, after) = list.split_at_checked(list.find(|c: char| !is_of_list(c)).unwrap_or(list.len()))?;
    let span = |part: &str| {
        let from = start + (part.as_ptr() as usize).saturating_sub(comment.as_ptr() as usize);
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span::new(file, offset(from), offset(from + part.len()))
    };
    let named = ids.split(',').filter(|id| !id.is_empty());
    let rules: Vec<RulePattern> = named.map(|id| RulePattern { text: id.to_owned(), span: span(id) }).collect();
    let place = span(comment.get(before.len()..)?);
    let reason = after.strip_prefix(':').map(str::trim).filter(|reason| !reason.is_empty());
    (!rules.is_empty()).then(|| Suppression {
        kind: SuppressionKind::Comment,
        rules,
        reason: reason.map(str::to_owned),
        until: None,
        place,
        is_foreign: true,
    })
}

/// Adds our rules to those that a suppression for another tool names. Returns the names that mean none of ours.
pub(super) fn translate(suppression: &mut Suppression, context: &Context<'_>) -> Vec<RulePattern> {
    let (mut ours, mut unknown) = (Vec::new(), Vec::new());
    for pattern in &suppression.rules {
        let found = counterparts::ours(&[pattern.text.as_str()], Purpose::SkipOnResource);
        if found.rules.is_empty() && !context.suppressing.known.has(pattern) {
            unknown.push(pattern.clone());
        }
        let rules = found.rules.into_iter();
        ours.extend(rules.map(|(rule, _)| RulePattern { text: rule.to_owned(), span: pattern.span }));
    }
    suppression.rules.extend(ours);
    unknown
}

/// Returns a single note about the names in a file that mean none of formwork's rules.
pub(super) fn note(unknown: &[RulePattern]) -> Option<Diagnostic> {
    let first = unknown.first()?;
    let mut names: Vec<String> = unknown.iter().map(|pattern| format!("`{}`", pattern.text)).collect();
    names.sort();
    names.dedup();
    let verb = if names.len() == 1 { "has no counterpart and suppresses" } else { "have no counterparts and suppress" };
    Some(Diagnostic::new(Code::ConfigNotImported, first.span, format!("{} {verb} nothing here", names.join(", "))))
}

/// The blocks of a file that comments for checkov may be about.
pub(super) struct Blocks<'a> {
    source: &'a Source,
    around: Enclosing,
    /// All of them, ordered by end, with the indentations of their first lines.
    by_end: Vec<(Span, usize)>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(blocks: &[Span], source: &'a Source) -> Self {
        let indentation = |block: &Span| source.line(source.position(block.start).line).map_or(0, indentation);
        let mut by_end: Vec<(Span, usize)> = blocks.iter().map(|block| (*block, indentation(block))).collect();
        by_end.sort_by_key(|(block, _)| (block.end, block.start));
        Self { source, around: Enclosing::from_spans(by_end.iter().map(|(block, _)| *block)), by_end }
    }

    /// Returns the block that a comment is about: the innermost one around it. In YAML, a comment after the last line
    /// of a block belongs to it as long as it is indented more than what follows. `next` is the first line after a line
    /// that has more than comments.
    pub(super) fn block_around(
        &self,
        comment: &std::ops::Range<usize>,
        next: impl FnOnce(u32) -> Option<u32>,
    ) -> Option<Span> {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (first, _) = self.by_end.first()?;
        let text = Span::new(first.file, offset(comment.start), offset(comment.end));
        if let Some(ResourceId(inner)) = self.around.innermost(text) {
            return self.by_end.get(inner).map(|(block, _)| *block);
        }
        let line = self.source.position(text.start).line;
        let own = self.source.line(line).filter(|line| line.trim_start().starts_with('#')).map(indentation)?;
        let next = next(line).and_then(|line| self.source.line(line));
        let is_deeper = next.is_none_or(|next| own > indentation(next));
        let before = self.by_end.partition_point(|(block, _)| block.end <= text.start);
        let mut before = self.by_end.get(..before).unwrap_or_default().iter().rev();
        before.find(|(_, column)| *column < own).map(|(block, _)| *block).filter(|_| is_deeper)
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = comment(text, Sources::new().add("a", ""), 0).map(|it| {
            for rule in &it.rules {
                assert_eq!(&text[rule.span.start as usize..rule.span.end as usize], rule.text);
            }
            let rules: Vec<&str> = it.rules.iter().map(|rule| rule.text.as_str()).collect();
            format!("{}: {}", rules.join("+"), it.reason.as_deref().unwrap_or("-"))
        });
        assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{text}");
    }

    #[test]
    fn comments_for_checkov_are_read_as_checkov_reads_them() {
        check("// checkov:skip=CKV_AZURE_3:legacy clients", "CKV_AZURE_3: legacy clients");
        check("#checkov:skip= CKV_AZURE_3,CKV_AZURE_44 : x", "CKV_AZURE_3+CKV_AZURE_44: -");
        check("# bridgecrew:skip=CKV_AWS_18", "CKV_AWS_18: -");
        check("/* cortex:skip=CKV_AWS_18:why */", "CKV_AWS_18: why");
        check("# see checkov:skip=CKV_AWS_18:a: b", "CKV_AWS_18: a: b");
        for other in ["# checkov:skip=", "# checkov:skip=:why", "# checkov: skip", "# checkov:skip CKV_AWS_18"] {
            check(other, "nothing");
        }
    }

    #[test]
    fn a_comment_is_about_the_block_around_it() {
        let text = "R:\n  A:\n    x: 1\n    # of A\n\n  # of B\n  B:\n    # in B\n    y: 1\n    # end of B\n";
        let sources = Sources::new();
        let file = sources.add("a", text);
        let at = |needle: &str| text.find(needle).unwrap();
        let span = |from: usize, to: usize| Span::new(file, u32::try_from(from).unwrap(), u32::try_from(to).unwrap());
        let (a, b) = (span(at("A:"), at("\n    # of A")), span(at("B:\n"), at("\n    # end")));
        let source = sources.get(file);
        let blocks = Blocks::new(&[a, b], &source);
        let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let next = |after: u32| {
            let rest = text.lines().skip(after as usize);
            rest.zip(after + 1..).find(|(line, _)| is_content(line)).map(|(_, number)| number)
        };
        let find = |comment: &str| blocks.block_around(&(at(comment)..at(comment) + comment.len()), next);
        assert_eq!(find("# of A"), Some(a));
        assert_eq!(find("# of B"), None);
        assert_eq!(find("# in B"), Some(b));
        assert_eq!(find("# end of B"), Some(b));
    }
}
