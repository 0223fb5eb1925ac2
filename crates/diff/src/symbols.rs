//! Symbolic names in the reasons of unknown values.
//!
//! A symbolic name matters to the template only: a resource is the same under another one. So reasons name the resource
//! itself.

use std::collections::BTreeMap;

use crate::model::Document;
use crate::value::{Data, Member, Traits, Unknown, Value};

/// Names of resources, by symbolic name.
pub(super) struct Symbols(BTreeMap<String, String>);

impl Symbols {
    /// Reads the symbolic names of a document. A symbolic name of several resources with different names is left out.
    pub(super) fn new(document: &Document) -> Self {
        let mut names: BTreeMap<String, Option<String>> = BTreeMap::new();
        for resource in document.resources.iter().chain(&document.existing) {
            let (Some(symbol), name) = (&resource.symbolic_name, document.hidden.masked(&resource.name)) else {
                continue;
            };
            let known = names.entry(symbol.to_string()).or_insert_with(|| Some(name.to_string()));
            if known.as_deref().is_some_and(|known| known != name) {
                *known = None;
            }
        }
        Self(
            names
                .into_iter()
                .filter_map(|(symbol, name)| Some((symbol, name?)))
                .filter(|(_, name)| !name.is_empty())
                .collect(),
        )
    }

    /// Returns the value with resources instead of symbolic names in its reasons.
    pub(super) fn resolved(&self, value: &Value) -> Value {
        if self.0.is_empty() || !value.traits.has(Traits::UNKNOWN) {
            return value.clone();
        }
        let data = match &value.data {
            Data::Array(items) => Value::array(items.iter().map(|item| self.resolved(item)).collect()).data,
            Data::Object(members) => {
                Value::object(
                    members
                        .iter()
                        .map(|member: &Member| Member { value: self.resolved(&member.value), ..member.clone() })
                        .collect(),
                )
                .data
            }
            Data::Unknown(unknown) => {
                let choices = unknown.choices.iter().map(|choice| self.resolved(choice)).collect();
                let why = self.reason(&unknown.why).into();
                Value::unknown(Unknown { why, choices, ..(**unknown).clone() }).data
            }
            _ => return value.clone(),
        };
        Value { data, ..value.clone() }
    }

    fn reason(&self, why: &str) -> String {
        // A parameter may be called like a resource.
        if !why.contains("only Azure knows") {
            return why.to_owned();
        }
        let parts: Vec<String> = why
            .split('`')
            .enumerate()
            .map(|(at, part): (usize, &str)| match self.0.get(part) {
                Some(name) if at % 2 == 1 => name.clone(),
                _ => part.to_owned(),
            })
            .collect();
        parts.join("`")
    }
}
