//! `simplify-interpolation`: strings with one interpolation and no text.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{DeclarationKind, Expr, ExprKind, Item};

declare_checks! {
    pub(super) SIMPLIFY_INTERPOLATION = Lint Low "bicep/simplify-interpolation" "Bicep.SimplifyInterpolation"
        "A string should not be interpolated alone"
        "`'${name}'` is the same as `name`, if that is a string."
        "Remove the quotes and `${}`.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let of_declarations = file.model.declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Param { value, .. } => value.as_ref(),
        DeclarationKind::Var { value, .. } | DeclarationKind::Output { value, .. } => Some(value),
        _ => None,
    });
    let items = file.exprs.iter().filter_map(|expr| expr.as_object()).flatten();
    let of_properties = items.filter_map(|item| match item {
        Item::Property(property) => Some(&property.value),
        Item::Spread(_) | Item::Resource(_) => None,
    });
    let message = "write the value without quotes and `${}`: it is a string already";
    of_declarations
        .chain(of_properties)
        .filter(|value| inner(value).is_some_and(|inner| file.types.is_text(inner)))
        .map(|value| (value.span, message.to_owned()))
        .collect()
}

/// Returns the interpolation of a string that has no other content.
fn inner(value: &Expr) -> Option<&Expr> {
    match &value.kind {
        ExprKind::Text(text) if text.first.is_empty() => match &*text.interpolations {
            [only] if only.text.is_empty() => Some(&only.value),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn only_what_is_a_string_already_needs_no_interpolation() {
        let text = "param s string
param i int
param o object
param n string?
param d string = '${s}'
var a = '${s}'
var b = '${i}'
var c = ['${s}', '${s}x', 'x${s}', '${s}${s}']
var e = { f: '${toLower(s)}', g: '${o.h}', j: '${n}' }
output k string = '${s}'
resource r 'Microsoft.A/b@2020-01-01' = [for x in ['y']: { name: '${x}' }]
";
        assert_eq!(lines("simplify-interpolation", text), [5, 6, 9, 10, 11]);
    }
}
