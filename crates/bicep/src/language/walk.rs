//! Walks over declarations, expressions, and types.

use std::sync::Arc;

use crate::language::ast::{
    Declaration, DeclarationKind, Decorator, Expr, ExprKind, Extension, Item, Resource, TypeExpr, TypeKind,
};

/// Calls `visit` for each direct child of an expression, in source order.
pub fn each_child<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Skipped | ExprKind::Null | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Variable(_) => {}
        ExprKind::Text(text) => text.values().for_each(visit),
        ExprKind::Object(items) => {
            for item in items {
                match item {
                    Item::Property(property) => {
                        property.key.values().for_each(&mut *visit);
                        visit(&property.value);
                    }
                    Item::Spread(value) => visit(value),
                    Item::Resource(_) => {}
                }
            }
        }
        ExprKind::Array(items) => items.iter().for_each(|item| visit(&item.value)),
        ExprKind::For(inner) => {
            visit(&inner.source);
            visit(&inner.body);
        }
        ExprKind::If(inner) | ExprKind::Binary(_, inner) => {
            visit(&inner.0);
            visit(&inner.1);
        }
        ExprKind::Ternary(inner) => {
            visit(&inner.0);
            visit(&inner.1);
            visit(&inner.2);
        }
        ExprKind::Paren(inner)
        | ExprKind::Unary(_, inner)
        | ExprKind::NonNull(inner)
        | ExprKind::Property { base: inner, .. }
        | ExprKind::Nested { base: inner, .. }
        | ExprKind::Lambda { body: inner, .. } => visit(inner),
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(visit),
        ExprKind::Method { base, arguments, .. } => {
            visit(base);
            arguments.iter().for_each(visit);
        }
        ExprKind::Index { base, index, .. } => {
            visit(base);
            visit(index);
        }
    }
}

/// Calls `visit` for each direct child of a type, in source order, with the decorators of the property or item.
pub fn each_type<'a>(ty: &'a TypeExpr, visit: &mut dyn FnMut(&'a TypeExpr, &'a [Decorator])) {
    match &ty.kind {
        TypeKind::Object { properties, additional } => {
            let items = properties.iter().chain(additional.as_deref()).map(|property| &property.item);
            items.for_each(|item| visit(&item.ty, &item.decorators));
        }
        TypeKind::Tuple(items) => items.iter().for_each(|item| visit(&item.ty, &item.decorators)),
        TypeKind::Union(all) | TypeKind::Generic { arguments: all, .. } => all.iter().for_each(|ty| visit(ty, &[])),
        TypeKind::Array(inner)
        | TypeKind::Nullable(inner)
        | TypeKind::NonNull(inner)
        | TypeKind::Paren(inner)
        | TypeKind::Items(inner)
        | TypeKind::Additional(inner)
        | TypeKind::Property { base: inner, .. }
        | TypeKind::Element { base: inner, .. } => visit(inner, &[]),
        TypeKind::Skipped
        | TypeKind::Name(_)
        | TypeKind::Text(_)
        | TypeKind::Int(_)
        | TypeKind::Bool(_)
        | TypeKind::Null
        | TypeKind::Resource(_) => {}
    }
}

impl Declaration {
    /// Calls `visit` for each expression of the declaration, those of its decorators first. Children of expressions
    /// are not visited, except the bodies of nested resources.
    pub fn each_value<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let arguments = self.decorators.iter().flat_map(|decorator| &decorator.arguments);
        arguments.for_each(&mut *visit);
        match &self.kind {
            DeclarationKind::TargetScope(value)
            | DeclarationKind::Metadata { value, .. }
            | DeclarationKind::Var { value, .. }
            | DeclarationKind::Output { value, .. }
            | DeclarationKind::Assert { value, .. } => visit(value),
            DeclarationKind::Param { value, .. } => value.iter().for_each(visit),
            DeclarationKind::Func(function) => visit(&function.body),
            DeclarationKind::Resource(resource) => resource.each_value(visit),
            DeclarationKind::Module(module) | DeclarationKind::Test(module) => visit(&module.body),
            DeclarationKind::Extension(Extension { config, .. })
            | DeclarationKind::ExtensionConfig { config, .. }
            | DeclarationKind::Using { config, .. } => {
                config.iter().for_each(visit);
            }
            DeclarationKind::Skipped
            | DeclarationKind::Type { .. }
            | DeclarationKind::Import(_)
            | DeclarationKind::Extends(_) => {}
        }
    }
}

impl Resource {
    fn each_value<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let arguments = self.decorators.iter().flat_map(|decorator| &decorator.arguments);
        arguments.chain([&self.body]).for_each(&mut *visit);
        self.nested().for_each(|resource| resource.each_value(visit));
    }

    /// Iterates over the nested resources.
    pub fn nested(&self) -> impl Iterator<Item = &Arc<Self>> {
        let items = self.body.body().as_object().unwrap_or_default();
        items.iter().filter_map(|item| match item {
            Item::Resource(resource) => Some(resource),
            _ => None,
        })
    }
}

impl Expr {
    /// Returns the body of a resource or module, without the loop and the condition around it.
    pub fn body(&self) -> &Self {
        let mut expr = self;
        loop {
            expr = match &expr.kind {
                ExprKind::For(inner) => &inner.body,
                ExprKind::If(inner) => &inner.1,
                _ => return expr,
            };
        }
    }

    /// Returns the outermost object, array, and loop literals in the expression, possibly itself. Literals in
    /// interpolations are left out.
    pub fn literals(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        self.add_literals(&mut found);
        found
    }

    fn add_literals<'a>(&'a self, found: &mut Vec<&'a Self>) {
        match &self.kind {
            ExprKind::Object(_) | ExprKind::Array(_) | ExprKind::For(_) => found.push(self),
            ExprKind::Text(_) => {}
            _ => each_child(self, &mut |child| child.add_literals(found)),
        }
    }
}

impl TypeExpr {
    /// Returns the outermost object and tuple types in the type, possibly itself.
    pub fn literals(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        self.add_literals(&mut found);
        found
    }

    fn add_literals<'a>(&'a self, found: &mut Vec<&'a Self>) {
        match &self.kind {
            TypeKind::Object { .. } | TypeKind::Tuple(_) => found.push(self),
            _ => each_type(self, &mut |inner, _| inner.add_literals(found)),
        }
    }
}
