//! Parser from tokens to an expression.

use crate::diagnostic::Code;
use crate::expr::lexer::{Lexer, Token, TokenKind};
use crate::expr::{Expr, ExprKind, Target, TextKind, text_kind};
use crate::fault::Fault;
use crate::functions;
use crate::value::{Str, Value};

/// The limit on nested calls and indexes. The deepest nesting in public templates is 24; more occurs only in attacks.
const MAX_DEPTH: u32 = 128;

/// Parses an expression, given with its brackets: see [`text_kind`].
pub fn parse(text: &str) -> Result<Expr, Fault> {
    let lexer = Lexer::new(text);
    let mut parser = Parser { lexer, token: Token { kind: TokenKind::End, start: 0, end: 0 }, depth: 0 };
    parser.advance()?;
    let expr = parser.expression()?;
    match parser.token.kind {
        TokenKind::End => Ok(expr),
        _ => Err(parser.unexpected("the end of the expression")),
    }
}

/// Returns the built-in function that a text calls after its `[`, in the spelling of the text. `None` unless the text
/// follows the syntax of expressions up to its end, or up to the `]` that would close the expression: `[` begins other
/// languages as well, and `[f(x)](` a link of Markdown.
pub fn unclosed_call(text: &str) -> Option<&str> {
    if !text.starts_with('[') || text_kind(text) != TextKind::Literal {
        return None;
    }
    let lexer = Lexer::new(text);
    let mut parser = Parser { lexer, token: Token { kind: TokenKind::End, start: 0, end: 0 }, depth: 0 };
    parser.advance().ok()?;
    let TokenKind::Name(name) = parser.token.kind else { return None };
    functions::lookup(name).filter(|_| parser.lexer.rest().trim_start().starts_with('('))?;
    let is_whole = match parser.expression() {
        Ok(_) => parser.token.kind == TokenKind::CloseBracket && !parser.lexer.rest().starts_with(['(', '[']),
        Err(_) => false,
    };
    (is_whole || parser.token.kind == TokenKind::End).then_some(name)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token, which is not consumed yet.
    token: Token<'a>,
    depth: u32,
}

impl<'a> Parser<'a> {
    /// Consumes the next token and returns it.
    fn advance(&mut self) -> Result<Token<'a>, Fault> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn expect(&mut self, kind: TokenKind<'_>, expected: &str) -> Result<Token<'a>, Fault> {
        if self.token.kind == kind { self.advance() } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let message = format!("expected {expected}, found {}", self.token.kind.describe());
        Fault::new(Code::ExpressionSyntax, message).in_text(self.token.start, self.token.end)
    }

    fn expression(&mut self) -> Result<Expr, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("calls are nested deeper than {MAX_DEPTH}");
            return Err(Fault::limit(message).in_text(self.token.start, self.token.end));
        }
        // A fault ends the whole parse, so `depth` need not be restored after one.
        let expr = self.primary()?;
        self.depth -= 1;
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        let token = self.token;
        let value = match token.kind {
            TokenKind::Name(name) => return self.call(name),
            TokenKind::Text(raw) if raw.contains('\'') => Value::from(raw.replace("''", "'")),
            TokenKind::Text(raw) => Value::from(raw),
            TokenKind::Number(digits) => Value::from(self.number(digits)?),
            _ => return Err(self.unexpected("a function, a string or a number")),
        };
        self.advance()?;
        Ok(Expr { kind: ExprKind::Literal(value), start: token.start, end: token.end })
    }

    fn number(&self, digits: &str) -> Result<i64, Fault> {
        digits.parse().map_err(|_| {
            let message = format!("`{digits}` is not a 64-bit integer");
            Fault::new(Code::ExpressionSyntax, message).in_text(self.token.start, self.token.end)
        })
    }

    /// Parses a call and the properties and indexes after it. The next token is the name.
    fn call(&mut self, name: &'a str) -> Result<Expr, Fault> {
        let start = self.advance()?.start;
        let mut target = None;
        if self.token.kind == TokenKind::Dot {
            self.advance()?;
            let member = self.name("the name of a function")?;
            target = Some(Target::User { namespace: Str::from(name), name: Str::from(member) });
        }
        if self.token.kind != TokenKind::Open {
            return Err(self.unexpected(&format!("`(` after the name `{name}`")));
        }
        self.advance()?;
        // Looking the function up here does it once, however often the call is evaluated.
        let target = target.unwrap_or_else(|| builtin(name));
        let mut arguments = Vec::new();
        if self.token.kind != TokenKind::Close {
            arguments.push(self.expression()?);
            while self.token.kind == TokenKind::Comma {
                self.advance()?;
                arguments.push(self.expression()?);
            }
        }
        let end = self.expect(TokenKind::Close, "`,` or `)`")?.end;
        self.trailers(Expr { kind: ExprKind::Call(target, arguments), start, end })
    }

    /// Parses the properties and indexes that follow a call.
    fn trailers(&mut self, mut expr: Expr) -> Result<Expr, Fault> {
        // Each trailer is one more box in the result, which is dropped recursively.
        let mut trailers = 0;
        loop {
            trailers += 1;
            if trailers > MAX_DEPTH {
                let message = format!("a chain of more than {MAX_DEPTH} properties");
                return Err(Fault::limit(message).in_text(self.token.start, self.token.end));
            }
            match self.token.kind {
                TokenKind::Dot => {
                    self.advance()?;
                    let end = self.token.end;
                    let name = self.name("the name of a property")?;
                    let start = expr.start;
                    expr = Expr { kind: ExprKind::Property(Box::new(expr), Str::from(name)), start, end };
                }
                TokenKind::OpenBracket => {
                    self.advance()?;
                    let index = self.expression()?;
                    let end = self.expect(TokenKind::CloseBracket, "`]`")?.end;
                    let start = expr.start;
                    expr = Expr { kind: ExprKind::Index(Box::new(expr), Box::new(index)), start, end };
                }
                _ => return Ok(expr),
            }
        }
    }

    /// Consumes a name. After a dot, digits are one, too.
    fn name(&mut self, expected: &str) -> Result<&'a str, Fault> {
        match self.token.kind {
            TokenKind::Name(name) | TokenKind::Number(name) => {
                self.advance()?;
                Ok(name)
            }
            _ => Err(self.unexpected(expected)),
        }
    }
}

fn builtin(name: &str) -> Target {
    functions::lookup(name).map_or_else(|| Target::Unknown(Str::from(name)), Target::Builtin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the expression as nested lists, which is short enough to compare.
    fn show(expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Literal(value) => value.to_json(),
            ExprKind::Call(target, arguments) => {
                let name = match target {
                    Target::Builtin(function) => function.name.to_owned(),
                    Target::User { namespace, name } => format!("{namespace}::{name}"),
                    Target::Unknown(name) => format!("?{name}"),
                };
                format!("{name}({})", arguments.iter().map(show).collect::<Vec<_>>().join(" "))
            }
            ExprKind::Property(base, name) => format!("{}.{name}", show(base)),
            ExprKind::Index(base, index) => format!("{}[{}]", show(base), show(index)),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = parse(text).map_or_else(|fault| format!("error: {fault}"), |expr| show(&expr));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_grammar_is_read() {
        check("['it''s']", r#""it's""#);
        check("[-42]", "-42");
        check("[ f ( 1 ,\n 'a' ) ]", r#"?f(1 "a")"#);
        check("[f().a.b[0]['x']]", r#"?f().a.b[0]["x"]"#);
        check("[ns.f(1)]", "ns::f(1)");
        check("[f('\\[')]", r#"?f("\\[")"#);
    }

    #[test]
    fn errors_say_what_was_found_and_expected() {
        check("[]", "error: expected a function, a string or a number, found the end of the expression");
        check("[f(]", "error: expected a function, a string or a number, found the end of the expression");
        check("[f(1]", "error: expected `,` or `)`, found the end of the expression");
        check("[f]", "error: expected `(` after the name `f`, found the end of the expression");
        check("['a]", "error: the string has no closing `'`");
        check("[f() g()]", "error: expected the end of the expression, found `g`");
        check("[f(1).]", "error: expected the name of a property, found the end of the expression");
        check("[f(€)]", "error: expected `(` after the name `€`, found `)`");
        check("[f({})]", "error: unexpected character `{`");
        check("[99999999999999999999]", "error: `99999999999999999999` is not a 64-bit integer");
    }

    #[test]
    fn an_expression_without_its_bracket_calls_a_function() {
        for (text, name) in [
            ("[concat('a', 'b'", "concat"),
            ("[concat('a', 'b')", "concat"),
            ("[concat(parameters('a'),", "concat"),
            ("[ CONCAT('x')]-suffix", "CONCAT"),
            ("[resourceGroup().id]/providers", "resourceGroup"),
            ("[variables('a')[0].b] and more", "variables"),
        ] {
            assert_eq!(unclosed_call(text), Some(name), "{text}");
        }
        for text in [
            "[concat('a')]",
            "[[concat('a')",
            "(concat('a')",
            "[concat",
            "[concat]",
            "[test] value",
            // Markdown
            "[int](1)",
            "[parameters('a')](#parameters)",
            "[parameters('a')][parameters]",
            "[min(s) and max(s)](x)",
            // regular expressions
            "[first(last)]+$",
            "[max(\\d+)",
            "[a-z(]{3,}",
            // languages of queries and of settings
            "['range'] | where x > 1",
            "[length(x) > 1 | project y",
            "[if(x=1)\nkey=value",
            "[unheard('x')",
        ] {
            assert_eq!(unclosed_call(text), None, "{text}");
        }
    }

    #[test]
    fn hostile_nesting_ends() {
        let deep = format!("[{}{}]", "f(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(parse(&deep).unwrap_err().code(), Code::ExpressionLimit);
        let long = format!("[f(){}]", ".a".repeat(100_000));
        assert_eq!(parse(&long).unwrap_err().code(), Code::ExpressionLimit);
    }

    #[test]
    fn every_prefix_of_an_expression_is_read_or_refused() {
        let text = "[concat('a''b', ns.f(-1)[0].x, '€')]";
        for (at, _) in text.char_indices() {
            let _ = parse(text.split_at(at).0);
        }
    }
}
