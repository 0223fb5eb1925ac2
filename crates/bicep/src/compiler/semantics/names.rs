//! Names that an expression uses.

use crate::language::ast::{Expr, ExprKind, Name};
use crate::language::walk::each_child;

/// Kind of a use of a name.
#[derive(Clone, Copy, Debug)]
pub(in crate::compiler) enum Use<'a> {
    Value(&'a Name),
    /// The call of a function, with its arguments.
    Call(&'a Name, &'a [Expr]),
    /// A property or function of a file or namespace, such as `ns.name`, with the arguments of a call.
    Member(&'a Name, &'a Name, &'a [Expr]),
}

/// Calls `visit` for each name in an expression that no loop or lambda in it declares.
pub(in crate::compiler) fn each_use<'a>(expr: &'a Expr, visit: &mut dyn FnMut(Use<'a>)) {
    walk(expr, &mut Vec::new(), visit);
}

fn walk<'a>(expr: &'a Expr, bound: &mut Vec<&'a str>, visit: &mut dyn FnMut(Use<'a>)) {
    match &expr.kind {
        ExprKind::Variable(name) if !bound.contains(&&*name.text) => visit(Use::Value(name)),
        ExprKind::For(inner) => {
            walk(&inner.source, bound, visit);
            let known = bound.len();
            bound.extend([Some(&inner.item), inner.index.as_ref()].into_iter().flatten().map(|name| &*name.text));
            walk(&inner.body, bound, visit);
            bound.truncate(known);
        }
        ExprKind::Lambda { parameters, body } => {
            let known = bound.len();
            bound.extend(parameters.iter().map(|name| &*name.text));
            walk(body, bound, visit);
            bound.truncate(known);
        }
        _ => {
            match &expr.kind {
                ExprKind::Call { name, arguments } if !bound.contains(&&*name.text) => {
                    visit(Use::Call(name, arguments));
                }
                ExprKind::Method { base, name, arguments } => member(base, name, arguments, bound, visit),
                ExprKind::Property { base, name, .. } => member(base, name, &[], bound, visit),
                _ => {}
            }
            each_child(expr, &mut |child| walk(child, bound, visit));
        }
    }
}

fn member<'a>(
    base: &'a Expr,
    name: &'a Name,
    arguments: &'a [Expr],
    bound: &[&'a str],
    visit: &mut dyn FnMut(Use<'a>),
) {
    if let ExprKind::Variable(base) = &base.kind
        && !bound.contains(&&*base.text)
    {
        visit(Use::Member(base, name, arguments));
    }
}
