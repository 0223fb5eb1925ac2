//! Declarations and their decorators.

use std::sync::Arc;

use crate::language::ast::{
    Declaration, DeclarationKind, Decorator, Extension, Function, Import, ImportNames, Module, Name, Resource, Text,
};
use crate::language::cursor::{Broken, Cursor, Parsed};
use crate::language::token::Kind;

/// Keywords of declarations.
const KEYWORDS: [&str; 18] = [
    "targetScope",
    "metadata",
    "param",
    "var",
    "type",
    "func",
    "output",
    "assert",
    "resource",
    "module",
    "test",
    "import",
    "extension",
    "provider",
    "using",
    "extends",
    "extensionConfig",
    "extensionConfigs",
];

/// True if a declaration can start with this word.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

impl Cursor<'_> {
    /// Parses all declarations of the file.
    pub(super) fn declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        loop {
            self.skip_lines();
            if self.is(Kind::End) {
                return declarations;
            }
            (self.first, self.is_skipped, self.is_body) = (self.at, false, false);
            let start = self.start();
            let declaration = self.declaration().unwrap_or_else(|Broken| {
                self.skip_declaration();
                Declaration { decorators: Vec::new(), span: self.since(start), kind: DeclarationKind::Skipped }
            });
            declarations.push(declaration);
            let is_end = matches!(self.peek(), Kind::NewLine | Kind::End) || self.is_declaration();
            if !is_end && self.expected::<()>("the end of the line").is_err() {
                self.skip_declaration();
            }
        }
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        let decorators = self.decorators()?;
        let start = self.start();
        if self.is_word("resource") {
            let (name, ty, is_existing) = self.resource_header()?;
            self.is_body = true;
            let body = self.declared_value(Kind::Assign);
            let span = self.since(start);
            let kind = DeclarationKind::Resource(Arc::new(Resource { name, ty, is_existing, body, decorators, span }));
            return Ok(Declaration { decorators: Vec::new(), span, kind });
        }
        let Some(keyword) = self.word_at(0).filter(|word| is_keyword(word)) else {
            return self.expected("a statement, such as `param`, `var`, `resource` or `output`");
        };
        self.next();
        let kind = match keyword {
            "targetScope" => DeclarationKind::TargetScope(self.declared_value(Kind::Assign)),
            "metadata" => {
                let name = self.name("a name")?;
                DeclarationKind::Metadata { name, value: self.declared_value(Kind::Assign) }
            }
            "assert" => {
                let name = self.name("a name")?;
                DeclarationKind::Assert { name, value: self.declared_value(Kind::Assign) }
            }
            "param" => self.parameter()?,
            "var" => self.variable()?,
            "type" => {
                let name = self.declared_name("the name of the type")?;
                self.expect(Kind::Assign)?;
                self.skip_lines();
                DeclarationKind::Type { name, ty: self.declared_type() }
            }
            "func" => self.function()?,
            "output" => {
                let name = self.declared_name("the name of the output")?;
                let ty = self.declared_type();
                DeclarationKind::Output { name, ty, value: self.declared_value(Kind::Assign) }
            }
            "module" => DeclarationKind::Module(self.module()?),
            "test" => DeclarationKind::Test(self.module()?),
            "import" if !self.is(Kind::Whole) => self.import()?,
            "import" | "extension" | "provider" => self.extension()?,
            "using" => self.using()?,
            "extends" => DeclarationKind::Extends(self.literal("the path of a parameter file")?),
            _ => {
                let name = self.name("the name of an extension")?;
                let config = if self.take_word("with") { Some(self.expression()?) } else { None };
                DeclarationKind::ExtensionConfig { name, config }
            }
        };
        Ok(Declaration { decorators, span: self.since(start), kind })
    }

    pub(super) fn decorators(&mut self) -> Parsed<Vec<Decorator>> {
        let mut decorators = Vec::new();
        loop {
            let start = self.start();
            if !self.take(Kind::At) {
                return Ok(decorators);
            }
            let mut name = self.name("the name of a decorator")?;
            let mut is_qualified = false;
            while self.take(Kind::Dot) {
                is_qualified = true;
                name = self.name("the name of a decorator")?;
            }
            let arguments = self.arguments()?;
            decorators.push(Decorator { name, is_qualified, arguments, span: self.since(start) });
            self.skip_lines();
        }
    }

    fn parameter(&mut self) -> Parsed<DeclarationKind> {
        let name = self.declared_name("the name of the parameter")?;
        let has_union = self.is(Kind::NewLine) && self.peek_at(1) == Kind::Pipe;
        let has_type = has_union || !matches!(self.peek(), Kind::Assign | Kind::NewLine | Kind::End);
        let ty = has_type.then(|| self.declared_type());
        let value = self.is(Kind::Assign).then(|| self.declared_value(Kind::Assign));
        Ok(DeclarationKind::Param { name, ty, value })
    }

    fn variable(&mut self) -> Parsed<DeclarationKind> {
        let name = self.declared_name("the name of the variable")?;
        let has_type = !matches!(self.peek(), Kind::Assign | Kind::NewLine | Kind::End);
        let ty = has_type.then(|| self.declared_type());
        Ok(DeclarationKind::Var { name, ty, value: self.declared_value(Kind::Assign) })
    }

    fn function(&mut self) -> Parsed<DeclarationKind> {
        let name = self.declared_name("the name of the function")?;
        self.expect(Kind::LeftParen)?;
        let mut parameters = Vec::new();
        loop {
            self.skip_lines();
            if self.take(Kind::RightParen) {
                break;
            }
            let parameter = self.name("the name of a parameter")?;
            parameters.push((parameter, self.type_expression()?));
            self.skip_lines();
            self.take(Kind::Comma);
        }
        let result = self.declared_type();
        let body = self.declared_value(Kind::Arrow);
        Ok(DeclarationKind::Func(Function { name, parameters, result, body }))
    }

    /// Parses a resource in the body of another one. Its decorators have been parsed.
    pub(super) fn resource(&mut self, decorators: Vec<Decorator>) -> Parsed<Resource> {
        let start = self.start();
        let (name, ty, is_existing) = self.resource_header()?;
        self.is_body = true;
        let body = self.assigned(Kind::Assign)?;
        Ok(Resource { name, ty, is_existing, body, decorators, span: self.since(start) })
    }

    /// Parses `resource name 'type' existing`. Returns `true` if the last word is there.
    fn resource_header(&mut self) -> Parsed<(Name, Text, bool)> {
        self.expect_word("resource")?;
        let name = self.declared_name("the symbolic name of the resource")?;
        let ty = self.literal("the type of the resource")?;
        Ok((name, ty, self.take_word("existing")))
    }

    fn module(&mut self) -> Parsed<Module> {
        let name = self.declared_name("the symbolic name of the module")?;
        let path = self.literal("the path of the module")?;
        Ok(Module { name, path, body: self.declared_value(Kind::Assign) })
    }

    fn import(&mut self) -> Parsed<DeclarationKind> {
        let names = if self.take(Kind::Star) {
            self.expect_word("as")?;
            ImportNames::All(self.name("a name for the imported file")?)
        } else {
            self.expect(Kind::LeftBrace)?;
            let mut names = Vec::new();
            self.items(Kind::RightBrace, false, &mut |cursor| cursor.imported_name(&mut names));
            ImportNames::Each(names)
        };
        self.expect_word("from")?;
        Ok(DeclarationKind::Import(Import { path: self.literal("the path of the imported file")?, names }))
    }

    fn imported_name(&mut self, names: &mut Vec<(Name, Name)>) -> Parsed<()> {
        let original =
            if self.is(Kind::Whole) { self.quoted_name("a name")? } else { self.name("the name to import")? };
        let alias = if self.take_word("as") { self.name("an alias")? } else { original.clone() };
        names.push((original, alias));
        Ok(())
    }

    /// Parses a name that is written as a string.
    pub(super) fn quoted_name(&mut self, what: &str) -> Parsed<Name> {
        let Text { first: text, span, .. } = self.literal(what)?;
        Ok(Name { text, span })
    }

    fn extension(&mut self) -> Parsed<DeclarationKind> {
        let what = "the name of an extension";
        let specification = if self.is(Kind::Word) { self.name(what)? } else { self.quoted_name(what)? };
        let config = if self.take_word("with") { Some(self.expression()?) } else { None };
        let alias = if self.take_word("as") { Some(self.name("an alias")?) } else { None };
        Ok(DeclarationKind::Extension(Extension { specification, config, alias }))
    }

    fn using(&mut self) -> Parsed<DeclarationKind> {
        let target =
            if self.take_word("none") { None } else { Some(self.literal("the path of a template or `none`")?) };
        let config = if self.take_word("with") { Some(self.expression()?) } else { None };
        Ok(DeclarationKind::Using { target, config })
    }
}
