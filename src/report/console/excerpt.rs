//! Excerpts of source text around marks.
//!
//! Only what will be seen is copied: a span over very many lines is shown by its first, a very long line by a window
//! around its mark. Characters that a terminal obeys are written out here, so all offsets are into the extract.

use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as Drawn, Snippet};

use crate::diagnostic::Level;
use crate::report::console::card::Mark;
use crate::report::console::theme::Theme;
use crate::report::source_range::SourceRange;
use crate::text::escape::{push_written_out, visible};
use crate::text::{Source, Sources};

/// Marks of one file that are further apart get excerpts of their own.
const MAX_LINES: u32 = 100;

/// A line of more bytes is cut to a window.
const LONG_LINE: usize = 600;

/// Bytes shown before and after the first mark of a long line. `annotate-snippets` cuts to the width of the terminal.
const BEFORE: usize = 120;
const BEHIND: usize = 360;

/// Marks the part of a line that is cut away.
const CUT: char = '…';

/// A mark whose lines are known.
#[derive(Debug)]
struct Placed<'a> {
    mark: &'a Mark,
    bytes: Range<usize>,
    lines: (u32, u32),
}

/// Some marks of one file, near enough to be seen together.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    source: Arc<Source>,
    marks: Vec<Placed<'a>>,
    lines: (u32, u32),
    /// The range of the first mark.
    pub(super) place: SourceRange,
}

/// Gathers marks into excerpts. The first excerpt has the first mark.
pub(super) fn of<'a>(marks: &'a [Mark], sources: &Sources) -> Vec<Excerpt<'a>> {
    let mut excerpts: Vec<Excerpt<'a>> = Vec::new();
    for mark in marks {
        let source = sources.get(mark.span.file);
        let placed = Placed::new(mark, &source);
        match excerpts.iter_mut().find(|excerpt| excerpt.takes(&placed)) {
            Some(excerpt) => excerpt.push(placed),
            None => excerpts.push(Excerpt {
                source,
                lines: placed.lines,
                marks: vec![placed],
                place: SourceRange::of(sources, mark.span),
            }),
        }
    }
    excerpts
}

impl<'a> Placed<'a> {
    fn new(mark: &'a Mark, source: &Source) -> Self {
        let text = source.text();
        let start = text.floor_char_boundary(mark.span.start as usize);
        let end = text.ceil_char_boundary(mark.span.end as usize).max(start);
        let first = source.position(mark.span.start).line;
        let last = source.position(mark.span.end).line.max(first);
        if last - first < MAX_LINES {
            return Self { mark, bytes: start..end, lines: (first, last) };
        }
        let line = text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
        Self { mark, bytes: start..start + line.trim_end_matches('\r').len(), lines: (first, first) }
    }
}

impl<'a> Excerpt<'a> {
    /// Whether a further mark can be shown with those here.
    fn takes(&self, other: &Placed<'_>) -> bool {
        let (first, last) = (self.lines.0.min(other.lines.0), self.lines.1.max(other.lines.1));
        self.marks.first().is_some_and(|placed| placed.mark.span.file == other.mark.span.file)
            && last - first < MAX_LINES
            && !self.has_long_line(self.lines)
            && !self.has_long_line(other.lines)
    }

    /// Whether the first or the last line is cut, so that another mark might lie in what is cut away.
    fn has_long_line(&self, lines: (u32, u32)) -> bool {
        [lines.0, lines.1].iter().any(|&line| self.line(line).len() > LONG_LINE)
    }

    fn push(&mut self, placed: Placed<'a>) {
        self.lines = (self.lines.0.min(placed.lines.0), self.lines.1.max(placed.lines.1));
        self.marks.push(placed);
    }

    fn line(&self, line: u32) -> &str {
        self.source.line(line).unwrap_or_default()
    }

    /// Whether it shows the place that the entry is about, and not only what explains it.
    pub(super) fn is_primary(&self) -> bool {
        self.marks.iter().any(|mark| mark.mark.is_primary)
    }

    /// How wide the line numbers are.
    pub(super) fn digits(&self) -> usize {
        self.lines.1.to_string().len()
    }

    /// Draws the lines with their numbers and marks, `width` columns wide.
    pub(super) fn draw(&self, level: Level, theme: &Theme, width: usize) -> String {
        let extract = Extract::of(self);
        let annotations = self.marks.iter().map(|placed| {
            let kind = if placed.mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = visible(&placed.mark.label);
            kind.span(extract.range(placed)).label((!label.is_empty()).then_some(label))
        });
        let snippet = Snippet::source(extract.text.as_str()).line_start(self.lines.0 as usize).annotations(annotations);
        let drawn = match level {
            Level::Error => Drawn::ERROR,
            Level::Warning => Drawn::WARNING,
            Level::Note => Drawn::NOTE,
        };
        theme.renderer(level, width).render(&[Group::with_level(drawn).element(snippet)])
    }
}

/// The text that is drawn.
struct Extract<'a> {
    source: &'a Source,
    text: String,
    lines: Vec<Line>,
}

/// One line of an extract.
struct Line {
    /// Offset of the line in the file.
    start: usize,
    /// The part that is shown, in offsets of the file.
    window: Range<usize>,
    /// Offset of that part in the extract.
    drawn_at: usize,
}

impl<'a> Extract<'a> {
    fn of(excerpt: &'a Excerpt<'_>) -> Self {
        let original = &**excerpt.source.text();
        let edges = || excerpt.marks.iter().flat_map(|mark| [mark.bytes.start, mark.bytes.end]);
        let mut extract = Self { source: &excerpt.source, text: String::new(), lines: Vec::new() };
        for line in (excerpt.lines.0..=excerpt.lines.1).map_while(|number| excerpt.source.line_range(number)) {
            let focus = edges().filter(|edge| (line.start..=line.end).contains(edge)).min();
            extract.push(line.start, window(original, line.clone(), focus.unwrap_or(line.start)), line.end);
        }
        extract
    }

    fn push(&mut self, start: usize, window: Range<usize>, end: usize) {
        if !self.lines.is_empty() {
            self.text.push('\n');
        }
        if window.start > start {
            self.text.push(CUT);
        }
        let drawn_at = self.text.len();
        push_drawable(&mut self.text, &self.source.shown(window.clone()).unwrap_or_default());
        if window.end < end {
            self.text.push(CUT);
        }
        self.lines.push(Line { start, window, drawn_at });
    }

    fn range(&self, placed: &Placed<'_>) -> Range<usize> {
        self.offset(placed.bytes.start)..self.offset(placed.bytes.end)
    }

    /// Where an offset of the file went; for one in a part that is cut away, the nearest that is shown.
    fn offset(&self, original: usize) -> usize {
        let behind = self.lines.partition_point(|line| line.start <= original);
        let Some(line) = behind.checked_sub(1).and_then(|index| self.lines.get(index)) else {
            return 0;
        };
        let end = original.clamp(line.window.start, line.window.end);
        let mut before = String::new();
        push_drawable(&mut before, &self.source.shown(line.window.start..end).unwrap_or_default());
        line.drawn_at + before.len()
    }
}

/// Appends text as it is drawn. `annotate-snippets` expands tabs.
fn push_drawable(drawn: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !matches!(byte, b' '..=b'Z' | b'\\'..=b'~')) {
        let (plain, behind) = rest.split_at(at);
        drawn.push_str(plain);
        let mut behind = behind.chars();
        match behind.next() {
            Some('\t') => drawn.push('\t'),
            // A command to a runner, wherever it is in a line.
            Some('[') if drawn.ends_with("##") => drawn.push_str("\\u{5b}"),
            Some(c) => push_written_out(drawn, c),
            None => {}
        }
        rest = behind.as_str();
    }
    drawn.push_str(rest);
}

/// The part of a line that is shown, given the offset of its first mark. All offsets are of the file.
fn window(text: &str, line: Range<usize>, focus: usize) -> Range<usize> {
    if line.len() <= LONG_LINE {
        return line;
    }
    let start = text.floor_char_boundary(focus.saturating_sub(BEFORE).max(line.start));
    let end = text.floor_char_boundary((focus + BEHIND).min(line.end));
    start..end
}
