//! Parts of source files that contain secrets. Lines with them are never shown.

use crate::model::Document;
use crate::text::{Sources, Span};
use crate::value::{Data, Traits, Value};

/// The positions of secrets: the values and the defaults of secure parameters.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    spans: Vec<Span>,
}

impl Secrets {
    /// Collects the secrets of a document and its nested deployments.
    pub(super) fn of(document: &Document) -> Self {
        let mut secrets = Self { spans: document.hidden.spans().to_vec() };
        for deployment in &document.deployments {
            secrets.add_leaves(&deployment.parameters);
        }
        secrets
    }

    fn add_leaves(&mut self, value: &Value) {
        if !value.traits.has(Traits::SECRET) {
            return;
        }
        match &value.data {
            Data::Array(array) => array.iter().for_each(|item| self.add_leaves(item)),
            Data::Object(object) => object.iter().for_each(|member| self.add_leaves(&member.value)),
            _ => self.spans.extend(value.span),
        }
    }

    /// Whether the lines of `span` contain one of the secrets.
    pub(super) fn stand_in_lines_of(&self, span: Span, sources: &Sources) -> bool {
        let source = sources.get(span.file);
        let lines = |span: Span| (source.position(span.start).line, source.position(span.end).line);
        let (first, last) = lines(span);
        self.spans.iter().filter(|secret| secret.file == span.file).any(|&secret| {
            let (from, to) = lines(secret);
            from <= last && first <= to
        })
    }
}
