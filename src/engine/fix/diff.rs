//! Unified diffs of texts whose changes are known.

use std::fmt::Write as _;

use crate::diagnostic::Edit;

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// Lines of the old text that give way to lines of the new one. Both ranges count from 0.
struct Hunk {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

/// The difference between a text and what `edits`, which are in order, make of it. A terminal, or a workflow, would obey
/// some lines that a template may have: of a text in which the diff would show one there is only the name.
pub(super) fn unified(name: &str, old: &str, new: &str, edits: &[&Edit]) -> String {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let mut text = format!("--- a/{name}\n+++ b/{name}\n");
    for group in grouped(hunks(old, edits)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let before = first.old.start.min(CONTEXT);
        let after = (old_lines.len() - last.old.end).min(CONTEXT);
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
    if text.lines().any(is_obeyed) {
        return format!(
            "--- a/{name}\n+++ b/{name}\n# not shown: there are characters in it that steer a terminal or a workflow\n"
        );
    }
    text
}

/// Whether something that prints the line might do what it says.
fn is_obeyed(line: &str) -> bool {
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.contains("##[")
        || line.trim_start().starts_with("::")
        || line.contains(|it: char| it.is_control() && it != '\t')
}

/// With their line ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The whole lines that edits change, those of one line together.
fn hunks(old: &str, edits: &[&Edit]) -> Vec<Hunk> {
    let line_of = |at: u32| memchr::memchr_iter(b'\n', &old.as_bytes()[..(at as usize).min(old.len())]).count();
    let breaks = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let mut hunks: Vec<Hunk> = Vec::new();
    // How many lines the new text has more than the old one, up to here.
    let mut shift = 0_isize;
    for edit in edits {
        let (first, last) = (line_of(edit.span.start), line_of(edit.span.end));
        let gone = last - first;
        let grown = breaks(&edit.replacement).cast_signed() - gone.cast_signed();
        match hunks.last_mut().filter(|it| it.old.end > first) {
            Some(open) => {
                open.old.end = open.old.end.max(last + 1);
                shift += grown;
                open.new.end = open.old.end.saturating_add_signed(shift);
            }
            None => {
                let start = first.saturating_add_signed(shift);
                shift += grown;
                hunks.push(Hunk { old: first..last + 1, new: start..(last + 1).saturating_add_signed(shift) });
            }
        }
    }
    hunks
}

/// Hunks whose contexts meet.
fn grouped(hunks: Vec<Hunk>) -> Vec<Vec<Hunk>> {
    let mut groups: Vec<Vec<Hunk>> = Vec::new();
    for hunk in hunks {
        match groups.last_mut().filter(|it| it.last().is_some_and(|it| hunk.old.start <= it.old.end + 2 * CONTEXT)) {
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
