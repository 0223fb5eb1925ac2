//! Expressions of templates: each ends within its fuel, with a value or a problem, and always with the same.

use arcstr::ArcStr;

use crate::arm;
use crate::arm::expr::{Expr, ExprKind};
use crate::diagnostic::Diagnostic;
use crate::invariants::{check_problems, on_deep_stack, text};
use crate::model::Limits;
use crate::syntax;
use crate::text::{Sources, Span};
use crate::value::Value;

/// Declarations that an expression can refer to.
const SURROUNDING: &str = r#"{
  "parameters": {"p": "text", "n": 7, "o": {"a": [1, {"b": "c"}], "d": null}, "l": [3, 1, 2], "e": "[variables('v')]"},
  "variables": {"v": "[parameters('p')]", "w": "[concat(parameters('p'), parameters('n'))]", "x": "[variables('y')]",
    "y": "[variables('x')]", "copy": [{"name": "z", "count": 3, "input": "[copyIndex('z')]"}]},
  "functions": [{"namespace": "u", "members": {"f": {"parameters": [{"name": "a", "type": "int"}],
    "output": {"type": "int", "value": "[add(parameters('a'), 1)]"}}}}],
  "copy": [{"name": "outer", "index": 1}, {"name": "inner", "index": 2, "resource": true}],
  "deployment": {"name": "d", "scope": "resourceGroup"},
  "resources": {"r": {"id": "/r", "properties": {"a": 1}}}
}"#;

/// Checks an expression without its brackets, or with them.
pub fn expression(bytes: &[u8]) {
    let mut text = text(bytes);
    if !text.starts_with('[') {
        text = format!("[{text}]");
    }
    on_deep_stack(|| check_expression(&text));
}

fn check_expression(text: &str) {
    let sources = Sources::new();
    let span = Span::new(sources.add("a.txt", text), 0, u32::try_from(text.len()).unwrap());
    let surrounding = surrounding();
    let evaluated = || arm::evaluate(text, span, &surrounding, &fuel());
    let (once, twice) = (evaluated(), evaluated());
    assert_eq!(shown(&once), shown(&twice));
    match &once {
        Ok(value) => {
            let written: ArcStr = value.to_json().into();
            syntax::json::parse_computed(&written, u32::MAX).unwrap();
            assert!(value.size().depth <= fuel().nesting + 1, "{written}");
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            check_problems(problems, &sources);
        }
    }
    if let Ok(tree) = arm::expr::parse(text) {
        check_inside(&tree, text);
    }
}

/// Returns limits with little fuel, so that each try is quick.
fn fuel() -> Limits {
    Limits { steps: 50_000, memory_bytes: 4 << 20, text_bytes: 64 << 10, value_weight: 10_000, ..Limits::default() }
}

fn surrounding() -> Value {
    syntax::json::parse(Sources::new().add("surrounding.json", SURROUNDING), &SURROUNDING.into(), 64).value.unwrap()
}

fn shown(result: &Result<Value, Vec<Diagnostic>>) -> String {
    match result {
        Ok(value) => value.to_json(),
        Err(problems) => format!("{problems:?}"),
    }
}

/// Requires that each part of an expression lies in the one around it.
fn check_inside(expression: &Expr, text: &str) {
    let Expr { kind, start, end } = expression;
    assert!(text.get(*start as usize..*end as usize).is_some(), "{start}..{end} in {text:?}");
    let check = |inner: &Expr| {
        assert!(start <= &inner.start && &inner.end <= end, "{inner:?} is not in {start}..{end} of {text:?}");
        check_inside(inner, text);
    };
    match kind {
        ExprKind::Literal(_) => {}
        ExprKind::Call(_, arguments) => arguments.iter().for_each(check),
        ExprKind::Property(base, _) => check(base),
        ExprKind::Index(base, index) => [base, index].into_iter().for_each(|inner| check(inner)),
    }
}
