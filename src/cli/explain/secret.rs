//! Parts of source files that contain secrets. Lines with them are never shown.

use crate::model::{Deployment, Document};
use crate::text::{Sources, Span};
use crate::value::{Data, Member, Traits, Value};

/// The positions of secrets: the values and the defaults of secure parameters.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    spans: Vec<Span>,
}

impl Secrets {
    /// Collects the secrets of a document and its nested deployments.
    pub(super) fn of(document: &Document) -> Self {
        let mut secrets = Self::default();
        for deployment in &document.deployments {
            secrets.add_defaults(deployment);
            secrets.add_leaves(&deployment.parameters);
        }
        secrets
    }

    /// Adds the defaults of secure parameters, which are secrets even if a parameter file overrides them.
    fn add_defaults(&mut self, deployment: &Deployment) {
        let declared = deployment.template.get("parameters").and_then(Value::as_object);
        for declaration in declared.into_iter().flatten().map(|member| &member.value) {
            let kind = declaration.get("type").and_then(Value::as_str).unwrap_or_default();
            if kind.eq_ignore_ascii_case("secureString") || kind.eq_ignore_ascii_case("secureObject") {
                self.spans.extend(declaration.get("defaultValue").and_then(|value| value.span));
            }
        }
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

    /// The value, with the parts that come from one of these positions marked as secrets.
    pub(super) fn marked(&self, value: &Value) -> Value {
        let marked = match &value.data {
            Data::Array(array) => Value::array(array.iter().map(|item| self.marked(item)).collect()),
            Data::Object(object) => {
                let member = |member: &Member| Member { value: self.marked(&member.value), ..member.clone() };
                Value::object(object.iter().map(member).collect())
            }
            // Only leaves are masked, so arrays and objects are marked through their leaves.
            _ if value.span.is_some_and(|span| self.spans.iter().any(|secret| secret.contains(span))) => {
                return value.clone().with_traits(Traits::SECRET);
            }
            _ => return value.clone(),
        };
        Value { span: value.span, ..marked.with_traits(value.traits) }
    }
}
