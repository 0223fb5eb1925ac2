//! The parameters that expressions use, found without evaluating them.

use std::collections::BTreeSet;

use crate::expr::{self, Expr, ExprKind, Target, TextKind, text_kind};
use crate::value::{Data, Value};

/// Returns the names that the expressions anywhere in `values` pass to `parameters()`. `None` if one of the names is
/// computed, or if an expression cannot be parsed.
pub fn parameters_used(values: &[&Value]) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut pending = values.to_vec();
    while let Some(value) = pending.pop() {
        match &value.data {
            Data::Array(items) => pending.extend(items.iter()),
            Data::Object(object) => pending.extend(object.iter().map(|member| &member.value)),
            Data::String(text) if text_kind(text) == TextKind::Expression => {
                collect(&expr::parse(text).ok()?, &mut names)?;
            }
            _ => {}
        }
    }
    Some(names)
}

fn collect(expr: &Expr, names: &mut BTreeSet<String>) -> Option<()> {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Property(base, _) => pending.push(base),
            ExprKind::Index(base, index) => pending.extend([&**base, &**index]),
            ExprKind::Call(target, arguments) => {
                if matches!(target, Target::Builtin(function) if function.name == "parameters") {
                    let ExprKind::Literal(name) = &arguments.first()?.kind else { return None };
                    names.insert(name.as_str()?.to_owned());
                }
                pending.extend(arguments);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_every_branch() {
        let used = |text: &str| {
            let names = parameters_used(&[&Value::array(vec![Value::from(text), Value::from("parameters('no')")])]);
            names.map(|names| names.into_iter().collect::<Vec<_>>())
        };
        let both = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(used("[if(false(), parameters('b').x, variables('v')[parameters('a')])]"), Some(both));
        assert_eq!(used("[parameters(variables('v'))]"), None);
        assert_eq!(used("[parameters('a'"), Some(Vec::new()));
    }
}
