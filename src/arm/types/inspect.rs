//! What is wrong with declarations themselves, whatever their values.

use crate::arm::eval::World;
use crate::arm::types::keyword::Keyword;
use crate::arm::types::resolve::Types;
use crate::arm::types::{validator, version};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::text::Span;
use crate::value::{Data, Member, Value};

/// The members of a template that hold declarations by name.
const SECTIONS: &[&str] = &["definitions", "parameters", "outputs"];

/// What a walk over the declarations of a template finds.
#[derive(Default)]
struct Walk<'a> {
    /// The first keyword that needs a later language version.
    gated: Option<(Keyword, Option<Span>)>,
    has_inner_secrets: bool,
    references: Vec<&'a Value>,
    validates: Vec<&'a Value>,
}

impl Types {
    /// Reads the declarations of a template as far as they say something of themselves, and reports what is wrong.
    pub(in crate::arm) fn inspected(template: &Value, world: &World<'_>) -> Self {
        let mut walk = Walk::default();
        for section in SECTIONS {
            let declarations = template.get(section).and_then(Value::as_object).into_iter().flatten();
            declarations.for_each(|member| walk.declaration(&member.value, *section == "definitions"));
        }
        let types = Self::new(template, walk.has_inner_secrets);
        walk.report_version(template, world);
        for declared in walk.validates {
            validator::inspect(declared, world);
        }
        for declaration in walk.references {
            types.report_reference(declaration, world);
        }
        types
    }

    fn report_reference(&self, declaration: &Value, world: &World<'_>) {
        let found = self.of(declaration);
        let span = declaration.get("$ref").and_then(|it| it.span).or(declaration.span);
        if let (Some(problem), Some(span)) = (&found.problem, span) {
            world.report(Diagnostic::new(Code::TemplateShape, span, problem.as_str()));
        }
    }
}

impl<'a> Walk<'a> {
    /// One declaration and those in it. `is_inner` says that its values may be a part of others.
    fn declaration(&mut self, value: &'a Value, is_inner: bool) {
        for member in value.as_object().into_iter().flatten() {
            let Some(keyword) = Keyword::of(&member.key) else { continue };
            if keyword.is_aggregate() && self.gated.is_none() {
                self.gated = Some((keyword, member.key_span));
            }
            self.keyword(keyword, member, value, is_inner);
        }
    }

    fn keyword(&mut self, keyword: Keyword, member: &'a Member, declaration: &'a Value, is_inner: bool) {
        match keyword {
            Keyword::Type => {
                let word = member.value.as_str().unwrap_or_default();
                self.has_inner_secrets |= is_inner && word.get(..6).is_some_and(|it| it.eq_ignore_ascii_case("secure"));
            }
            Keyword::Ref => self.references.push(declaration),
            Keyword::Validate => self.validates.push(&member.value),
            Keyword::Properties => self.declarations(&member.value),
            Keyword::AdditionalProperties | Keyword::Items => self.declaration(&member.value, true),
            Keyword::PrefixItems => {
                member.value.as_array().into_iter().flatten().for_each(|it| self.declaration(it, true));
            }
            Keyword::Discriminator => {
                if let Some(mapping) = member.value.get("mapping") {
                    self.declarations(mapping);
                }
            }
            _ => {}
        }
    }

    fn declarations(&mut self, value: &'a Value) {
        if let Data::Object(object) = &value.data {
            object.iter().for_each(|it| self.declaration(&it.value, true));
        }
    }

    fn report_version(&self, template: &Value, world: &World<'_>) {
        let written = version::written(template);
        let Some((keyword, Some(span))) = self.gated.filter(|_| !version::has_aggregate_types(written)) else { return };
        let found = written.map_or_else(|| "has none".to_owned(), |it| format!("is of version `{it}`"));
        let (keyword, advised) = (keyword.as_str(), version::ADVISED);
        let message = format!("`{keyword}` needs `languageVersion` `{advised}` or later, and the template {found}");
        let help = format!("write `\"languageVersion\": \"{advised}\"`, and `resources` as an object by symbolic name");
        let diagnostic = Diagnostic::new(Code::TemplateValidate, span, message).with_help(help);
        // What the keyword demands is still checked, as its author wants it to be.
        world.report(diagnostic.with_level(Level::Warning));
    }
}
