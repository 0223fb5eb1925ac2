//! Protects streamed output from workflow commands.

use std::io::{self, Write};

use memchr::memchr3;

use crate::text::escape::JsonText;

/// Notation for escaped characters, which keeps the meaning of the text where the format allows that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Plain text, with `\u{5b}`.
    Plain,
    /// JSON strings, with `\u005b`.
    Json,
    /// XML and Markdown, with `&#x5b;`.
    Markup,
}

impl Notation {
    fn escaped(self, byte: u8) -> String {
        match self {
            Self::Plain => format!("\\u{{{byte:x}}}"),
            Self::Json => format!("\\u{byte:04x}"),
            Self::Markup => format!("&#x{byte:x};"),
        }
    }
}

/// A stream whose text has no command for a runner: no `::name::` at the start of a line, no `##[name]` anywhere, and
/// for Azure Pipelines no `##vso[name]`. The last character that would make one is written in another way. JSON passes
/// a [`JsonText`] as well.
#[derive(Debug)]
pub struct Guarded<W> {
    inner: JsonText<W>,
    notation: Notation,
    line: Line,
}

/// The text before the next byte on its line, if it may be the start of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Only invisible characters.
    Blank,
    /// A colon after invisible characters.
    Colon,
    /// Two colons. The name of a command may follow. `:::` is not a command; console output uses it for another file.
    Colons,
    /// Text that does not start a command.
    Other,
    /// A `#`, which may be the first of two.
    Hash,
    /// Two or more `#`.
    Hashes,
    /// The beginning of `##vso`, with this number of its letters.
    Letters(u8),
}

impl Line {
    /// Returns the state after a byte. `None` if the byte would complete a command.
    #[inline]
    fn after(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Colons, byte) if byte.is_ascii_alphanumeric() || b"-_".contains(&byte) => return None,
            (Self::Hashes | Self::Letters(3), b'[') => return None,
            (_, b'\n' | b'\r') => Self::Blank,
            (Self::Hash | Self::Hashes, b'#') => Self::Hashes,
            (_, b'#') => Self::Hash,
            (Self::Hashes, b'v' | b'V') => Self::Letters(1),
            (Self::Letters(1), b's' | b'S') => Self::Letters(2),
            (Self::Letters(2), b'o' | b'O') => Self::Letters(3),
            (Self::Blank, b':') => Self::Colon,
            (Self::Colon, b':') => Self::Colons,
            // Runners trim blanks. Many characters beyond ASCII are blank or invisible, so none of them counts as
            // text. ESC is the only control character that no runner treats as blank.
            (Self::Blank, 0x80.. | ..=0x1A | 0x1C..=b' ') => Self::Blank,
            _ => Self::Other,
        })
    }
}

impl<W: Write> Guarded<W> {
    pub const fn new(inner: W, notation: Notation) -> Self {
        Self { inner: JsonText::with_escaping(inner, matches!(notation, Notation::Json)), notation, line: Line::Blank }
    }

    /// Returns the inner stream.
    pub fn into_inner(self) -> W {
        self.inner.into_inner()
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let unread = |from: usize| bytes.get(from..).unwrap_or_default();
        // The end of the written bytes, and the end of the read bytes.
        let (mut written, mut at) = (0, 0);
        while at < bytes.len() {
            at += match self.line {
                // No other byte may start a command after text.
                Line::Other => memchr3(b'\n', b'\r', b'#', unread(at)).unwrap_or(unread(at).len()),
                // Half of an indented text is blanks.
                Line::Blank => unread(at).iter().take_while(|byte| **byte == b' ').count(),
                _ => 0,
            };
            let Some(&byte) = bytes.get(at) else { break };
            let line = self.line.after(byte);
            if line.is_none() {
                self.inner.write_all(bytes.get(written..at).unwrap_or_default())?;
                self.inner.write_all(self.notation.escaped(byte).as_bytes())?;
                written = at + 1;
            }
            self.line = line.unwrap_or(Line::Other);
            at += 1;
        }
        self.inner.write_all(unread(written))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
