//! Resolution of type names, and access to parts of types.

use crate::arm::pointer;
use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::members::generated;
use crate::compiler::model::Symbol;
use crate::compiler::types::type_member;
use crate::compiler::units::{Content, UnitId};
use crate::language::ast::{TypeExpr, TypeKind};
use crate::schema::{self, PathPart, Published};
use crate::text::Span;
use crate::value::{Member, Value};

/// Target of a reference to a type.
#[derive(Debug)]
pub(super) enum Resolved<'w> {
    /// Part of a declaration in a Bicep file.
    Internal { pointer: Vec<String>, unit: UnitId, declaration: &'w TypeExpr },
    /// Part of a definition in a template.
    Template { pointer: Vec<String>, unit: UnitId, schema: &'w Value },
    /// Part of a resource type.
    Derived { name: String, pointer: Vec<String>, is_output: bool },
}

/// A literal of a union, with its sort key.
#[derive(Debug)]
pub(super) struct Literal {
    pub name: String,
    pub value: Value,
}

impl<'w> Emitter<'w> {
    pub(super) fn resolve(&self, ty: &'w TypeExpr) -> Made<Resolved<'w>> {
        self.deeper(ty.span, || match &ty.kind {
            TypeKind::Paren(inner) | TypeKind::Nullable(inner) | TypeKind::NonNull(inner) => self.resolve(inner),
            TypeKind::Name(name) => match self.model.symbols.get(&*name.text) {
                Some(Symbol::Type(_)) => self.named(self.model.id, &name.text, ty.span),
                Some(Symbol::Imported(unit, original)) => self.named(*unit, original, ty.span),
                Some(Symbol::Unknown) => Err(Failed),
                Some(_) => self.fail_as("BCP287", ty.span, format!("`{}` is not a type", name.text)),
                None => self.unknown_name(name),
            },
            TypeKind::Property { base, name } => {
                if let TypeKind::Name(namespace) = &base.kind
                    && let Some(Symbol::Wildcard(unit)) = self.model.symbols.get(&*namespace.text)
                {
                    return self.named(*unit, &name.text, ty.span);
                }
                self.step(self.resolve(base)?, TypeStep::Property(&name.text), ty.span)
            }
            TypeKind::Element { base, index } => self.step(self.resolve(base)?, TypeStep::Element(*index), ty.span),
            TypeKind::Items(base) => self.step(self.resolve(base)?, TypeStep::Items, ty.span),
            TypeKind::Additional(base) => self.step(self.resolve(base)?, TypeStep::Additional, ty.span),
            TypeKind::Generic { name, arguments } => match (&*name.text, arguments.first().map(|ty| &ty.kind)) {
                ("resourceInput" | "resourceOutput", Some(TypeKind::Text(text))) => {
                    let written = without_az(text.literal().unwrap_or_default());
                    if !schema::IS_KNOWN {
                        return self
                            .fail(ty.span, "types of resources need a build of formwork with the feature `types`");
                    }
                    let (ty, version) = written.split_once('@').unwrap_or((written, ""));
                    let ty = schema::type_name(ty, Some(version)).unwrap_or(ty);
                    let is_output = &*name.text == "resourceOutput";
                    Ok(Resolved::Derived { name: format!("{ty}@{version}"), pointer: Vec::new(), is_output })
                }
                _ => {
                    self.fail_as("BCP383", ty.span, format!("there is no type `{}<>` with these arguments", name.text))
                }
            },
            _ => self.fail(ty.span, "expected the name of a type"),
        })
    }

    /// Resolves a type by its name in a file.
    fn named(&self, unit: UnitId, name: &str, span: Span) -> Made<Resolved<'w>> {
        let pointer = vec!["definitions".to_owned(), self.name_of(unit, name).to_string()];
        if let Some(model) = self.world.model(unit) {
            if let Some(Symbol::Type(at)) = model.symbols.get(name)
                && let Some(declaration) = model.types.get(*at).and_then(|declared| declared.ty)
            {
                return Ok(Resolved::Internal { pointer, unit, declaration });
            }
            return self.fail_as("BCP302", span, format!("the file declares no type `{name}`"));
        }
        let Some(Content::Template(template)) = self.world.units.get(unit).map(|unit| &unit.content) else {
            return Err(Failed);
        };
        match template.get("definitions").and_then(|definitions| definitions.as_object()?.get_exact(name)) {
            Some(schema) => Ok(Resolved::Template { pointer, unit, schema }),
            None => self.fail_as("BCP302", span, format!("the template defines no type `{name}`")),
        }
    }

    /// Resolves a part of a type.
    fn step(&self, base: Resolved<'w>, step: TypeStep<'_>, span: Span) -> Made<Resolved<'w>> {
        self.deeper(span, || match base {
            Resolved::Derived { name, mut pointer, is_output } => {
                pointer.extend(step.pointer());
                Ok(Resolved::Derived { name, pointer, is_output })
            }
            Resolved::Internal { mut pointer, unit, declaration } => {
                let inner = match (&declaration.bare().kind, step) {
                    (TypeKind::Object { properties, .. }, TypeStep::Property(name)) => {
                        let named = properties.iter().find(|property| property.name.text.eq_ignore_ascii_case(name));
                        named.map(|property| &property.item.ty)
                    }
                    (TypeKind::Object { additional, .. }, TypeStep::Additional) => {
                        additional.as_deref().map(|property| &property.item.ty)
                    }
                    (TypeKind::Tuple(items), TypeStep::Element(index)) => {
                        usize::try_from(index).ok().and_then(|index| items.get(index)).map(|item| &item.ty)
                    }
                    (TypeKind::Array(item), TypeStep::Items) => Some(&**item),
                    (TypeKind::Object { .. } | TypeKind::Tuple(_) | TypeKind::Array(_), _) => None,
                    _ => {
                        let Some(inner) = self.within(unit) else { return Err(Failed) };
                        return inner.step(inner.resolve(declaration)?, step, span);
                    }
                };
                let Some(declaration) = inner else {
                    return self.fail_as(step.code(), span, "the type has no such part");
                };
                pointer.extend(step.pointer());
                Ok(Resolved::Internal { pointer, unit, declaration })
            }
            Resolved::Template { mut pointer, unit, schema } => {
                if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
                    let name = pointer::unescaped(reference.strip_prefix("#/definitions/").unwrap_or_default());
                    return self.step(self.named(unit, &name, span)?, step, span);
                }
                let parts = step.pointer();
                let inner = parts.iter().try_fold(schema, |schema, part| match part.parse::<usize>() {
                    Ok(index) => schema.as_array()?.get(index),
                    Err(_) => schema.get(part),
                });
                let Some(schema) = inner else { return self.fail_as(step.code(), span, "the type has no such part") };
                pointer.extend(parts);
                Ok(Resolved::Template { pointer, unit, schema })
            }
        })
    }

    /// Returns the schema for a reference to a type.
    pub(super) fn resolved_schema(&self, ty: &'w TypeExpr) -> Made<Vec<Member>> {
        match self.resolve(ty) {
            Ok(resolved) => Ok(Self::reference_schema(&resolved, ty.span)),
            // A schema without a type accepts every value.
            Err(failed) => self.or_unknown(failed).map(|_| Vec::new()),
        }
    }

    pub(super) fn reference_schema(resolved: &Resolved<'_>, span: Span) -> Vec<Member> {
        match resolved {
            Resolved::Internal { pointer, .. } | Resolved::Template { pointer, .. } => {
                let parts: Vec<String> = pointer.iter().map(|part| pointer::escaped(part)).collect();
                vec![generated("$ref", Value::from(format!("#/{}", parts.join("/"))), span)]
            }
            Resolved::Derived { name, pointer, is_output } => {
                let parts: Vec<String> = pointer.iter().map(|part| pointer::escaped(part)).collect();
                let sign = if parts.is_empty() { "" } else { "#" };
                let source = Value::from(format!("{name}{sign}{}", parts.join("/")));
                let mut derived = vec![generated("source", source, span)];
                if *is_output {
                    derived.push(generated("output", Value::from(true), span));
                }
                let metadata =
                    Value::object(vec![generated("__bicep_resource_derived_type!", Value::object(derived), span)]);
                let mut members: Vec<Member> =
                    published(name, pointer).into_iter().map(|name| type_member(name, span)).collect();
                members.push(generated("metadata", metadata, span));
                members
            }
        }
    }

    /// Returns the literals of a type without duplicates, in the order of the Bicep CLI.
    pub(super) fn literals(&self, ty: &'w TypeExpr) -> Made<Vec<Literal>> {
        let mut literals = Vec::new();
        self.add_literals(ty, &mut literals)?;
        literals.sort_by(|a, b| a.name.cmp(&b.name));
        literals.dedup_by(|a, b| a.name == b.name);
        Ok(literals)
    }

    fn add_literals(&self, ty: &'w TypeExpr, literals: &mut Vec<Literal>) -> Made<()> {
        self.deeper(ty.span, || match &ty.kind {
            TypeKind::Paren(inner) | TypeKind::NonNull(inner) => self.add_literals(inner, literals),
            TypeKind::Nullable(inner) => {
                literals.push(Literal { name: "null".to_owned(), value: Value::NULL });
                self.add_literals(inner, literals)
            }
            TypeKind::Union(members) => members.iter().try_for_each(|member| self.add_literals(member, literals)),
            TypeKind::Name(name) if self.is_ambient(&name.text) => self.no_literal(ty),
            TypeKind::Name(_) | TypeKind::Property { .. } | TypeKind::Items(_) | TypeKind::Element { .. } => {
                match self.resolve(ty)? {
                    Resolved::Internal { unit, declaration, .. } => match self.within(unit) {
                        Some(inner) => inner.add_literals(declaration, literals),
                        None => Err(Failed),
                    },
                    Resolved::Template { schema, .. } => {
                        let allowed = schema.get("allowedValues").and_then(Value::as_array).unwrap_or_default();
                        literals.extend(allowed.iter().map(|value| literal(value.clone())));
                        if schema.get("nullable").and_then(Value::as_bool) == Some(true) {
                            literals.push(literal(Value::NULL));
                        }
                        Ok(())
                    }
                    Resolved::Derived { .. } => {
                        self.fail(ty.span, "a union with a part of a resource type needs the Bicep CLI")
                    }
                }
            }
            _ => match self.literal_value(ty)? {
                Some(value) => {
                    literals.push(literal(value.at(ty.span)));
                    Ok(())
                }
                None => self.no_literal(ty),
            },
        })
    }

    fn no_literal(&self, ty: &TypeExpr) -> Made<()> {
        let message = "the members of a union have to be literals, or objects that `@discriminator()` tells apart";
        self.fail_as("BCP293", ty.span, message)
    }

    /// Returns the value of a type that has only one.
    pub(super) fn literal_value(&self, ty: &'w TypeExpr) -> Made<Option<Value>> {
        Ok(match &ty.bare().kind {
            TypeKind::Text(text) => text.literal().map(Value::from),
            TypeKind::Int(value) => Some(Value::from(*value)),
            TypeKind::Bool(value) => Some(Value::from(*value)),
            TypeKind::Null => Some(Value::NULL),
            TypeKind::Object { properties, additional: None } => {
                let mut members = Vec::new();
                for property in properties {
                    let value = self.deeper(ty.span, || self.literal_value(&property.item.ty))?;
                    let Some(value) = value else { return Ok(None) };
                    members.push(generated(&property.name.text, value, ty.span));
                }
                Some(Value::object(members))
            }
            TypeKind::Tuple(items) => {
                let mut values = Vec::new();
                for item in items {
                    let value = self.deeper(ty.span, || self.literal_value(&item.ty))?;
                    let Some(value) = value else { return Ok(None) };
                    values.push(value);
                }
                Some(Value::array(values))
            }
            _ => None,
        })
    }
}

fn literal(value: Value) -> Literal {
    let name = match value.as_str() {
        Some(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        None => value.to_json(),
    };
    Literal { name, value }
}

/// Removes the optional namespace of an Azure type.
fn without_az(name: &str) -> &str {
    name.strip_prefix("az:").unwrap_or(name)
}

/// Step from a type to a part of it.
#[derive(Clone, Copy)]
enum TypeStep<'a> {
    Property(&'a str),
    Element(u64),
    Items,
    Additional,
}

impl TypeStep<'_> {
    /// Returns the code for a type without this part.
    fn code(self) -> &'static str {
        match self {
            Self::Property(_) => "BCP053",
            Self::Element(_) => "BCP388",
            Self::Items => "BCP390",
            Self::Additional => "BCP389",
        }
    }

    fn pointer(self) -> Vec<String> {
        match self {
            Self::Property(name) => vec!["properties".to_owned(), name.to_owned()],
            Self::Element(index) => vec!["prefixItems".to_owned(), index.to_string()],
            Self::Items => vec!["items".to_owned()],
            Self::Additional => vec!["additionalProperties".to_owned()],
        }
    }
}

/// Returns the kind of a property that the Bicep CLI adds to resource types that lack it.
fn in_every_resource(path: &[PathPart<'_>]) -> Option<Published> {
    let name = match path {
        [] => return Some(Published::Object),
        [PathPart::Name(name)] => name,
        _ => return None,
    };
    match *name {
        "location" | "kind" | "managedBy" | "eTag" => Some(Published::String),
        "zones" | "managedByExtended" => Some(Published::Array),
        "tags" | "sku" | "plan" | "identity" | "extendedLocation" | "scale" => Some(Published::Object),
        _ => None,
    }
}

/// Returns the Resource Manager type of a part of a resource type.
fn published(name: &str, pointer: &[String]) -> Option<&'static str> {
    let (ty, version) = name.split_once('@').map_or((name, None), |(ty, version)| (ty, Some(version)));
    let mut path = Vec::new();
    let mut parts = pointer.iter();
    while let Some(part) = parts.next() {
        path.push(match part.as_str() {
            "properties" => PathPart::Name(parts.next()?),
            "prefixItems" => {
                parts.next()?;
                PathPart::Item
            }
            "items" => PathPart::Item,
            _ => PathPart::Members,
        });
    }
    let known = schema::published(ty, version, &path);
    match known.or_else(|| in_every_resource(&path))? {
        Published::String => Some("string"),
        Published::Int => Some("int"),
        Published::Bool => Some("bool"),
        Published::Array => Some("array"),
        Published::Object => Some("object"),
    }
}
