//! Excerpts of source text around marks.
//!
//! Only visible text is copied: a span over very many lines is shown by its first line, a very long line by a window
//! around its mark. Control characters are written out here, so offsets change.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as Drawn, Snippet};

use crate::console::card::Mark;
use crate::console::theme::Theme;
use crate::diagnostic::Level;
use crate::model::{File, Place};
use crate::text::escape::{push_written_out, visible};

/// Lines between marks of one excerpt. Marks that are further apart get separate excerpts.
pub(super) const MAX_LINES: u32 = 100;

/// Bytes of a line. A longer line is cut to a window.
const LONG_LINE: usize = 600;

/// Bytes shown before and after the first mark of a long line. `annotate-snippets` cuts to the width of the terminal.
const BEFORE: usize = 120;
const BEHIND: usize = 360;

/// Character that replaces the cut part of a line.
const CUT: char = '…';

/// A mark with the lines that are shown.
#[derive(Debug)]
struct PlacedMark<'m, 'a> {
    mark: &'m Mark<'a>,
    start: Offset,
    end: Offset,
}

/// A position in a line: the number of the line, and the bytes before the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Offset {
    line: u32,
    bytes: usize,
}

/// Marks of one file that are near enough to be shown together.
#[derive(Debug)]
pub(super) struct Excerpt<'m, 'a> {
    file: &'a Arc<File>,
    marks: Vec<PlacedMark<'m, 'a>>,
    lines: (u32, u32),
    /// Place of the first mark.
    pub(super) place: &'a Place,
}

/// Groups marks into excerpts. Marks whose lines are not known are skipped. The first excerpt has the first mark. A
/// mark of more than `max_lines` is shown by its first line.
pub(super) fn group_marks<'m, 'a>(marks: &'m [Mark<'a>], max_lines: u32) -> Vec<Excerpt<'m, 'a>> {
    let mut excerpts: Vec<Excerpt<'m, 'a>> = Vec::new();
    for mark in marks.iter().filter(|mark| mark.place.file.has_line(mark.place.start.line)) {
        let placed = PlacedMark::new(mark, max_lines);
        match excerpts.iter_mut().find(|excerpt| excerpt.takes(&placed)) {
            Some(excerpt) => excerpt.push(placed),
            None => excerpts.push(Excerpt {
                file: &mark.place.file,
                lines: placed.lines(),
                marks: vec![placed],
                place: mark.place,
            }),
        }
    }
    excerpts
}

impl<'m, 'a> PlacedMark<'m, 'a> {
    fn new(mark: &'m Mark<'a>, max_lines: u32) -> Self {
        let [start, end] = [mark.place.start, mark.place.end]
            .map(|point| Offset { line: point.line, bytes: point.byte_column.saturating_sub(1) as usize });
        let end = end.max(start);
        if end.line - start.line < max_lines {
            return Self { mark, start, end };
        }
        let length = mark.place.file.line(start.line).map_or(0, str::len);
        Self { mark, start, end: Offset { line: start.line, bytes: length.max(start.bytes) } }
    }

    fn lines(&self) -> (u32, u32) {
        (self.start.line, self.end.line)
    }
}

impl<'m, 'a> Excerpt<'m, 'a> {
    /// True if the excerpt can include a further mark.
    fn takes(&self, other: &PlacedMark<'_, '_>) -> bool {
        let (first, last) = self.lines_with(other);
        *self.file == other.mark.place.file
            && last - first < MAX_LINES
            && !self.has_long_line(self.lines)
            && !self.has_long_line(other.lines())
    }

    /// True if the first or the last line is cut, so that another mark might lie in the cut part.
    fn has_long_line(&self, lines: (u32, u32)) -> bool {
        [lines.0, lines.1].iter().any(|&line| self.file.line(line).is_some_and(|line| line.len() > LONG_LINE))
    }

    fn push(&mut self, placed: PlacedMark<'m, 'a>) {
        self.lines = self.lines_with(&placed);
        self.marks.push(placed);
    }

    fn lines_with(&self, other: &PlacedMark<'_, '_>) -> (u32, u32) {
        (self.lines.0.min(other.start.line), self.lines.1.max(other.end.line))
    }

    /// True if the excerpt shows the primary mark of the card.
    pub(super) fn is_primary(&self) -> bool {
        self.marks.iter().any(|mark| mark.mark.is_primary)
    }

    /// Returns the width of the line numbers.
    pub(super) fn digits(&self) -> usize {
        self.lines.1.to_string().len()
    }

    /// Returns the file and the numbers of the lines that are drawn.
    pub(super) fn shown(&self) -> (&'a Arc<File>, RangeInclusive<u32>) {
        (self.file, self.lines.0..=self.lines.1)
    }

    /// Draws the lines with their numbers and marks, `width` columns wide.
    pub(super) fn draw(&self, level: Level, theme: &Theme, width: usize) -> String {
        let extract = Extract::new(self);
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

/// Text that is drawn.
struct Extract<'a> {
    file: &'a File,
    text: String,
    lines: Vec<Line>,
}

/// A line of an extract.
struct Line {
    number: u32,
    /// Visible part of the line.
    window: Range<usize>,
    /// Offset of that part in the extract.
    drawn_at: usize,
}

impl<'a> Extract<'a> {
    fn new(excerpt: &Excerpt<'_, 'a>) -> Self {
        let edges: Vec<Offset> = excerpt.marks.iter().flat_map(|mark| [mark.start, mark.end]).collect();
        let (file, numbers) = excerpt.shown();
        let mut extract = Self { file, text: String::new(), lines: Vec::new() };
        for (number, line) in numbers.map_while(|number| Some((number, file.line(number)?))) {
            let focus = edges.iter().filter(|edge| edge.line == number && edge.bytes <= line.len()).min();
            extract.push(number, window(line, focus.map_or(0, |edge| edge.bytes)), line.len());
        }
        extract
    }

    fn push(&mut self, number: u32, window: Range<usize>, length: usize) {
        if !self.lines.is_empty() {
            self.text.push('\n');
        }
        if window.start > 0 {
            self.text.push(CUT);
        }
        let drawn_at = self.text.len();
        push_drawable(&mut self.text, &self.file.shown(number, window.clone()).unwrap_or_default());
        if window.end < length {
            self.text.push(CUT);
        }
        self.lines.push(Line { number, window, drawn_at });
    }

    fn range(&self, placed: &PlacedMark<'_, '_>) -> Range<usize> {
        self.offset(placed.start)..self.offset(placed.end)
    }

    /// Converts a position in a line to an offset in the extract. A position in a cut part becomes the nearest visible
    /// one.
    fn offset(&self, original: Offset) -> usize {
        let Ok(at) = self.lines.binary_search_by_key(&original.line, |line| line.number) else {
            return self.text.len();
        };
        let Some(line) = self.lines.get(at) else { return self.text.len() };
        let end = original.bytes.clamp(line.window.start, line.window.end);
        let mut before = String::new();
        push_drawable(&mut before, &self.file.shown(line.number, line.window.start..end).unwrap_or_default());
        line.drawn_at + before.len()
    }
}

/// Appends text in its drawn form. `annotate-snippets` expands tabs.
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

/// Returns the visible part of a line, given the offset of its first mark.
fn window(line: &str, focus: usize) -> Range<usize> {
    if line.len() <= LONG_LINE {
        return 0..line.len();
    }
    let start = line.floor_char_boundary(focus.saturating_sub(BEFORE));
    let end = line.floor_char_boundary(focus + BEHIND);
    start..end
}
