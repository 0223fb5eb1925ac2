//! Secret outputs of files.

use std::rc::Rc;

use foldhash::HashSet;

use crate::arm::pointer;
use crate::compiler::emitter::World;
use crate::compiler::model::{Model, Symbol, decorator};
use crate::compiler::units::{Content, UnitId};
use crate::language::ast::{Decorator, TypeExpr, TypeItem, TypeKind};
use crate::value::Value;

/// Maximum depth at which types are searched for secrets.
const MAX_DEPTH: u32 = 100;

/// Maximum number of types that are searched for the outputs of one file.
const MAX_TYPES: u32 = 200_000;

impl<'w> World<'w> {
    /// Returns the names of the secret outputs of a file.
    pub(super) fn secure_outputs(&self, id: UnitId) -> Rc<HashSet<String>> {
        if let Some(known) = self.secure.borrow().get(&id) {
            return Rc::clone(known);
        }
        let (mut found, mut seen) = (HashSet::default(), 0);
        if let Some(model) = self.model(id) {
            for output in &model.outputs {
                let ty = output.ty;
                if ty.is_some_and(|ty| self.is_secure(model, ty, output.decorators, 0, &mut seen)) {
                    found.insert(output.name.text.to_string());
                }
            }
        } else if let Some(Content::Template(template)) = self.units.get(id).map(|unit| &unit.content) {
            let outputs = template.get("outputs").and_then(Value::as_object);
            for member in outputs.into_iter().flat_map(|outputs| outputs.iter()) {
                if is_secure_schema(template, &member.value, 0, &mut seen) {
                    found.insert(member.key.to_string());
                }
            }
        }
        let found = Rc::new(found);
        self.secure.borrow_mut().insert(id, Rc::clone(&found));
        found
    }

    /// True if a type is secure, or a part of it.
    pub(super) fn is_secure_type(&self, model: &'w Model<'w>, ty: &'w TypeExpr, decorators: &'w [Decorator]) -> bool {
        self.is_secure(model, ty, decorators, 0, &mut 0)
    }

    fn is_secure(
        &self,
        model: &'w Model<'w>,
        ty: &'w TypeExpr,
        decorators: &'w [Decorator],
        depth: u32,
        seen: &mut u32,
    ) -> bool {
        *seen += 1;
        if depth > MAX_DEPTH || *seen > MAX_TYPES {
            return false;
        }
        if decorator(decorators, "secure").is_some() {
            return true;
        }
        let mut inner =
            |ty: &'w TypeExpr, decorators: &'w [Decorator]| self.is_secure(model, ty, decorators, depth + 1, seen);
        let mut item = |item: &'w TypeItem| inner(&item.ty, &item.decorators);
        match &ty.kind {
            TypeKind::Object { properties, additional } => {
                properties.iter().chain(additional.as_deref()).any(|property| item(&property.item))
            }
            TypeKind::Tuple(items) => items.iter().any(item),
            TypeKind::Array(ty) | TypeKind::Nullable(ty) | TypeKind::NonNull(ty) | TypeKind::Paren(ty) => {
                inner(ty, &[])
            }
            TypeKind::Union(members) => members.iter().any(|member| inner(member, &[])),
            TypeKind::Name(name) => match model.symbols.get(&*name.text) {
                Some(Symbol::Type(at)) => model
                    .types
                    .get(*at)
                    .is_some_and(|declared| declared.ty.is_some_and(|ty| inner(ty, declared.decorators))),
                Some(Symbol::Imported(unit, original)) => self.is_imported_secure(*unit, original, depth, seen),
                _ => false,
            },
            TypeKind::Property { base, name } => match &base.kind {
                TypeKind::Name(namespace) => match model.symbols.get(&*namespace.text) {
                    Some(Symbol::Wildcard(unit)) => self.is_imported_secure(*unit, &name.text, depth, seen),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    fn is_imported_secure(&self, unit: UnitId, name: &str, depth: u32, seen: &mut u32) -> bool {
        if let Some(model) = self.model(unit) {
            let Some(Symbol::Type(at)) = model.symbols.get(name) else { return false };
            return model.types.get(*at).is_some_and(|declared| {
                declared.ty.is_some_and(|ty| self.is_secure(model, ty, declared.decorators, depth + 1, seen))
            });
        }
        let Some(Content::Template(template)) = self.units.get(unit).map(|unit| &unit.content) else { return false };
        let schema = template.get("definitions").and_then(|definitions| definitions.get(name));
        schema.is_some_and(|schema| is_secure_schema(template, schema, depth + 1, seen))
    }
}

fn is_secure_schema(template: &Value, schema: &Value, depth: u32, seen: &mut u32) -> bool {
    *seen += 1;
    if depth > MAX_DEPTH || *seen > MAX_TYPES {
        return false;
    }
    let ty = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    if ty.eq_ignore_ascii_case("securestring") || ty.eq_ignore_ascii_case("secureobject") {
        return true;
    }
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/definitions/"))
    {
        let target = template.get("definitions").and_then(|definitions| definitions.get(&pointer::unescaped(name)));
        if target.is_some_and(|target| is_secure_schema(template, target, depth + 1, seen)) {
            return true;
        }
    }
    let members = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|object| object.iter());
    let items = schema.get("prefixItems").and_then(Value::as_array).unwrap_or_default().iter();
    let rest = ["items", "additionalProperties"].into_iter().filter_map(|name| schema.get(name));
    let mut all = members.map(|member| &member.value).chain(items).chain(rest);
    all.any(|inner| is_secure_schema(template, inner, depth + 1, seen))
}
