//! `outputs-should-not-contain-secrets`: outputs that show secure values, or whose names say so.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Model, Symbol, decorator};
use crate::compiler::units::UnitId;
use crate::language::ast::{Decorator, Expr, ExprKind, Name, TypeExpr, TypeKind};
use crate::language::walk::each_child;
use crate::text::Span;

declare_checks! {
    pub(super) OUTPUTS_SHOULD_NOT_CONTAIN_SECRETS = Lint Low "bicep/outputs-should-not-contain-secrets" "Bicep.OutputSecrets"
        "An output should not show a secure value"
        "Anyone who can read the deployment history can read the outputs."
        "Remove the output, or decorate it with `@secure()`.";
}

/// Maximum number of names on the way to a type or value.
const MAX_DEPTH: usize = 50;

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let mut found = Vec::new();
    for output in &file.model.outputs {
        if decorator(output.decorators, "secure").is_some() {
            continue;
        }
        if output.name.text.to_ascii_lowercase().contains("password") {
            found.push((output.span, format!("the output `{}` has the name of a secret", output.name.text)));
        }
        if let Some(value) = output.value {
            search(file, value, false, &mut found);
        }
    }
    found
}

/// Type of a value, as a file declares it.
#[derive(Clone, Copy)]
struct SourceType<'w> {
    model: &'w Model<'w>,
    ty: &'w TypeExpr,
    decorators: &'w [Decorator],
}

/// Adds the secure values that an expression uses. `is_part` is true if only a part of the value is used.
fn search<'w>(file: &LintFile<'w>, expr: &'w Expr, is_part: bool, found: &mut Vec<LintFinding>) {
    let shown: Option<Span> = match &expr.kind {
        ExprKind::Variable(name) => Some(name.span),
        ExprKind::Property { name, .. } => Some(name.span),
        ExprKind::Index { index, .. } => Some(index.span),
        _ => None,
    };
    if let Some(span) = shown
        && is_secure(file, expr, is_part)
    {
        found.push((
            span,
            format!("`{}` is secure, and everyone with access to the deployment sees it", file.slice(expr.span)),
        ));
    }
    let is_list = |name: &Name| name.text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"));
    match &expr.kind {
        ExprKind::Call { name, .. } if is_list(name) && !file.model.symbols.contains_key(&*name.text) => {
            found.push((expr.span, format!("the result of `{}()` is likely to be a secret", name.text)));
        }
        ExprKind::Method { base, name, .. }
            if is_list(name) && (item_of_resource(file, base) || file.built_in(expr).is_some()) =>
        {
            found.push((expr.span, format!("the result of `{}()` is likely to be a secret", name.text)));
        }
        _ => {}
    }
    let is_access = matches!(expr.kind, ExprKind::Property { .. } | ExprKind::Index { .. });
    if let ExprKind::Property { base, .. } | ExprKind::Index { base, .. } = &expr.kind {
        search(file, base, true, found);
        if let ExprKind::Index { index, .. } = &expr.kind {
            search(file, index, false, found);
        }
    }
    if !is_access {
        each_child(expr, &mut |child| search(file, child, is_part && matches!(expr.kind, ExprKind::Paren(_)), found));
    }
}

fn item_of_resource(file: &LintFile<'_>, base: &Expr) -> bool {
    match &base.bare().kind {
        ExprKind::Index { base, .. } => file.resource(base).is_some(),
        _ => file.resource(base).is_some(),
    }
}

/// True if the value of an expression is secure, or if a part of it is and the whole value is used.
fn is_secure<'w>(file: &LintFile<'w>, expr: &'w Expr, is_part: bool) -> bool {
    if let ExprKind::Property { base, name, .. } = &expr.kind
        && let ExprKind::Property { base: module, name: outputs, .. } = &base.bare().kind
        && &*outputs.text == "outputs"
        && let Some(Symbol::Module(at)) = file.symbol(module.bare())
    {
        let unit = file.model.modules.get(at).map(|module| module.unit);
        return unit.is_some_and(|unit| file.world.secure_outputs(unit).contains(&*name.text));
    }
    let Some(found) = type_of(file, expr, 0) else { return false };
    if is_part {
        return is_whole_secure(file, found, 0);
    }
    file.world.is_secure_type(found.model, found.ty, found.decorators)
}

/// True if the type itself is secure.
fn is_whole_secure(file: &LintFile<'_>, found: SourceType<'_>, depth: usize) -> bool {
    if decorator(found.decorators, "secure").is_some() {
        return true;
    }
    match &found.ty.kind {
        TypeKind::Paren(ty) | TypeKind::Nullable(ty) | TypeKind::NonNull(ty) if depth < MAX_DEPTH => {
            is_whole_secure(file, SourceType { ty, decorators: &[], ..found }, depth + 1)
        }
        TypeKind::Name(name) if depth < MAX_DEPTH => {
            named(file, found.model, &name.text).is_some_and(|found| is_whole_secure(file, found, depth + 1))
        }
        _ => false,
    }
}

/// Returns the declaration of a type.
fn named<'w>(file: &LintFile<'w>, model: &'w Model<'w>, name: &str) -> Option<SourceType<'w>> {
    let (model, at) = match model.symbols.get(name)? {
        Symbol::Type(at) => (model, *at),
        Symbol::Imported(UnitId(unit), original) => {
            let other = file.world.models.get(*unit)?.as_ref()?;
            match other.symbols.get(original)? {
                Symbol::Type(at) => (other, *at),
                _ => return None,
            }
        }
        _ => return None,
    };
    let declared = model.types.get(at)?;
    Some(SourceType { model, ty: declared.ty?, decorators: declared.decorators })
}

/// Returns the declared type of an expression: of a parameter, or a part of one.
fn type_of<'w>(file: &LintFile<'w>, expr: &'w Expr, depth: usize) -> Option<SourceType<'w>> {
    if depth > MAX_DEPTH {
        return None;
    }
    match &expr.kind {
        ExprKind::Paren(inner) | ExprKind::NonNull(inner) => type_of(file, inner, depth + 1),
        ExprKind::Variable(_) => match file.symbol(expr)? {
            Symbol::Param(at) => {
                let param = file.model.params.get(at)?;
                Some(SourceType { model: file.model, ty: param.ty?, decorators: param.decorators })
            }
            Symbol::Variable(at) => type_of(file, file.model.variables.get(at)?.value?, depth + 1),
            _ => None,
        },
        ExprKind::Property { base, name, .. } => part(file, type_of(file, base, depth + 1)?, Some(&name.text), depth),
        ExprKind::Index { base, index, .. } => part(file, type_of(file, base, depth + 1)?, index.literal(), depth),
        _ => None,
    }
}

/// Returns the type of a property or item.
fn part<'w>(file: &LintFile<'w>, whole: SourceType<'w>, name: Option<&str>, depth: usize) -> Option<SourceType<'w>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let model = whole.model;
    match &whole.ty.kind {
        TypeKind::Paren(ty) | TypeKind::Nullable(ty) | TypeKind::NonNull(ty) => {
            part(file, SourceType { ty, decorators: &[], ..whole }, name, depth + 1)
        }
        TypeKind::Name(own) => part(file, named(file, model, &own.text)?, name, depth + 1),
        TypeKind::Object { properties, additional } => {
            let own = properties.iter().find(|own| Some(&*own.name.text) == name).or(additional.as_deref())?;
            Some(SourceType { model, ty: &own.item.ty, decorators: &own.item.decorators })
        }
        TypeKind::Array(ty) => Some(SourceType { model, ty, decorators: &[] }),
        TypeKind::Tuple(items) => {
            // The index is not known here, so any secure item counts.
            let secure = items.iter().find(|item| decorator(&item.decorators, "secure").is_some());
            let item = secure.or_else(|| items.first())?;
            Some(SourceType { model, ty: &item.ty, decorators: &item.decorators })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn secure_values_and_names_of_secrets_are_found() {
        let text = "@secure()\nparam s string\nparam p {\n  @secure()\n  a: string\n  b: string\n}
output a string = 'x${s}'\noutput b string = p.b\noutput c string = p.a\noutput d object = p
output password string = 'x'\n@secure()\noutput e string = s\noutput f int = length(p.b)\n";
        assert_eq!(lines("outputs-should-not-contain-secrets", text), [8, 10, 11, 12]);
    }
}
