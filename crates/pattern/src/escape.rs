//! Parsing escapes: what follows a backslash.

use crate::Dialect;
use crate::ast::{Anchor, GroupName, Node};
use crate::class::Class;
use crate::cursor::{PatternError, is_digit, is_word, text_of};
use crate::parse::Parser;
use crate::set;

/// What comes first of two surrogates.
const HIGH_SURROGATES: std::ops::RangeInclusive<u32> = 0xD800..=0xDBFF;

/// What comes second of two surrogates.
const LOW_SURROGATES: std::ops::RangeInclusive<u32> = 0xDC00..=0xDFFF;

impl Parser<'_> {
    /// What follows a backslash outside a class.
    pub(super) fn escape(&mut self) -> Result<Node, PatternError> {
        let start = self.cursor.at();
        let Some(unit) = self.cursor.peek() else {
            return self.cursor.fail("the pattern ends in a backslash");
        };
        let anchor = match u8::try_from(unit) {
            Ok(b'b') => Anchor::WordEdge,
            Ok(b'B') => Anchor::NoWordEdge,
            // A search begins at the start of the string.
            Ok(b'A' | b'G') => Anchor::Start,
            Ok(b'Z') => Anchor::End,
            Ok(b'z') => Anchor::VeryEnd,
            Ok(b'k') => return self.named_reference(),
            Ok(b'<' | b'\'') if self.dialect == Dialect::DotNet => return self.old_reference(),
            Ok(b'1'..=b'9') if self.dialect == Dialect::Java => return self.java_reference(),
            Ok(b'1'..=b'9') => {
                if let Some(node) = self.numbered_reference()? {
                    return Ok(node);
                }
                self.cursor.reset(start);
                return self.literal();
            }
            _ => {
                let mut class = Class::default();
                if self.shorthand(&mut class)? {
                    return Ok(Node::One(class));
                }
                return self.literal();
            }
        };
        self.cursor.bump();
        Ok(Node::Anchor(anchor))
    }

    fn literal(&mut self) -> Result<Node, PatternError> {
        let unit = self.escaped_unit()?;
        Ok(Node::One(Class::unit(self.dialect, unit, self.options.ignore_case)))
    }

    fn reference(&self, group: GroupName) -> Node {
        Node::Reference { group, ignore_case: self.options.ignore_case }
    }

    /// Whether a group exists. While groups are being collected, every one does.
    fn exists(&self, group: &GroupName) -> bool {
        self.known.is_none_or(|groups| groups.resolve(group).is_some())
    }

    /// `\1` in .NET. `None` if it is an octal number.
    fn numbered_reference(&mut self) -> Result<Option<Node>, PatternError> {
        let start = self.cursor.at();
        let Some(number) = self.cursor.number() else {
            return Ok(None);
        };
        let group = GroupName::Number(number);
        if self.exists(&group) {
            return Ok(Some(self.reference(group)));
        }
        if number > 9 {
            return Ok(None);
        }
        self.cursor.fail_at(start, format!("there is no group {number} to refer to"))
    }

    /// `\1` in Java: of several digits as many as there is a group for.
    fn java_reference(&mut self) -> Result<Node, PatternError> {
        let start = self.cursor.at();
        let mut number = 0;
        while let Some(digit) = self.cursor.peek().filter(|&unit| is_digit(unit)) {
            let longer = number * 10 + (digit - u32::from(b'0'));
            // A pattern that has a million groups has reached other limits.
            if number > 0 && (longer > 1_000_000 || !self.exists(&GroupName::Number(longer))) {
                break;
            }
            number = longer;
            self.cursor.bump();
        }
        let group = GroupName::Number(number);
        if self.exists(&group) {
            return Ok(self.reference(group));
        }
        self.cursor.fail_at(start, format!("there is no group {number} to refer to"))
    }

    /// `k<name>`, or in .NET `k'name'`.
    fn named_reference(&mut self) -> Result<Node, PatternError> {
        self.cursor.bump();
        let close = match self.cursor.bump().map(u8::try_from) {
            Some(Ok(b'<')) => b'>',
            Some(Ok(b'\'')) if self.dialect == Dialect::DotNet => b'\'',
            _ => return self.cursor.fail("expected the name of a group in `<>` after `\\k`"),
        };
        let start = self.cursor.at();
        let group = self.group_name()?;
        if !self.cursor.eat(close) {
            return self.cursor.fail("the name of the group is not closed");
        }
        if !self.exists(&group) {
            return self.cursor.fail_at(start, "there is no group of this name to refer to");
        }
        Ok(self.reference(group))
    }

    /// `<name>` or `'name'`, an old form of `k<name>` where such a group exists, else an escaped unit.
    fn old_reference(&mut self) -> Result<Node, PatternError> {
        let start = self.cursor.at();
        let close = if self.cursor.eat(b'<') {
            b'>'
        } else {
            self.cursor.bump();
            b'\''
        };
        if let Some(groups) = self.known
            && let Ok(group) = self.group_name()
            && self.cursor.eat(close)
            && groups.resolve(&group).is_some()
        {
            return Ok(self.reference(group));
        }
        self.cursor.reset(start);
        self.literal()
    }

    /// Adds `\d`, `\p{L}` and the like to `class`. `false` if the next unit begins no such set.
    pub(super) fn shorthand(&mut self, class: &mut Class) -> Result<bool, PatternError> {
        let start = self.cursor.at();
        let Some(letter) = self.cursor.bump() else {
            return Ok(false);
        };
        if let Some(set) = set::shorthand(self.dialect, letter) {
            class.add(set);
            return Ok(true);
        }
        let negated = letter == u32::from(b'P');
        if !negated && letter != u32::from(b'p') {
            self.cursor.reset(start);
            return Ok(false);
        }
        let name = self.property_name()?;
        let ignore_case = self.options.ignore_case;
        let Some(set) = set::property(self.dialect, &name, negated, ignore_case) else {
            let message = match self.dialect {
                Dialect::DotNet => format!("`{name}` is neither a category nor a block of Unicode"),
                Dialect::Java => format!("the property `{name}` is not supported"),
            };
            return self.cursor.fail_at(start, message);
        };
        class.add(set);
        if ignore_case {
            class.close_case(self.dialect);
        }
        Ok(true)
    }

    /// `{name}` after `\p`, or in Java one letter without the braces.
    fn property_name(&mut self) -> Result<String, PatternError> {
        if !self.cursor.eat(b'{') {
            return match self.cursor.peek().filter(|_| self.dialect == Dialect::Java) {
                Some(letter) => {
                    self.cursor.bump();
                    Ok(text_of(&[letter]))
                }
                None => self.cursor.fail("expected a name in `{}` after `\\p`"),
            };
        }
        let name = text_of(self.cursor.take_while(|unit| is_word(unit) || unit == u32::from(b'-')));
        if !self.cursor.eat(b'}') {
            return self.cursor.fail("the name of the property is not closed");
        }
        Ok(name)
    }

    /// One escaped unit, in or outside a class.
    pub(super) fn escaped_unit(&mut self) -> Result<u32, PatternError> {
        let start = self.cursor.at();
        let Some(unit) = self.cursor.bump() else {
            return self.cursor.fail("the pattern ends in a backslash");
        };
        let java = self.dialect == Dialect::Java;
        Ok(match u8::try_from(unit) {
            Ok(b'0') if java => {
                if !self.cursor.peek().is_some_and(|unit| (0x30..=0x37).contains(&unit)) {
                    return self.cursor.fail("expected an octal digit after `\\0`");
                }
                self.octal()
            }
            Ok(b'0'..=b'7') if !java => {
                self.cursor.reset(start);
                self.octal()
            }
            Ok(b'a') => 0x07,
            Ok(b'b') if !java => 0x08,
            Ok(b't') => 0x09,
            Ok(b'n') => 0x0A,
            Ok(b'v') if !java => 0x0B,
            Ok(b'f') => 0x0C,
            Ok(b'r') => 0x0D,
            Ok(b'e') => 0x1B,
            Ok(b'x') if java && self.cursor.eat(b'{') => self.code_point(start)?,
            Ok(b'x') => self.hexadecimal(2)?,
            Ok(b'u') if java => self.java_unit(start)?,
            Ok(b'u') => self.hexadecimal(4)?,
            Ok(b'c') => self.control()?,
            Ok(b'R' | b'X' | b'N') if java => {
                let letter = text_of(&[unit]);
                return self.cursor.fail_at(start, format!("`\\{letter}` is not supported"));
            }
            _ if self.must_not_be_escaped(unit) => {
                let letter = text_of(&[unit]);
                return self.cursor.fail_at(start, format!("`\\{letter}` has no meaning"));
            }
            _ => unit,
        })
    }

    /// Whether a backslash before a unit that it gives no meaning is an error.
    fn must_not_be_escaped(&self, unit: u32) -> bool {
        match self.dialect {
            Dialect::DotNet => is_word(unit),
            Dialect::Java => char::from_u32(unit).is_some_and(|c| c.is_ascii_alphanumeric()),
        }
    }

    /// Up to three octal digits; only the lower eight bits of their value count.
    fn octal(&mut self) -> u32 {
        let mut value = 0;
        for _ in 0..3 {
            match self.cursor.peek() {
                Some(digit @ 0x30..=0x37) => {
                    // In Java `\0400` is `\040` and the digit 0.
                    if self.dialect == Dialect::Java && value * 8 + (digit - 0x30) > 0xFF {
                        break;
                    }
                    self.cursor.bump();
                    value = value * 8 + (digit - 0x30);
                }
                _ => break,
            }
        }
        value & 0xFF
    }

    fn hexadecimal(&mut self, digits: u32) -> Result<u32, PatternError> {
        let mut value = 0;
        for _ in 0..digits {
            let Some(digit) = self.hexadecimal_digit() else {
                return self.cursor.fail(format!("expected {digits} hexadecimal digits"));
            };
            value = value * 16 + digit;
        }
        Ok(value)
    }

    fn hexadecimal_digit(&mut self) -> Option<u32> {
        let digit = char::from_u32(self.cursor.peek()?)?.to_digit(16)?;
        self.cursor.bump();
        Some(digit)
    }

    /// `1F600}`, which follows `\x{`.
    fn code_point(&mut self, start: usize) -> Result<u32, PatternError> {
        let mut value = 0_u32;
        while let Some(digit) = self.hexadecimal_digit() {
            value = value.saturating_mul(16).saturating_add(digit);
        }
        if !self.cursor.eat(b'}') || char::from_u32(value).is_none() {
            return self.cursor.fail_at(start, "expected the number of a character in `{}` after `\\x`");
        }
        Ok(value)
    }

    /// The four digits after `\u` in Java. Two surrogates in a row are one character.
    fn java_unit(&mut self, start: usize) -> Result<u32, PatternError> {
        let high = self.hexadecimal(4)?;
        if HIGH_SURROGATES.contains(&high) && self.cursor.eat(b'\\') && self.cursor.eat(b'u') {
            let low = self.hexadecimal(4)?;
            if LOW_SURROGATES.contains(&low) {
                return Ok(0x1_0000 + ((high - HIGH_SURROGATES.start()) << 10) + (low - LOW_SURROGATES.start()));
            }
        }
        if HIGH_SURROGATES.contains(&high) || LOW_SURROGATES.contains(&high) {
            return self
                .cursor
                .fail_at(start, "half of a character outside the Basic Multilingual Plane is not supported");
        }
        Ok(high)
    }

    /// The letter after `\c`, as a control character.
    fn control(&mut self) -> Result<u32, PatternError> {
        let letter = self.cursor.bump().and_then(|unit| u8::try_from(unit).ok());
        match letter.map(|letter| letter.to_ascii_uppercase().wrapping_sub(b'@')) {
            Some(code @ 0..0x20) => Ok(code.into()),
            _ => self.cursor.fail("expected a letter after `\\c`"),
        }
    }
}
