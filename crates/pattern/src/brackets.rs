//! Parsing character classes: `[a-z]`.

use crate::Dialect;
use crate::class::Class;
use crate::cursor::PatternError;
use crate::parse::Parser;

/// How deep classes may be nested.
const MAX_NESTING: u32 = 20;

impl Parser<'_> {
    /// The class that began with `[` at `start`.
    pub(super) fn class(&mut self, start: usize) -> Result<Class, PatternError> {
        self.class_at(start, 0)
    }

    fn class_at(&mut self, start: usize, depth: u32) -> Result<Class, PatternError> {
        if depth > MAX_NESTING {
            return self.cursor.fail_at(start, format!("classes are nested deeper than {MAX_NESTING}"));
        }
        let mut class = Class { negated: self.cursor.eat(b'^'), ..Class::default() };
        self.class_items(&mut class, start, depth)?;
        while self.at_intersection() {
            self.cursor.bump();
            self.cursor.bump();
            let mut part = Class::default();
            self.class_items(&mut part, start, depth)?;
            if part.ranges.is_empty() && part.written.is_empty() {
                return self.cursor.fail("expected a part of the class after `&&`");
            }
            self.close_case(&mut part);
            class.intersected.push(part);
        }
        self.cursor.eat(b']');
        self.close_case(&mut class);
        Ok(class)
    }

    /// Takes what is in a class, up to the `]` or the `&&` that ends it.
    fn class_items(&mut self, class: &mut Class, start: usize, depth: u32) -> Result<(), PatternError> {
        let mut first = true;
        // `]` is an ordinary unit at the beginning of a class.
        while first || !(self.cursor.looks_at(b']') || self.at_intersection()) {
            self.class_part(class, first, depth)?;
            first = false;
            if self.cursor.peek().is_none() {
                return self.cursor.fail_at(start, "the class is not closed");
            }
        }
        Ok(())
    }

    /// One unit, range, set or nested class.
    fn class_part(&mut self, class: &mut Class, first: bool, depth: u32) -> Result<(), PatternError> {
        let at = self.cursor.at();
        if self.dialect == Dialect::Java && self.cursor.eat(b'[') {
            return self.union(class, at, depth);
        }
        let Some(item) = self.class_item(class)? else { return Ok(()) };
        let is_plain = self.cursor.at() == at + 1;
        let is_minus = is_plain && item == u32::from(b'-') && !first;
        if is_minus && self.dialect == Dialect::DotNet && self.cursor.looks_at(b'[') {
            return self.subtract(class, depth);
        }
        if self.cursor.looks_at(b'-') && self.minus_makes_range() {
            self.cursor.bump();
            return self.range(class, item, depth);
        }
        class.ranges.push((item, item));
        Ok(())
    }

    /// Whether the `-` that comes next is between two units, not the last unit of its class.
    fn minus_makes_range(&self) -> bool {
        match self.cursor.peek_at(1).map(u8::try_from) {
            None | Some(Ok(b']')) => false,
            Some(Ok(b'[')) => self.dialect == Dialect::DotNet,
            _ => true,
        }
    }

    /// Whether `&&` comes next, in the dialect that intersects with it.
    fn at_intersection(&self) -> bool {
        let ampersand = Some(u32::from(b'&'));
        self.dialect == Dialect::Java && self.cursor.peek() == ampersand && self.cursor.peek_at(1) == ampersand
    }

    /// The next unit of a class; `None` after a shorthand, which is added to the class.
    fn class_item(&mut self, class: &mut Class) -> Result<Option<u32>, PatternError> {
        let Some(unit) = self.cursor.bump() else {
            return self.cursor.fail("the class is not closed");
        };
        if unit != u32::from(b'\\') {
            return Ok(Some(unit));
        }
        if self.shorthand(class)? {
            return Ok(None);
        }
        self.escaped_unit().map(Some)
    }

    /// The end of a range that began with `first`. Its `-` is already taken.
    fn range(&mut self, class: &mut Class, first: u32, depth: u32) -> Result<(), PatternError> {
        let at = self.cursor.at();
        if self.cursor.looks_at(b'[') {
            // `[a-[b]]`: `a` without `b`.
            class.ranges.push((first, first));
            return self.subtract(class, depth);
        }
        let Some(last) = self.class_item(class)? else {
            return self.cursor.fail_at(at, "a range ends in a set; expected one character");
        };
        if last < first {
            return self.cursor.fail_at(at, "the range is reversed");
        }
        class.ranges.push((first, last));
        Ok(())
    }

    /// `[…]` after a `-`: what .NET takes out of the class. It must be the last part of it.
    fn subtract(&mut self, class: &mut Class, depth: u32) -> Result<(), PatternError> {
        let start = self.cursor.at();
        self.cursor.bump();
        class.subtracted = Some(Box::new(self.class_at(start, depth + 1)?));
        if self.cursor.looks_at(b']') {
            return Ok(());
        }
        self.cursor.fail("a subtracted class is not the last part of its class")
    }

    /// `[…]` in a class, which Java adds to it. Its `[` is already taken.
    fn union(&mut self, class: &mut Class, start: usize, depth: u32) -> Result<(), PatternError> {
        let nested = self.class_at(start, depth + 1)?;
        let mut written = String::new();
        nested.write(self.dialect, &mut written);
        class.written.push(written);
        Ok(())
    }

    fn close_case(&self, class: &mut Class) {
        if self.options.ignore_case {
            class.close_case(self.dialect);
        }
    }
}
