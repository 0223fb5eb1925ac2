//! `artifacts-parameters`: the parameters `_artifactsLocation` and `_artifactsLocationSasToken`.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Declared, decorator};
use crate::language::ast::{Expr, TypeKind, property};

declare_checks! {
    pub(super) ARTIFACTS_PARAMETERS = Lint Low "bicep/artifacts-parameters" "Bicep.ArtifactsParameters"
        "The parameters `_artifactsLocation` and `_artifactsLocationSasToken` should be declared as the portal expects"
        "The portal and scripts fill in both parameters, and only if their names, types, and defaults are the usual ones."
        "Declare both as strings, the token with `@secure()`, and pass both to modules.";
}

const LOCATION: &str = "_artifactsLocation";
const TOKEN: &str = "_artifactsLocationSasToken";

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let mut found = Vec::new();
    match (param_named(file, LOCATION), param_named(file, TOKEN)) {
        (Some(location), Some(token)) => pair(file, location, token, &mut found),
        (Some(only), None) => found.push((only.name.span, format!("`{LOCATION}` needs `{TOKEN}` beside it"))),
        (None, Some(only)) => found.push((only.name.span, format!("`{TOKEN}` needs `{LOCATION}` beside it"))),
        (None, None) => {}
    }
    if !file.is_huge() {
        modules(file, &mut found);
    }
    found
}

fn param_named<'w>(file: &LintFile<'w>, name: &str) -> Option<&'w Declared<'w>> {
    file.model.params.iter().find(|own| own.name.text.eq_ignore_ascii_case(name))
}

fn pair(file: &LintFile<'_>, location: &Declared<'_>, token: &Declared<'_>, found: &mut Vec<LintFinding>) {
    for (param, name) in [(location, LOCATION), (token, TOKEN)] {
        if let Some(ty) = param.ty
            && matches!(&ty.kind, TypeKind::Name(name) if &*name.text != "string")
        {
            found.push((ty.span, format!("`{name}` should be a `string`")));
        }
    }
    if let Some(ty) = token.ty.filter(|_| decorator(token.decorators, "secure").is_none()) {
        found.push((ty.span, format!("`{TOKEN}` should be secure; add `@secure()`")));
    }
    if let Some(value) = location.value.filter(|value| !is_address(file, value)) {
        let message =
            format!("the default of `{LOCATION}` should be a URL or `deployment().properties.templateLink.uri`");
        found.push((value.span, message));
    }
    if let Some(value) = token.value.filter(|value| value.literal() != Some("")) {
        found.push((value.span, format!("the default of `{TOKEN}` should be `''`")));
    }
}

/// True if a default value is a URL, or the link of the deployment's template.
fn is_address(file: &LintFile<'_>, value: &Expr) -> bool {
    let written = file.slice(value.span).to_ascii_lowercase();
    let is_link = written
        .find("deployment(")
        .is_some_and(|at| written.get(at..).is_some_and(|rest| rest.contains(".templatelink")));
    value.literal().is_some_and(|text| text.starts_with("http")) || is_link
}

/// Reports modules that leave one of the parameters at its default.
fn modules(file: &LintFile<'_>, found: &mut Vec<LintFinding>) {
    for module in &file.model.modules {
        let Some(Some(target)) = file.world.models.get(module.unit.0) else { continue };
        let given = module.body.get("params").and_then(Expr::as_object).unwrap_or_default();
        for param in &target.params {
            let name = &*param.name.text;
            let is_ours = [LOCATION, TOKEN].iter().any(|own| own.eq_ignore_ascii_case(name));
            if is_ours && property(given, name).is_none() {
                let symbol = &module.declaration.name;
                found.push((symbol.span, format!("the module `{}` should get a value for `{name}`", symbol.text)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::{check, lines, lines_in};

    #[test]
    fn the_two_parameters_belong_together() {
        assert_eq!(lines("artifacts-parameters", "param _artifactsLocation string\n"), [1]);
        assert_eq!(lines("artifacts-parameters", "@secure()\nparam _artifactsLocationSasToken string\n"), [2]);
        let text = "param _artifactsLocation string = deployment().properties.templateLink.uri
@secure()
param _artifactsLocationSasToken string = ''
";
        assert_eq!(lines("artifacts-parameters", text), [0; 0]);
    }

    #[test]
    fn types_and_defaults_are_those_that_the_portal_fills_in() {
        check(
            "artifacts-parameters",
            "param _artifactsLocation object = resourceGroup().location
                      // ^^^^^^ `_artifactsLocation` should be a `string`
                      //          ^^^^^^^^^^^^^^^^^^^^^^^^ the default of `_artifactsLocation` should be a URL or `deployment().properties.templateLink.uri`
param _artifactsLocationSasToken string = '?a'
                              // ^^^^^^ `_artifactsLocationSasToken` should be secure; add `@secure()`
                              //          ^^^^ the default of `_artifactsLocationSasToken` should be `''`
",
        );
    }

    #[test]
    fn a_module_should_get_both() {
        let inner =
            "param _artifactsLocation string = 'https://x'\n@secure()\nparam _artifactsLocationSasToken string = ''\n";
        let text = "module a 'm.bicep' = {\n  params: { _artifactsLocation: 'https://y' }\n}\n";
        assert_eq!(lines_in("artifacts-parameters", text, &[("m.bicep", inner)]), [1]);
    }
}
