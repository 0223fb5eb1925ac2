//! `decompiler-cleanup`: names that `bicep decompile` generated.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{Expr, ExprKind};

declare_checks! {
    pub(super) DECOMPILER_CLEANUP = Lint Low "bicep/decompiler-cleanup" "Bicep.DecompilerCleanup"
        "Names that `bicep decompile` made up should be replaced"
        "A name that ends in `_resource` or `_var` says only that the decompiler found no better one."
        "Rename the symbol.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let resources = file.model.resources.iter().filter(|resource| resource.is_azure());
    let resources = resources.filter_map(|resource| {
        let name = resource.body.get("name").filter(|name| matches!(name.kind, ExprKind::Text(_)));
        Some((&resource.declaration.name, name.map(|name: &Expr| name.span)?, "_resource"))
    });
    let variables = file.model.variables.iter().map(|variable| (variable.name, variable.name.span, "_var"));
    let found = resources.chain(variables).filter(|(name, _, end)| is_generated(&name.text, end));
    found
        .map(|(name, span, _)| (span, format!("`bicep decompile` made up the name `{}`; choose one", name.text)))
        .collect()
}

fn is_generated(name: &str, end: &str) -> bool {
    let stem = name.strip_suffix(end).and_then(|stem| stem.chars().next_back());
    stem.is_some_and(|letter| letter.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn names_of_the_decompiler_are_found() {
        let text = "var a_var = 1
var a_variable = 2
resource b_resource 'Microsoft.A/b@2020-01-01' = {
  name: 'b'
}
resource c_resource 'Microsoft.A/b@2020-01-01' = { name: toLower('c') }
";
        assert_eq!(lines("decompiler-cleanup", text), [1, 4]);
    }
}
