//! Merges the section `Globals` into the properties of resources.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-template-anatomy-globals.html>.

use crate::sam::build::{Fields, get};
use crate::sam::intrinsics::is_intrinsic;
use crate::sam::{PREFIX, Source};
use crate::value::{Member, Value};

/// The section `Globals`: properties by the last part of a type.
pub(super) struct Globals<'v>(Option<&'v Value>);

impl<'v> Globals<'v> {
    pub(super) fn new(section: Option<&'v Value>) -> Self {
        Self(section)
    }

    /// Returns the global properties of a type.
    pub(super) fn of_type(&self, kind: &str) -> Option<&'v Value> {
        get(self.0?, kind.strip_prefix(PREFIX)?)
    }

    /// Returns the resource with the global properties of its type, apart from those that it ignores.
    pub(super) fn merged(&self, source: Source) -> Source {
        let Some(global) = self.of_type(&source.kind) else { return source };
        let ignored = get(&source.body, "IgnoreGlobals");
        if ignored.and_then(Value::as_str) == Some("*") {
            return source;
        }
        let mut kept = Fields::from_value(global);
        for name in ignored.and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str) {
            kept.remove(name);
        }
        let local = if source.properties.is_null() { Value::object(Vec::new()) } else { source.properties };
        let properties = merge(&kept.into_value(), &local);
        Source { properties, ..source }
    }
}

/// Merges objects and lists; of anything else the local value counts.
fn merge(global: &Value, local: &Value) -> Value {
    let merged = match (&global.as_array(), &local.as_array()) {
        (Some(global), Some(local)) => Value::array(global.iter().chain(*local).cloned().collect()),
        _ if is_intrinsic(global) || is_intrinsic(local) => return local.clone(),
        _ if global.as_object().is_some() => {
            let Some(object) = local.as_object() else { return local.clone() };
            let globals = global.as_object().into_iter().flatten();
            let only_global = globals.filter(|member| object.get_exact(&member.key).is_none()).cloned();
            let local = object.iter().map(|member| match get(global, &member.key) {
                Some(global) => Member { value: merge(global, &member.value), ..member.clone() },
                None => member.clone(),
            });
            Value::object(only_global.chain(local).collect())
        }
        _ => return local.clone(),
    };
    Value { span: local.span.or(global.span), ..merged }
}
