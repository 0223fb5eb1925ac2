//! Type expressions, with unions, suffixes, and accesses to parts.

use crate::language::ast::{Name, TypeExpr, TypeItem, TypeKind, TypeProperty};
use crate::language::cursor::{Broken, Cursor, MAX_DEPTH, Parsed};
use crate::language::token::{Kind, Token};

impl Cursor<'_> {
    pub(super) fn type_expression(&mut self) -> Parsed<TypeExpr> {
        self.deeper(Self::union)
    }

    fn make_type(&mut self, start: u32, kind: TypeKind) -> Parsed<TypeExpr> {
        let ty = TypeExpr::new(self.since(start), kind);
        if ty.depth() > MAX_DEPTH { self.too_deep() } else { Ok(ty) }
    }

    fn union(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        if self.continues_with(Kind::Pipe) {
            self.skip_lines();
            self.next();
            self.skip_lines();
        }
        let first = self.unary_type()?;
        if !self.continues_with(Kind::Pipe) {
            return Ok(first);
        }
        let mut members = vec![first];
        while self.continues_with(Kind::Pipe) {
            self.skip_lines();
            self.next();
            self.skip_lines();
            members.push(self.unary_type()?);
        }
        self.make_type(start, TypeKind::Union(members))
    }

    fn unary_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        if self.take(Kind::Minus) {
            if !self.is(Kind::Int) {
                return self.expected("a number");
            }
            let value = i64::try_from(self.number()).map_or(i64::MIN, |value| -value);
            return self.make_type(start, TypeKind::Int(value));
        }
        if self.take(Kind::Bang) {
            let value = self.is_word("false");
            if !value && !self.is_word("true") {
                return self.expected("`true` or `false`");
            }
            self.next();
            return self.make_type(start, TypeKind::Bool(value));
        }
        self.suffixed_type()
    }

    fn suffixed_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        let mut base = self.primary_type()?;
        loop {
            let kind = match self.peek() {
                Kind::Question => {
                    self.next();
                    TypeKind::Nullable(Box::new(base))
                }
                Kind::Bang => {
                    self.next();
                    TypeKind::NonNull(Box::new(base))
                }
                Kind::LeftBracket => self.indexed_type(base)?,
                Kind::Dot => {
                    self.next();
                    if self.take(Kind::Star) {
                        TypeKind::Additional(Box::new(base))
                    } else {
                        let name = self.name("the name of a type or property")?;
                        if self.is(Kind::Less) {
                            self.generic(name)?
                        } else {
                            TypeKind::Property { base: Box::new(base), name }
                        }
                    }
                }
                _ => return Ok(base),
            };
            base = self.make_type(start, kind)?;
        }
    }

    fn indexed_type(&mut self, base: TypeExpr) -> Parsed<TypeKind> {
        self.next();
        let base = Box::new(base);
        let kind = match self.peek() {
            Kind::RightBracket => TypeKind::Array(base),
            Kind::Star => {
                self.next();
                TypeKind::Items(base)
            }
            Kind::Int => TypeKind::Element { base, index: self.number() },
            Kind::Whole => TypeKind::Property { base, name: self.quoted_name("a name")? },
            _ => return self.expected("`]`, `*` or an index"),
        };
        self.expect(Kind::RightBracket)?;
        Ok(kind)
    }

    fn generic(&mut self, name: Name) -> Parsed<TypeKind> {
        self.expect(Kind::Less)?;
        let mut arguments = Vec::new();
        loop {
            self.skip_lines();
            if self.take(Kind::Greater) {
                return Ok(TypeKind::Generic { name, arguments });
            }
            arguments.push(self.type_expression()?);
            self.skip_lines();
            if !self.take(Kind::Comma) {
                self.expect(Kind::Greater)?;
                return Ok(TypeKind::Generic { name, arguments });
            }
        }
    }

    fn primary_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        match self.peek() {
            Kind::Whole | Kind::Left => {
                let text = self.literal("the literal of a type")?;
                self.make_type(start, TypeKind::Text(text))
            }
            Kind::Int => {
                let value = self.slice(self.token()).parse();
                let Ok(value) = value else { return self.expected("a number of 64 bits") };
                self.next();
                self.make_type(start, TypeKind::Int(value))
            }
            Kind::LeftBrace => self.object_type(),
            Kind::LeftBracket => self.tuple_type(),
            Kind::LeftParen => {
                self.next();
                self.skip_lines();
                let inner = self.type_expression()?;
                self.skip_lines();
                self.expect(Kind::RightParen)?;
                self.make_type(start, TypeKind::Paren(Box::new(inner)))
            }
            Kind::Word => {
                let name = self.name("a type")?;
                let kind = match &*name.text {
                    "true" => TypeKind::Bool(true),
                    "false" => TypeKind::Bool(false),
                    "null" => TypeKind::Null,
                    _ if self.is(Kind::Less) => self.generic(name)?,
                    "resource" if matches!(self.peek(), Kind::Whole) => {
                        TypeKind::Resource(Some(self.literal("the type of a resource")?))
                    }
                    // The value of an output has its type.
                    "resource" if matches!(self.peek(), Kind::Assign) => TypeKind::Resource(None),
                    _ => TypeKind::Name(name),
                };
                self.make_type(start, kind)
            }
            _ => self.expected("a type"),
        }
    }

    fn object_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        self.expect(Kind::LeftBrace)?;
        let (mut properties, mut additional) = (Vec::new(), None);
        self.items(Kind::RightBrace, false, &mut |cursor| {
            let decorators = cursor.decorators()?;
            let (name, is_additional) = match cursor.token() {
                Token { kind: Kind::Word, .. } => (cursor.name("the name of a property")?, false),
                Token { kind: Kind::Star, start, end } => {
                    cursor.next();
                    (Name { text: cursor.share(start as usize, end as usize), span: cursor.since(start) }, true)
                }
                _ => (cursor.quoted_name("the name of a property")?, false),
            };
            let start = cursor.start();
            let colon = cursor.expect(Kind::Colon);
            cursor.skip_lines();
            let (ty, parsed) = match colon.and_then(|()| cursor.type_expression()) {
                Ok(ty) => (ty, Ok(())),
                Err(Broken) => (cursor.skipped_type(start), Err(Broken)),
            };
            let property = TypeProperty { name, item: TypeItem { decorators, ty } };
            if is_additional {
                additional = Some(Box::new(property));
            } else {
                properties.push(property);
            }
            parsed
        });
        self.make_type(start, TypeKind::Object { properties, additional })
    }

    fn tuple_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        self.expect(Kind::LeftBracket)?;
        let mut items = Vec::new();
        self.items(Kind::RightBracket, false, &mut |cursor| {
            let decorators = cursor.decorators()?;
            items.push(TypeItem { decorators, ty: cursor.type_expression()? });
            Ok(())
        });
        self.make_type(start, TypeKind::Tuple(items))
    }
}
