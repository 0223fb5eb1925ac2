//! `secure-parameter-default` and `secure-secrets-in-params`: default values of secure parameters, and parameters
//! whose default value is a secure one.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Symbol, decorator};
use crate::language::ast::{Expr, ExprKind};
use crate::language::walk::each_child;

declare_checks! {
    pub(super) SECURE_PARAMETER_DEFAULT = Lint Low "bicep/secure-parameter-default" "Bicep.SecureParameterDefault"
        "A secure parameter should not have a default value"
        "Anyone who can read the file can read the value."
        "Remove the default value, or use `newGuid()`.";
    pub(super) SECURE_SECRETS_IN_PARAMS = Lint Low "bicep/secure-secrets-in-params" "Bicep.SecureParameterCopy"
        "A parameter whose default value is secure should be secure"
        "The deployment history shows the values of parameters without `@secure()`."
        "Decorate the parameter with `@secure()`.";
}

pub(super) fn defaults(file: &LintFile<'_>) -> Vec<LintFinding> {
    let secure = file.model.params.iter().filter(|param| decorator(param.decorators, "secure").is_some());
    let defaults = secure.filter_map(|param| Some((param, param.value.filter(|value| !is_harmless(file, value))?)));
    let found = defaults.map(|(param, value)| {
        (value.span, format!("the secure parameter `{}` has a default value, which is no secret", param.name.text))
    });
    found.collect()
}

/// True if a default value contains nothing, something that is generated, or the value of a secure parameter.
fn is_harmless<'w>(file: &LintFile<'w>, value: &'w Expr) -> bool {
    if matches!(value.bare().kind, ExprKind::Variable(_)) && uses_secure(file, value.bare()) {
        return true;
    }
    match &value.bare().kind {
        ExprKind::Text(text) => text.literal() == Some("") || calls_generator(value),
        ExprKind::Object(items) => items.is_empty(),
        _ => calls_generator(value),
    }
}

fn calls_generator(value: &Expr) -> bool {
    let is_generator = match &value.kind {
        ExprKind::Call { name, .. } | ExprKind::Method { name, .. } => &*name.text == "newGuid",
        _ => false,
    };
    let mut found = is_generator;
    each_child(value, &mut |child| found = found || calls_generator(child));
    found
}

/// Reports parameters without `@secure` whose default value uses a secure one.
pub(super) fn copies(file: &LintFile<'_>) -> Vec<LintFinding> {
    let plain = file.model.params.iter().filter(|param| decorator(param.decorators, "secure").is_none());
    let copies = plain.filter(|param| param.value.is_some_and(|value| uses_secure(file, value)));
    let found = copies.map(|param| {
        let message =
            format!("the default value of `{}` is secure, and the parameter is not; add `@secure()`", param.name.text);
        (param.name.span, message)
    });
    found.collect()
}

fn uses_secure<'w>(file: &LintFile<'w>, value: &'w Expr) -> bool {
    if let Some(Symbol::Param(at)) = file.symbol(value) {
        return file.model.params.get(at).is_some_and(|param| decorator(param.decorators, "secure").is_some());
    }
    let mut found = false;
    each_child(value, &mut |child| found = found || uses_secure(file, child));
    found
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn a_default_value_of_a_secure_parameter_is_found() {
        let text =
            "@secure()\nparam a string = 'x'\n@secure()\nparam b string = ''\n@secure()\nparam c string = newGuid()
@secure()\nparam d object = { e: 1 }\n@secure()\nparam f object = {}\n";
        assert_eq!(lines("secure-parameter-default", text), [2, 8]);
    }

    #[test]
    fn a_default_value_that_is_secure_is_found() {
        let text = "@secure()\nparam a string\nparam b string = a\n@secure()\nparam c string = a\n";
        assert_eq!(lines("secure-secrets-in-params", text), [3]);
    }
}
