//! `prefer-unquoted-property-names`: quotes around names that need none.

use crate::compiler::linter::file::{File, Found};
use crate::language::ast::{ExprKind, Item};
use crate::text::Span;

pub(super) fn find(file: &File<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for expr in &file.exprs {
        match &expr.kind {
            ExprKind::Object(items) => {
                for item in items {
                    let Item::Property(property) = item else { continue };
                    let name = property.name().filter(|name| is_identifier(name));
                    if let Some(name) = name.filter(|_| file.slice(property.key.span).starts_with('\'')) {
                        found.push((property.key.span, format!("the name `{name}` needs no quotes")));
                    }
                }
            }
            ExprKind::Index { base, index, is_safe, .. } => {
                if let Some(name) = index.literal().filter(|name| is_identifier(name)) {
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

fn is_identifier(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let mut letters = name.chars();
    letters.next().is_some_and(is_letter) && letters.all(|letter| is_letter(letter) || letter.is_ascii_digit())
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
",
        );
    }
}
