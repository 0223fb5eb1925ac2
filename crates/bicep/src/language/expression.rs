//! Expressions: operators, accesses, literals, and lambdas.

use arcstr::Substr;

use crate::language::ast::{Binary, Expr, ExprKind, Interpolation, Name, Text, Unary};
use crate::language::cursor::{Cursor, MAX_DEPTH, Parsed};
use crate::language::string::{Form, unescape};
use crate::language::token::Kind;

/// Returns the binary operator of a token, and its precedence.
fn operator(kind: Kind) -> Option<(Binary, u8)> {
    Some(match kind {
        Kind::Coalesce => (Binary::Coalesce, 1),
        Kind::Or => (Binary::Or, 2),
        Kind::And => (Binary::And, 3),
        Kind::Equal => (Binary::Equal, 4),
        Kind::NotEqual => (Binary::NotEqual, 4),
        Kind::EqualInsensitive => (Binary::EqualInsensitive, 4),
        Kind::NotEqualInsensitive => (Binary::NotEqualInsensitive, 4),
        Kind::Less => (Binary::Less, 5),
        Kind::LessOrEqual => (Binary::LessOrEqual, 5),
        Kind::Greater => (Binary::Greater, 5),
        Kind::GreaterOrEqual => (Binary::GreaterOrEqual, 5),
        Kind::Plus => (Binary::Add, 6),
        Kind::Minus => (Binary::Subtract, 6),
        Kind::Star => (Binary::Multiply, 7),
        Kind::Slash => (Binary::Divide, 7),
        Kind::Percent => (Binary::Modulo, 7),
        _ => return None,
    })
}

impl Cursor<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(Self::ternary)
    }

    pub(super) fn make(&mut self, start: u32, kind: ExprKind) -> Parsed<Expr> {
        let expr = Expr::new(self.since(start), kind);
        if expr.depth() > MAX_DEPTH { self.too_deep() } else { Ok(expr) }
    }

    fn ternary(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let test = self.binary(0)?;
        if !self.continues_with(Kind::Question) {
            return Ok(test);
        }
        self.skip_lines();
        self.next();
        self.skip_lines();
        let then = self.expression()?;
        self.skip_lines();
        self.expect(Kind::Colon)?;
        self.skip_lines();
        let otherwise = self.expression()?;
        self.make(start, ExprKind::Ternary(Box::new((test, then, otherwise))))
    }

    /// True if the next token on this line or the next is `sign`.
    #[inline]
    pub(super) fn continues_with(&self, sign: Kind) -> bool {
        self.peek_at(self.lines_ahead()) == sign
    }

    fn operator(&self) -> Option<(Binary, u8)> {
        let lines = self.lines_ahead();
        let kind = self.peek_at(lines);
        // A line that starts with a minus is another item.
        if lines > 0 && kind == Kind::Minus { None } else { operator(kind) }
    }

    /// Parses an operand, and the operators after it with a higher precedence than `level`.
    fn binary(&mut self, level: u8) -> Parsed<Expr> {
        let start = self.start();
        let mut left = self.unary()?;
        while let Some((operator, own)) = self.operator().filter(|(_, own)| *own > level) {
            self.skip_lines();
            self.next();
            self.skip_lines();
            let right = self.deeper(|cursor| cursor.binary(own))?;
            left = self.make(start, ExprKind::Binary(operator, Box::new((left, right))))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let operator = match self.peek() {
            Kind::Bang => Unary::Not,
            Kind::Minus => Unary::Minus,
            Kind::Plus => return self.error(self.since(start), "`+` is not a sign of numbers; remove it"),
            _ => return self.member(),
        };
        self.next();
        let operand = self.deeper(Self::unary)?;
        self.make(start, ExprKind::Unary(operator, Box::new(operand)))
    }

    /// Parses a primary expression with the accesses after it.
    fn member(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let mut base = self.primary()?;
        loop {
            let kind = match self.peek() {
                Kind::LeftBracket => self.index(base)?,
                Kind::Bang => {
                    self.next();
                    ExprKind::NonNull(Box::new(base))
                }
                _ if self.continues_with(Kind::Dot) || self.continues_with(Kind::SafeDot) => self.dotted(base)?,
                _ if self.continues_with(Kind::DoubleColon) => {
                    self.skip_lines();
                    self.next();
                    self.skip_lines();
                    let name = self.name("the name of a nested resource")?;
                    ExprKind::Nested { base: Box::new(base), name }
                }
                _ => return Ok(base),
            };
            base = self.make(start, kind)?;
        }
    }

    fn dotted(&mut self, base: Expr) -> Parsed<ExprKind> {
        self.skip_lines();
        let is_safe = self.is(Kind::SafeDot);
        self.next();
        self.skip_lines();
        let name = self.name("the name of a property or function")?;
        let base = Box::new(base);
        if self.is(Kind::LeftParen) && !is_safe {
            let arguments = self.arguments()?;
            return Ok(ExprKind::Method { base, name, arguments });
        }
        Ok(ExprKind::Property { base, name, is_safe })
    }

    fn index(&mut self, base: Expr) -> Parsed<ExprKind> {
        self.next();
        let is_safe = self.take(Kind::Question);
        let from_end = self.take(Kind::Caret);
        self.skip_lines();
        let index = Box::new(self.expression()?);
        self.skip_lines();
        self.expect(Kind::RightBracket)?;
        Ok(ExprKind::Index { base: Box::new(base), index, is_safe, from_end })
    }

    /// Parses the arguments of a call, with the parentheses.
    pub(super) fn arguments(&mut self) -> Parsed<Box<[Expr]>> {
        self.expect(Kind::LeftParen)?;
        self.within(Kind::RightParen, |cursor| {
            let mut arguments = Vec::new();
            loop {
                cursor.skip_lines();
                if cursor.take(Kind::RightParen) {
                    return Ok(arguments.into());
                }
                arguments.push(cursor.expression()?);
                cursor.skip_lines();
                if !cursor.take(Kind::Comma) {
                    cursor.expect(Kind::RightParen)?;
                    return Ok(arguments.into());
                }
            }
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.start();
        match self.peek() {
            Kind::Int => {
                let kind = ExprKind::Int(self.number());
                self.make(start, kind)
            }
            Kind::Whole | Kind::Left => {
                let text = self.string()?;
                self.make(start, ExprKind::Text(text))
            }
            Kind::LeftBrace => self.object(),
            Kind::LeftBracket => self.array(),
            Kind::LeftParen => self.parenthesized(),
            Kind::Word => self.word(),
            _ => self.expected_on_line("an expression"),
        }
    }

    /// Consumes a number, and returns its value.
    pub(super) fn number(&mut self) -> u64 {
        let (digits, start) = (self.slice(self.token()), self.start());
        self.next();
        digits.parse().unwrap_or_else(|_| {
            self.problem(self.since(start), "the number needs more than 64 bits");
            0
        })
    }

    fn word(&mut self) -> Parsed<Expr> {
        let start = self.start();
        if self.is_declaration() {
            return self.expected_on_line("an expression");
        }
        let name = self.name("an expression")?;
        let kind = match &*name.text {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "null" => ExprKind::Null,
            "if" if self.is(Kind::LeftParen) => return self.condition(start),
            _ if self.is(Kind::LeftParen) => ExprKind::Call { arguments: self.arguments()?, name },
            _ if self.is(Kind::Arrow) => return self.lambda(start, vec![name]),
            _ => ExprKind::Variable(name),
        };
        self.make(start, kind)
    }

    fn lambda(&mut self, start: u32, parameters: Vec<Name>) -> Parsed<Expr> {
        self.expect(Kind::Arrow)?;
        self.skip_lines();
        let body = Box::new(self.expression()?);
        self.make(start, ExprKind::Lambda { parameters, body })
    }

    /// Parses an expression in parentheses, or a lambda with its parameters in parentheses.
    fn parenthesized(&mut self) -> Parsed<Expr> {
        let start = self.start();
        if self.is_lambda() {
            self.next();
            let mut parameters = Vec::new();
            loop {
                self.skip_lines();
                if self.take(Kind::RightParen) {
                    return self.lambda(start, parameters);
                }
                parameters.push(self.name("a parameter")?);
                self.skip_lines();
                self.take(Kind::Comma);
            }
        }
        self.next();
        self.skip_lines();
        let inner = self.within(Kind::RightParen, Self::expression)?;
        self.skip_lines();
        self.expect(Kind::RightParen)?;
        self.make(start, ExprKind::Paren(Box::new(inner)))
    }

    fn is_lambda(&self) -> bool {
        let mut ahead = 1;
        loop {
            match self.peek_at(ahead) {
                Kind::Word | Kind::NewLine | Kind::Comma => ahead += 1,
                Kind::RightParen => return self.peek_at(ahead + 1) == Kind::Arrow,
                _ => return false,
            }
        }
    }

    /// Parses a string with its interpolations.
    pub(super) fn string(&mut self) -> Parsed<Text> {
        let token = self.token();
        let (Kind::Whole | Kind::Left, Some((form, _))) = (token.kind, Form::parse(self.slice(token).as_bytes()))
        else {
            return self.expected("a string");
        };
        let first = self.segment(form);
        let mut interpolations = Vec::new();
        let mut is_open = token.kind == Kind::Left;
        while is_open {
            self.skip_lines();
            let value = self.expression()?;
            self.skip_lines();
            is_open = match self.peek() {
                Kind::Middle => true,
                Kind::Right => false,
                _ => return self.expected("`}`"),
            };
            interpolations.push(Interpolation { value, text: self.segment(form) });
        }
        Ok(Text { span: self.since(token.start), first, interpolations: interpolations.into() })
    }

    /// Consumes a part of a string, and returns its text.
    fn segment(&mut self, form: Form) -> Substr {
        let token = self.token();
        let raw = self.slice(token);
        self.next();
        let range = form.content(token.kind, raw);
        let start = token.start as usize + range.start;
        let content = raw.get(range).unwrap_or_default();
        if form.is_multiline || !content.contains('\\') {
            return self.share(start, start + content.len());
        }
        let mut problems = Vec::new();
        let text = unescape(content, &mut |range, message| problems.push((range, message)));
        for (range, message) in problems {
            self.problem(self.span(start + range.start, start + range.end), message);
        }
        Substr::from(text)
    }

    /// Parses a string without interpolation.
    pub(super) fn literal(&mut self, what: &str) -> Parsed<Text> {
        match self.peek() {
            Kind::Whole => self.string(),
            Kind::Left => self.error(self.since(self.start()), format!("{what} cannot have interpolations")),
            _ => self.expected(what),
        }
    }
}
