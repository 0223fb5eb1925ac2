//! Reads declarations: the top-level statements, and the resources nested in others.

use crate::bicep::reader::cursor::{Reader, between};
use crate::bicep::reader::expression::{Lines, Mode};
use crate::bicep::reader::tree::{
    Declaration, DeclarationId, DeclarationKind as Kind, Decorator, ObjectItem, Part, Range, Shape,
};

/// The keywords that begin a declaration.
const KEYWORDS: &[(&str, Kind)] = &[
    ("targetScope", Kind::TargetScope),
    ("metadata", Kind::Metadata),
    ("param", Kind::Param),
    ("var", Kind::Var),
    ("type", Kind::Type),
    ("func", Kind::Func),
    ("import", Kind::Import),
    ("using", Kind::Using),
    ("extends", Kind::Extends),
    ("resource", Kind::Resource),
    ("module", Kind::Module),
    ("output", Kind::Output),
    ("assert", Kind::Assert),
    ("test", Kind::Test),
    ("extension", Kind::Extension),
    ("provider", Kind::Extension),
    ("extensionConfig", Kind::ExtensionConfig),
];

fn kind_of(word: &str) -> Option<Kind> {
    KEYWORDS.iter().find(|(keyword, _)| *keyword == word).map(|&(_, kind)| kind)
}

impl Reader<'_> {
    /// Reads all declarations of the file.
    pub(super) fn statements(&mut self) {
        loop {
            self.skip_trivia();
            if self.peek().is_none() {
                return;
            }
            self.is_cut_off = false;
            let decorators = self.decorators();
            // An unclosed bracket in a decorator.
            if self.is_cut_off {
                continue;
            }
            if kind_of(self.peek_word()).is_none() {
                self.expected("a declaration");
                self.skip_statement();
                continue;
            }
            self.declaration(decorators);
            self.skip_blanks();
            let is_at_end = self.is_cut_off || self.is_at_declaration();
            if !is_at_end && !matches!(self.peek(), None | Some(b'\n' | b'\r')) {
                self.expected("the end of the line");
                self.skip_statement();
            }
        }
    }

    /// Whether a declaration begins here, at the start of a line. Inside brackets that means that one of them is not
    /// closed.
    pub(super) fn is_at_declaration(&self) -> bool {
        let is_letter = self.peek().is_some_and(|byte| byte.is_ascii_lowercase());
        is_letter && self.is_at_line_start() && {
            let word = self.peek_word();
            kind_of(word).is_some() && self.name_follows(word.len())
        }
    }

    /// Skips to the next line that begins like a declaration.
    fn skip_statement(&mut self) {
        loop {
            self.skip_line();
            while matches!(self.peek(), Some(b'\n' | b'\r')) {
                self.at += 1;
            }
            let begins = self.peek() == Some(b'@') || kind_of(self.peek_word()).is_some();
            if self.peek().is_none() || begins {
                return;
            }
        }
    }

    /// Reads any number of decorators, `@name(arguments)`, and skips the trivia after each.
    pub(super) fn decorators(&mut self) -> Vec<Decorator> {
        let mut decorators = Vec::new();
        while self.peek() == Some(b'@') && !self.is_cut_off {
            decorators.extend(self.decorator());
            self.skip_trivia();
        }
        decorators
    }

    fn decorator(&mut self) -> Option<Decorator> {
        let start = self.at;
        self.at += 1;
        self.skip_blanks();
        let Some(mut name) = self.word() else {
            self.expected("the name of a decorator");
            return None;
        };
        while self.take(b'.') {
            name = self.word().unwrap_or(name);
        }
        self.skip_blanks();
        let mut arguments = Vec::new();
        let open = self.at;
        if self.peek() != Some(b'(') {
            self.expected("`(` after the name of a decorator");
        } else if self.enter() {
            loop {
                self.skip_trivia();
                if self.ends_list(b')', open) {
                    break;
                }
                let before = self.at;
                if !self.take(b',') {
                    arguments.push(self.node(Mode::Value, Lines::Skip));
                }
                if self.at == before {
                    self.skip_char();
                }
            }
            self.leave();
        }
        Some(Decorator { range: between(start, self.at), name, arguments })
    }

    /// Reads the declaration whose keyword is next.
    pub(super) fn declaration(&mut self, decorators: Vec<Decorator>) -> DeclarationId {
        let start = self.at;
        let keyword = self.peek_word();
        self.at += keyword.len();
        let mut declaration = Declaration {
            kind: kind_of(keyword).unwrap_or(Kind::Resource),
            range: between(start, self.at),
            name: None,
            target: None,
            existing: false,
            annotation: None,
            value: None,
            decorators,
            parts: Vec::new(),
            parent: None,
        };
        self.skip_blanks();
        match declaration.kind {
            Kind::Import if self.peek() != Some(b'\'') => self.import(&mut declaration),
            Kind::Import => {
                declaration.kind = Kind::Extension;
                self.plain(&mut declaration);
            }
            Kind::Func => self.function(&mut declaration),
            _ => self.plain(&mut declaration),
        }
        declaration.range = [
            declaration.name,
            declaration.target,
            declaration.annotation.as_ref().map(|node| node.range),
            declaration.value.as_ref().map(|node| node.range),
        ]
        .into_iter()
        .flatten()
        .chain(declaration.parts.iter().map(|part| part.range))
        .fold(declaration.range, Range::to);
        self.add(declaration)
    }

    /// Adds a declaration, and makes it the parent of the resources nested in it.
    fn add(&mut self, declaration: Declaration) -> DeclarationId {
        let id = DeclarationId(self.declarations.len());
        if let Some(Shape::Object(members)) = declaration.body().map(|body| &body.shape) {
            for member in members {
                if let ObjectItem::Resource(child) = member
                    && let Some(child) = self.declarations.get_mut(child.0)
                {
                    child.parent = Some(id);
                }
            }
        }
        self.declarations.push(declaration);
        id
    }

    /// Reads `name 'target' existing type with {} as alias = value`, as far as the kind of the declaration has these
    /// parts.
    fn plain(&mut self, declaration: &mut Declaration) {
        let has_name = !matches!(declaration.kind, Kind::TargetScope | Kind::Using | Kind::Extends | Kind::Extension);
        declaration.name = self.word();
        if declaration.name.is_none() && has_name {
            self.expected("a name");
            return self.skip_member();
        }
        self.skip_blanks();
        if self.peek() == Some(b'\'') && !matches!(declaration.kind, Kind::Param | Kind::Var | Kind::Output) {
            declaration.target = Some(self.string());
            self.skip_blanks();
        }
        declaration.existing = declaration.kind == Kind::Resource && self.take_word("existing");
        let is_typed = matches!(declaration.kind, Kind::Param | Kind::Var | Kind::Output);
        if is_typed && !matches!(self.peek(), None | Some(b'=' | b'\n' | b'\r')) {
            declaration.annotation = Some(self.node(Mode::Type, Lines::End));
        }
        self.skip_blanks();
        if self.take_word("with") {
            self.skip_trivia();
            // Only an object: any other value would read the `as` that may follow as a part of it.
            if self.peek() == Some(b'{') {
                declaration.value = Some(self.object(Mode::Value));
            } else {
                self.expected("`{` after `with`");
            }
            self.skip_blanks();
        }
        if self.take_word("as") {
            self.skip_blanks();
            declaration.name = self.word();
            self.skip_blanks();
        }
        self.value(declaration);
    }

    /// Reads `= value`.
    fn value(&mut self, declaration: &mut Declaration) {
        let is_optional = matches!(
            declaration.kind,
            Kind::Param | Kind::Using | Kind::Extends | Kind::Extension | Kind::ExtensionConfig
        );
        if !self.take(b'=') {
            if !is_optional && !self.is_cut_off {
                self.expected("`=`");
                self.skip_member();
            }
            return;
        }
        self.skip_trivia();
        let mode = match declaration.kind {
            Kind::Type => Mode::Type,
            Kind::Resource | Kind::Module | Kind::Test => Mode::Body,
            _ => Mode::Value,
        };
        let before = self.at;
        if !self.is_at_declaration() {
            declaration.value = Some(self.node(mode, Lines::End));
        }
        if self.at == before {
            self.expected("a value after `=`");
        }
    }

    /// Reads `name(parameter type) type => value`.
    fn function(&mut self, declaration: &mut Declaration) {
        declaration.name = self.word();
        self.skip_blanks();
        if declaration.name.is_none() || self.peek() != Some(b'(') {
            self.expected("a name and `(`");
            return self.skip_member();
        }
        let open = self.at;
        if self.enter() {
            loop {
                self.skip_trivia();
                if self.ends_list(b')', open) {
                    break;
                }
                if self.take(b',') {
                    continue;
                }
                let Some(name) = self.word() else {
                    self.expected("the name of a parameter");
                    self.skip_char();
                    continue;
                };
                let annotation = self.node(Mode::Type, Lines::Skip);
                let range = name.to(annotation.range);
                declaration.parts.push(Part { name, original: None, range, annotation: Some(annotation) });
            }
            self.leave();
        }
        if self.is_cut_off {
            return;
        }
        declaration.annotation = Some(self.node(Mode::Type, Lines::End));
        self.skip_blanks();
        if !self.starts_with("=>") {
            self.expected("`=>`");
            return self.skip_member();
        }
        self.at += 2;
        self.skip_trivia();
        declaration.value = Some(self.node(Mode::Value, Lines::End));
    }

    /// Reads `{ name as alias } from 'file'` or `* as name from 'file'`.
    fn import(&mut self, declaration: &mut Declaration) {
        if self.take(b'*') {
            self.skip_blanks();
            if !self.take_word("as") {
                self.expected("`as`");
            }
            self.skip_blanks();
            declaration.name = self.word();
        } else if self.peek() == Some(b'{') {
            self.imported_names(declaration);
        } else {
            self.expected("`{` or `*`");
            return self.skip_member();
        }
        if self.is_cut_off {
            return;
        }
        self.skip_blanks();
        if !self.take_word("from") {
            self.expected("`from`");
            return self.skip_member();
        }
        self.skip_blanks();
        if self.peek() == Some(b'\'') {
            declaration.target = Some(self.string());
        } else {
            self.expected("the file to import from");
            self.skip_member();
        }
    }

    fn imported_names(&mut self, declaration: &mut Declaration) {
        let open = self.at;
        if !self.enter() {
            return;
        }
        loop {
            self.skip_trivia();
            if self.ends_list(b'}', open) {
                break;
            }
            if self.take(b',') {
                continue;
            }
            let name = if self.peek() == Some(b'\'') { Some(self.string()) } else { self.word() };
            let Some(name) = name else {
                self.expected("a name to import");
                self.skip_char();
                continue;
            };
            self.skip_blanks();
            let alias = if self.take_word("as") {
                self.skip_blanks();
                self.word()
            } else {
                None
            };
            let original = alias.map(|_| name);
            let range = name.to(alias.unwrap_or(name));
            declaration.parts.push(Part { name: alias.unwrap_or(name), original, range, annotation: None });
        }
        self.leave();
    }
}
