//! Objects, arrays, loops and conditions.

use crate::bicep::language::ast::{ArrayItem, Expr, ExprKind, For, Item, Property, Text};
use crate::bicep::language::cursor::{Cursor, Parsed};
use crate::bicep::language::lexer::Kind;

impl Cursor<'_> {
    /// After an item: steps over what separates it from the next one.
    pub(super) fn separator(&mut self, close: &str) -> Parsed<()> {
        if *self.peek() == Kind::NewLine || self.take(",") || self.is_sign(close) {
            Ok(())
        } else {
            self.expected(&format!("`,`, `{close}` or a new line"))
        }
    }

    pub(super) fn object(&mut self) -> Parsed<Expr> {
        let start = self.start();
        self.expect("{")?;
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            if self.take("}") {
                return self.make(start, ExprKind::Object(items));
            }
            items.push(self.item()?);
            self.separator("}")?;
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.take("...") {
            return Ok(Item::Spread(self.expression()?));
        }
        let is_resource = self.is_word("resource") && *self.peek_at(1) == Kind::Word;
        if is_resource || self.is_sign("@") {
            let decorators = self.decorators()?;
            let resource = self.deeper(|cursor| cursor.resource(decorators))?;
            return Ok(Item::Resource(Box::new(resource)));
        }
        let key = match self.peek() {
            Kind::Word => {
                let name = self.name("the name of a property")?;
                Text { span: name.span, segments: vec![name.text], holes: Vec::new() }
            }
            Kind::Whole(_) | Kind::Left(_) => self.string()?,
            _ => return self.expected("the name of a property"),
        };
        self.skip_lines();
        self.expect(":")?;
        self.skip_lines();
        Ok(Item::Property(Property { key, value: self.expression()? }))
    }

    /// An array or a loop.
    pub(super) fn array(&mut self) -> Parsed<Expr> {
        let start = self.start();
        self.expect("[")?;
        self.skip_lines();
        if self.is_word("for") && !matches!(self.peek_at(1), Kind::Sign("," | "]" | "." | ".?") | Kind::NewLine) {
            return self.iteration(start);
        }
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            if self.take("]") {
                return self.make(start, ExprKind::Array(items));
            }
            let is_spread = self.take("...");
            items.push(ArrayItem { is_spread, value: self.expression()? });
            self.separator("]")?;
        }
    }

    fn iteration(&mut self, start: u32) -> Parsed<Expr> {
        self.next();
        self.skip_lines();
        let (item, index) = if self.take("(") {
            self.skip_lines();
            let item = self.name("the name of the item")?;
            self.skip_lines();
            self.expect(",")?;
            self.skip_lines();
            let index = self.name("the name of the index")?;
            self.skip_lines();
            self.expect(")")?;
            (item, Some(index))
        } else {
            (self.name("the name of the item")?, None)
        };
        self.skip_lines();
        self.expect_word("in")?;
        self.skip_lines();
        let source = self.expression()?;
        self.skip_lines();
        self.expect(":")?;
        self.skip_lines();
        let body = self.expression()?;
        self.skip_lines();
        self.expect("]")?;
        self.make(start, ExprKind::For(Box::new(For { item, index, source, body })))
    }

    /// The rest of `if (test) body`.
    pub(super) fn condition(&mut self, start: u32) -> Parsed<Expr> {
        self.expect("(")?;
        self.skip_lines();
        let test = self.expression()?;
        self.skip_lines();
        self.expect(")")?;
        self.skip_lines();
        let body = self.deeper(Self::object)?;
        self.make(start, ExprKind::If(Box::new((test, body))))
    }
}
