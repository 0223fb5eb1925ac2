//! `use-safe-access`: properties that may be missing.

use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::linter::same::same;
use crate::language::ast::{Expr, ExprKind};

declare_checks! {
    pub(super) USE_SAFE_ACCESS = Lint Low "bicep/use-safe-access" "Bicep.SafeAccess"
        "A property that may be missing should be read with `.?`"
        "`contains(a, 'b') ? a.b : c` is harder to read than `a.?b ?? c`, and a deployment fails if it reads a property that is missing."
        "Use `.?`, and `??` for another value.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let asserted: HashSet<*const Expr> = file
        .exprs
        .iter()
        .filter_map(|expr| match &expr.kind {
            ExprKind::NonNull(inner) => Some(std::ptr::from_ref(&**inner)),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for &expr in &file.exprs {
        if let ExprKind::Ternary(parts) = &expr.kind
            && let Some((name, [base, key])) = file.built_in(&parts.0)
            && &*name.text == "contains"
            && reads(&parts.1, base, key)
        {
            found.push((expr.span, "use `.?` and `??` instead of `contains`".to_owned()));
        } else if file.types.is_unsafe_access(expr) && !asserted.contains(&std::ptr::from_ref(expr)) {
            found.push((expr.span, "the property may be missing; use `.?`".to_owned()));
        }
    }
    found
}

/// True if an expression reads the property `key` of `base`.
fn reads(expr: &Expr, base: &Expr, key: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Property { base: own, name, .. } => key.literal() == Some(&*name.text) && same(own, base),
        ExprKind::Index { base: own, index, .. } => same(index, key) && same(own, base),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn a_test_before_an_access_is_found() {
        let text = "param p object
param k string
var a = contains(p, 'x') ? p.x : 'y'
var b = contains(p, k) ? p[k] : 'y'
var c = contains(p.q, 'x') ? p.q['x'] : null
var d = contains(p, 'x') ? p.y : 'y'
var e = contains(p, 'x') ? p.x.y : 'y'
var f = contains('x', k) ? k : 'y'
";
        assert_eq!(lines("use-safe-access", text), [3, 4, 5]);
    }

    #[test]
    fn a_property_that_a_type_lets_be_missing_is_found() {
        let text = "param p { a: string?, b: string, c: { d: int }? }
var e = p.a
var f = p.b
var g = p.?a
var h = p.a!
var i = p.c.d
";
        assert_eq!(lines("use-safe-access", text), [2, 6]);
    }
}
