//! Conversion of type expressions to schemas of the template language.

use foldhash::HashMap;

use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::members::{generated, member};
use crate::compiler::model::decorator;
use crate::compiler::resolve::Resolved;
use crate::compiler::values::literal;
use crate::language::ast::{Decorator, TypeExpr, TypeItem, TypeKind, TypeProperty};
use crate::text::Span;
use crate::value::{Data, Member, Str, Value};

/// Built-in types, which are types of Resource Manager.
const AMBIENT: [&str; 5] = ["array", "bool", "int", "object", "string"];

/// Decorators that add a member of the same name.
const LIMITS: [&str; 4] = ["minLength", "maxLength", "minValue", "maxValue"];

impl<'w> Emitter<'w> {
    /// Returns the schema of a declaration with its decorators.
    pub(super) fn declared_type(&self, ty: &'w TypeExpr, decorators: &'w [Decorator]) -> Made<Vec<Member>> {
        let mut members = self.schema(ty, decorators)?;
        self.add_default_and_limits(&mut members, decorators, true)?;
        Ok(members)
    }

    /// Adds the members for decorators.
    pub(super) fn add_default_and_limits(
        &self,
        members: &mut Vec<Member>,
        decorators: &'w [Decorator],
        with_export: bool,
    ) -> Made<()> {
        if let Some(secure) = decorator(decorators, "secure") {
            for member in members.iter_mut().filter(|member| &*member.key == "type") {
                let ty = match member.value.as_str() {
                    Some("string") => "securestring",
                    Some("object") => "secureObject",
                    _ => continue,
                };
                member.value = Value::from(ty).at(secure.span);
            }
        }
        if let Some(sealed) = decorator(decorators, "sealed") {
            set(members, generated("additionalProperties", Value::from(false), sealed.span));
        }
        let mut metadata = Vec::new();
        if with_export && let Some(export) = decorator(decorators, "export") {
            metadata.push(generated("__bicep_export!", Value::from(true), export.span));
        }
        if let Some((given, argument)) = first_argument(decorators, "metadata") {
            let value = self.value(argument, &None)?;
            let given_members = value.as_object().map(|object| object.iter().cloned().collect::<Vec<_>>());
            let Some(given_members) = given_members else {
                return self.fail_as("BCP070", given.span, "expected an object");
            };
            set_all(&mut metadata, given_members);
        }
        // Without these, the description comes after the limits.
        add_metadata(members, std::mem::take(&mut metadata));
        if let Some(given) = decorator(decorators, "metadata")
            && !members.iter().any(|member| &*member.key == "metadata")
        {
            members.push(generated("metadata", Value::object(Vec::new()), given.span));
        }
        for name in LIMITS {
            if let Some((given, argument)) = first_argument(decorators, name) {
                let value = self.value(argument, &None)?;
                set(members, member(name, given.name.span, value));
            }
        }
        if let Some(validate) = decorator(decorators, "validate") {
            let arguments: Made<Vec<Value>> =
                validate.arguments.iter().map(|argument| self.value(argument, &None)).collect();
            set(members, member("validate", validate.name.span, Value::array(arguments?).at(validate.span)));
        }
        if let Some(description) = self.description(decorators)? {
            set(&mut metadata, description);
        }
        add_metadata(members, metadata);
        Ok(())
    }

    /// Returns the member for a description.
    pub(super) fn description(&self, decorators: &'w [Decorator]) -> Made<Option<Member>> {
        let Some((given, argument)) = first_argument(decorators, "description") else { return Ok(None) };
        let value = match argument.bare().literal() {
            Some(text) => literal(&Value::from(without_indent(text))).at(argument.span),
            None => self.value(argument, &None)?,
        };
        Ok(Some(member("description", given.name.span, value)))
    }

    /// Returns the schema of a type. `decorators` may name its discriminator.
    pub(super) fn schema(&self, ty: &'w TypeExpr, decorators: &'w [Decorator]) -> Made<Vec<Member>> {
        self.deeper(ty.span, || self.schema_of(ty, decorators))
    }

    fn schema_of(&self, ty: &'w TypeExpr, decorators: &'w [Decorator]) -> Made<Vec<Member>> {
        let span = ty.span;
        match &ty.kind {
            TypeKind::Skipped => Err(Failed),
            TypeKind::Paren(inner) => self.schema(inner, decorators),
            TypeKind::Nullable(inner) => {
                let mut members = self.schema(inner, decorators)?;
                set(&mut members, generated("nullable", Value::from(true), span));
                Ok(members)
            }
            TypeKind::NonNull(inner) => {
                let mut members = self.schema(inner, decorators)?;
                set(&mut members, generated("nullable", Value::from(false), span));
                Ok(members)
            }
            TypeKind::Text(_) | TypeKind::Int(_) | TypeKind::Bool(_) | TypeKind::Union(_) => {
                match first_argument(decorators, "discriminator") {
                    Some((_, argument)) if matches!(ty.kind, TypeKind::Union(_)) => {
                        self.discriminated(ty, argument.literal().unwrap_or_default())
                    }
                    _ => self.literal_schema(ty),
                }
            }
            TypeKind::Array(item) => {
                let mut members = vec![type_member("array", span)];
                members.push(if let Some(allowed) = self.allowed_items(item)? {
                    generated("allowedValues", allowed, item.span)
                } else {
                    generated("items", Value::object(self.schema(item, &[])?), item.span)
                });
                Ok(members)
            }
            TypeKind::Object { properties, additional } => self.object_schema(span, properties, additional.as_deref()),
            TypeKind::Tuple(items) => self.tuple_schema(span, items),
            TypeKind::Resource(Some(text)) => {
                let name = Value::from(text.literal().unwrap_or_default());
                let metadata = Value::object(vec![generated("resourceType", name, span)]);
                Ok(vec![type_member("string", span), generated("metadata", metadata, span)])
            }
            TypeKind::Name(name) if self.is_ambient(&name.text) => Ok(ambient(&name.text, span)),
            TypeKind::Property { base, name } if self.is_sys(base) => {
                if is_ambient_name(&name.text) {
                    Ok(ambient(&name.text, span))
                } else {
                    self.unknown_name(name)
                }
            }
            TypeKind::Resource(None) => Ok(vec![type_member("string", span)]),
            TypeKind::Null => self.fail(span, "this is not a type of a value"),
            _ => self.resolved_schema(ty),
        }
    }

    /// True if a name is a built-in type that no declaration hides.
    pub(super) fn is_ambient(&self, name: &str) -> bool {
        is_ambient_name(name) && !self.model.symbols.contains_key(name)
    }

    pub(super) fn is_sys(&self, base: &TypeExpr) -> bool {
        matches!(&base.kind, TypeKind::Name(name) if &*name.text == "sys" && !self.model.symbols.contains_key("sys"))
    }

    fn object_schema(
        &self,
        span: Span,
        properties: &'w [TypeProperty],
        additional: Option<&'w TypeProperty>,
    ) -> Made<Vec<Member>> {
        let mut schemas = Vec::new();
        for property in properties {
            let schema = self.item_schema(&property.item)?;
            schemas.push(member(&*property.name.text, property.name.span, schema));
        }
        let mut members = vec![type_member("object", span), generated("properties", Value::object(schemas), span)];
        if let Some(property) = additional {
            members.push(member("additionalProperties", property.name.span, self.item_schema(&property.item)?));
        }
        Ok(members)
    }

    fn tuple_schema(&self, span: Span, items: &'w [TypeItem]) -> Made<Vec<Member>> {
        let schemas: Made<Vec<Value>> = items.iter().map(|item| self.item_schema(item)).collect();
        Ok(vec![
            type_member("array", span),
            generated("prefixItems", Value::array(schemas?), span),
            generated("items", Value::from(false), span),
        ])
    }

    fn item_schema(&self, item: &'w TypeItem) -> Made<Value> {
        Ok(Value::object(self.declared_type(&item.ty, &item.decorators)?).at(item.ty.span))
    }

    /// Returns the allowed items of an array whose item type is a literal or a union of literals, written in place.
    fn allowed_items(&self, item: &'w TypeExpr) -> Made<Option<Value>> {
        let bare = item.bare();
        let is_literal = match &bare.kind {
            TypeKind::Text(_) | TypeKind::Int(_) | TypeKind::Bool(_) | TypeKind::Null | TypeKind::Union(_) => true,
            TypeKind::Object { .. } | TypeKind::Tuple(_) => self.literal_value(bare)?.is_some(),
            _ => false,
        };
        if !is_literal {
            return Ok(None);
        }
        let literals = self.literals(bare)?;
        Ok(Some(Value::array(literals.into_iter().map(|literal| literal.value).collect())))
    }

    /// Returns the schema of a literal or of a union of literals.
    fn literal_schema(&self, ty: &'w TypeExpr) -> Made<Vec<Member>> {
        let literals = self.literals(ty)?;
        let is_nullable = literals.iter().any(|literal| literal.value.is_null());
        let mut values: Vec<Value> = literals.into_iter().map(|literal| literal.value).collect();
        values.retain(|value| !value.is_null());
        let name = match values.first().map(|value| &value.data) {
            Some(Data::String(_)) => "string",
            Some(Data::Int(_)) => "int",
            Some(Data::Bool(_)) => "bool",
            Some(Data::Array(_)) => "array",
            Some(Data::Object(_)) => "object",
            _ => return self.fail(ty.span, "a union needs members other than `null`"),
        };
        let mut members = vec![type_member(name, ty.span), generated("allowedValues", Value::array(values), ty.span)];
        if is_nullable {
            members.push(generated("nullable", Value::from(true), ty.span));
        }
        Ok(members)
    }

    /// Returns the schema of a discriminated union of objects.
    fn discriminated(&self, ty: &'w TypeExpr, property: &str) -> Made<Vec<Member>> {
        let mut mapping = Vec::new();
        self.add_variants(ty, property, &mut mapping)?;
        let discriminator = vec![
            generated("propertyName", Value::from(property), ty.span),
            generated("mapping", Value::object(mapping), ty.span),
        ];
        Ok(vec![type_member("object", ty.span), generated("discriminator", Value::object(discriminator), ty.span)])
    }

    fn add_variants(&self, ty: &'w TypeExpr, property: &str, mapping: &mut Vec<Member>) -> Made<()> {
        self.deeper(ty.span, || match &ty.bare().kind {
            TypeKind::Union(variants) => {
                variants.iter().try_for_each(|variant| self.add_variants(variant, property, mapping))
            }
            TypeKind::Object { properties, .. } => {
                let value = self.variant_name(properties, property, ty.span)?;
                mapping.push(generated(&value, Value::object(self.schema(ty, &[])?), ty.span));
                Ok(())
            }
            _ => {
                let resolved = self.resolve(ty)?;
                self.add_resolved_variants(&resolved, property, ty.span, mapping)
            }
        })
    }

    fn add_resolved_variants(
        &self,
        resolved: &Resolved<'w>,
        property: &str,
        span: Span,
        mapping: &mut Vec<Member>,
    ) -> Made<()> {
        match resolved {
            Resolved::Internal { unit, declaration, .. } => {
                let Some(inner) = self.within(*unit) else { return Err(Failed) };
                match &declaration.bare().kind {
                    TypeKind::Object { properties, .. } => {
                        let value = inner.variant_name(properties, property, span)?;
                        mapping.push(generated(&value, Value::object(Self::reference_schema(resolved, span)), span));
                        Ok(())
                    }
                    TypeKind::Union(_) => inner.add_variants(declaration, property, mapping),
                    _ => {
                        let next = inner.resolve(declaration)?;
                        self.deeper(span, || inner.add_resolved_variants(&next, property, span, mapping))
                    }
                }
            }
            Resolved::Template { schema, .. } => {
                let value = schema.get("properties").and_then(|properties| properties.get(property));
                let value = value.and_then(|property| property.get("allowedValues")?.as_array()?.first()?.as_str());
                match value {
                    Some(value) => {
                        mapping.push(generated(value, Value::object(Self::reference_schema(resolved, span)), span));
                        Ok(())
                    }
                    None => self.fail_as(
                        "BCP364",
                        span,
                        format!("this member of the union has no literal property `{property}`"),
                    ),
                }
            }
            Resolved::Derived { .. } => self.fail(
                span,
                "members of a discriminated union cannot be taken from a resource type without the Bicep CLI",
            ),
        }
    }

    /// Returns the literal that discriminates a variant.
    fn variant_name(&self, properties: &'w [TypeProperty], name: &str, span: Span) -> Made<String> {
        let property = properties.iter().find(|property| &*property.name.text == name);
        if let Some(property) = property {
            let literals = self.literals(&property.item.ty)?;
            if let Some(value) = literals.first().and_then(|literal| literal.value.as_str()) {
                return Ok(value.to_owned());
            }
        }
        self.fail_as("BCP364", span, format!("this member of the union has no literal property `{name}`"))
    }
}

/// Finds a decorator by its name, and returns it with its first argument.
pub(super) fn first_argument<'a>(
    decorators: &'a [Decorator],
    name: &str,
) -> Option<(&'a Decorator, &'a crate::language::ast::Expr)> {
    let decorator = decorator(decorators, name)?;
    decorator.arguments.first().map(|argument| (decorator, argument))
}

pub(super) fn type_member(name: &str, span: Span) -> Member {
    generated("type", Value::from(name), span)
}

/// Adds a member, or replaces the one with its name.
pub(super) fn set(members: &mut Vec<Member>, member: Member) {
    match members.iter_mut().find(|known| known.key == member.key) {
        Some(known) => *known = member,
        None => members.push(member),
    }
}

/// Adds or replaces members, like [`set`], but efficiently for thousands of them.
pub(super) fn set_all(members: &mut Vec<Member>, more: Vec<Member>) {
    let mut places: HashMap<Str, usize> = HashMap::default();
    places.extend(members.iter().enumerate().map(|(at, known)| (known.key.clone(), at)));
    for member in more {
        let at = *places.entry(member.key.clone()).or_insert(members.len());
        match members.get_mut(at) {
            Some(known) => *known = member,
            None => members.push(member),
        }
    }
}

/// Adds members to the member `metadata`.
pub(super) fn add_metadata(members: &mut Vec<Member>, more: Vec<Member>) {
    let Some(span) = more.first().and_then(|member| member.value.span) else { return };
    let known = members.iter().find(|member| &*member.key == "metadata").and_then(|member| member.value.as_object());
    let mut all: Vec<Member> = known.map(|object| object.iter().cloned().collect()).unwrap_or_default();
    set_all(&mut all, more);
    set(members, generated("metadata", Value::object(all), span));
}

fn is_ambient_name(name: &str) -> bool {
    name == "any" || AMBIENT.contains(&name)
}

fn ambient(name: &str, span: Span) -> Vec<Member> {
    if name == "any" { Vec::new() } else { vec![type_member(name, span)] }
}

/// Removes the indentation that all lines after the first have in common.
fn without_indent(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let Some((first, rest)) = text.split_once('\n') else { return text };
    let lines = rest.split('\n').filter(|line| !line.is_empty());
    let common = lines.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len()).min().unwrap_or(0);
    let lines = rest.split('\n').map(|line| line.get(common..).unwrap_or_default());
    [first].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_indentation_that_lines_have_in_common_is_not_part_of_a_description() {
        for (text, expected) in [
            ("a", "a"),
            ("  a", "  a"),
            ("a\r\n  b\n\n    c", "a\nb\n\n  c"),
            ("a\n  b\nc", "a\n  b\nc"),
            ("\n  a\n b", "\n a\nb"),
            ("a\n    b\n    ", "a\nb\n"),
            ("a\n\tb\n  c", "a\nb\n c"),
        ] {
            assert_eq!(without_indent(text), expected, "{text:?}");
        }
    }
}
