//! Comparison of expressions that ignores white space, comments, and parentheses.

use crate::language::ast::{Expr, ExprKind, Item, Text};

/// True if two expressions are equal, except for white space, comments, and parentheses.
pub(super) fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind as Kind;
    match (&unwrapped(a).kind, &unwrapped(b).kind) {
        (Kind::Null, Kind::Null) => true,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Int(a), Kind::Int(b)) => a == b,
        (Kind::Text(a), Kind::Text(b)) => same_text(a, b),
        (Kind::Variable(a), Kind::Variable(b)) => a.text == b.text,
        (Kind::Object(a), Kind::Object(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_item(a, b)),
        (Kind::Array(a), Kind::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_spread == b.is_spread && same(&a.value, &b.value))
        }
        (Kind::NonNull(a), Kind::NonNull(b)) => same(a, b),
        (Kind::Unary(operator, a), Kind::Unary(other, b)) => operator == other && same(a, b),
        (Kind::Binary(operator, a), Kind::Binary(other, b)) => {
            operator == other && same(&a.0, &b.0) && same(&a.1, &b.1)
        }
        (Kind::Ternary(a), Kind::Ternary(b)) => same(&a.0, &b.0) && same(&a.1, &b.1) && same(&a.2, &b.2),
        (Kind::Call { name, arguments }, Kind::Call { name: other, arguments: others }) => {
            name.text == other.text && same_all(arguments, others)
        }
        (Kind::Method { base, name, arguments }, Kind::Method { base: other_base, name: other, arguments: others }) => {
            name.text == other.text && same(base, other_base) && same_all(arguments, others)
        }
        (
            Kind::Property { base, name, is_safe },
            Kind::Property { base: other_base, name: other, is_safe: other_safe },
        ) => name.text == other.text && is_safe == other_safe && same(base, other_base),
        (
            Kind::Index { base, index, is_safe, from_end },
            Kind::Index { base: other_base, index: other, is_safe: other_safe, from_end: other_end },
        ) => (is_safe, from_end) == (other_safe, other_end) && same(base, other_base) && same(index, other),
        (Kind::Nested { base, name }, Kind::Nested { base: other_base, name: other }) => {
            name.text == other.text && same(base, other_base)
        }
        _ => false,
    }
}

/// True if two lists of expressions are equal, like [`same`].
pub(super) fn same_all<'a, 'b>(
    a: impl IntoIterator<Item = &'a Expr, IntoIter: ExactSizeIterator>,
    b: impl IntoIterator<Item = &'b Expr, IntoIter: ExactSizeIterator>,
) -> bool {
    let (a, b) = (a.into_iter(), b.into_iter());
    a.len() == b.len() && a.zip(b).all(|(a, b)| same(a, b))
}

fn unwrapped(mut expr: &Expr) -> &Expr {
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

fn same_text(a: &Text, b: &Text) -> bool {
    let holes = a.interpolations.iter().zip(&b.interpolations);
    a.first == b.first
        && a.interpolations.len() == b.interpolations.len()
        && holes.into_iter().all(|(a, b)| a.text == b.text && same(&a.value, &b.value))
}

fn same_item(a: &Item, b: &Item) -> bool {
    match (a, b) {
        (Item::Property(a), Item::Property(b)) => same_text(&a.key, &b.key) && same(&a.value, &b.value),
        (Item::Spread(a), Item::Spread(b)) => same(a, b),
        _ => false,
    }
}
