//! Reads the skeleton of values and types: literals, loops and conditions. Everything else is skipped.

use crate::bicep::reader::cursor::{Reader, between, is_word};
use crate::bicep::reader::tree::{ArrayItem, Condition, Loop, Node, ObjectItem, Property, Shape};

/// The grammar that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A value.
    Value,
    /// A type, in which `?` and `*` have another meaning.
    Type,
    /// The body of a resource or a module: it may begin with `if`, and contain nested resources.
    Body,
}

/// What a line break means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// It ends the expression, unless the next line can only continue it.
    End,
    /// Nothing, because a bracket is open.
    Skip,
}

/// The kind of the token before the current position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Previous {
    /// The end of a value.
    Operand,
    /// An operator that a value must follow, or the start of the expression.
    Operator,
}

/// The state while an expression is skipped.
#[derive(Clone, Copy, Debug)]
struct Skim {
    mode: Mode,
    lines: Lines,
    previous: Previous,
    /// How many `?` still need their `:`.
    ternaries: u32,
}

impl Reader<'_> {
    /// Reads a value or a type. If there is none, the range is empty.
    pub(super) fn node(&mut self, mode: Mode, lines: Lines) -> Node {
        self.skip_blanks();
        let start = self.at;
        if mode == Mode::Body && self.peek_word() == "if" {
            return self.condition();
        }
        let mut parts = Vec::new();
        let end = self.skim(mode, lines, &mut parts);
        let range = between(start, end);
        match parts.pop() {
            Some(only) if parts.is_empty() && only.range == range => only,
            last => {
                parts.extend(last);
                Node { range, shape: Shape::Expression(parts) }
            }
        }
    }

    /// Reads `if (test) body`.
    fn condition(&mut self) -> Node {
        let start = self.at;
        self.at += "if".len();
        self.skip_trivia();
        let test = if self.peek() == Some(b'(') && self.enter() {
            self.skip_trivia();
            let test = self.node(Mode::Value, Lines::Skip);
            self.skip_trivia();
            self.leave();
            self.close(b')', start);
            test
        } else {
            self.expected("`(` after `if`");
            Node { range: between(self.at, self.at), shape: Shape::Expression(Vec::new()) }
        };
        self.skip_trivia();
        // Not `node(Mode::Body)`: an `if` cannot follow an `if`, and a chain of them would overflow the stack.
        let body = if self.peek() == Some(b'{') { self.object(Mode::Body) } else { self.node(Mode::Value, Lines::End) };
        let range = between(start, body.range.end as usize);
        Node { range, shape: Shape::Condition(Box::new(Condition { test, body })) }
    }

    /// Steps over an expression and returns its end. Adds the literals and loops in it to `parts`.
    fn skim(&mut self, mode: Mode, lines: Lines, parts: &mut Vec<Node>) -> usize {
        let mut skim = Skim { mode, lines, previous: Previous::Operator, ternaries: 0 };
        let mut end = self.at;
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else { return end };
            let goes_on = match byte {
                b'\n' | b'\r' => {
                    if !self.passes_line(skim) {
                        return end;
                    }
                    continue;
                }
                _ if is_word(byte) => {
                    self.at += self.peek_word().len();
                    skim.previous = Previous::Operand;
                    true
                }
                b'{' | b'[' | b'(' => {
                    self.bracket(byte, skim, parts);
                    skim.previous = Previous::Operand;
                    if self.is_cut_off {
                        return self.at;
                    }
                    true
                }
                b'\'' | b'$' => {
                    self.string();
                    skim.previous = Previous::Operand;
                    true
                }
                _ => self.operator(byte, &mut skim),
            };
            if !goes_on {
                return end;
            }
            end = self.at;
        }
    }

    /// Reads an object, an array or a bracketed expression. After an operand, `[` is an index and `(` a call.
    fn bracket(&mut self, byte: u8, skim: Skim, parts: &mut Vec<Node>) {
        let mode = if skim.mode == Mode::Type { Mode::Type } else { Mode::Value };
        match byte {
            b'{' if skim.previous == Previous::Operator => parts.push(self.object(skim.mode)),
            b'{' => parts.push(self.object(mode)),
            b'[' if skim.previous == Previous::Operator => parts.push(self.array(skim.mode)),
            b'[' => self.brackets(b']', mode, parts),
            _ => self.brackets(b')', mode, parts),
        }
    }

    /// Steps over an operator. Returns `false` if the byte ends the expression.
    fn operator(&mut self, byte: u8, skim: &mut Skim) -> bool {
        let second = self.peek_second();
        let (len, previous) = match (byte, second) {
            (b',' | b')' | b']' | b'}', _) => return false,
            (b':', Some(b':')) => (2, Previous::Operator),
            (b':', _) if skim.ternaries > 0 => {
                skim.ternaries -= 1;
                (1, Previous::Operator)
            }
            (b':', _) => return false,
            (b'=', Some(b'=' | b'~' | b'>')) if skim.mode != Mode::Type => (2, Previous::Operator),
            (b'=', _) => return false,
            (b'?', Some(b'?')) => (2, Previous::Operator),
            (b'?', _) if skim.mode == Mode::Type => (1, Previous::Operand),
            (b'?', _) => {
                skim.ternaries += 1;
                (1, Previous::Operator)
            }
            (b'.', Some(b'*')) => (2, Previous::Operand),
            (b'.', Some(b'?')) => (2, Previous::Operator),
            (b'.', Some(b'.')) => return false,
            (b'!' | b'<' | b'>', Some(b'=')) | (b'!', Some(b'~')) => (2, Previous::Operator),
            // Before a value `!` negates it, after one it asserts that the value is not null.
            (b'!', _) => (1, skim.previous),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'&' | b'|' | b'.', _) => (1, Previous::Operator),
            _ => {
                self.skip_char();
                skim.previous = Previous::Operand;
                return true;
            }
        };
        self.at += len;
        skim.previous = previous;
        true
    }

    /// Steps over a line break if the expression continues on the next line.
    fn passes_line(&mut self, skim: Skim) -> bool {
        let line_end = self.at;
        self.skip_trivia();
        let may_go_on = match skim.lines {
            Lines::Skip => true,
            Lines::End => skim.previous == Previous::Operator || self.is_at_continuation(skim),
        };
        let goes_on = may_go_on && !self.is_at_declaration();
        if !goes_on {
            self.at = line_end;
        }
        goes_on
    }

    /// Whether the next token can only continue the expression of the previous line.
    fn is_at_continuation(&self, skim: Skim) -> bool {
        let is_type = skim.mode == Mode::Type;
        match (self.peek(), self.peek_second()) {
            (Some(b'?' | b'*'), _) => !is_type,
            (Some(b':'), second) => second == Some(b':') || skim.ternaries > 0,
            (Some(b'.'), second) => second != Some(b'.'),
            (Some(b'=' | b'!'), Some(b'=' | b'~')) => true,
            (Some(b'&' | b'|' | b'+' | b'/' | b'%' | b'<' | b'>'), _) => true,
            _ => false,
        }
    }

    /// Steps over a bracketed list, and adds the literals and loops in it to `parts`.
    fn brackets(&mut self, close: u8, mode: Mode, parts: &mut Vec<Node>) {
        let open = self.at;
        if !self.enter() {
            return;
        }
        loop {
            self.skip_trivia();
            if self.ends_list(close, open) {
                break;
            }
            let before = self.at;
            self.skim(mode, Lines::Skip, parts);
            if self.at == before {
                self.skip_char();
            }
        }
        self.leave();
    }

    /// Steps over the closing bracket of a list if it is next. Returns whether the list ends here, which it also does
    /// if the closing bracket is missing; that is reported.
    pub(super) fn ends_list(&mut self, close: u8, open: usize) -> bool {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                true
            }
            Some(b'}' | b']' | b')') | None => self.is_unclosed(open),
            Some(_) if self.is_cut_off || self.is_at_declaration() => self.is_unclosed(open),
            Some(_) => false,
        }
    }

    /// Reports an unclosed bracket once, and returns `true`.
    #[cold]
    fn is_unclosed(&mut self, open: usize) -> bool {
        if !self.is_cut_off {
            self.problem(open, open + 1, "the bracket is not closed");
            // A closing bracket of another kind probably closes the enclosing construct, so that goes on.
            self.is_cut_off = !matches!(self.peek(), Some(b'}' | b']' | b')'));
        }
        true
    }

    /// Steps over a closing bracket, which must be next.
    fn close(&mut self, byte: u8, open: usize) {
        if !self.take(byte) {
            self.is_unclosed(open);
        }
    }

    /// Reads `{ name: value }`.
    pub(super) fn object(&mut self, mode: Mode) -> Node {
        let open = self.at;
        let mut members = Vec::new();
        if self.enter() {
            loop {
                self.skip_trivia();
                if mode == Mode::Body && self.is_at_resource() {
                    members.push(ObjectItem::Resource(self.declaration(Vec::new())));
                    continue;
                }
                if self.ends_list(b'}', open) {
                    break;
                }
                if !self.take(b',') {
                    members.extend(self.member(mode));
                }
            }
            self.leave();
        }
        Node { range: between(open, self.at), shape: Shape::Object(members) }
    }

    fn is_at_resource(&self) -> bool {
        self.peek() == Some(b'r') && self.peek_word() == "resource" && self.name_follows("resource".len())
    }

    fn member(&mut self, mode: Mode) -> Option<ObjectItem> {
        if self.starts_with("...") {
            self.at += 3;
            return Some(ObjectItem::Spread(self.node(Mode::Value, Lines::End)));
        }
        let decorators = self.decorators();
        if mode == Mode::Body && self.is_at_resource() {
            return Some(ObjectItem::Resource(self.declaration(decorators)));
        }
        let start = self.at;
        let key = match self.peek() {
            Some(b'\'') => self.string(),
            Some(b'*') if mode == Mode::Type => {
                self.at += 1;
                between(start, self.at)
            }
            _ => {
                let Some(word) = self.word() else {
                    self.expected("the name of a property");
                    self.skip_member();
                    return None;
                };
                word
            }
        };
        self.skip_blanks();
        if !self.take(b':') {
            self.expected("`:` after the name of a property");
            self.skip_member();
            return None;
        }
        self.skip_trivia();
        let mode = if mode == Mode::Type { Mode::Type } else { Mode::Value };
        let value = self.node(mode, Lines::End);
        Some(ObjectItem::Property(Property { key, value, decorators }))
    }

    /// Skips to the end of a member or declaration that cannot be read.
    pub(super) fn skip_member(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n' | b'\r' | b',' | b'}' | b')' | b']') => return,
                Some(_) if self.is_cut_off => return,
                Some(_) => {
                    let before = self.at;
                    self.skim(Mode::Value, Lines::End, &mut Vec::new());
                    if self.at == before {
                        self.skip_char();
                    }
                }
            }
        }
    }

    /// Reads `[ value ]` or `[for item in source: body]`.
    fn array(&mut self, mode: Mode) -> Node {
        let open = self.at;
        let mut items = Vec::new();
        if self.enter() {
            self.skip_trivia();
            if self.peek() == Some(b'f') && self.is_at_loop() {
                let shape = self.iteration(mode, open);
                self.leave();
                return Node { range: between(open, self.at), shape };
            }
            let mode = if mode == Mode::Type { Mode::Type } else { Mode::Value };
            loop {
                self.skip_trivia();
                if self.ends_list(b']', open) {
                    break;
                }
                if !self.take(b',') {
                    items.push(self.item(mode));
                }
            }
            self.leave();
        }
        Node { range: between(open, self.at), shape: Shape::Array(items) }
    }

    fn item(&mut self, mode: Mode) -> ArrayItem {
        let decorators = self.decorators();
        let spread = self.starts_with("...");
        self.at += if spread { 3 } else { 0 };
        let before = self.at;
        let value = self.node(mode, Lines::End);
        if self.at == before {
            self.expected("a value or `]`");
            if !matches!(self.peek(), None | Some(b'}' | b']' | b')')) {
                self.skip_char();
            }
        }
        ArrayItem { spread, value, decorators }
    }

    fn is_at_loop(&self) -> bool {
        self.peek_word() == "for" && matches!(self.peek_after("for".len()), Some(b' ' | b'\t' | b'(' | b'\n' | b'\r'))
    }

    /// Reads the rest of `[for item in source: body]` after the opening bracket.
    fn iteration(&mut self, mode: Mode, open: usize) -> Shape {
        self.at += "for".len();
        self.skip_trivia();
        if self.peek() == Some(b'(') {
            self.brackets(b')', Mode::Value, &mut Vec::new());
        } else if self.word().is_none() {
            self.expected("a name after `for`");
        }
        self.skip_trivia();
        if !self.take_word("in") {
            self.expected("`in`");
        }
        self.skip_trivia();
        let source = self.node(Mode::Value, Lines::Skip);
        self.skip_trivia();
        if !self.take(b':') {
            self.expected("`:` and the body of the loop");
        }
        self.skip_trivia();
        let body = self.node(mode, Lines::Skip);
        self.skip_trivia();
        self.close(b']', open);
        Shape::Loop(Box::new(Loop { source, body }))
    }
}
