//! Reads strings and their escapes.

use memchr::memchr2;

use crate::diagnostic::Code;
use crate::json::problem::{Problem, Result};
use crate::json::reader::Reader;
use crate::offset;
use crate::value::Str;

impl Reader<'_> {
    /// Reads the string that begins with a quote at the current position, and ends at the same kind of quote. Line
    /// breaks and other control characters stand for themselves.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Str> {
        let open = self.at;
        let start = open + 1;
        let Some((&quote, rest)) = self.rest_bytes().split_first() else {
            return Err(self.expected("a string"));
        };
        match memchr2(quote, b'\\', rest) {
            Some(len) if rest.get(len) == Some(&quote) => {
                let end = start + len;
                self.close_string(open, end);
                Ok(Str::slice(self.text, offset(start), offset(end)))
            }
            _ => self.escaped_string(quote),
        }
    }

    fn escaped_string(&mut self, quote: u8) -> Result<Str> {
        let open = self.at;
        let mut decoded = String::new();
        let mut from = open + 1;
        while let Some(len) = self.bytes.get(from..).and_then(|rest| memchr2(quote, b'\\', rest)) {
            let stop = from + len;
            decoded.push_str(self.text.get(from..stop).unwrap_or_default());
            let rest = self.bytes.get(stop..).unwrap_or_default();
            if rest.first() == Some(&quote) {
                self.close_string(open, stop);
                return Ok(Str::from(decoded));
            }
            let Some(escape) = Escape::decode(rest) else {
                return Err(self.bad_escape(stop));
            };
            decoded.push(escape.character);
            from = stop + escape.len;
        }
        Err(self.unclosed_string(open))
    }

    fn close_string(&mut self, open: usize, close: usize) {
        self.at = close + 1;
        self.last_string = open..self.at;
    }

    #[cold]
    fn unclosed_string(&self, open: usize) -> Problem {
        let end = self.bytes.len();
        let message = "the text ends inside a string, expected its closing quote";
        let problem = Problem::new(Code::SyntaxJson, end..end, message).label(open..open + 1, "the string begins here");
        self.suspect_last_string(problem)
    }

    #[cold]
    fn bad_escape(&self, backslash: usize) -> Problem {
        let rest = self.text.get(backslash..).unwrap_or_default();
        let expected_len = if rest.starts_with("\\u") { 6 } else { 2 };

        let len = rest.char_indices().skip(1).take(expected_len - 1);
        let len = len
            .take_while(|&(at, c)| at == 1 || !matches!(c, '"' | '\n'))
            .last()
            .map_or(1, |(at, c)| at + c.len_utf8());
        let escape = rest.get(..len).unwrap_or_default();
        let message = match expected_len {
            6 => format!("`{escape}` is not an escape; expected four hexadecimal digits after `\\u`"),
            _ => format!("`{escape}` is not an escape of JSON"),
        };
        Problem::new(Code::SyntaxJson, backslash..backslash + len, message).help("write `\\\\` for a backslash")
    }
}

/// A decoded escape sequence.
struct Escape {
    /// Character, or the replacement character for half of a surrogate pair.
    character: char,
    /// Length of the escape sequence in bytes.
    len: usize,
}

impl Escape {
    /// Decodes the escape that begins with a backslash at the first byte. Returns `None` if JSON does not have it.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let character = match bytes.get(1)? {
            // Newtonsoft.Json takes `\'` too.
            byte @ (b'"' | b'\'' | b'\\' | b'/') => char::from(*byte),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return Self::unicode(bytes),
            _ => return None,
        };
        Some(Self { character, len: 2 })
    }

    /// Decodes `\uXXXX`, or two of them that are a surrogate pair. Half of a pair becomes the replacement character.
    fn unicode(bytes: &[u8]) -> Option<Self> {
        let first = code_unit(bytes)?;
        if let Some(character) = char::from_u32(first) {
            return Some(Self { character, len: 6 });
        }
        let pair = bytes
            .get(6..)
            .and_then(code_unit)
            .filter(|low| first < 0xDC00 && (0xDC00..0xE000).contains(low))
            .and_then(|low| char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00)));
        Some(match pair {
            Some(character) => Self { character, len: 12 },
            None => Self { character: char::REPLACEMENT_CHARACTER, len: 6 },
        })
    }
}

/// Returns the value of `\uXXXX` at the start, or `None` if there is none.
fn code_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.first_chunk::<4>()?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
}
