//! Excerpts of source text around marks.
//!
//! Only what will be seen is copied: a span over very many lines is shown by its first, a very long line by a window
//! around its mark. Characters that a terminal obeys are written out here, so offsets change.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as Drawn, Snippet};

use crate::console::card::Mark;
use crate::console::theme::Theme;
use crate::diagnostic::Level;
use crate::model::{File, Place, Point};
use crate::text::escape::{push_written_out, visible};

/// Marks of one file that are further apart get excerpts of their own.
pub(super) const MAX_LINES: u32 = 100;

/// A line of more bytes is cut to a window.
const LONG_LINE: usize = 600;

/// Bytes shown before and after the first mark of a long line. `annotate-snippets` cuts to the width of the terminal.
const BEFORE: usize = 120;
const BEHIND: usize = 360;

/// Marks the part of a line that is cut away.
const CUT: char = '…';

/// A mark and the lines of it that are shown.
#[derive(Debug)]
struct Placed<'m, 'a> {
    mark: &'m Mark<'a>,
    start: Offset,
    end: Offset,
}

/// A place in a line: the number of the line, and the bytes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Offset {
    line: u32,
    bytes: usize,
}

/// Some marks of one file, near enough to be seen together.
#[derive(Debug)]
pub(super) struct Excerpt<'m, 'a> {
    file: &'a Arc<File>,
    marks: Vec<Placed<'m, 'a>>,
    lines: (u32, u32),
    /// The place of the first mark.
    pub(super) place: &'a Place,
}

/// Gathers marks into excerpts, those whose lines are known. The first excerpt has the first mark.
/// A mark of more than `max_lines` is shown by its first line.
pub(super) fn of<'m, 'a>(marks: &'m [Mark<'a>], max_lines: u32) -> Vec<Excerpt<'m, 'a>> {
    let mut excerpts: Vec<Excerpt<'m, 'a>> = Vec::new();
    for mark in marks.iter().filter(|mark| mark.place.file.has_line(mark.place.start.line)) {
        let placed = Placed::new(mark, max_lines);
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

impl<'m, 'a> Placed<'m, 'a> {
    fn new(mark: &'m Mark<'a>, max_lines: u32) -> Self {
        let offset = |point: Point| Offset { line: point.line, bytes: point.byte_column.saturating_sub(1) as usize };
        let start = offset(mark.place.start);
        let end = offset(mark.place.end).max(start);
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
    /// Whether a further mark can be shown with those here.
    fn takes(&self, other: &Placed<'_, '_>) -> bool {
        let (first, last) = self.lines_with(other);
        *self.file == other.mark.place.file
            && last - first < MAX_LINES
            && !self.has_long_line(self.lines)
            && !self.has_long_line(other.lines())
    }

    /// Whether the first or the last line is cut, so that another mark might lie in what is cut away.
    fn has_long_line(&self, lines: (u32, u32)) -> bool {
        [lines.0, lines.1].iter().any(|&line| self.file.line(line).is_some_and(|line| line.len() > LONG_LINE))
    }

    fn push(&mut self, placed: Placed<'m, 'a>) {
        self.lines = self.lines_with(&placed);
        self.marks.push(placed);
    }

    fn lines_with(&self, other: &Placed<'_, '_>) -> (u32, u32) {
        (self.lines.0.min(other.start.line), self.lines.1.max(other.end.line))
    }

    /// Whether it shows the place that the entry is about, and not only what explains it.
    pub(super) fn is_primary(&self) -> bool {
        self.marks.iter().any(|mark| mark.mark.is_primary)
    }

    /// How wide the line numbers are.
    pub(super) fn digits(&self) -> usize {
        self.lines.1.to_string().len()
    }

    /// The file and the numbers of the lines that are drawn.
    pub(super) fn shown(&self) -> (&'a Arc<File>, RangeInclusive<u32>) {
        (self.file, self.lines.0..=self.lines.1)
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
    file: &'a File,
    text: String,
    lines: Vec<Line>,
}

/// One line of an extract.
struct Line {
    number: u32,
    /// The part that is shown.
    window: Range<usize>,
    /// Offset of that part in the extract.
    drawn_at: usize,
}

impl<'a> Extract<'a> {
    fn of(excerpt: &Excerpt<'_, 'a>) -> Self {
        let edges = || excerpt.marks.iter().flat_map(|mark| [mark.start, mark.end]);
        let (file, numbers) = excerpt.shown();
        let mut extract = Self { file, text: String::new(), lines: Vec::new() };
        for (number, line) in numbers.map_while(|number| Some((number, file.line(number)?))) {
            let focus = edges().filter(|edge| edge.line == number && edge.bytes <= line.len()).min();
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

    fn range(&self, placed: &Placed<'_, '_>) -> Range<usize> {
        self.offset(placed.start)..self.offset(placed.end)
    }

    /// Where a place in a line went; for one in a part that is cut away, the nearest that is shown.
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

/// The part of a line that is shown, given the offset of its first mark.
fn window(line: &str, focus: usize) -> Range<usize> {
    if line.len() <= LONG_LINE {
        return 0..line.len();
    }
    let start = line.floor_char_boundary(focus.saturating_sub(BEFORE));
    let end = line.floor_char_boundary(focus + BEHIND);
    start..end
}
