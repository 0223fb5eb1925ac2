//! Reports errors in the declarations themselves, which do not depend on values.

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::eval::World;
use crate::text::Span;
use crate::types::keyword::Keyword;
use crate::types::resolve::Types;
use crate::types::{validator, version};
use crate::value::{Data, Member, Value};

/// The sections of a template that contain declarations by name.
const SECTIONS: &[&str] = &["definitions", "parameters", "outputs"];

/// Prefix of pointers to definitions.
const DEFINITIONS: &str = "#/definitions/";

/// Facts collected from the declarations of a template.
#[derive(Default)]
struct DeclarationWalk<'a> {
    /// The first keyword that requires a later language version, with its span.
    gated: Option<(Keyword, Option<Span>)>,
    /// True if a declaration inside another one has a secure type, or may have one.
    has_inner_secrets: bool,
    /// The declarations with a `$ref`.
    references: Vec<&'a Value>,
    /// The values of `validate`.
    validates: Vec<&'a Value>,
}

impl Types {
    /// Creates the types of a template, and reports errors in its declarations.
    pub(crate) fn inspected(template: &Value, world: &World<'_>) -> Self {
        let mut walk = DeclarationWalk::default();
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
        let found = self.declared_type(declaration);
        let span = declaration.get("$ref").and_then(|reference| reference.span).or(declaration.span);
        if let (Some(problem), Some(span)) = (&found.problem, span) {
            world.report(Diagnostic::new(Code::TemplateShape, span, problem.as_str()));
        }
    }
}

impl<'a> DeclarationWalk<'a> {
    /// Visits a declaration and those inside it. With `is_inner`, its values may be parts of other values.
    fn declaration(&mut self, value: &'a Value, is_inner: bool) {
        for member in value.as_object().into_iter().flatten() {
            let Some(keyword) = Keyword::from_name(&member.key) else { continue };
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
                let is_secure = word.get(..6).is_some_and(|prefix| prefix.eq_ignore_ascii_case("secure"));
                self.has_inner_secrets |= is_inner && is_secure;
            }
            Keyword::Ref => {
                let pointer = member.value.as_str().unwrap_or_default();
                // What is elsewhere is not visited.
                self.has_inner_secrets |= !pointer.starts_with(DEFINITIONS);
                self.references.push(declaration);
            }
            Keyword::Validate => self.validates.push(&member.value),
            Keyword::Properties => self.declarations(&member.value),
            Keyword::AdditionalProperties | Keyword::Items => self.declaration(&member.value, true),
            Keyword::PrefixItems => {
                member.value.as_array().into_iter().flatten().for_each(|item| self.declaration(item, true));
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
            object.iter().for_each(|member| self.declaration(&member.value, true));
        }
    }

    fn report_version(&self, template: &Value, world: &World<'_>) {
        let written = version::written(template);
        let Some((keyword, Some(span))) = self.gated.filter(|_| !version::has_aggregate_types(written)) else { return };
        let found = written.map_or_else(|| "has none".to_owned(), |version| format!("has `{version}`"));
        let (keyword, advised) = (keyword.as_str(), version::ADVISED);
        let message = format!("`{keyword}` requires `languageVersion` `{advised}` or later; the template {found}");
        let help =
            format!("write `\"languageVersion\": \"{advised}\"`, and make `resources` an object by symbolic name");
        let diagnostic = Diagnostic::new(Code::TemplateValidate, span, message).with_help(help);
        // A warning: the constraint is still validated, because that is what the author intends.
        world.report(diagnostic.with_level(Level::Warning));
    }
}
