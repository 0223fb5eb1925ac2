//! Recovery of the parser after an error. It skips the item of an object or an array, or the rest of a declaration,
//! so that each error is reported once, and everything around it is in the tree.
//!
//! A line that starts like a declaration, without indentation, is one even if a bracket before it is not closed.

use crate::language::ast::{Expr, ExprKind, TypeExpr, TypeKind};
use crate::language::cursor::{Broken, Cursor, Parsed};
use crate::language::declaration::is_keyword;
use crate::language::token::Kind;

impl Cursor<'_> {
    /// True if a line starts here like a declaration, without indentation.
    #[inline]
    pub(super) fn is_declaration(&self) -> bool {
        self.is_line_start(self.at) && self.is_like_declaration(self.at)
    }

    /// True if the tokens from an index on look like a declaration.
    fn is_like_declaration(&self, at: usize) -> bool {
        let token = self.token_at(at);
        let keyword = self.slice(token);
        if token.kind != Kind::Word || !is_keyword(keyword) {
            return false;
        }
        let next = self.token_at(at + 1);
        match next.kind {
            Kind::Word => {
                let ends = matches!(
                    self.token_at(at + 2).kind,
                    Kind::NewLine | Kind::End | Kind::Comma | Kind::RightParen | Kind::RightBrace | Kind::RightBracket
                );
                // `type as x` imports a name that is a keyword.
                self.slice(next) != "as" && (!ends || matches!(keyword, "using" | "extension" | "provider"))
            }
            Kind::Whole | Kind::Left => matches!(keyword, "using" | "extends" | "extension" | "provider" | "import"),
            Kind::Assign => keyword == "targetScope",
            Kind::LeftBrace | Kind::Star => keyword == "import",
            _ => false,
        }
    }

    /// Skips to the end of the line before the next declaration.
    pub(super) fn skip_declaration(&mut self) {
        self.is_skipped = true;
        let mut depth = 0;
        for at in self.first.. {
            let kind = self.token_at(at).kind;
            if at > self.first && at >= self.at && self.begins_declaration(at, depth == 0) {
                self.at = at - 1;
                return;
            }
            if kind == Kind::End {
                self.at = at;
                return;
            }
            depth = nested(kind, depth);
        }
    }

    /// True if a declaration or decorator starts on a new line here. It can be indented if no bracket is open.
    fn begins_declaration(&self, at: usize, is_indentable: bool) -> bool {
        let is_new_line = self.token_at(at - 1).kind == Kind::NewLine;
        is_new_line
            && (is_indentable || self.is_line_start(at))
            && (self.token_at(at).kind == Kind::At
                || self.is_like_declaration(at)
                || is_indentable && self.is_unfinished_declaration(at))
    }

    /// True if a line starts with a keyword, and ends after it or after a name.
    fn is_unfinished_declaration(&self, at: usize) -> bool {
        let token = self.token_at(at);
        let is_keyword = token.kind == Kind::Word && is_keyword(self.slice(token)) && self.is_line_start(at);
        is_keyword && (self.is_line_end(at + 1) || self.token_at(at + 1).kind == Kind::Word && self.is_line_end(at + 2))
    }

    fn is_line_end(&self, at: usize) -> bool {
        matches!(self.token_at(at).kind, Kind::NewLine | Kind::End)
    }

    /// True if the expected value is missing: the next non-empty line starts like a declaration.
    fn is_value_missing(&self) -> bool {
        let mut at = self.at;
        while self.token_at(at).kind == Kind::NewLine {
            at += 1;
        }
        let is_declaration = self.is_line_start(at)
            && (self.token_at(at).kind == Kind::At
                || self.is_like_declaration(at)
                || self.is_unfinished_declaration(at));
        at > self.at && (self.token_at(at).kind == Kind::End || is_declaration)
    }

    /// Skips an item of a list that starts at the token `first`, with the comma after it. Fails if the list ends
    /// there without its closing bracket.
    pub(super) fn skip_item(&mut self, first: usize, close: Kind) -> Parsed<()> {
        let mut depth = 0;
        for at in first.. {
            let kind = self.token_at(at).kind;
            let is_end = kind == Kind::End || (self.is_line_start(at) && self.is_like_declaration(at));
            if at >= self.at && is_end {
                self.at = at;
                return Err(Broken);
            }
            if at >= self.at && depth == 0 {
                self.at = at;
                match kind {
                    Kind::NewLine => return Ok(()),
                    Kind::Comma => {
                        self.next();
                        return Ok(());
                    }
                    _ if kind == close => return Ok(()),
                    Kind::Middle | Kind::Right => return Err(Broken),
                    // A bracket that closes a construct around the list ends it; other brackets are part of the item.
                    _ if self.open.contains(&kind) => return Err(Broken),
                    _ => {}
                }
            }
            depth = nested(kind, depth);
        }
        Ok(())
    }

    /// Returns the placeholder for an expression that was skipped, from `start` on.
    pub(super) fn skipped(&self, start: u32) -> Expr {
        Expr::new(self.since(start), ExprKind::Skipped)
    }

    /// Returns the placeholder for a type that was skipped, from `start` on.
    pub(super) fn skipped_type(&self, start: u32) -> TypeExpr {
        TypeExpr::new(self.since(start), TypeKind::Skipped)
    }

    /// Parses a type. After an error, the rest of the declaration is skipped.
    pub(super) fn declared_type(&mut self) -> TypeExpr {
        let start = self.start();
        self.type_expression().unwrap_or_else(|Broken| {
            self.skip_declaration();
            self.skipped_type(start)
        })
    }

    /// Parses the value after `sign`. After an error, the rest of the declaration is skipped.
    pub(super) fn declared_value(&mut self, sign: Kind) -> Expr {
        let start = self.start();
        if self.is_skipped {
            return self.skipped(start);
        }
        self.assigned(sign).unwrap_or_else(|Broken| {
            self.skip_declaration();
            self.skipped(start)
        })
    }

    /// Parses the value after `sign`.
    pub(super) fn assigned(&mut self, sign: Kind) -> Parsed<Expr> {
        let is_body = std::mem::take(&mut self.is_body);
        self.expect(sign)?;
        if self.is_value_missing() {
            return self.expected("an expression");
        }
        self.skip_lines();
        self.is_body = is_body && (matches!(self.peek(), Kind::LeftBrace | Kind::LeftBracket) || self.is_word("if"));
        self.expression()
    }
}

/// Returns the number of open brackets and interpolations after a token.
fn nested(kind: Kind, depth: u32) -> u32 {
    match kind {
        Kind::LeftBrace | Kind::LeftBracket | Kind::LeftParen | Kind::Left => depth + 1,
        Kind::RightBrace | Kind::RightBracket | Kind::RightParen | Kind::Right => depth.saturating_sub(1),
        _ => depth,
    }
}
