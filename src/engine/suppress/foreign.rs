//! Suppressions that are written for other tools: what they mean for our rules.

use crate::diagnostic::{Code, Diagnostic, RulePattern, Suppression, SuppressionKind};
use crate::engine::suppress::Context;
use crate::rules::counterparts::{self, Purpose};
use crate::text::{FileId, Source, Span};

/// What each of [`PREFIXES`] ends with.
pub(super) const SKIP: &str = ":skip=";

/// How comments for checkov begin, under its names of the years.
const PREFIXES: [&str; 3] = ["checkov:skip=", "bridgecrew:skip=", "cortex:skip="];

/// Whether a text may have comments for other tools.
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

/// One note for the names of a file that mean none of our rules.
pub(super) fn note(unknown: &[RulePattern]) -> Option<Diagnostic> {
    let first = unknown.first()?;
    let mut names: Vec<String> = unknown.iter().map(|pattern| format!("`{}`", pattern.text)).collect();
    names.sort();
    names.dedup();
    let verb = if names.len() == 1 { "has no counterpart and suppresses" } else { "have no counterparts and suppress" };
    Some(Diagnostic::new(Code::ConfigNotImported, first.span, format!("{} {verb} nothing here", names.join(", "))))
}

/// The block that a comment for checkov is about: the innermost one around it. In YAML, a comment after the last line of a
/// block belongs to it as long as it is indented more than what follows.
pub(super) fn block(comment: &std::ops::Range<usize>, blocks: &[Span], source: &Source) -> Option<Span> {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (start, end) = (offset(comment.start), offset(comment.end));
    let around = blocks.iter().filter(|block| block.start <= start && end <= block.end);
    if let Some(inner) = around.min_by_key(|block| block.end - block.start) {
        return Some(*inner);
    }
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let line = source.position(start).line;
    let own = source.line(line).filter(|line| line.trim_start().starts_with('#')).map(indentation)?;
    let count = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
    let mut following = (line + 1..=count).filter_map(|line| source.line(line));
    let next = following.find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let is_deeper = next.is_none_or(|next| own > indentation(next));
    let column = |block: &Span| source.line(source.position(block.start).line).map_or(0, indentation);
    let before = blocks.iter().filter(|block| block.end <= start && column(block) < own);
    before.max_by_key(|block| (block.end, block.start)).copied().filter(|_| is_deeper)
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
        let find = |comment: &str| block(&(at(comment)..at(comment) + comment.len()), &[a, b], &sources.get(file));
        assert_eq!(find("# of A"), Some(a));
        assert_eq!(find("# of B"), None);
        assert_eq!(find("# in B"), Some(b));
        assert_eq!(find("# end of B"), Some(b));
    }
}
