//! The elements and the metadata of Bicep files.

use crate::bicep::language::SyntaxTree;
use crate::bicep::language::ast::{
    Declaration, DeclarationKind, Decorator, Expr, ExprKind, Extension, Item, Resource, TypeExpr, TypeKind,
};
use crate::engine::suppress::elements::{Element, sort};
use crate::engine::suppress::metadata::{InMetadata, OWN};
use crate::text::Span;
use crate::value::{Member, Value};

/// Returns the elements of a file, in the order of their beginnings.
pub(super) fn elements(tree: &SyntaxTree) -> Vec<Element> {
    let mut finder = Finder::default();
    tree.declarations.iter().for_each(|declaration| finder.declaration(declaration));
    sort(&mut finder.elements);
    finder.elements
}

/// Returns the decorators of a declaration, and its span without them.
fn parts(declaration: &Declaration) -> (&[Decorator], Span) {
    match &declaration.kind {
        DeclarationKind::Resource(resource) => (&resource.decorators, resource.span),
        _ => (&declaration.decorators, declaration.span),
    }
}

fn with_decorators(decorators: &[Decorator], span: Span) -> Span {
    decorators.first().map_or(span, |first| first.span.to(span))
}

#[derive(Default)]
struct Finder {
    elements: Vec<Element>,
}

impl Finder {
    fn add(&mut self, span: Span, first_item: Option<u32>) {
        self.elements.push(Element { start: span.start, span, first_item });
    }

    /// Adds a declaration, which also begins at each of its decorators.
    fn declared(&mut self, decorators: &[Decorator], span: Span) {
        let whole = with_decorators(decorators, span);
        let starts = decorators.iter().map(|decorator| decorator.span.start).chain([span.start]);
        self.elements.extend(starts.map(|start| Element { start, span: whole, first_item: None }));
    }

    fn declaration(&mut self, declaration: &Declaration) {
        if let DeclarationKind::Resource(resource) = &declaration.kind {
            return self.resource(resource);
        }
        self.declared(&declaration.decorators, declaration.span);
        match &declaration.kind {
            DeclarationKind::TargetScope(value)
            | DeclarationKind::Metadata { value, .. }
            | DeclarationKind::Assert { value, .. } => self.value(value),
            DeclarationKind::Param { ty, value, .. } => {
                if let Some(value) = value {
                    self.value(value);
                }
                if let Some(ty) = ty {
                    self.ty(ty);
                }
            }
            DeclarationKind::Var { ty, value, .. } => {
                self.value(value);
                if let Some(ty) = ty {
                    self.ty(ty);
                }
            }
            DeclarationKind::Output { ty, value, .. } => {
                self.value(value);
                self.ty(ty);
            }
            DeclarationKind::Type { ty, .. } => self.ty(ty),
            DeclarationKind::Func(function) => {
                self.value(&function.body);
                self.ty(&function.result);
            }
            DeclarationKind::Module(module) | DeclarationKind::Test(module) => self.value(&module.body),
            DeclarationKind::Extension(Extension { config, .. })
            | DeclarationKind::ExtensionConfig { config, .. }
            | DeclarationKind::Using { config, .. } => {
                if let Some(config) = config {
                    self.value(config);
                }
            }
            DeclarationKind::Skipped
            | DeclarationKind::Resource(_)
            | DeclarationKind::Import(_)
            | DeclarationKind::Extends(_) => {}
        }
    }

    fn resource(&mut self, resource: &Resource) {
        self.declared(&resource.decorators, resource.span);
        self.value(&resource.body);
    }

    fn value(&mut self, value: &Expr) {
        for literal in value.literals() {
            match &literal.kind {
                ExprKind::Object(items) => items.iter().for_each(|item| self.item(item)),
                ExprKind::Array(items) => {
                    for item in items {
                        self.add(item.value.span, None);
                        self.value(&item.value);
                    }
                }
                ExprKind::For(inner) => self.value(&inner.body),
                _ => {}
            }
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Property(property) => {
                let first_item = match &property.value.kind {
                    ExprKind::Array(items) => items.first().map(|item| item.value.span.start),
                    _ => None,
                };
                self.add(property.span(), first_item);
                self.value(&property.value);
            }
            Item::Spread(value) => self.value(value),
            Item::Resource(resource) => self.resource(resource),
        }
    }

    fn ty(&mut self, ty: &TypeExpr) {
        for literal in ty.literals() {
            match &literal.kind {
                TypeKind::Object { properties, additional } => {
                    for property in properties.iter().chain(additional.as_deref()) {
                        let ty = &property.item.ty;
                        let first_item = match &ty.kind {
                            TypeKind::Tuple(items) => items.first().map(|item| item.ty.span.start),
                            _ => None,
                        };
                        self.add(property.name.span.to(ty.span), first_item);
                        self.ty(ty);
                    }
                }
                TypeKind::Tuple(items) => {
                    for item in items {
                        self.add(item.ty.span, None);
                        self.ty(&item.ty);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Adds the suppressions of `metadata formwork = {…}`, which cover the file, and of `@metadata({formwork: {…}})`, which
/// cover the declaration.
pub(super) fn metadata(tree: &SyntaxTree, found: &mut InMetadata) {
    let length = u32::try_from(tree.text.len()).unwrap_or(u32::MAX);
    for declaration in &tree.declarations {
        if let DeclarationKind::Metadata { name, value } = &declaration.kind
            && &*name.text == OWN
            && let Some(list) = literal(value).get("suppress")
        {
            found.own(list, Span::new(tree.file, 0, length));
        }
        let (decorators, span) = parts(declaration);
        decorated(decorators, span, found);
        if let DeclarationKind::Resource(resource) = &declaration.kind {
            nested(resource, found);
        }
    }
}

fn nested(resource: &Resource, found: &mut InMetadata) {
    for inner in resource.nested() {
        decorated(&inner.decorators, inner.span, found);
        nested(inner, found);
    }
}

fn decorated(decorators: &[Decorator], span: Span, found: &mut InMetadata) {
    let whole = with_decorators(decorators, span);
    found.blocks.push(whole);
    for decorator in decorators.iter().filter(|decorator| &*decorator.name.text == "metadata") {
        let argument = decorator.arguments.first().map(literal);
        let own = argument.as_ref().and_then(|argument| argument.as_object()?.get_exact(OWN)?.get("suppress"));
        if let Some(list) = own {
            found.own(list, whole);
        }
    }
}

/// Returns the value of a literal; `null` stands for anything else.
fn literal(expr: &Expr) -> Value {
    let value = match &expr.kind {
        ExprKind::Object(items) => {
            let members = items.iter().filter_map(|item| match item {
                Item::Property(property) => {
                    let member = Member::new(property.name()?, literal(&property.value));
                    Some(Member { key_span: Some(property.key.span), ..member })
                }
                _ => None,
            });
            Value::object(members.collect())
        }
        ExprKind::Array(items) => Value::array(items.iter().map(|item| literal(&item.value)).collect()),
        _ => expr.literal().map_or(Value::NULL, Value::from),
    };
    value.at(expr.span)
}
