//! Where a new member of an object goes, and how it is set off: as its neighbours are.
//!
//! JSON and Bicep have the same brackets and comments.

use std::ops::Range;

/// An object that is written out. Offsets are those of the whole text.
pub(super) struct Braces {
    /// The opening brace.
    pub(super) open: usize,
    /// The closing brace.
    pub(super) close: usize,
    /// What is in it, in order.
    pub(super) members: Vec<Extent>,
}

/// Where a member stands.
pub(super) struct Extent {
    /// The name with its quotes.
    pub(super) start: usize,
    pub(super) key_end: usize,
    pub(super) value_start: usize,
    pub(super) end: usize,
}

/// What a language wants of a list of members.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Whether there is a comma between members on lines of their own.
    pub(super) needs_comma: bool,
    /// What stands beside the braces in one line.
    pub(super) padding: &'static str,
}

/// A member to add.
pub(super) struct Added {
    /// The bytes of the text that go.
    pub(super) range: Range<usize>,
    /// What comes.
    pub(super) text: String,
    /// The member in short.
    pub(super) title: String,
}

/// What an object is indented by if its text does not tell.
const INDENT: &str = "  ";

/// Puts a member behind the last one. `member` writes it with what stands between name and value.
pub(super) fn insertion(
    text: &str,
    object: &Braces,
    member: &dyn Fn(&str) -> String,
    style: Style,
) -> Option<(Range<usize>, String)> {
    let Some(last) = object.members.last() else {
        return into_empty(text, object, member, style);
    };
    let line = line_start(text, last.start);
    let member = member(colon(text, last));
    if line > object.open && is_blank(&text[line..last.start]) {
        Some(as_line(text, object, last, &member, style))
    } else {
        in_line(text, object, last, &member)
    }
}

/// On a line of its own, as the last one is.
fn as_line(text: &str, object: &Braces, last: &Extent, member: &str, style: Style) -> (Range<usize>, String) {
    let line = line_start(text, last.start);
    let start_of_line = format!("{}{}", line_end(text, line), &text[line..last.start]);
    let comma = comma_behind(text, last.end, object.close);
    let behind = comma.map_or(last.end, |comma| comma + 1);
    let end = remark_end(text, behind, object.close);
    match comma {
        Some(_) => (end..end, format!("{start_of_line}{member},")),
        None if style.needs_comma => (last.end..end, format!(",{}{start_of_line}{member}", &text[last.end..end])),
        None => (end..end, format!("{start_of_line}{member}")),
    }
}

/// On the same line, separated as those before it are.
fn in_line(text: &str, object: &Braces, last: &Extent, member: &str) -> Option<(Range<usize>, String)> {
    let before = object.members.iter().nth_back(1).map(|member| &text[member.end..last.start]);
    let separator = match before {
        Some(it) if !it.contains('\n') && it.trim() == "," => it,
        Some(it) if !it.contains(',') => return None,
        _ if colon(text, last).ends_with(' ') => ", ",
        _ => ",",
    };
    Some(match comma_behind(text, last.end, object.close) {
        Some(comma) => {
            let blank = separator.trim_start().trim_start_matches(',');
            (comma + 1..comma + 1, format!("{blank}{member},"))
        }
        None => (last.end..last.end, format!("{separator}{member}")),
    })
}

/// Between braces with nothing but blanks in between: on a line of its own where the braces end one.
fn into_empty(
    text: &str,
    object: &Braces,
    member: &dyn Fn(&str) -> String,
    style: Style,
) -> Option<(Range<usize>, String)> {
    let inner = object.open + 1..object.close;
    if !is_blank(&text[inner.clone()]) {
        return None;
    }
    let line = line_start(text, object.open);
    let before = &text[line..object.open];
    let has_own_line = line > 0 && !before.contains(['{', '[', ',']) && !before.contains("/*");
    if !has_own_line {
        let colon = if before.ends_with(':') { ":" } else { ": " };
        return Some((inner, format!("{0}{1}{0}", style.padding, member(colon))));
    }
    let indent = &before[..before.len() - before.trim_start().len()];
    let (end, unit) = (line_end(text, line), unit(text, line, indent));
    Some((inner, format!("{end}{indent}{unit}{}{end}{indent}", member(": "))))
}

/// What stands between name and value, if that is a colon with blanks.
fn colon<'a>(text: &'a str, member: &Extent) -> &'a str {
    let between = text.get(member.key_end..member.value_start).unwrap_or_default();
    if between.trim() == ":" && !between.contains(['\n', '\r']) { between } else { ": " }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// The offset at which the line of an offset begins.
fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)
}

/// What ends the line before the one that begins at `line`.
fn line_end(text: &str, line: usize) -> &'static str {
    if text[..line].ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// One step of indentation: how far the line is behind the nearest one above it that is less indented.
fn unit<'a>(text: &'a str, line: usize, indent: &'a str) -> &'a str {
    let above = text[..line].lines().rev().filter(|line| !line.trim().is_empty());
    let indents = above.map(|line| &line[..line.len() - line.trim_start().len()]);
    let outer = indents.into_iter().find(|text| text.len() < indent.len());
    match outer.and_then(|outer| indent.strip_prefix(outer)) {
        Some(unit) => unit,
        None if indent.starts_with('\t') => "\t",
        None => INDENT,
    }
}

/// The comma behind a value, with nothing but blanks and comments before it.
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

/// The end of the last comment that begins on the line of `from`; `from` itself if there is none.
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

/// The end of the comment that begins at `at`, without the end of its line. `None` if there is none.
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
