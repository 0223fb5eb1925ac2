//! Lines that CloudFormation takes although YAML wants them indented deeper.
//!
//! In a collection in brackets and in a quoted scalar, YAML 1.2 requires each line to be indented deeper than the block
//! around it. The parser of CloudFormation, as most parsers of YAML 1.1, lets such a line begin anywhere, and so people close a brace
//! below the key that opens it. These lines are read with further spaces before them, which mean nothing there.
//! Reference: <https://yaml.org/spec/1.2.2/#61-indentation-spaces>.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Errors of the parser for a line in brackets.
const IN_BRACKETS: [&str; 2] = ["invalid indentation", "invalid indentation in flow construct"];

/// Error of the parser for a quoted scalar, at its opening quote.
const IN_QUOTES: &str = "invalid indentation in quoted scalar";

/// Times that a text is read again.
const MAX_ATTEMPTS: u32 = 200;

/// Bytes that are read again, in total.
const MAX_BYTES: usize = 64 << 20;

/// Spaces inserted into a text.
#[derive(Debug)]
pub(super) struct Repairs<'a> {
    text: &'a str,
    /// Offsets of the indented lines in the text.
    lines: BTreeSet<usize>,
    /// Offsets of the same lines in the text with spaces.
    begins: Vec<usize>,
    /// Spaces inserted before each line: more than any line begins with.
    spaces: usize,
    attempts: u32,
}

impl<'a> Repairs<'a> {
    /// Creates repairs of a text that insert no spaces yet.
    pub(super) fn none(text: &'a str) -> Self {
        let deepest = text
            .lines()
            .map(|line: &str| line.bytes().take_while(|byte| b" -?".contains(byte)).count())
            .max()
            .unwrap_or_default();
        Self { text, lines: BTreeSet::new(), begins: Vec::new(), spaces: deepest + 2, attempts: 0 }
    }

    /// Adds the lines to indent after an error of the parser at a byte of the text. Returns `false` if there are none.
    pub(super) fn extend(&mut self, error: &str, at: usize) -> bool {
        self.attempts += 1;
        let takes = self.text.len().saturating_add(self.lines.len().saturating_mul(self.spaces));
        if self.attempts > MAX_ATTEMPTS || takes.saturating_mul(self.attempts as usize) > MAX_BYTES {
            return false;
        }
        let before = self.lines.len();
        if IN_BRACKETS.contains(&error) {
            let line = self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            self.lines.insert(line);
        } else if error == IN_QUOTES {
            self.indent_quoted(at);
        }
        self.begins = self.lines.iter().enumerate().map(|(at, line)| line + at * self.spaces).collect();
        self.lines.len() > before
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

    /// Returns the text with the spaces.
    pub(super) fn text(&self) -> Cow<'a, str> {
        if self.lines.is_empty() {
            return Cow::Borrowed(self.text);
        }
        let spaces = " ".repeat(self.spaces);
        let mut result = String::with_capacity(self.text.len() + self.lines.len() * self.spaces);
        let mut written = 0;
        for &line in &self.lines {
            result.push_str(self.text.get(written..line).unwrap_or_default());
            result.push_str(&spaces);
            written = line;
        }
        result.push_str(self.text.get(written..).unwrap_or_default());
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
