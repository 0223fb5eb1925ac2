//! Statements and their decorators.

use crate::bicep::language::ast::{
    Decorator, Extension, Function, Import, ImportNames, Module, Name, Resource, Statement, StatementKind,
};
use crate::bicep::language::cursor::{Cursor, Parsed};
use crate::bicep::language::lexer::Kind;

/// The words that statements begin with.
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

impl Cursor<'_> {
    pub(super) fn is_statement(&self) -> bool {
        self.word_at(0).is_some_and(|word| KEYWORDS.contains(&word))
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let decorators = self.decorators()?;
        let start = self.start();
        if self.is_word("resource") {
            let resource = self.resource(decorators)?;
            self.end_of_statement()?;
            let span = resource.span;
            return Ok(Statement { decorators: Vec::new(), span, kind: StatementKind::Resource(Box::new(resource)) });
        }
        let Some(keyword) = self.word_at(0).filter(|_| self.is_statement()) else {
            return self.expected("a statement, such as `param`, `var`, `resource` or `output`");
        };
        self.next();
        let kind = match keyword {
            "targetScope" => {
                self.expect("=")?;
                StatementKind::TargetScope(self.expression()?)
            }
            "metadata" => {
                let (name, value) = self.assignment()?;
                StatementKind::Metadata { name, value }
            }
            "assert" => {
                let (name, value) = self.assignment()?;
                StatementKind::Assert { name, value }
            }
            "param" => self.parameter()?,
            "var" => self.variable()?,
            "type" => {
                let name = self.name("the name of the type")?;
                self.expect("=")?;
                StatementKind::Type { name, ty: self.type_expression()? }
            }
            "func" => self.function()?,
            "output" => self.output()?,
            "module" | "test" => self.module(keyword == "test")?,
            "import" if !matches!(self.peek(), Kind::Whole(_)) => self.import()?,
            "import" | "extension" | "provider" => self.extension()?,
            "using" => self.using()?,
            "extends" => StatementKind::Extends(self.literal("the path of a parameter file")?),
            _ => {
                self.name("the name of an extension")?;
                if self.take_word("with") {
                    self.expression()?;
                }
                StatementKind::ExtensionConfig
            }
        };
        let span = self.since(start);
        self.end_of_statement()?;
        Ok(Statement { decorators, span, kind })
    }

    fn end_of_statement(&mut self) -> Parsed<()> {
        if matches!(self.peek(), Kind::NewLine | Kind::End) { Ok(()) } else { self.expected("the end of the line") }
    }

    pub(super) fn decorators(&mut self) -> Parsed<Vec<Decorator>> {
        let mut decorators = Vec::new();
        loop {
            let start = self.start();
            if !self.take("@") {
                return Ok(decorators);
            }
            let mut name = self.name("the name of a decorator")?;
            let mut is_qualified = false;
            while self.take(".") {
                is_qualified = true;
                name = self.name("the name of a decorator")?;
            }
            let arguments = self.arguments()?;
            decorators.push(Decorator { name, is_qualified, arguments, span: self.since(start) });
            self.skip_lines();
        }
    }

    fn assignment(&mut self) -> Parsed<(Name, crate::bicep::language::ast::Expr)> {
        let name = self.name("a name")?;
        self.expect("=")?;
        self.skip_lines();
        Ok((name, self.expression()?))
    }

    fn parameter(&mut self) -> Parsed<StatementKind> {
        let name = self.name("the name of the parameter")?;
        let has_union = *self.peek() == Kind::NewLine && self.is_sign_at(1, "|");
        let has_type = has_union || !matches!(self.peek(), Kind::Sign("=") | Kind::NewLine | Kind::End);
        let ty = if has_type { Some(self.type_expression()?) } else { None };
        let value = if self.take("=") {
            self.skip_lines();
            Some(self.expression()?)
        } else {
            None
        };
        Ok(StatementKind::Param { name, ty, value })
    }

    fn variable(&mut self) -> Parsed<StatementKind> {
        let name = self.name("the name of the variable")?;
        let ty = if self.is_sign("=") { None } else { Some(self.type_expression()?) };
        self.expect("=")?;
        self.skip_lines();
        Ok(StatementKind::Var { name, ty, value: self.expression()? })
    }

    fn output(&mut self) -> Parsed<StatementKind> {
        let name = self.name("the name of the output")?;
        let ty = self.type_expression()?;
        self.expect("=")?;
        self.skip_lines();
        Ok(StatementKind::Output { name, ty, value: self.expression()? })
    }

    fn function(&mut self) -> Parsed<StatementKind> {
        let name = self.name("the name of the function")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        loop {
            self.skip_lines();
            if self.take(")") {
                break;
            }
            let parameter = self.name("the name of a parameter")?;
            parameters.push((parameter, self.type_expression()?));
            self.skip_lines();
            self.take(",");
        }
        let result = self.type_expression()?;
        self.expect("=>")?;
        self.skip_lines();
        let body = self.expression()?;
        Ok(StatementKind::Func(Function { name, parameters, result, body }))
    }

    /// A resource, at the top or nested, whose decorators have been parsed.
    pub(super) fn resource(&mut self, decorators: Vec<Decorator>) -> Parsed<Resource> {
        let start = self.start();
        self.expect_word("resource")?;
        let name = self.name("the symbolic name of the resource")?;
        let ty = self.literal("the type of the resource")?;
        let is_existing = self.take_word("existing");
        self.expect("=")?;
        self.skip_lines();
        let body = self.expression()?;
        Ok(Resource { name, ty, is_existing, body, decorators, span: self.since(start) })
    }

    fn module(&mut self, is_test: bool) -> Parsed<StatementKind> {
        let name = self.name("the symbolic name of the module")?;
        let path = self.literal("the path of the module")?;
        self.expect("=")?;
        self.skip_lines();
        let body = self.expression()?;
        Ok(if is_test { StatementKind::Test } else { StatementKind::Module(Module { name, path, body }) })
    }

    fn import(&mut self) -> Parsed<StatementKind> {
        let names = if self.take("*") {
            self.expect_word("as")?;
            ImportNames::All(self.name("a name for the imported file")?)
        } else {
            self.expect("{")?;
            ImportNames::Each(self.imported()?)
        };
        self.expect_word("from")?;
        Ok(StatementKind::Import(Import { path: self.literal("the path of the imported file")?, names }))
    }

    fn imported(&mut self) -> Parsed<Vec<(Name, Name)>> {
        let mut names = Vec::new();
        loop {
            self.skip_lines();
            if self.take("}") {
                return Ok(names);
            }
            let original = if matches!(self.peek(), Kind::Whole(_)) {
                let text = self.literal("a name")?;
                Name { text: text.segments.concat().into_boxed_str(), span: text.span }
            } else {
                self.name("the name to import")?
            };
            let alias = if self.take_word("as") { self.name("an alias")? } else { original.clone() };
            names.push((original, alias));
            self.separator("}")?;
        }
    }

    fn extension(&mut self) -> Parsed<StatementKind> {
        let specification = if *self.peek() == Kind::Word {
            self.name("the name of an extension")?
        } else {
            let text = self.literal("the name of an extension")?;
            Name { text: text.segments.concat().into_boxed_str(), span: text.span }
        };
        let config = if self.take_word("with") { Some(self.expression()?) } else { None };
        let alias = if self.take_word("as") { Some(self.name("an alias")?) } else { None };
        Ok(StatementKind::Extension(Extension { specification, config, alias }))
    }

    fn using(&mut self) -> Parsed<StatementKind> {
        let target =
            if self.take_word("none") { None } else { Some(self.literal("the path of a template or `none`")?) };
        if self.take_word("with") {
            self.expression()?;
        }
        Ok(StatementKind::Using(target))
    }
}
