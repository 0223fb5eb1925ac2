//! JSON that can be shown at a terminal.

use std::io::{self, Write};

use crate::text::escape::terminal::is_written_out;

/// The longest UTF-8 sequence of a character that is written out, in bytes.
const LONGEST: usize = 3;

/// A stream for JSON, in which what a terminal obeys is `\u009b`, a notation that its readers undo. These characters
/// are beyond visible ASCII, and JSON has such characters in strings only.
#[derive(Debug)]
pub struct JsonText<W> {
    inner: W,
    /// False for a stream of other text, which stays unchanged.
    is_json: bool,
    /// The beginning of a character, of which the rest is not written yet.
    begun: [u8; LONGEST],
    length: usize,
}

impl<W: Write> JsonText<W> {
    /// Escapes what is written to `inner`.
    pub const fn new(inner: W) -> Self {
        Self::with_escaping(inner, true)
    }

    /// Escapes what is written to `inner` if it is JSON.
    pub(super) const fn with_escaping(inner: W, is_json: bool) -> Self {
        Self { inner, is_json, begun: [0; LONGEST], length: 0 }
    }

    /// Returns the underlying stream.
    pub(super) fn into_inner(self) -> W {
        self.inner
    }

    /// Completes the character that has begun. Returns how many bytes that took.
    fn complete(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = 0;
        while self.length > 0 {
            let whole = self.begun.first().map_or(0, |first| length_of(*first));
            if self.length >= whole {
                let (character, length) = (self.begun, self.length);
                self.length = 0;
                self.character(character.get(..length).unwrap_or_default())?;
                break;
            }
            let (Some(byte), Some(slot)) = (bytes.get(taken), self.begun.get_mut(self.length)) else { break };
            *slot = *byte;
            self.length += 1;
            taken += 1;
        }
        Ok(taken)
    }

    fn character(&mut self, bytes: &[u8]) -> io::Result<()> {
        match str::from_utf8(bytes).ok().and_then(|text| text.chars().next()).filter(|c| is_written_out(*c)) {
            Some(c) => write!(self.inner, "\\u{:04x}", u32::from(c)),
            None => self.inner.write_all(bytes),
        }
    }
}

/// Returns the number of bytes of a character that may be written out, by its first byte. One for any other.
const fn length_of(first: u8) -> usize {
    match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 1,
    }
}

impl<W: Write> Write for JsonText<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.is_json {
            return self.inner.write_all(bytes);
        }
        let mut rest = bytes.get(self.complete(bytes)?..).unwrap_or_default();
        while let Some(at) = rest.iter().position(|byte| *byte >= 0x7F) {
            let (plain, other) = rest.split_at(at);
            self.inner.write_all(plain)?;
            let length = other.first().map_or(1, |first| length_of(*first));
            let Some((character, after)) = other.split_at_checked(length) else {
                for (slot, byte) in self.begun.iter_mut().zip(other) {
                    *slot = *byte;
                }
                self.length = other.len();
                return Ok(());
            };
            self.character(character)?;
            rest = after;
        }
        self.inner.write_all(rest)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_a_terminal_obeys_nothing_in_it() {
        let text = "\u{202e}größe 漢字 👩‍💻 \u{9b}31m\u{7f}\u{feff}\u{85}\u{2028}";
        let json = serde_json::to_string(text).unwrap();
        for piece in 1..8 {
            let mut out = JsonText::new(Vec::new());
            json.as_bytes().chunks(piece).for_each(|bytes| out.write_all(bytes).unwrap());
            let shown = String::from_utf8(out.into_inner()).unwrap();
            assert_eq!(shown, r#""\u202egröße 漢字 👩‍💻 \u009b31m\u007f\ufeff\u0085\u2028""#, "{piece}");
            assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
    }
}
