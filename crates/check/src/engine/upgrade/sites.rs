//! Finds the texts of API versions.

use std::sync::Arc;

use foldhash::HashMap;

use crate::bicep::language::{SyntaxTree, parse};
use crate::engine::Origins;
use crate::engine::bicep::Authored;
use crate::engine::upgrade::bicep::{DeclaredType, declared_types};
use crate::text::{FileId, Sources, Span};
use crate::value::{Step, Value};

/// The text of an API version, or the reason why it cannot be edited.
#[derive(Clone, Debug)]
pub(super) struct VersionText {
    /// The version without quotes. If it cannot be edited, the text to show.
    pub(super) span: Span,
    pub(super) blocked: Option<&'static str>,
    /// The variable or parameter whose value is the version, with `true` for a parameter.
    pub(super) named: Option<(bool, String)>,
}

/// Finds the texts of versions, and remembers the Bicep files in which it looked.
#[derive(Debug)]
pub(super) struct VersionTexts<'a> {
    sources: &'a Sources,
    /// Declared types by file.
    declared: HashMap<FileId, Arc<[DeclaredType]>>,
}

impl<'a> VersionTexts<'a> {
    pub(super) fn new(sources: &'a Sources) -> Self {
        Self { sources, declared: HashMap::default() }
    }

    /// Returns the types that a Bicep file declares.
    pub(super) fn declared(&mut self, file: FileId) -> Arc<[DeclaredType]> {
        let sources = self.sources;
        let types = self.declared.entry(file).or_insert_with(|| {
            let source = sources.get(file);
            let tree: SyntaxTree = parse(file, source.text());
            declared_types(&tree).into()
        });
        Arc::clone(types)
    }

    /// Finds the text of `version`, the value of an API version. `None` if no author wrote it.
    pub(super) fn find(&mut self, value: &Value, version: &str, origins: &Origins) -> Option<VersionText> {
        let span = value.span?;
        match origins.authored(span) {
            Authored::Here => Some(self.in_template(value, span, version)),
            Authored::At(place) => self.in_bicep(place.value),
            // The compiler adds the versions of deployments.
            Authored::Nowhere => None,
        }
    }

    /// Returns the text of the version of the type literal at `literal`.
    fn in_bicep(&mut self, literal: Span) -> Option<VersionText> {
        let source = self.sources.get(literal.file);
        if !source.name().to_ascii_lowercase().ends_with(".bicep") {
            return None;
        }
        let types = self.declared(literal.file);
        let declared = types.iter().find(|declared| declared.literal == literal)?;
        Some(VersionText { span: declared.version, blocked: None, named: None })
    }

    fn in_template(&self, value: &Value, span: Span, version: &str) -> VersionText {
        let Some(via) = &value.via else {
            return match self.quoted(span, version) {
                Some(inner) => VersionText { span: inner, blocked: None, named: None },
                None => VersionText { span, blocked: Some("it is computed"), named: None },
            };
        };
        let blocked = |reason| VersionText { span, blocked: Some(reason), named: None };
        if !via.earlier.is_empty() {
            return blocked("it is computed from other values");
        }
        let (is_parameter, name) = match &via.step {
            Step::Variable(name) => (false, name),
            Step::Default(name) => (true, name),
            Step::Parameter(_) => return blocked("it is the value of a parameter"),
            _ => return blocked("it is computed"),
        };
        match via.span.and_then(|definition| self.quoted(definition, version)) {
            Some(inner) => {
                VersionText { span: inner, blocked: None, named: Some((is_parameter, name.to_ascii_lowercase())) }
            }
            None => blocked("it is computed"),
        }
    }

    /// Returns the text between the quotes of a literal that is exactly this version.
    fn quoted(&self, span: Span, version: &str) -> Option<Span> {
        let source = self.sources.get(span.file);
        let text = source.text().get(span.start as usize..span.end as usize)?;
        let inner = text.strip_prefix('"')?.strip_suffix('"')?;
        (inner == version).then(|| Span::new(span.file, span.start + 1, span.end - 1))
    }
}
