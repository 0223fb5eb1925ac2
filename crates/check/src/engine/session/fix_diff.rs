//! Unified diffs for known edits.

use std::fmt::Write as _;

use crate::diagnostic::Edit;
use crate::engine::session::NotFixed;
use crate::text::Source;
use crate::text::escape::{is_plain_line, visible};

/// Number of unchanged lines that are shown around a change.
const CONTEXT: usize = 3;

/// A range of old lines and the range of new lines that replaces it. Both count from 0.
struct Hunk {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

/// Returns the diff between a source and `new`, the result of applying `edits`, which are in order. There is none if it
/// would contain control characters, workflow commands, or a secret in a line that is not only context.
pub(super) fn unified(old: &Source, new: &str, edits: &[&Edit]) -> Result<String, NotFixed> {
    let (name, old_lines, new_lines) = (old.name(), lines(old.text()), lines(new));
    let mut text = format!("--- a/{name}\n+++ b/{name}\n");
    let has_secret = |line: usize| {
        let range = u32::try_from(line + 1).ok().and_then(|line| old.line_range(line));
        range.is_some_and(|range| old.has_secret(range))
    };
    for group in grouped(hunks(old, edits)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        if (first.old.start..last.old.end).any(has_secret) {
            return Err(NotFixed::Secret);
        }
        let is_shown = |&line: &usize| !has_secret(line);
        let before = (0..first.old.start).rev().take(CONTEXT).take_while(is_shown).count();
        let after = (last.old.end..old_lines.len()).take(CONTEXT).take_while(is_shown).count();
        let head = |start: usize, end: usize| match end - start {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            count => format!("{},{count}", start + 1),
        };
        let (old_head, new_head) = (
            head(first.old.start - before, last.old.end + after),
            head(first.new.start - before, last.new.end + after),
        );
        let _ = writeln!(text, "@@ -{old_head} +{new_head} @@");
        let mut at = first.old.start - before;
        for hunk in &group {
            show(&mut text, ' ', &old_lines[at..hunk.old.start]);
            show(&mut text, '-', &old_lines[hunk.old.clone()]);
            show(&mut text, '+', new_lines.get(hunk.new.clone()).unwrap_or_default());
            at = hunk.old.end;
        }
        show(&mut text, ' ', &old_lines[at..at + after]);
    }
    // A diff has no escapes, so such characters cannot be shown. A name of several lines could even add hunks.
    let is_printable = visible(name) == **name && text.split('\n').all(is_plain_line);
    if is_printable { Ok(text) } else { Err(NotFixed::Unprintable) }
}

/// Lines of a file, and the lines that replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedLines {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The old lines, with their line breaks.
    pub old: String,
    /// The new lines, with their line breaks.
    pub new: String,
}

/// Returns the lines that differ between a source and `new`, the result of applying `edits`, which are in order.
///
/// # Errors
///
/// Fails if one of the lines has a secret.
pub(super) fn replaced_lines(old: &Source, new: &str, edits: &[&Edit]) -> Result<Vec<ReplacedLines>, NotFixed> {
    let (old_lines, new_lines) = (lines(old.text()), lines(new));
    let has_secret = |line: usize| {
        let range = u32::try_from(line + 1).ok().and_then(|line| old.line_range(line));
        range.is_some_and(|range| old.has_secret(range))
    };
    let replaced = hunks(old, edits).into_iter().map(|hunk| {
        if hunk.old.clone().any(has_secret) {
            return Err(NotFixed::Secret);
        }
        let text = |lines: &[&str], range: std::ops::Range<usize>| lines.get(range).unwrap_or_default().concat();
        Ok(ReplacedLines {
            start_line: hunk.old.start + 1,
            end_line: hunk.old.end,
            old: text(&old_lines, hunk.old.clone()),
            new: text(&new_lines, hunk.new),
        })
    });
    replaced.collect()
}

/// Returns the lines of a text with their line breaks.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Returns the hunks for edits. Edits that share a line form one hunk.
fn hunks(old: &Source, edits: &[&Edit]) -> Vec<Hunk> {
    let line_of = |at: u32| old.position(at).line as usize - 1;
    let breaks = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let mut hunks: Vec<Hunk> = Vec::new();
    // How many more lines the new text has than the old one so far.
    let mut shift = 0_isize;
    for edit in edits {
        let (first, last) = (line_of(edit.span.start), line_of(edit.span.end));
        let gone = last - first;
        let grown = breaks(&edit.replacement).cast_signed() - gone.cast_signed();
        if let Some(open) = hunks.last_mut().filter(|hunk| hunk.old.end > first) {
            open.old.end = open.old.end.max(last + 1);
            shift += grown;
            open.new.end = open.old.end.saturating_add_signed(shift);
        } else {
            let start = first.saturating_add_signed(shift);
            shift += grown;
            hunks.push(Hunk { old: first..last + 1, new: start..(last + 1).saturating_add_signed(shift) });
        }
    }
    hunks
}

/// Groups hunks whose context lines overlap or touch.
fn grouped(hunks: Vec<Hunk>) -> Vec<Vec<Hunk>> {
    let mut groups: Vec<Vec<Hunk>> = Vec::new();
    for hunk in hunks {
        match groups
            .last_mut()
            .filter(|group| group.last().is_some_and(|last| hunk.old.start <= last.old.end + 2 * CONTEXT))
        {
            Some(group) => group.push(hunk),
            None => groups.push(vec![hunk]),
        }
    }
    groups
}

fn show(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::rewritten;
    use crate::text::{Sources, Span};

    /// Checks the diff of a text in which the first text of each pair is replaced by the second.
    #[track_caller]
    fn check(text: &str, changes: &[(&str, &str)], wanted: &str) {
        assert_eq!(diff(text, changes), Some(format!("--- a/a.json\n+++ b/a.json\n{wanted}")));
    }

    fn diff(text: &str, changes: &[(&str, &str)]) -> Option<String> {
        let sources = Sources::new();
        let file = sources.add("a.json", text);
        let edit = |&(old, new): &(&str, &str)| {
            let start = text.find(old).unwrap();
            let (start, end) = (u32::try_from(start).unwrap(), u32::try_from(start + old.len()).unwrap());
            Edit { span: Span::new(file, start, end), name: String::new(), replacement: new.to_owned() }
        };
        let edits: Vec<Edit> = changes.iter().map(edit).collect();
        let edits: Vec<&Edit> = edits.iter().collect();
        let new = rewritten(text, 0, &edits).unwrap();
        unified(&sources.get(file), &new, &edits).ok()
    }

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        check(text, &[("5", "x")], "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
        check(text, &[("1", "x\ny")], "@@ -1,4 +1,5 @@\n-1\n+x\n+y\n 2\n 3\n 4\n");
    }

    #[test]
    fn changes_that_are_near_are_one_hunk_and_others_are_several() {
        let near = "1\n2\n3\n4\n5\n";
        check(near, &[("2", "x\ny"), ("4", "z")], "@@ -1,5 +1,6 @@\n 1\n-2\n+x\n+y\n 3\n-4\n+z\n 5\n");
        check(near, &[("2", "x"), ("\n3", "\ny\n3")], "@@ -1,5 +1,6 @@\n 1\n-2\n-3\n+x\n+y\n+3\n 4\n 5\n");
        let far = "1\n\n\n\n\n\n\n\n9\n";
        let wanted = "@@ -1,4 +1,5 @@\n-1\n+x\n+y\n \n \n \n@@ -6,4 +7,4 @@\n \n \n \n-9\n+z\n";
        check(far, &[("1", "x\ny"), ("9", "z")], wanted);
    }

    #[test]
    fn two_changes_of_one_line_are_one() {
        check("a b\n", &[("a", "x"), ("b", "y\nz")], "@@ -1 +1,2 @@\n-a b\n+x y\n+z\n");
    }

    #[test]
    fn a_text_without_a_line_end_says_so() {
        let end = "\\ No newline at end of file\n";
        check("1\n2", &[("2", "x")], &format!("@@ -1,2 +1,2 @@\n 1\n-2\n{end}+x\n{end}"));
    }

    #[test]
    fn what_a_terminal_or_a_workflow_would_obey_is_not_shown() {
        for line in ["::error::x", "  ::add-mask::x", "x ##[error]y", "\x1b[2J", "x\u{202e}"] {
            assert_eq!(diff(&format!("{line}\n1\n"), &[("1", "2")]), None, "{line}");
        }
    }
}
