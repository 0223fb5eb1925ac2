//! Declarations without a description: `use-description-params`, `use-description-vars`, `use-description-outputs`,
//! `use-description-types`, and `use-description-type-properties`.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Declared, decorator};
use crate::language::ast::{Decorator, Name, TypeExpr, TypeKind};
use crate::language::walk::each_type;

declare_checks! {
    pub(super) USE_DESCRIPTION_OUTPUTS = Lint Low "bicep/use-description-outputs" "Bicep.OutputDescriptions"
        "An output should have a description"
        "Who uses the file learns from it what the value is."
        "Add `@description()`.";
    pub(super) USE_DESCRIPTION_PARAMS = Lint Low "bicep/use-description-params" "Bicep.ParameterDescriptions"
        "A parameter should have a description"
        "Who uses the file learns from it what the value is for."
        "Add `@description()`.";
    pub(super) USE_DESCRIPTION_TYPE_PROPERTIES = Lint Low "bicep/use-description-type-properties" "Bicep.PropertyDescriptions"
        "A property of a type should have a description"
        "Who uses the type learns from it what the value is for."
        "Add `@description()`.";
    pub(super) USE_DESCRIPTION_TYPES = Lint Low "bicep/use-description-types" "Bicep.TypeDescriptions"
        "A type should have a description"
        "Who uses the type learns from it what it is for."
        "Add `@description()`.";
    pub(super) USE_DESCRIPTION_VARS = Lint Low "bicep/use-description-vars" "Bicep.VariableDescriptions"
        "A variable should have a description"
        "Who reads the file learns from it what the value is for."
        "Add `@description()`.";
}

pub(super) fn params(file: &LintFile<'_>) -> Vec<LintFinding> {
    declared("parameter", file.model.params.iter())
}

pub(super) fn variables(file: &LintFile<'_>) -> Vec<LintFinding> {
    declared("variable", file.model.variables.iter())
}

pub(super) fn outputs(file: &LintFile<'_>) -> Vec<LintFinding> {
    declared("output", file.model.outputs.iter())
}

pub(super) fn types(file: &LintFile<'_>) -> Vec<LintFinding> {
    let types = file.model.types.iter().filter(|own| decorator(own.decorators, "discriminator").is_none());
    declared("type", types)
}

pub(super) fn type_properties(file: &LintFile<'_>) -> Vec<LintFinding> {
    let mut found = Vec::new();
    for ty in file.model.types.iter().filter_map(|own| own.ty) {
        properties(ty, &mut |name, decorators| found.extend(missing("property", name, decorators)));
    }
    found
}

fn declared<'w>(noun: &str, all: impl Iterator<Item = &'w Declared<'w>>) -> Vec<LintFinding> {
    all.filter_map(|own| missing(noun, own.name, own.decorators)).collect()
}

fn missing(noun: &str, name: &Name, decorators: &[Decorator]) -> Option<LintFinding> {
    let argument = decorator(decorators, "description").map(|own| own.arguments.first());
    let span = match argument {
        None => name.span,
        Some(argument) => argument.filter(|text| text.literal().is_some_and(|text| text.trim().is_empty()))?.span,
    };
    Some((span, format!("the {noun} `{}` has no description", name.text)))
}

/// Calls `visit` for all properties of the objects in a type.
fn properties<'w>(ty: &'w TypeExpr, visit: &mut dyn FnMut(&'w Name, &'w [Decorator])) {
    if let TypeKind::Object { properties, additional } = &ty.kind {
        for property in properties.iter().chain(additional.as_deref()) {
            visit(&property.name, &property.item.decorators);
        }
    }
    each_type(ty, &mut |inner, _| properties(inner, visit));
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn what_has_no_description_is_found() {
        let text = "param a string
@description('b')
param b string
@sys.description(' ')
param c string
var d = 1
output e string = a
type f = {
  g: string
  @description('h')
  h: {
    *: int
  }
}
@discriminator('k')
type i = { k: 'a' } | { k: 'b' }
";
        assert_eq!(lines("use-description-params", text), [1, 4]);
        assert_eq!(lines("use-description-vars", text), [6]);
        assert_eq!(lines("use-description-outputs", text), [7]);
        assert_eq!(lines("use-description-types", text), [8]);
        assert_eq!(lines("use-description-type-properties", text), [9, 12, 16, 16]);
    }
}
