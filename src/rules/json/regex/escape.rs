//! Escapes and character classes.

use crate::rules::json::regex::ast::{Anchor, GroupName, Node};
use crate::rules::json::regex::class::Class;
use crate::rules::json::regex::cursor::{RegexError, is_word};
use crate::rules::json::regex::parse::Parser;

/// How deep classes may be subtracted from each other.
const MAX_SUBTRACTIONS: u32 = 20;

impl Parser<'_> {
    /// What follows a backslash outside a class.
    pub(super) fn escape(&mut self) -> Result<Node, RegexError> {
        let start = self.cursor.at();
        let Some(unit) = self.cursor.peek() else {
            return self.cursor.fail("the pattern ends in a backslash");
        };
        let anchor = match u8::try_from(unit) {
            Ok(b'b') => Anchor::WordEdge,
            Ok(b'B') => Anchor::NoWordEdge,
            // A search begins at the start of the text.
            Ok(b'A' | b'G') => Anchor::Start,
            Ok(b'Z') => Anchor::End,
            Ok(b'z') => Anchor::VeryEnd,
            Ok(b'k') => return self.named_reference(),
            Ok(b'<' | b'\'') => return self.old_reference(),
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

    fn literal(&mut self) -> Result<Node, RegexError> {
        let unit = self.escaped_unit()?;
        Ok(Node::One(Class::unit(unit, self.options.ignore_case)))
    }

    fn reference(&self, group: GroupName) -> Node {
        Node::Reference { group, ignore_case: self.options.ignore_case }
    }

    /// Whether a group exists. While groups are collected every one does.
    fn exists(&self, group: &GroupName) -> bool {
        self.known.is_none_or(|groups| groups.resolve(group).is_some())
    }

    /// `\1`. `None` if it is an octal number.
    fn numbered_reference(&mut self) -> Result<Option<Node>, RegexError> {
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

    /// `k<name>` or `k'name'`.
    fn named_reference(&mut self) -> Result<Node, RegexError> {
        self.cursor.bump();
        let close = match self.cursor.bump().map(u8::try_from) {
            Some(Ok(b'<')) => b'>',
            Some(Ok(b'\'')) => b'\'',
            _ => return self.cursor.fail("`\\k` wants the name of a group in `<>`"),
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
    fn old_reference(&mut self) -> Result<Node, RegexError> {
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

    /// Adds `\d`, `\p{L}` and the like to `class`. `false` if the next unit is none of them.
    fn shorthand(&mut self, class: &mut Class) -> Result<bool, RegexError> {
        let start = self.cursor.at();
        let Some(letter) = self.cursor.bump() else {
            return Ok(false);
        };
        if class.add_shorthand(letter).is_some() {
            return Ok(true);
        }
        let negated = letter == u16::from(b'P');
        if !negated && letter != u16::from(b'p') {
            self.cursor.reset(start);
            return Ok(false);
        }
        if !self.cursor.eat(b'{') {
            return self.cursor.fail("`\\p` wants a name in `{}`");
        }
        let name = self.cursor.take_while(|unit| is_word(unit) || unit == u16::from(b'-'));
        let name = String::from_utf16_lossy(name);
        if !self.cursor.eat(b'}') {
            return self.cursor.fail("the name of the property is not closed");
        }
        let ignore_case = self.options.ignore_case;
        if class.add_property(&name, negated, ignore_case).is_none() {
            return self.cursor.fail_at(start, format!("`{name}` is no category and no block of Unicode"));
        }
        if ignore_case {
            class.close_case();
        }
        Ok(true)
    }

    /// One escaped unit, in or outside a class.
    fn escaped_unit(&mut self) -> Result<u16, RegexError> {
        let start = self.cursor.at();
        let Some(unit) = self.cursor.bump() else {
            return self.cursor.fail("the pattern ends in a backslash");
        };
        Ok(match u8::try_from(unit) {
            Ok(b'0'..=b'7') => {
                self.cursor.reset(start);
                self.octal()
            }
            Ok(b'a') => 0x07,
            Ok(b'b') => 0x08,
            Ok(b't') => 0x09,
            Ok(b'n') => 0x0A,
            Ok(b'v') => 0x0B,
            Ok(b'f') => 0x0C,
            Ok(b'r') => 0x0D,
            Ok(b'e') => 0x1B,
            Ok(b'x') => self.hexadecimal(2)?,
            Ok(b'u') => self.hexadecimal(4)?,
            Ok(b'c') => self.control()?,
            _ if is_word(unit) => {
                let letter = String::from_utf16_lossy(&[unit]);
                return self.cursor.fail_at(start, format!("`\\{letter}` has no meaning"));
            }
            _ => unit,
        })
    }

    /// Up to three octal digits; the value is cut to eight bits.
    fn octal(&mut self) -> u16 {
        let mut value = 0;
        for _ in 0..3 {
            match self.cursor.peek() {
                Some(digit @ 0x30..=0x37) => {
                    self.cursor.bump();
                    value = value * 8 + (digit - 0x30);
                }
                _ => break,
            }
        }
        value & 0xFF
    }

    fn hexadecimal(&mut self, digits: u32) -> Result<u16, RegexError> {
        let mut value = 0;
        for _ in 0..digits {
            let digit = self
                .cursor
                .peek()
                .and_then(|unit| char::from_u32(unit.into()))
                .and_then(|it| it.to_digit(16))
                .and_then(|it| u16::try_from(it).ok());
            let Some(digit) = digit else {
                return self.cursor.fail(format!("wanted {digits} hexadecimal digits"));
            };
            self.cursor.bump();
            value = value * 16 + digit;
        }
        Ok(value)
    }

    /// `\cA`
    fn control(&mut self) -> Result<u16, RegexError> {
        let letter = self.cursor.bump().and_then(|unit| u8::try_from(unit).ok());
        match letter.map(|it| it.to_ascii_uppercase().wrapping_sub(b'@')) {
            Some(code @ 0..0x20) => Ok(code.into()),
            _ => self.cursor.fail("`\\c` wants a letter"),
        }
    }

    /// The class that began with `[` at `start`.
    pub(super) fn class(&mut self, start: usize) -> Result<Class, RegexError> {
        self.class_at(start, 0)
    }

    fn class_at(&mut self, start: usize, depth: u32) -> Result<Class, RegexError> {
        if depth > MAX_SUBTRACTIONS {
            return self.cursor.fail_at(start, "classes are subtracted from each other too often");
        }
        let mut class = Class { negated: self.cursor.eat(b'^'), ..Class::default() };
        let mut first = true;
        loop {
            // `]` is an ordinary unit where the class begins.
            if !first && self.cursor.eat(b']') {
                break;
            }
            let at = self.cursor.at();
            let Some(item) = self.class_item(&mut class)? else {
                first = false;
                continue;
            };
            let minus = item == u16::from(b'-') && !first && self.plain_at(at);
            if minus && self.cursor.looks_at(b'[') {
                self.subtract(&mut class, depth)?;
            } else if self.cursor.looks_at(b'-') && self.closes_at(1) == Some(false) {
                self.cursor.bump();
                self.range(&mut class, item, depth)?;
            } else {
                class.ranges.push((item, item));
            }
            first = false;
            if self.cursor.peek().is_none() {
                return self.cursor.fail_at(start, "the class is not closed");
            }
        }
        if self.options.ignore_case {
            class.close_case();
        }
        Ok(class)
    }

    /// Whether the unit at `at` was written as it is, not escaped.
    fn plain_at(&self, at: usize) -> bool {
        self.cursor.at() == at + 1
    }

    /// Whether the unit `ahead` is `]`; `None` at the end of the pattern.
    fn closes_at(&self, ahead: usize) -> Option<bool> {
        self.cursor.peek_at(ahead).map(|unit| unit == u16::from(b']'))
    }

    /// The next unit of a class; `None` after a shorthand, which is added to the class.
    fn class_item(&mut self, class: &mut Class) -> Result<Option<u16>, RegexError> {
        let Some(unit) = self.cursor.bump() else {
            return self.cursor.fail("the class is not closed");
        };
        if unit != u16::from(b'\\') {
            return Ok(Some(unit));
        }
        if self.shorthand(class)? {
            return Ok(None);
        }
        self.escaped_unit().map(Some)
    }

    /// The end of a range that began with `first`, and whose `-` is taken.
    fn range(&mut self, class: &mut Class, first: u16, depth: u32) -> Result<(), RegexError> {
        let at = self.cursor.at();
        if self.cursor.looks_at(b'[') {
            // `[a-[b]]`: `a` without `b`.
            class.ranges.push((first, first));
            return self.subtract(class, depth);
        }
        let Some(last) = self.class_item(class)? else {
            return self.cursor.fail_at(at, "a range ends in a set, wanted one character");
        };
        if last < first {
            return self.cursor.fail_at(at, "the range is reversed");
        }
        class.ranges.push((first, last));
        Ok(())
    }

    /// `[…]` behind a `-`: it must be the last part of its class.
    fn subtract(&mut self, class: &mut Class, depth: u32) -> Result<(), RegexError> {
        let start = self.cursor.at();
        self.cursor.bump();
        class.subtracted = Some(Box::new(self.class_at(start, depth + 1)?));
        if self.cursor.looks_at(b']') {
            return Ok(());
        }
        self.cursor.fail("a subtracted class is not the last part of its class")
    }
}
