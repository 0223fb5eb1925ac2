//! Decisions for a whole template.

use crate::compiler::emitter::{Settings, World};
use crate::compiler::features::Feature;
use crate::compiler::inline;
use crate::compiler::model::{Model, Symbol, decorator};
use crate::language::ast::{DeclarationKind, Expr, ExprKind, Item, TypeExpr, TypeKind};
use crate::language::walk::{each_child, each_type};

/// Decides about symbolic names, and about declarations that are written out where they are used.
pub(super) fn settings(world: &World<'_>, model: &Model<'_>) -> Settings {
    let mut settings = Settings {
        is_experimental: is_experimental(model),
        is_symbolic: is_symbolic(world, model),
        ..Settings::default()
    };
    inline::decide(model, &mut settings);
    settings
}

/// True if the template needs an experimental version of the template language.
fn is_experimental(model: &Model<'_>) -> bool {
    let mut decorators = model.resources.iter().map(|resource| &resource.declaration.decorators);
    decorators.any(|own| decorator(own, "nullIfNotFound").is_some())
        || !model.features().experimental().is_empty()
        || model.resources.iter().any(|resource| uses_this(&resource.declaration.body))
}

/// True if an expression reads the resource as it was before the deployment.
fn uses_this(expr: &Expr) -> bool {
    let mut found = matches!(
        &expr.kind,
        ExprKind::Method { base, .. } if matches!(&base.kind, ExprKind::Variable(name) if &*name.text == "this")
    );
    each_child(expr, &mut |child| found = found || uses_this(child));
    found
}

/// True if resources are an object, keyed by symbolic names.
pub(super) fn is_symbolic(world: &World<'_>, model: &Model<'_>) -> bool {
    is_experimental(model)
        || model.features().has(Feature::SymbolicNameCodegen)
        || !model.extensions.is_empty()
        || model.variables.iter().any(|variable| variable.ty.is_some())
        || !model.types.is_empty()
        || !model.functions.is_empty()
        || !world.secure_outputs(model.id).is_empty()
        || model.modules.iter().any(|module| module.body.get("name").is_none())
        || model.modules.iter().any(|module| !world.secure_outputs(module.unit).is_empty())
        || model.resources.iter().any(|resource| {
            let decorators = &resource.declaration.decorators;
            ["onlyIfNotExists", "retryOn"].iter().any(|name| decorator(decorators, name).is_some())
        })
        || model
            .resources
            .iter()
            .any(|resource| resource.declaration.is_existing && resource.body.get("dependsOn").is_some())
        || model.declarations.iter().any(|statement| match &statement.kind {
            DeclarationKind::Param { ty: Some(ty), .. } | DeclarationKind::Output { ty, .. } => {
                is_composed(ty) || decorator(&statement.decorators, "validate").is_some()
            }
            // Also an import from a missing file.
            DeclarationKind::Import(_) => true,
            _ => false,
        })
        || uses_whole_loop(model)
}

/// True if a type is more than a name.
fn is_composed(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Object { .. }
        | TypeKind::Array(_)
        | TypeKind::Tuple(_)
        | TypeKind::Union(_)
        | TypeKind::Nullable(_) => true,
        _ => {
            let mut found = false;
            each_type(ty, &mut |inner, _| found = found || is_composed(inner));
            found
        }
    }
}

/// True if a loop of resources or modules is used as a whole, other than in `dependsOn`.
fn uses_whole_loop(model: &Model<'_>) -> bool {
    let values = model.declarations.iter().filter_map(|statement| match &statement.kind {
        DeclarationKind::Var { value, .. } | DeclarationKind::Output { value, .. } => Some(value),
        DeclarationKind::Param { value, .. } => value.as_ref(),
        DeclarationKind::Resource(resource) => Some(&resource.body),
        DeclarationKind::Module(module) => Some(&module.body),
        _ => None,
    });
    values.into_iter().any(|value| is_whole_loop(model, value, false, &mut Vec::new()))
}

fn is_whole_loop<'a>(model: &Model<'_>, expr: &'a Expr, is_accessed: bool, locals: &mut Vec<&'a str>) -> bool {
    match &expr.kind {
        ExprKind::Variable(name) if !is_accessed && !locals.contains(&&*name.text) => {
            match model.symbols.get(&*name.text) {
                Some(Symbol::Resource(id)) => {
                    model.resources.get(*id).is_some_and(super::model::ResourceInfo::is_collection)
                }
                Some(Symbol::Module(at)) => {
                    model.modules.get(*at).is_some_and(|module| module.body.iteration.is_some())
                }
                _ => false,
            }
        }
        ExprKind::Paren(inner) => is_whole_loop(model, inner, is_accessed, locals),
        ExprKind::Property { base, .. } => is_whole_loop(model, base, true, locals),
        ExprKind::Index { base, index, .. } => {
            is_whole_loop(model, base, true, locals) || is_whole_loop(model, index, false, locals)
        }
        ExprKind::For(inner) => {
            let known = locals.len();
            let found = is_whole_loop(model, &inner.source, false, locals);
            locals.extend([Some(&inner.item), inner.index.as_ref()].into_iter().flatten().map(|name| &*name.text));
            let found = found || is_whole_loop(model, &inner.body, false, locals);
            locals.truncate(known);
            found
        }
        ExprKind::Lambda { parameters, body } => {
            let known = locals.len();
            locals.extend(parameters.iter().map(|name| &*name.text));
            let found = is_whole_loop(model, body, false, locals);
            locals.truncate(known);
            found
        }
        ExprKind::Object(items) => items.iter().any(|item| match item {
            Item::Property(property) => {
                property.name() != Some("dependsOn") && is_whole_loop(model, &property.value, false, locals)
            }
            Item::Spread(value) => is_whole_loop(model, value, false, locals),
            Item::Resource(resource) => is_whole_loop(model, &resource.body, false, locals),
        }),
        _ => {
            let mut found = false;
            each_child(expr, &mut |child| found = found || is_whole_loop(model, child, false, locals));
            found
        }
    }
}
