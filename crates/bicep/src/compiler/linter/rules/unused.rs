//! Unused declarations: `no-unused-params`, `no-unused-vars`, `no-unused-types`, `no-unused-imports`, and
//! `no-unused-existing-resources`.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Declared, decorator};
use crate::language::ast::ImportNames;

declare_checks! {
    pub(super) NO_UNUSED_EXISTING_RESOURCES = Lint Low "bicep/no-unused-existing-resources" "Bicep.UnusedExistingResources"
        "An existing resource should be used"
        "An unused declaration misleads the readers of the file."
        "Remove the declaration.";
    pub(super) NO_UNUSED_IMPORTS = Lint Low "bicep/no-unused-imports" "Bicep.UnusedImports"
        "An import should be used"
        "An unused import misleads the readers of the file."
        "Remove the import.";
    pub(super) NO_UNUSED_TYPES = Lint Low "bicep/no-unused-types" "Bicep.UnusedTypes"
        "A type should be used"
        "An unused type misleads the readers of the file."
        "Remove the type, or export it.";
}

pub(super) fn params(file: &LintFile<'_>) -> Vec<LintFinding> {
    declared(file, &file.model.params, "parameter")
}

pub(super) fn variables(file: &LintFile<'_>) -> Vec<LintFinding> {
    declared(file, &file.model.variables, "variable")
}

pub(super) fn types(file: &LintFile<'_>) -> Vec<LintFinding> {
    let types = file.model.types.iter();
    let found = types.filter(|own| !file.used_types.contains(&*own.name.text) && is_own(own));
    found.map(|own| (own.name.span, format!("unused type `{}`", own.name.text))).collect()
}

pub(super) fn imports(file: &LintFile<'_>) -> Vec<LintFinding> {
    let names = file.model.imports.iter().flat_map(|(_, names)| match names {
        ImportNames::All(name) => vec![name],
        ImportNames::Each(names) => names.iter().map(|(_, name)| name).collect(),
    });
    let unused = names.filter(|name| !file.used_values.contains(&*name.text) && !file.used_types.contains(&*name.text));
    unused.map(|name| (name.span, format!("unused import `{}`", name.text))).collect()
}

/// Reports unused existing resources. One with nested resources counts as used.
pub(super) fn existing_resources(file: &LintFile<'_>) -> Vec<LintFinding> {
    let unused = file.model.resources.iter().filter(|resource| {
        let is_top = resource.parent.is_none_or(|parent| !parent.is_nested);
        let has_nested = resource.declaration.nested().next().is_some();
        is_top
            && resource.declaration.is_existing
            && !has_nested
            && !file.used_values.contains(&*resource.declaration.name.text)
    });
    let found = unused.map(|resource| {
        let name = &resource.declaration.name;
        (name.span, format!("unused existing resource `{}`", name.text))
    });
    found.collect()
}

fn declared(file: &LintFile<'_>, all: &[Declared<'_>], noun: &str) -> Vec<LintFinding> {
    let unused = all
        .iter()
        .filter(|own| !own.name.text.is_empty() && !file.used_values.contains(&*own.name.text) && is_own(own));
    unused.map(|own| (own.name.span, format!("unused {noun} `{}`", own.name.text))).collect()
}

/// True if no other file can use a declaration.
fn is_own(declared: &Declared<'_>) -> bool {
    decorator(declared.decorators, "export").is_none()
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::{lines, lines_in};

    #[test]
    fn a_type_that_no_declaration_names_is_unused() {
        let text = "type a = string
@export()
type b = string
type c = { d: e[]? }
type e = 'x' | 'y'
func f(g h) c => { d: [] }
type h = int
";
        assert_eq!(lines("no-unused-types", text), [1]);
    }

    #[test]
    fn a_local_name_uses_no_declaration() {
        let text = "param a string
param b string[]
var c = map(b, a => a)
func f(a string) string => a
output o array = [for a in c: f(a)]
";
        assert_eq!(lines("no-unused-params", text), [1]);
    }

    #[test]
    fn an_import_is_used_as_a_value_a_function_or_a_type() {
        let text = "import { a, b as c, d, e, f } from 'o.bicep'
import * as g from 'o.bicep'
import * as h from 'o.bicep'
output x string = a
output y d = e()
output z g.d = ''
";
        let other =
            "@export()\nvar a = ''\n@export()\nvar b = ''\n@export()\ntype d = string\n@export()\nfunc e() string => ''
@export()\nvar f = ''\n";
        assert_eq!(lines_in("no-unused-imports", text, &[("o.bicep", other)]), [1, 1, 3]);
    }

    #[test]
    fn an_existing_resource_is_used_by_its_name_or_by_what_is_written_in_it() {
        let text = "resource a 'Microsoft.A/b@2020-01-01' existing = { name: 'a' }
resource b 'Microsoft.A/b@2020-01-01' existing = { name: 'b' }
resource c 'Microsoft.A/b@2020-01-01' existing = {
  name: 'c'
  resource d 'e' = { name: 'd' }
}
resource f 'Microsoft.A/b@2020-01-01' = { name: 'f' }
output o string = b.id
";
        assert_eq!(lines("no-unused-existing-resources", text), [1]);
    }
}
