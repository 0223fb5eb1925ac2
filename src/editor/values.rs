//! The values that a deployment computes for names and properties in a file.

use std::sync::Arc;

use formwork_lsp::{Shown, Written};

use crate::engine::Sight;
use crate::model::Hidden;
use crate::text::Span;
use crate::value::{Data, Member, Traits, Value, ValueExcerpt};

/// Maximum number of values of one deployment.
const MAX_VALUES: usize = 20_000;

/// Maximum depth of nested values.
const MAX_DEPTH: usize = 40;

/// Collects the values of names and properties in the files for which `is_wanted` returns `true`.
pub(super) fn collect(sight: &Sight<'_>, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Shown> {
    let mut collector = Collector { sight, is_wanted, values: Vec::new() };
    let document = sight.document;
    for deployment in &document.deployments {
        // The template of a Bicep module has the span of the module declaration. Its own declarations have spans in
        // its file.
        let file = |span: Option<Span>| span.map(|span| (sight.place)(span).file);
        let outer = file(deployment.template.span).unwrap_or(sight.template);
        let declared = deployment.template.get("parameters");
        for member in deployment.parameters.as_object().into_iter().flatten() {
            let declaration = declared.and_then(|declared| declared.get(&member.key));
            collector.name(file(declaration.and_then(|declaration| declaration.span)).unwrap_or(outer), member);
        }
        let variables = deployment.template.get("variables").and_then(Value::as_object);
        for member in variables.into_iter().flatten() {
            collector.name(file(member.key_span).unwrap_or(outer), member);
        }
    }
    for resource in &document.resources {
        collector.properties(&resource.body, 0);
    }
    collector.values
}

struct Collector<'a> {
    sight: &'a Sight<'a>,
    is_wanted: &'a dyn Fn(&str) -> bool,
    values: Vec<Shown>,
}

impl Collector<'_> {
    /// Adds a parameter or a variable of the template in a file.
    fn name(&mut self, file: crate::text::FileId, member: &Member) {
        self.add(Span::whole_file(file), Written::Name(member.key.to_string()), &member.value);
    }

    /// Adds the computed properties. Literals are visible in the source.
    fn properties(&mut self, value: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match &value.data {
            Data::Object(object) => {
                for member in object.iter() {
                    if let Some(key) = member.key_span.filter(|_| is_computed(&member.value)) {
                        let key = (self.sight.place)(key);
                        let of = Written::Property { start: key.start as usize, end: key.end as usize };
                        self.add(key, of, &member.value);
                    }
                    self.properties(&member.value, depth + 1);
                }
            }
            Data::Array(items) => items.iter().for_each(|item| self.properties(item, depth + 1)),
            _ => {}
        }
    }

    fn add(&mut self, place: Span, of: Written, value: &Value) {
        let name = |file| Arc::clone(self.sight.sources.get(file).name());
        let file = name(place.file);
        if self.values.len() == MAX_VALUES || !(self.is_wanted)(&file) {
            return;
        }
        let (value_text, is_known) = shown(value, &self.sight.document.hidden);
        let step = value.via.as_ref().and_then(|via| via.span);
        // A parameter is set by a text, and a property is computed from one.
        let origin = match of {
            Written::Name(_) => value.span.or(step),
            Written::Property { .. } => step,
        };
        let origin = origin.map(self.sight.place);
        self.values.push(Shown {
            file,
            of,
            template: name(self.sight.template),
            parameters: self.sight.parameters.clone(),
            value: value_text,
            is_known,
            from: origin.map(|span| (name(span.file), self.sight.sources.get(span.file).position(span.start).line)),
        });
    }
}

fn is_computed(value: &Value) -> bool {
    value.via.is_some() || value.span.is_none()
}

/// Returns a value as text, and whether it is known.
fn shown(value: &Value, hidden: &Hidden) -> (String, bool) {
    let is_single = !matches!(value.data, Data::Object(_) | Data::Array(_));
    match &value.data {
        _ if is_single && value.traits.has(Traits::SECRET) => ("<secret>".to_owned(), true),
        Data::Unknown(unknown) => (hidden.masked(&unknown.why).into_owned(), false),
        _ => {
            let marked = hidden.marked(value);
            (hidden.masked(&ValueExcerpt::new(&marked).to_string()).into_owned(), true)
        }
    }
}
