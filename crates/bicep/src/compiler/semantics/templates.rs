//! Types that ARM templates declare, for modules that are not Bicep files.

use std::rc::Rc;

use crate::arm::pointer;
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::types::{Object, Property, Rigor, Type};
use crate::compiler::units::{Content, UnitId};
use crate::value::{Data, Value};

/// Maximum depth at which the types of a template are read. Deeper types are unknown.
const MAX_DEPTH: usize = 24;

impl<'w> Checker<'_, 'w> {
    /// Returns the type of a definition in a template.
    pub(super) fn template_type(self, unit: UnitId, name: &str) -> Type {
        let Some(template) = self.template(unit) else { return Type::Any };
        let definition = template.get("definitions").and_then(|all| all.as_object()?.get_exact(name));
        definition.map_or(Type::Any, |schema| type_of_schema(template, schema, 0))
    }

    /// Returns the parameters or outputs of a template, as an object type.
    pub(super) fn template_members(self, unit: UnitId, section: &str) -> Type {
        let Some(template) = self.template(unit) else { return Type::Any };
        let members = template.get(section).and_then(Value::as_object);
        let properties = members.into_iter().flat_map(|members| members.iter()).map(|member| {
            let schema = &member.value;
            let ty = type_of_schema(template, schema, 0);
            let is_required =
                section == "outputs" || schema.get("defaultValue").is_none() && !ty.is_nullable() && !ty.is_any();
            Property::new(&*member.key, ty, is_required)
        });
        Type::object_of(properties.collect())
    }

    fn template(self, unit: UnitId) -> Option<&'w Value> {
        match self.program.units.get(unit).map(|unit| &unit.content) {
            Some(Content::Template(template)) => Some(template),
            _ => None,
        }
    }
}

/// Returns the type that a schema describes.
fn type_of_schema(template: &Value, schema: &Value, depth: usize) -> Type {
    if depth > MAX_DEPTH {
        return Type::Any;
    }
    let inner = |schema: &Value| type_of_schema(template, schema, depth + 1);
    let ty = if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = pointer::unescaped(reference.strip_prefix("#/definitions/").unwrap_or_default());
        let definition = template.get("definitions").and_then(|all| all.as_object()?.get_exact(&name));
        definition.map_or(Type::Any, inner)
    } else if let Some(allowed) = schema.get("allowedValues").and_then(Value::as_array)
        && schema.get("type").and_then(Value::as_str).is_some_and(|ty| !ty.eq_ignore_ascii_case("array"))
    {
        Type::union(allowed.iter().map(of_value))
    } else {
        let name = schema.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        match name.as_str() {
            "string" | "securestring" => Type::TEXT,
            "int" => Type::INT,
            "bool" => Type::BOOL,
            "array" => schema.get("items").map_or_else(Type::array, |items| Type::array_of(inner(items))),
            "object" | "secureobject" => object(schema, &inner),
            _ => Type::Any,
        }
    };
    if schema.get("nullable").and_then(Value::as_bool) == Some(true) { ty.or_null() } else { ty }
}

fn object(schema: &Value, inner: &dyn Fn(&Value) -> Type) -> Type {
    if schema.get("discriminator").is_some() {
        return Type::Any;
    }
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.iter());
    let properties = properties.map(|member| {
        let ty = inner(&member.value);
        let is_required = !ty.is_nullable() && !ty.is_any();
        Property::new(&*member.key, ty, is_required)
    });
    let properties: Vec<Property> = properties.collect();
    let rigor = if schema.get("additionalProperties").is_some() || schema.get("properties").is_none() {
        Rigor::Strict
    } else {
        Rigor::Open
    };
    let additional = match schema.get("additionalProperties") {
        Some(value) if value.as_bool() == Some(false) => None,
        Some(value) if value.as_object().is_some() => Some(inner(value)),
        _ => Some(Type::Any),
    };
    Type::Object(Rc::new(Object { properties, additional, rigor }))
}

/// Returns the type of a known value.
pub(super) fn of_value(value: &Value) -> Type {
    match &value.data {
        Data::Null => Type::Null,
        Data::Bool(value) => Type::Bool(Some(*value)),
        Data::Int(value) => Type::Int(Some(*value)),
        Data::String(text) => Type::Text(Some((&**text).into())),
        Data::Array(_) => Type::array(),
        Data::Object(_) => Type::object(),
        _ => Type::Any,
    }
}
