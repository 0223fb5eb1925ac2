//! `prefer-unquoted-property-names`: quotes around names that do not need them.

use formwork_model::declare_checks;

use crate::compiler::formula::is_identifier;
use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{ExprKind, Item};
use crate::text::Span;

declare_checks! {
    pub(super) PREFER_UNQUOTED_PROPERTY_NAMES = Lint Low "bicep/prefer-unquoted-property-names" "Bicep.UnquotedPropertyNames"
        "The name of a property should not have quotes that it does not need"
        "Names without quotes are easier to read."
        "Remove the quotes; write `.name` instead of `['name']`.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let mut found = Vec::new();
    for expr in &file.exprs {
        match &expr.kind {
            ExprKind::Object(items) => {
                for item in items {
                    let Item::Property(property) = item else { continue };
                    let name = property.name().filter(|name| is_plain(name));
                    if let Some(name) = name.filter(|_| file.slice(property.key.span).starts_with('\'')) {
                        found.push((property.key.span, format!("the name `{name}` needs no quotes")));
                    }
                }
            }
            ExprKind::Index { base, index, is_safe, .. } => {
                if let Some(name) = index.literal().filter(|name| is_plain(name)) {
                    let span = Span::new(expr.span.file, base.span.end, expr.span.end);
                    let mark = if *is_safe { "?" } else { "" };
                    found.push((span, format!("write `.{mark}{name}` instead of `[{mark}'{name}']`")));
                }
            }
            _ => {}
        }
    }
    found
}

/// True if a name needs no quotes. Without them, `null`, `true`, and `false` are values.
fn is_plain(name: &str) -> bool {
    is_identifier(name) && !["false", "null", "true"].contains(&name)
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::check;

    #[test]
    fn quotes_that_change_nothing_are_found() {
        check(
            "prefer-unquoted-property-names",
            "param p object
var a = { 'b': 1, 'c-d': 2, e: 3, '${p}': 4, '1f': 5, '': 6 }
     //   ^^^ the name `b` needs no quotes
var g = p['h'].i['j-k']
     //  ^^^^^ write `.h` instead of `['h']`
var l = p[?'m']
     //  ^^^^^^ write `.?m` instead of `[?'m']`
var n = { 'null': 1, 'true': 2, 'false': 3, 'True': 4 }
     //                                     ^^^^^^ the name `True` needs no quotes
var q = [p['null'], p['true'], p[?'false']]
",
        );
    }
}
