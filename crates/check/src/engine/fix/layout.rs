//! Decides where a new member of an object goes. It is formatted like the existing members.
//!
//! JSON and Bicep have the same braces and comments.

use std::ops::Range;

/// The layout of an object in a source. All offsets are in bytes from the start of the source.
pub(super) struct Braces {
    /// The offset of the opening brace.
    pub(super) open: usize,
    /// The offset of the closing brace.
    pub(super) close: usize,
    /// The members, in order.
    pub(super) members: Vec<Extent>,
}

/// The position of a member.
pub(super) struct Extent {
    /// The offset of the name, including its quotes.
    pub(super) start: usize,
    pub(super) key_end: usize,
    pub(super) value_start: usize,
    pub(super) end: usize,
}

/// Separators of members in a language.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// True if members on lines of their own need a comma between them.
    pub(super) needs_comma: bool,
    /// The blanks inside the braces of an object on one line.
    pub(super) padding: &'static str,
    /// True if the indentation of the lines of an object has no meaning.
    pub(super) is_free: bool,
}

/// The edit that adds a member.
pub(super) struct Added {
    /// The bytes that are replaced.
    pub(super) range: Range<usize>,
    /// The replacement.
    pub(super) text: String,
    /// The member as a title shows it.
    pub(super) title: String,
}

/// A new member, as text.
pub(super) type Member<'a> = &'a dyn Fn(&InsertionPoint<'_>) -> String;

/// Separator and lines at the position of a new member.
pub(super) struct InsertionPoint<'a> {
    /// The separator between name and value.
    pub(super) colon: &'a str,
    /// The lines around it; `None` for a member on the line of others, which stays on one line.
    pub(super) lines: Option<Lines<'a>>,
}

/// Line break and indentation around a new member.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    /// The line break of the file.
    pub(super) end: &'static str,
    /// The indentation of the member.
    pub(super) indent: &'a str,
    /// A single step of indentation.
    pub(super) unit: &'a str,
}

/// The indentation of an object in a file that has no indented lines before it.
const INDENT: &str = "  ";

/// Maximum number of bytes before a place that are searched for the start of its line. A minified template is one line
/// of megabytes, with a finding in each part of it.
const LONG_LINE: usize = 4 << 10;

/// Maximum number of bytes before a line that are searched for a line with less indentation.
const NEAR: usize = 16 << 10;

/// Adds members after the last one.
pub(super) fn insertion(
    text: &str,
    object: &Braces,
    members: &[Member<'_>],
    style: Style,
) -> Option<(Range<usize>, String)> {
    let Some(last) = object.members.last() else {
        return into_empty(text, object, members, style);
    };
    let colon = colon(text, last);
    let each =
        |lines: Option<Lines<'_>>| members.iter().map(|member| member(&InsertionPoint { colon, lines })).collect();
    let is_own = |line: &usize| *line > object.open && is_blank(&text[*line..last.start]);
    if let Some(line) = line_start(text, last.start).filter(is_own) {
        let indent = &text[line..last.start];
        let lines = Lines { end: line_end(text, line), indent, unit: unit(text, line, indent) };
        let separator = format!("{}{}{indent}", if style.needs_comma { "," } else { "" }, lines.end);
        let members: Vec<String> = each(Some(lines));
        as_line(text, object, line, &members.join(&separator), style)
    } else {
        in_line(text, object, last, &each(None))
    }
}

/// Adds members on lines of their own, like the last one, which begins the line at `line`.
fn as_line(text: &str, object: &Braces, line: usize, member: &str, style: Style) -> Option<(Range<usize>, String)> {
    let last = object.members.last()?;
    let start_of_line = format!("{}{}", line_end(text, line), &text[line..last.start]);
    let comma = comma_behind(text, last.end, object.close);
    let behind = comma.map_or(last.end, |comma| comma + 1);
    let end = remark_end(text, behind, object.close);
    Some(match comma {
        Some(_) => (end..end, format!("{start_of_line}{member},")),
        None if style.needs_comma => (last.end..end, format!(",{}{start_of_line}{member}", &text[last.end..end])),
        None => (end..end, format!("{start_of_line}{member}")),
    })
}

/// Adds members on the same line, separated like those before them.
fn in_line(text: &str, object: &Braces, last: &Extent, members: &[String]) -> Option<(Range<usize>, String)> {
    let before = object.members.iter().nth_back(1).map(|member| &text[member.end..last.start]);
    let separator = match before {
        Some(it) if !it.contains('\n') && it.trim() == "," => it,
        Some(it) if !it.contains(',') => return None,
        _ if colon(text, last).ends_with(' ') => ", ",
        _ => ",",
    };
    let member = members.join(separator);
    Some(match comma_behind(text, last.end, object.close) {
        Some(comma) => {
            let blank = separator.trim_start().trim_start_matches(',');
            (comma + 1..comma + 1, format!("{blank}{member},"))
        }
        None => (last.end..last.end, format!("{separator}{member}")),
    })
}

/// Adds the first members of an object that is empty except for blanks. They go on lines of their own unless a brace, a
/// bracket or a comma precedes the object on its line.
fn into_empty(text: &str, object: &Braces, members: &[Member<'_>], style: Style) -> Option<(Range<usize>, String)> {
    let inner = object.open + 1..object.close;
    if !is_blank(&text[inner.clone()]) {
        return None;
    }
    let is_own = |line: &usize| {
        let before = &text[*line..object.open];
        style.is_free && *line > 0 && !before.contains(['{', '[', ',']) && !before.contains("/*")
    };
    let Some(line) = line_start(text, object.open).filter(is_own) else {
        let colon = if text[..object.open].ends_with(':') { ":" } else { ": " };
        let each: Vec<String> = members.iter().map(|member| member(&InsertionPoint { colon, lines: None })).collect();
        let separator = if colon == ":" { "," } else { ", " };
        return Some((inner, format!("{0}{1}{0}", style.padding, each.join(separator))));
    };
    let before = &text[line..object.open];
    let indent = &before[..before.len() - before.trim_start().len()];
    let (end, unit) = (line_end(text, line), unit(text, line, indent));
    let deeper = format!("{indent}{unit}");
    let lines = Lines { end, indent: &deeper, unit };
    let each: Vec<String> =
        members.iter().map(|member| member(&InsertionPoint { colon: ": ", lines: Some(lines) })).collect();
    let separator = format!("{}{end}{deeper}", if style.needs_comma { "," } else { "" });
    Some((inner, format!("{end}{deeper}{}{end}{indent}", each.join(&separator))))
}

/// Returns the separator between name and value; `": "` if it contains a comment or a line break.
fn colon<'a>(text: &'a str, member: &Extent) -> &'a str {
    let between = text.get(member.key_end..member.value_start).unwrap_or_default();
    if between.trim() == ":" && !between.contains(['\n', '\r']) { between } else { ": " }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Returns the offset of the start of the line that contains `at`. `None` if it is far away.
pub(super) fn line_start(text: &str, at: usize) -> Option<usize> {
    let from = at.saturating_sub(LONG_LINE);
    let newline = memchr::memrchr(b'\n', &text.as_bytes()[from..at]);
    newline.map(|newline| from + newline + 1).or((from == 0).then_some(0))
}

/// Returns the line break before the line that starts at `line`.
fn line_end(text: &str, line: usize) -> &'static str {
    if text[..line].ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Returns a single step of indentation: the difference to the nearest previous line that is indented less.
fn unit<'a>(text: &'a str, line: usize, indent: &'a str) -> &'a str {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with('#');
    let near = &text[text.ceil_char_boundary(line.saturating_sub(NEAR))..line];
    // The first line may have lost its start.
    let near = if line > NEAR { near.split_once('\n').map_or("", |(_, whole)| whole) } else { near };
    let above = near.lines().rev().filter(|line| !line.trim().is_empty() && !is_comment(line.trim_start()));
    let indents = above.map(|line| &line[..line.len() - line.trim_start().len()]);
    let outer = indents.into_iter().find(|text| text.len() < indent.len());
    match outer.and_then(|outer| indent.strip_prefix(outer)) {
        Some(unit) => unit,
        None if indent.starts_with('\t') => "\t",
        None => INDENT,
    }
}

/// Returns the offset of the comma after a value, with only blanks and comments in between.
fn comma_behind(text: &str, from: usize, close: usize) -> Option<usize> {
    let mut at = from;
    while at < close {
        match text.as_bytes()[at] {
            b',' => return Some(at),
            b'/' => at = comment_end(text, at)?,
            it if it.is_ascii_whitespace() => at += 1,
            _ => return None,
        }
    }
    None
}

/// Returns the end of the last comment that starts on the line of `from`; `from` itself if there is none.
fn remark_end(text: &str, from: usize, close: usize) -> usize {
    let (mut at, mut end) = (from, from);
    while at < close {
        match text.as_bytes()[at] {
            b' ' | b'\t' => at += 1,
            b'/' => match comment_end(text, at) {
                Some(it) => (at, end) = (it, it),
                None => break,
            },
            _ => break,
        }
    }
    end
}

/// Returns the end of the comment that starts at `at`, without the line break. `None` if there is none.
fn comment_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with("//") {
        let length = rest.find('\n').unwrap_or(rest.len());
        let comment = rest[..length].strip_suffix('\r').unwrap_or(&rest[..length]);
        return Some(at + comment.len());
    }
    let inner = rest.strip_prefix("/*")?;
    Some(at + inner.find("*/")? + 4)
}
