//! Character classes, such as `[a-z]`.

use crate::Dialect;
use crate::translate::{CLASS_SIZE, EscapeMeaning, PatternError, Translator};

/// Greatest depth of nested classes.
const MAX_NESTING: usize = 20;

impl<'p> Translator<'p> {
    /// Translates the class that began with `[` at `start`. Returns its size in memory.
    pub(super) fn class(&mut self, start: &'p str, depth: usize) -> Result<usize, PatternError> {
        if depth > MAX_NESTING {
            return self.fail(start, format!("classes are nested deeper than {MAX_NESTING}"));
        }
        let open = self.out.len();
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        let mut size = self.range_size();
        // `]` is an ordinary character at the beginning of a class.
        let mut is_first = true;
        loop {
            let at = self.rest;
            size = size.saturating_add(match self.bump() {
                None => return self.fail(start, "the class is not closed"),
                Some(']') if !is_first => break,
                Some('[') if self.dialect == Dialect::Java => self.class(at, depth + 1)?,
                Some('&') if self.dialect == Dialect::Java && self.eat("&") => {
                    self.out.push_str("&&");
                    // It has no more ranges than both sides.
                    0
                }
                Some('-') if self.dialect == Dialect::DotNet && !is_first && self.eat("[") => {
                    // What is subtracted is not negated: `[^a-z-[0-9]]` is `[[^a-z]--[0-9]]`.
                    self.out.insert(open, '[');
                    self.out.push_str("]--");
                    let subtracted = self.class(at, depth + 1)?;
                    if !self.rest.starts_with(']') {
                        return self.fail(at, "a subtracted class is not the last part of its class");
                    }
                    subtracted
                }
                Some(c) => self.item(at, c)?,
            });
            is_first = false;
        }
        self.out.push(']');
        Ok(size)
    }

    /// Translates a character, a range, or a set that begins with `c`. Returns its size in memory.
    fn item(&mut self, at: &'p str, c: char) -> Result<usize, PatternError> {
        let first = match self.piece(at, c)? {
            EscapeMeaning::Char(first) => first,
            EscapeMeaning::Set(written, size) => {
                self.out.push_str(&written);
                return Ok(size);
            }
        };
        self.write_char(first);
        let is_range =
            self.rest.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && !rest.starts_with([']', '[']));
        if !is_range {
            return Ok(self.range_size());
        }
        self.bump();
        self.out.push('-');
        let end = self.rest;
        let Some(c) = self.bump() else { return self.fail(end, "the class is not closed") };
        let EscapeMeaning::Char(last) = self.piece(end, c)? else {
            return self.fail(end, "a range ends in a set; expected one character");
        };
        if last < first {
            return self.fail(end, "the range is reversed");
        }
        self.write_char(last);
        Ok(if last.is_ascii() { self.range_size() } else { CLASS_SIZE })
    }

    fn piece(&mut self, at: &'p str, c: char) -> Result<EscapeMeaning, PatternError> {
        match c {
            '\\' if self.dialect == Dialect::DotNet && self.eat("b") => Ok(EscapeMeaning::Char('\u{8}')),
            '\\' => self.escaped(at),
            _ => Ok(EscapeMeaning::Char(c)),
        }
    }
}
