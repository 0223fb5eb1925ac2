//! Text that CloudFormation takes although YAML refuses it.
//!
//! In a collection in brackets and in a quoted scalar, YAML 1.2 requires each line to be indented deeper than the block
//! around it. The parser of CloudFormation, as most parsers of YAML 1.1, lets such a line begin anywhere, and so people close a brace
//! below the key that opens it. These lines are read with further spaces before them, which mean nothing there.
//! Reference: <https://yaml.org/spec/1.2.2/#61-indentation-spaces>.
//!
//! In a collection in brackets, YAML 1.2 refuses `-` as a plain scalar of its own. Parsers of YAML 1.1 take it, and people
//! write `!Join [-, [a, b]]`. Such a scalar is read as [`DASH`]. Reference:
//! <https://yaml.org/spec/1.2.2/#733-plain-style>.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// Errors of the parser for a line in brackets.
const IN_BRACKETS: [&str; 2] = ["invalid indentation", "invalid indentation in flow construct"];

/// Error of the parser for a quoted scalar, at its opening quote.
const IN_QUOTES: &str = "invalid indentation in quoted scalar";

/// Error of the parser for a dash in brackets, at the dash.
const IN_DASH: &str = "plain scalar cannot start with '-' followed by ,[]{}";

/// Plain scalar that replaces a dash in the text.
pub(super) const DASH: &str = "_";

/// Times that a text is read again.
const MAX_ATTEMPTS: u32 = 200;

/// Bytes that are read again, in total.
const MAX_BYTES: usize = 64 << 20;

/// Changes of a text.
#[derive(Debug)]
pub(super) struct Repairs<'a> {
    text: &'a str,
    /// Offsets of the indented lines in the text.
    lines: BTreeSet<usize>,
    /// Offsets of the same lines in the text with spaces.
    begins: Vec<usize>,
    /// Spaces inserted before each line: more than any line begins with.
    spaces: usize,
    /// Offsets of the dashes that are replaced in the text.
    dashes: BTreeSet<usize>,
    attempts: u32,
}

impl<'a> Repairs<'a> {
    /// Creates repairs of a text that change nothing yet.
    pub(super) fn none(text: &'a str) -> Self {
        let deepest = text
            .lines()
            .map(|line: &str| line.bytes().take_while(|byte| b" -?".contains(byte)).count())
            .max()
            .unwrap_or_default();
        let (lines, dashes) = (BTreeSet::new(), BTreeSet::new());
        Self { text, lines, begins: Vec::new(), spaces: deepest + 2, dashes, attempts: 0 }
    }

    /// Adds the changes after an error of the parser at a byte of the text. Returns `false` if there are none.
    pub(super) fn extend(&mut self, error: &str, at: usize) -> bool {
        self.attempts += 1;
        let takes = self.text.len().saturating_add(self.lines.len().saturating_mul(self.spaces));
        if self.attempts > MAX_ATTEMPTS || takes.saturating_mul(self.attempts as usize) > MAX_BYTES {
            return false;
        }
        let before = self.lines.len() + self.dashes.len();
        if IN_BRACKETS.contains(&error) {
            let line = self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            self.lines.insert(line);
        } else if error == IN_QUOTES {
            self.indent_quoted(at);
        } else if error == IN_DASH && self.is_lone_dash(at) {
            self.dashes.insert(at);
        }
        self.begins = self.lines.iter().enumerate().map(|(at, line)| line + at * self.spaces).collect();
        self.lines.len() + self.dashes.len() > before
    }

    /// Returns `true` if there is a dash at a byte of the text that ends before a comma or a closing bracket.
    fn is_lone_dash(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        matches!(rest, [b'-', b',' | b']' | b'}', ..])
    }

    /// Returns `true` if a plain scalar is a dash that was replaced. Tags and anchors may come before it in its range, and
    /// blanks after it.
    pub(super) fn is_dash(&self, scalar: &str, range: Range<usize>) -> bool {
        let written = self.text.get(range.clone()).unwrap_or_default().trim_end();
        scalar == DASH && (range.start + written.len()).checked_sub(1).is_some_and(|at| self.dashes.contains(&at))
    }

    /// Indents the lines of a quoted scalar after its first.
    fn indent_quoted(&mut self, start: usize) {
        let mut bytes = self.text.bytes().enumerate().skip(start).peekable();
        let Some((_, quote)) = bytes.next() else { return };
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\n' => {
                    self.lines.insert(at + 1);
                }
                // The break after a backslash ends a line as well.
                b'\\' if quote == b'"' => drop(bytes.next_if(|(_, next)| *next != b'\n')),
                _ if byte == quote && bytes.next_if(|(_, next)| *next == quote && quote == b'\'').is_none() => return,
                _ => {}
            }
        }
    }

    /// Returns the changed text.
    pub(super) fn text(&self) -> Cow<'a, str> {
        if self.dashes.is_empty() {
            return self.spaced(Cow::Borrowed(self.text));
        }
        let mut text = self.text.to_owned();
        self.dashes.iter().for_each(|&at| text.replace_range(at..=at, DASH));
        self.spaced(Cow::Owned(text))
    }

    /// Returns a text with the spaces.
    fn spaced(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        if self.lines.is_empty() {
            return text;
        }
        let spaces = " ".repeat(self.spaces);
        let mut result = String::with_capacity(text.len() + self.lines.len() * self.spaces);
        let mut written = 0;
        for &line in &self.lines {
            result.push_str(text.get(written..line).unwrap_or_default());
            result.push_str(&spaces);
            written = line;
        }
        result.push_str(text.get(written..).unwrap_or_default());
        Cow::Owned(result)
    }

    /// Converts an offset in the text with spaces to one in the text without.
    pub(super) fn original(&self, byte: usize) -> usize {
        let before = self.begins.partition_point(|begin| *begin <= byte);
        let Some(at) = before.checked_sub(1) else { return byte };
        let begin = self.begins.get(at).copied().unwrap_or_default();
        // Where spaces were inserted, the line begins.
        byte.max(begin + self.spaces) - before * self.spaces
    }
}
