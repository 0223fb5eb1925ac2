//! Objects, arrays, loops, and conditions.

use std::sync::Arc;

use crate::language::ast::{ArrayItem, Expr, ExprKind, For, Item, Property, Text};
use crate::language::cursor::{Broken, Cursor, Parsed};
use crate::language::token::Kind;

impl Cursor<'_> {
    /// Parses the items of a list up to its closing bracket. Skips items that cannot be parsed. A list that is not
    /// closed ends before the next declaration, except that a resource is an item in the body of another resource.
    pub(super) fn items(&mut self, close: Kind, is_body: bool, parse: &mut dyn FnMut(&mut Self) -> Parsed<()>) {
        self.within(close, |cursor| {
            loop {
                cursor.skip_lines();
                if cursor.take(close) {
                    return;
                }
                let first = cursor.at;
                let item = if cursor.is_declaration() && !(is_body && cursor.is_word("resource")) {
                    cursor.expect(close)
                } else {
                    parse(cursor).and_then(|()| cursor.separator(close))
                };
                if item.is_err() && cursor.skip_item(first, close).is_err() {
                    return;
                }
            }
        });
    }

    /// Consumes the separator after an item.
    fn separator(&mut self, close: Kind) -> Parsed<()> {
        if self.is(Kind::NewLine) || self.take(Kind::Comma) || self.is(close) {
            Ok(())
        } else {
            self.expected(&format!("`,`, `{}` or a new line", close.text()))
        }
    }

    pub(super) fn object(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let is_body = std::mem::take(&mut self.is_body);
        self.expect(Kind::LeftBrace)?;
        let mut items = Vec::new();
        self.items(Kind::RightBrace, is_body, &mut |cursor| cursor.item(is_body, &mut items));
        self.make(start, ExprKind::Object(items))
    }

    fn item(&mut self, is_body: bool, items: &mut Vec<Item>) -> Parsed<()> {
        if self.take(Kind::Ellipsis) {
            items.push(Item::Spread(self.expression()?));
            return Ok(());
        }
        let is_resource = self.is_word("resource") && self.peek_at(1) == Kind::Word;
        if is_body && (is_resource || self.is(Kind::At)) {
            let decorators = self.decorators()?;
            let resource = self.deeper(|cursor| cursor.resource(decorators))?;
            items.push(Item::Resource(Arc::new(resource)));
            return Ok(());
        }
        let key = match self.peek() {
            Kind::Word => {
                let name = self.name("the name of a property")?;
                Text { span: name.span, first: name.text, interpolations: Box::default() }
            }
            Kind::Whole | Kind::Left => self.string()?,
            _ => return self.expected("the name of a property"),
        };
        self.skip_lines();
        let start = self.start();
        let (value, parsed) = match self.assigned(Kind::Colon) {
            Ok(value) => (value, Ok(())),
            Err(Broken) => (self.skipped(start), Err(Broken)),
        };
        items.push(Item::Property(Property { key, value }));
        parsed
    }

    /// Parses an array or a loop.
    pub(super) fn array(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let is_body = std::mem::take(&mut self.is_body);
        self.expect(Kind::LeftBracket)?;
        self.skip_lines();
        let is_name =
            matches!(self.peek_at(1), Kind::Comma | Kind::RightBracket | Kind::Dot | Kind::SafeDot | Kind::NewLine);
        if self.is_word("for") && !is_name {
            return self.within(Kind::RightBracket, |cursor| cursor.iteration(start, is_body));
        }
        let mut items = Vec::new();
        self.items(Kind::RightBracket, false, &mut |cursor| {
            let is_spread = cursor.take(Kind::Ellipsis);
            let start = cursor.start();
            let (value, parsed) = match cursor.expression() {
                Ok(value) => (value, Ok(())),
                Err(Broken) => (cursor.skipped(start), Err(Broken)),
            };
            items.push(ArrayItem { is_spread, value });
            parsed
        });
        self.make(start, ExprKind::Array(items))
    }

    fn iteration(&mut self, start: u32, is_body: bool) -> Parsed<Expr> {
        self.next();
        self.skip_lines();
        let (item, index) = if self.take(Kind::LeftParen) {
            self.skip_lines();
            let item = self.name("the name of the item")?;
            self.skip_lines();
            self.expect(Kind::Comma)?;
            self.skip_lines();
            let index = self.name("the name of the index")?;
            self.skip_lines();
            self.expect(Kind::RightParen)?;
            (item, Some(index))
        } else {
            (self.name("the name of the item")?, None)
        };
        self.skip_lines();
        self.expect_word("in")?;
        self.skip_lines();
        let source = self.expression()?;
        self.skip_lines();
        self.is_body = is_body;
        let body = self.assigned(Kind::Colon)?;
        self.skip_lines();
        self.expect(Kind::RightBracket)?;
        self.make(start, ExprKind::For(Box::new(For { item, index, source, body })))
    }

    /// Parses the rest of `if (test) body`.
    pub(super) fn condition(&mut self, start: u32) -> Parsed<Expr> {
        let is_body = std::mem::take(&mut self.is_body);
        self.expect(Kind::LeftParen)?;
        self.skip_lines();
        let test = self.expression()?;
        self.skip_lines();
        self.expect(Kind::RightParen)?;
        self.skip_lines();
        self.is_body = is_body;
        let body = self.deeper(Self::object)?;
        self.make(start, ExprKind::If(Box::new((test, body))))
    }
}
