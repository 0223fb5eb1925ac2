//! Types, with their unions, suffixes and parts.

use crate::bicep::language::ast::{Name, Text, TypeExpr, TypeItem, TypeKind, TypeProperty};
use crate::bicep::language::cursor::{Cursor, MAX_DEPTH, Parsed};
use crate::bicep::language::lexer::Kind;

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
        if self.is_sign_at(self.lines_ahead(), "|") {
            self.skip_lines();
            self.next();
            self.skip_lines();
        }
        let first = self.unary_type()?;
        if !self.is_sign_at(self.lines_ahead(), "|") {
            return Ok(first);
        }
        let mut members = vec![first];
        while self.is_sign_at(self.lines_ahead(), "|") {
            self.skip_lines();
            self.next();
            self.skip_lines();
            members.push(self.unary_type()?);
        }
        self.make_type(start, TypeKind::Union(members))
    }

    fn unary_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        if self.take("-") {
            let Kind::Int(value) = self.peek() else { return self.expected("a number") };
            let value = i64::try_from(*value).map_or(i64::MIN, |value| -value);
            self.next();
            return self.make_type(start, TypeKind::Int(value));
        }
        if self.take("!") {
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
                Kind::Sign("?") => {
                    self.next();
                    TypeKind::Nullable(Box::new(base))
                }
                Kind::Sign("!") => {
                    self.next();
                    TypeKind::NonNull(Box::new(base))
                }
                Kind::Sign("[") => self.indexed_type(base)?,
                Kind::Sign(".") => {
                    self.next();
                    if self.take("*") {
                        TypeKind::Additional(Box::new(base))
                    } else {
                        let name = self.name("the name of a type or property")?;
                        if self.is_sign("<") {
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
        let kind = match self.peek().clone() {
            Kind::Sign("]") => TypeKind::Array(base),
            Kind::Sign("*") => {
                self.next();
                TypeKind::Items(base)
            }
            Kind::Int(index) => {
                self.next();
                TypeKind::Element { base, index }
            }
            Kind::Whole(text) => {
                let start = self.start();
                self.next();
                TypeKind::Property { base, name: Name { text, span: self.since(start) } }
            }
            _ => return self.expected("`]`, `*` or an index"),
        };
        self.expect("]")?;
        Ok(kind)
    }

    fn generic(&mut self, name: Name) -> Parsed<TypeKind> {
        self.expect("<")?;
        let mut arguments = Vec::new();
        loop {
            self.skip_lines();
            if self.take(">") {
                return Ok(TypeKind::Generic { name, arguments });
            }
            arguments.push(self.type_expression()?);
            self.skip_lines();
            if !self.take(",") {
                self.expect(">")?;
                return Ok(TypeKind::Generic { name, arguments });
            }
        }
    }

    fn primary_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        match self.peek() {
            Kind::Whole(_) | Kind::Left(_) => {
                let text = self.literal("the literal of a type")?;
                self.make_type(start, TypeKind::Text(text))
            }
            Kind::Int(value) => {
                let Ok(value) = i64::try_from(*value) else { return self.expected("a number of 64 bits") };
                self.next();
                self.make_type(start, TypeKind::Int(value))
            }
            Kind::Sign("{") => self.object_type(),
            Kind::Sign("[") => self.tuple_type(),
            Kind::Sign("(") => {
                self.next();
                self.skip_lines();
                let inner = self.type_expression()?;
                self.skip_lines();
                self.expect(")")?;
                self.make_type(start, TypeKind::Paren(Box::new(inner)))
            }
            Kind::Word => {
                let name = self.name("a type")?;
                let kind = match &*name.text {
                    "true" => TypeKind::Bool(true),
                    "false" => TypeKind::Bool(false),
                    "null" => TypeKind::Null,
                    _ if self.is_sign("<") => self.generic(name)?,
                    "resource" if matches!(self.peek(), Kind::Whole(_)) => {
                        TypeKind::Resource(Some(self.literal("the type of a resource")?))
                    }
                    _ => TypeKind::Name(name),
                };
                self.make_type(start, kind)
            }
            _ => self.expected("a type"),
        }
    }

    fn object_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        self.expect("{")?;
        let (mut properties, mut additional) = (Vec::new(), None);
        loop {
            self.skip_lines();
            if self.take("}") {
                return self.make_type(start, TypeKind::Object { properties, additional });
            }
            let decorators = self.decorators()?;
            let begin = self.start();
            let (name, is_rest) = match self.peek() {
                Kind::Word => (self.name("the name of a property")?, false),
                Kind::Sign("*") => {
                    self.next();
                    (Name { text: "*".into(), span: self.since(begin) }, true)
                }
                _ => {
                    let Text { span, segments, .. } = self.literal("the name of a property")?;
                    (Name { text: segments.concat().into_boxed_str(), span }, false)
                }
            };
            self.expect(":")?;
            self.skip_lines();
            let item = TypeItem { decorators, ty: self.type_expression()? };
            let property = TypeProperty { name, item };
            if is_rest {
                additional = Some(Box::new(property));
            } else {
                properties.push(property);
            }
            self.separator("}")?;
        }
    }

    fn tuple_type(&mut self) -> Parsed<TypeExpr> {
        let start = self.start();
        self.expect("[")?;
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            if self.take("]") {
                return self.make_type(start, TypeKind::Tuple(items));
            }
            let decorators = self.decorators()?;
            items.push(TypeItem { decorators, ty: self.type_expression()? });
            self.separator("]")?;
        }
    }
}
