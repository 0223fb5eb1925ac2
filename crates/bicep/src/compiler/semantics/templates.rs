//! The types that templates declare: those of modules that are not Bicep.

use std::rc::Rc;

use crate::arm::pointer;
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::types::{Object, Property, Type};
use crate::compiler::units::{Content, UnitId};
use crate::value::{Data, Value};

/// How deep the types of a template are read. What lies deeper is not known.
const MAX_DEPTH: usize = 24;

impl<'w> Checker<'_, 'w> {
    /// A definition of a template.
    pub(super) fn template_type(self, unit: UnitId, name: &str) -> Type {
        let Some(template) = self.template(unit) else { return Type::Any };
        let definition = template.get("definitions").and_then(|all| all.as_object()?.get_exact(name));
        definition.map_or(Type::Any, |schema| of_schema(template, schema, 0))
    }

    /// The parameters, or the outputs, of a template as an object.
    pub(super) fn template_members(self, unit: UnitId, section: &str) -> Type {
        let Some(template) = self.template(unit) else { return Type::Any };
        let members = template.get(section).and_then(Value::as_object);
        let property = |(name, schema): (&str, &Value)| {
            let ty = of_schema(template, schema, 0);
            let is_required =
                section == "outputs" || schema.get("defaultValue").is_none() && !ty.is_nullable() && !ty.is_any();
            Property { name: name.into(), ty, is_required }
        };
        let members = members.into_iter().flat_map(|members| members.iter());
        Type::object_of(members.map(|member| property((&*member.key, &member.value))).collect())
    }

    fn template(self, unit: UnitId) -> Option<&'w Value> {
        match self.program.units.get(unit).map(|unit| &unit.content) {
            Some(Content::Template(template)) => Some(template),
            _ => None,
        }
    }
}

/// The type that a schema of a template describes.
fn of_schema(template: &Value, schema: &Value, depth: usize) -> Type {
    if depth > MAX_DEPTH {
        return Type::Any;
    }
    let inner = |schema: &Value| of_schema(template, schema, depth + 1);
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
    let properties = schema.get("properties").and_then(Value::as_object);
    let property = |name: &str, schema: &Value| {
        let ty = inner(schema);
        let is_required = !ty.is_nullable() && !ty.is_any();
        Property { name: name.into(), ty, is_required }
    };
    let properties: Vec<Property> =
        properties.into_iter().flat_map(|all| all.iter()).map(|member| property(&member.key, &member.value)).collect();
    let additional = match schema.get("additionalProperties") {
        Some(value) if value.as_bool() == Some(false) => None,
        Some(value) if value.as_object().is_some() => Some(inner(value)),
        _ => Some(Type::Any),
    };
    Type::Object(Rc::new(Object { properties, additional }))
}

/// The type of a value that is known.
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
