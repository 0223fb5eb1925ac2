//! Types of declarations, from their type expressions.

use std::rc::Rc;

use crate::compiler::functions;
use crate::compiler::model::{Declared, Symbol, decorator};
use crate::compiler::semantics::constraints::bound;
use crate::compiler::semantics::types::{Limited, Object, Property, Rigor, Tagged, Type};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::compiler::units::UnitId;
use crate::language::ast::{Decorator, Expr, ExprKind, TypeExpr, TypeKind, TypeProperty};
use crate::schema;

impl<'w> Checker<'_, 'w> {
    /// Returns the type of a parameter, as its users see it.
    pub(super) fn parameter(self, declared: &'w Declared<'w>) -> Type {
        let Some(ty) = declared.ty else { return Type::Any };
        let ty = self.declared(ty, declared.decorators);
        let allowed = decorator(declared.decorators, "allowed").and_then(|allowed| allowed.arguments.first());
        match (allowed.map(|allowed| &allowed.kind), &ty) {
            (Some(ExprKind::Array(items)), Type::Text(None) | Type::Int(None)) => {
                Type::union(items.iter().map(|item| literal(&item.value).unwrap_or_else(|| ty.clone())))
            }
            _ => ty,
        }
    }

    /// Returns the type of a type expression with its decorators.
    pub(super) fn declared(self, ty: &'w TypeExpr, decorators: &'w [Decorator]) -> Type {
        let found = self.program.deeper(|| self.declared_one(ty, decorators));
        let least = bound(decorators, "minLength").or_else(|| bound(decorators, "minValue"));
        let most = bound(decorators, "maxLength").or_else(|| bound(decorators, "maxValue"));
        match found {
            Type::Text(None) | Type::Int(None) if least.is_some() || most.is_some() => {
                Type::Limited(Rc::new(Limited { ty: found, least, most, pattern: None }))
            }
            other => other,
        }
    }

    /// Returns the bounds of a type.
    pub(super) fn limited(self, ty: &Type) -> Option<Rc<Limited>> {
        let mut ty = ty.clone();
        for _ in 0..8 {
            ty = match ty {
                Type::Limited(limited) => return Some(limited),
                Type::Named(unit, at) => self.named_type(unit, at),
                Type::Published(node, is_top) => self.published(node, is_top),
                Type::Union(members) => match &*members {
                    [one, Type::Null] | [Type::Null, one] => one.clone(),
                    _ => return None,
                },
                _ => return None,
            };
        }
        None
    }

    /// Returns the type of a type declaration.
    fn named_type(self, unit: UnitId, at: usize) -> Type {
        self.program.once(TypeKey::Declared(unit, at), || {
            let Some(inner) = self.within(unit) else { return Type::Any };
            let declared = inner.model.types.get(at);
            declared.and_then(|own| Some(inner.declared(own.ty?, own.decorators))).unwrap_or(Type::Any)
        })
    }

    fn declared_one(self, ty: &'w TypeExpr, decorators: &'w [Decorator]) -> Type {
        match &ty.kind {
            TypeKind::Paren(inner) => self.declared(inner, decorators),
            TypeKind::Nullable(inner) => self.declared(inner, decorators).or_null(),
            TypeKind::NonNull(inner) => self.forced_value(&self.declared(inner, decorators)),
            TypeKind::Text(text) => Type::Text(text.literal().map(Rc::from)),
            TypeKind::Int(value) => Type::Int(Some(*value)),
            TypeKind::Bool(value) => Type::Bool(Some(*value)),
            TypeKind::Null => Type::Null,
            TypeKind::Array(item) => Type::array_of(self.declared(item, &[])),
            TypeKind::Tuple(items) => {
                Type::Tuple(items.iter().map(|item| self.declared(&item.ty, &item.decorators)).collect())
            }
            TypeKind::Object { properties, additional } => {
                self.object_type(properties, additional.as_deref(), decorators)
            }
            TypeKind::Union(members) => self.union_type(members, decorators),
            TypeKind::Name(name) => match self.model.symbols.get(&*name.text) {
                Some(Symbol::Type(at)) => Type::Named(self.model.id, *at),
                Some(Symbol::Imported(unit, original)) => self.exported_type(*unit, original),
                Some(_) => Type::Any,
                None => ambient(&name.text),
            },
            TypeKind::Property { base, name } => {
                if let TypeKind::Name(namespace) = &base.kind {
                    match self.model.symbols.get(&*namespace.text) {
                        Some(Symbol::Wildcard(unit)) => return self.exported_type(*unit, &name.text),
                        None if &*namespace.text == "sys" => return ambient(&name.text),
                        _ => {}
                    }
                }
                match self.forced_value(&self.declared(base, &[])) {
                    Type::Object(object) => object.get(&name.text).map_or(Type::Any, |property| property.ty.clone()),
                    _ => Type::Any,
                }
            }
            TypeKind::Element { base, index } => match self.forced_value(&self.declared(base, &[])) {
                Type::Tuple(items) => {
                    usize::try_from(*index).ok().and_then(|index| items.get(index)).cloned().unwrap_or(Type::Any)
                }
                _ => Type::Any,
            },
            TypeKind::Items(base) => match self.forced_value(&self.declared(base, &[])) {
                Type::Array(item) => (*item).clone(),
                _ => Type::Any,
            },
            TypeKind::Additional(base) => match self.forced_value(&self.declared(base, &[])) {
                Type::Object(object) => object.additional.clone().unwrap_or(Type::Any),
                _ => Type::Any,
            },
            TypeKind::Generic { name, arguments } => derived(&name.text, arguments),
            TypeKind::Skipped | TypeKind::Resource(_) => Type::Any,
        }
    }

    fn object_type(
        self,
        properties: &'w [TypeProperty],
        additional: Option<&'w TypeProperty>,
        decorators: &'w [Decorator],
    ) -> Type {
        let is_sealed = decorator(decorators, "sealed").is_some();
        let rigor = if is_sealed || additional.is_some() { Rigor::Strict } else { Rigor::Open };
        let additional = match additional {
            Some(property) => Some(self.declared(&property.item.ty, &property.item.decorators)),
            // Bicep only warns about additional properties of an open type.
            None => (!is_sealed).then_some(Type::Any),
        };
        let properties = properties.iter().map(|property| {
            let ty = self.declared(&property.item.ty, &property.item.decorators);
            let is_required = !self.may_be_null(&ty);
            Property::new(&*property.name.text, ty, is_required)
        });
        Type::Object(Rc::new(Object { properties: properties.collect(), additional, rigor }))
    }

    fn union_type(self, members: &'w [TypeExpr], decorators: &'w [Decorator]) -> Type {
        let types: Vec<Type> = members.iter().map(|member| self.declared(member, &[])).collect();
        let discriminator = decorator(decorators, "discriminator").and_then(|own| own.arguments.first()?.literal());
        let Some(key) = discriminator else { return Type::union(types) };
        let mut variants = Vec::new();
        for ty in types.iter().flat_map(Type::members) {
            match self.force(ty) {
                Type::Object(object) => match object.get(key).map(|property| &property.ty) {
                    Some(Type::Text(Some(value))) => variants.push((value.clone(), Type::Object(object.clone()))),
                    _ => return Type::Any,
                },
                Type::Tagged(tagged) if &*tagged.key == key => variants.extend(tagged.variants.iter().cloned()),
                _ => return Type::Any,
            }
        }
        Type::Tagged(Rc::new(Tagged { key: key.into(), variants, rigor: Rigor::Strict }))
    }

    /// Returns the type that a file exports under a name.
    fn exported_type(self, unit: UnitId, name: &str) -> Type {
        match self.program.model(unit) {
            Some(model) => match model.symbols.get(name) {
                Some(Symbol::Type(at)) => Type::Named(unit, *at),
                _ => Type::Any,
            },
            None => self.template_type(unit, name),
        }
    }

    /// Resolves a named type. A cycle of names is `Any`.
    pub(super) fn force(self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        // Each step follows one name; the limit ends cycles.
        for _ in 0..32 {
            ty = match ty {
                Type::Named(unit, at) => self.named_type(unit, at),
                Type::Limited(limited) => limited.ty.clone(),
                Type::Published(node, is_top) => self.published(node, is_top),
                other => return other,
            };
        }
        Type::Any
    }

    /// Resolves a named type, and removes null.
    pub(super) fn forced_value(self, ty: &Type) -> Type {
        self.force(&self.force(ty).without_null())
    }

    /// True if a type includes null, as far as its first declaration shows. Called while types are being read, so it
    /// does not follow cycles.
    fn may_be_null(self, ty: &Type) -> bool {
        ty.members().iter().any(|member| match member {
            Type::Null | Type::Any => true,
            Type::Named(unit, at) => self.is_written_nullable(*unit, *at, 0),
            _ => false,
        })
    }

    fn is_written_nullable(self, unit: UnitId, at: usize, depth: usize) -> bool {
        let Some(model) = self.program.model(unit) else { return true };
        let Some(ty) = model.types.get(at).and_then(|declared| declared.ty) else { return true };
        let mut ty = ty;
        loop {
            match &ty.kind {
                TypeKind::Paren(inner) => ty = inner,
                TypeKind::Nullable(_) => return true,
                TypeKind::Union(members) => {
                    return members.iter().any(|member| {
                        !matches!(member.kind, TypeKind::Text(_) | TypeKind::Int(_) | TypeKind::Bool(_))
                    });
                }
                TypeKind::Object { .. }
                | TypeKind::Array(_)
                | TypeKind::Tuple(_)
                | TypeKind::Text(_)
                | TypeKind::Int(_)
                | TypeKind::Bool(_)
                | TypeKind::NonNull(_) => return false,
                TypeKind::Name(name) => match model.symbols.get(&*name.text) {
                    Some(Symbol::Type(next)) if depth < 32 => return self.is_written_nullable(unit, *next, depth + 1),
                    None => return &*name.text == "any",
                    _ => return true,
                },
                _ => return true,
            }
        }
    }
}

/// Returns the type of a resource's body, of which a part is the type of a value.
fn derived(name: &str, arguments: &[TypeExpr]) -> Type {
    let [TypeExpr { kind: TypeKind::Text(text), .. }] = arguments else { return Type::Any };
    let written = text.literal().unwrap_or_default();
    let written = written.strip_prefix("az:").unwrap_or(written);
    match written.split_once('@').map(|(ty, version)| schema::body_of(ty, version)) {
        Some(schema::BodyLookup::Body(node, _)) if name.starts_with("resource") => Type::Published(node, false),
        _ => Type::Any,
    }
}

/// Returns the built-in type with a name.
fn ambient(name: &str) -> Type {
    match name {
        "string" => Type::TEXT,
        "int" => Type::INT,
        "bool" => Type::BOOL,
        "array" => Type::array(),
        "object" => Type::object(),
        _ => Type::Any,
    }
}

/// Returns the type of a literal.
pub(super) fn literal(expr: &Expr) -> Option<Type> {
    match &expr.bare().kind {
        ExprKind::Text(text) => text.literal().map(|text| Type::Text(Some(text.into()))),
        ExprKind::Int(value) => i64::try_from(*value).ok().map(|value| Type::Int(Some(value))),
        ExprKind::Bool(value) => Some(Type::Bool(Some(*value))),
        _ => None,
    }
}

/// True if a function of this name is built in, in any namespace.
pub(super) fn is_built_in(name: &str) -> bool {
    functions::find(name, None).is_some()
}
