//! Expressions: operators, access, literals and lambdas.

use crate::bicep::language::ast::{Binary, Expr, ExprKind, Name, Text, Unary};
use crate::bicep::language::cursor::{Cursor, MAX_DEPTH, Parsed};
use crate::bicep::language::lexer::Kind;

/// Binary operators and how strongly they bind.
const OPERATORS: [(&str, Binary, u8); 16] = [
    ("??", Binary::Coalesce, 1),
    ("||", Binary::Or, 2),
    ("&&", Binary::And, 3),
    ("==", Binary::Equal, 4),
    ("!=", Binary::NotEqual, 4),
    ("=~", Binary::EqualInsensitive, 4),
    ("!~", Binary::NotEqualInsensitive, 4),
    ("<", Binary::Less, 5),
    ("<=", Binary::LessOrEqual, 5),
    (">", Binary::Greater, 5),
    (">=", Binary::GreaterOrEqual, 5),
    ("+", Binary::Add, 6),
    ("-", Binary::Subtract, 6),
    ("*", Binary::Multiply, 7),
    ("/", Binary::Divide, 7),
    ("%", Binary::Modulo, 7),
];

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
        if !self.continues_with("?") {
            return Ok(test);
        }
        self.skip_lines();
        self.next();
        self.skip_lines();
        let then = self.expression()?;
        self.skip_lines();
        self.expect(":")?;
        self.skip_lines();
        let otherwise = self.expression()?;
        self.make(start, ExprKind::Ternary(Box::new((test, then, otherwise))))
    }

    /// Whether the next token on this or the next line is `sign`.
    fn continues_with(&self, sign: &str) -> bool {
        self.is_sign_at(self.lines_ahead(), sign)
    }

    fn operator(&self) -> Option<(Binary, u8)> {
        let lines = self.lines_ahead();
        let Kind::Sign(sign) = self.peek_at(lines) else { return None };
        // A line that begins with a minus is an item of its own.
        if lines > 0 && *sign == "-" {
            return None;
        }
        OPERATORS.iter().find(|(text, ..)| text == sign).map(|(_, operator, level)| (*operator, *level))
    }

    /// An operand, and the operators after it that bind more strongly than `level`.
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
            Kind::Sign("!") => Unary::Not,
            Kind::Sign("-") => Unary::Minus,
            Kind::Sign("+") => return self.error(self.since(start), "`+` is not a sign of numbers; remove it"),
            _ => return self.member(),
        };
        self.next();
        let operand = self.deeper(Self::unary)?;
        self.make(start, ExprKind::Unary(operator, Box::new(operand)))
    }

    /// A primary expression with all access to what is in it.
    fn member(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let mut base = self.primary()?;
        loop {
            let kind = match self.peek() {
                Kind::Sign("[") => self.index(base)?,
                Kind::Sign("!") => {
                    self.next();
                    ExprKind::NonNull(Box::new(base))
                }
                _ if self.continues_with(".") || self.continues_with(".?") => self.dotted(base)?,
                _ if self.continues_with("::") => {
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
        let is_safe = self.is_sign(".?");
        self.next();
        self.skip_lines();
        let name = self.name("the name of a property or function")?;
        let base = Box::new(base);
        if self.is_sign("(") && !is_safe {
            let arguments = self.arguments()?;
            return Ok(ExprKind::Method { base, name, arguments });
        }
        Ok(ExprKind::Property { base, name, is_safe })
    }

    fn index(&mut self, base: Expr) -> Parsed<ExprKind> {
        self.next();
        let is_safe = self.take("?");
        let from_end = self.take("^");
        self.skip_lines();
        let index = Box::new(self.expression()?);
        self.skip_lines();
        self.expect("]")?;
        Ok(ExprKind::Index { base: Box::new(base), index, is_safe, from_end })
    }

    /// The arguments of a call, with the parentheses.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        loop {
            self.skip_lines();
            if self.take(")") {
                return Ok(arguments);
            }
            arguments.push(self.expression()?);
            self.skip_lines();
            if !self.take(",") {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.start();
        match self.peek() {
            Kind::Int(value) => {
                let kind = ExprKind::Int(*value);
                self.next();
                self.make(start, kind)
            }
            Kind::Whole(_) | Kind::Left(_) => {
                let text = self.string()?;
                self.make(start, ExprKind::Text(text))
            }
            Kind::Sign("{") => self.object(),
            Kind::Sign("[") => self.array(),
            Kind::Sign("(") => self.parenthesized(),
            Kind::Word => self.word(),
            _ => self.expected("an expression"),
        }
    }

    fn word(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let name = self.name("an expression")?;
        let kind = match &*name.text {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "null" => ExprKind::Null,
            "if" if self.is_sign("(") => return self.condition(start),
            _ if self.is_sign("(") => ExprKind::Call { arguments: self.arguments()?, name },
            _ if self.is_sign("=>") => return self.lambda(start, vec![name]),
            _ => ExprKind::Variable(name),
        };
        self.make(start, kind)
    }

    fn lambda(&mut self, start: u32, parameters: Vec<Name>) -> Parsed<Expr> {
        self.expect("=>")?;
        self.skip_lines();
        let body = Box::new(self.expression()?);
        self.make(start, ExprKind::Lambda { parameters, body })
    }

    /// An expression in parentheses, or a lambda with its parameters in parentheses.
    fn parenthesized(&mut self) -> Parsed<Expr> {
        let start = self.start();
        if self.is_lambda() {
            self.next();
            let mut parameters = Vec::new();
            loop {
                self.skip_lines();
                if self.take(")") {
                    return self.lambda(start, parameters);
                }
                parameters.push(self.name("a parameter")?);
                self.skip_lines();
                self.take(",");
            }
        }
        self.next();
        self.skip_lines();
        let inner = self.expression()?;
        self.skip_lines();
        self.expect(")")?;
        self.make(start, ExprKind::Paren(Box::new(inner)))
    }

    fn is_lambda(&self) -> bool {
        let mut ahead = 1;
        loop {
            match self.peek_at(ahead) {
                Kind::Word | Kind::NewLine | Kind::Sign(",") => ahead += 1,
                Kind::Sign(")") => return self.is_sign_at(ahead + 1, "=>"),
                _ => return false,
            }
        }
    }

    /// A string with its interpolations.
    pub(super) fn string(&mut self) -> Parsed<Text> {
        let start = self.start();
        let (mut segments, mut holes) = (Vec::new(), Vec::new());
        match self.peek() {
            Kind::Whole(text) => {
                segments.push(text.clone());
                self.next();
                return Ok(Text { span: self.since(start), segments, holes });
            }
            Kind::Left(text) => segments.push(text.clone()),
            _ => return self.expected("a string"),
        }
        loop {
            self.next();
            self.skip_lines();
            holes.push(self.expression()?);
            self.skip_lines();
            match self.peek() {
                Kind::Middle(text) => segments.push(text.clone()),
                Kind::Right(text) => {
                    segments.push(text.clone());
                    self.next();
                    return Ok(Text { span: self.since(start), segments, holes });
                }
                _ => return self.expected("`}`"),
            }
        }
    }

    /// A string without interpolation.
    pub(super) fn literal(&mut self, what: &str) -> Parsed<Text> {
        match self.peek() {
            Kind::Whole(_) => self.string(),
            Kind::Left(_) => self.error(self.since(self.start()), format!("{what} cannot have interpolations")),
            _ => self.expected(what),
        }
    }
}
