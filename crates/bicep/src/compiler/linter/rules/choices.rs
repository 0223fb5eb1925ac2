//! Rules that only some teams follow: `no-module-name`, `no-hardcoded-outputs`, and `use-user-defined-types`.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{Expr, ExprKind, Item, TypeKind};

declare_checks! {
    pub(super) NO_HARDCODED_OUTPUTS = Lint Low "bicep/no-hardcoded-outputs" "Bicep.HardcodedOutputs"
        "An output should not be a literal"
        "Who needs the value can import it, without a deployment."
        "Export a variable with `@export()`.";
    pub(super) NO_MODULE_NAME = Lint Low "bicep/no-module-name" "Bicep.ModuleName"
        "A module should not have a name"
        "Bicep makes a name that is unique; two deployments of one name disturb each other."
        "Remove the property `name`.";
    pub(super) USE_USER_DEFINED_TYPES = Lint Low "bicep/use-user-defined-types" "Bicep.UserDefinedTypes"
        "A declaration should say what is in an object or an array"
        "Of a value of the type `object` or `array`, nothing is checked that is in it."
        "Declare a type of your own.";
}

/// Reports names of modules, which Bicep can generate.
pub(super) fn module_names(file: &LintFile<'_>) -> Vec<LintFinding> {
    let names = file.model.modules.iter().flat_map(|module| module.body.items).filter_map(|item| match item {
        Item::Property(property) if property.name() == Some("name") => Some(property.span()),
        _ => None,
    });
    names.map(|span| (span, "the module needs no `name`".to_owned())).collect()
}

/// Reports outputs that are literals.
pub(super) fn hardcoded_outputs(file: &LintFile<'_>) -> Vec<LintFinding> {
    let found = file.model.outputs.iter().filter_map(|output| {
        let value = output.value.filter(|value| is_literal(value))?;
        Some((value.span, format!("the output `{}` is always the same; export a variable", output.name.text)))
    });
    found.collect()
}

fn is_literal(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Text(text) => text.literal().is_some(),
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Int(_) => true,
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => is_literal(inner),
        ExprKind::Array(items) => items.iter().all(|item| !item.is_spread && is_literal(&item.value)),
        ExprKind::Object(items) => items.iter().all(|item| match item {
            Item::Property(property) => property.name().is_some() && is_literal(&property.value),
            Item::Spread(_) | Item::Resource(_) => false,
        }),
        _ => false,
    }
}

/// Reports the types `object` and `array`, which do not describe their content.
pub(super) fn loose_types(file: &LintFile<'_>) -> Vec<LintFinding> {
    let loose = file.type_exprs.iter().filter_map(|ty| match &ty.kind {
        TypeKind::Name(name) if ["object", "array"].contains(&&*name.text) => Some((ty.span, &name.text)),
        _ => None,
    });
    loose.map(|(span, name)| (span, format!("declare what is in the value, instead of `{name}`"))).collect()
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::{lines, lines_in};

    #[test]
    fn names_of_modules_are_found() {
        let text = "module a 'm.bicep' = {\n  name: 'a'\n}\nmodule b 'm.bicep' = {}\n";
        assert_eq!(lines_in("no-module-name", text, &[("m.bicep", "")]), [2]);
    }

    #[test]
    fn outputs_that_are_literals_are_found() {
        let text = "param p string
output a string = 'x'
output b object = { c: [-1, (true)] }
output d string = p
output e array = [p]
output f string = 'x${p}'
";
        assert_eq!(lines("no-hardcoded-outputs", text), [2, 3]);
    }

    #[test]
    fn types_that_say_little_are_found() {
        let text = "param a object\nparam b array\nparam c string[]\ntype d = { e: object[] }\n";
        assert_eq!(lines("use-user-defined-types", text), [1, 2, 4]);
    }
}
