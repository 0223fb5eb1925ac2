//! `use-stable-resource-identifiers`: names that differ in each deployment.

use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::Symbol;
use crate::language::ast::Expr;
use crate::language::walk::each_child;

declare_checks! {
    pub(super) USE_STABLE_RESOURCE_IDENTIFIERS = Lint Low "bicep/use-stable-resource-identifiers" "Bicep.StableIdentifiers"
        "The name of a resource should be the same in each deployment"
        "With `utcNow()` or `newGuid()` in its name, each deployment creates another resource, and the old ones stay."
        "Use `uniqueString()` or `guid()`, or a parameter.";
}

/// Functions whose results differ in each deployment.
const CHANGING: [&str; 2] = ["newGuid", "utcNow"];

/// Properties that identify a resource in Azure.
const IDENTIFIERS: [&str; 2] = ["name", "scope"];

/// Maximum number of variables and default values on the way to a function.
const MAX_DEPTH: usize = 50;

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    if file.is_huge() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for resource in &file.model.resources {
        for identifier in IDENTIFIERS {
            let Some(value) = resource.body.get(identifier) else { continue };
            let mut search = ChangingCallSearch { file, open: Vec::new(), seen: HashSet::default(), found: Vec::new() };
            search.visit(value);
            found.extend(search.found.into_iter().map(|(function, through)| {
                let through = through.map_or(String::new(), |name| format!(" through `{name}`"));
                let message = format!("`{identifier}` differs in each deployment: it calls `{function}`{through}");
                (value.span, message)
            }));
        }
    }
    found
}

/// Search for the changing functions that an expression calls.
struct ChangingCallSearch<'f, 'w> {
    file: &'f LintFile<'w>,
    /// Declarations whose values are being visited, the outermost first.
    open: Vec<&'w str>,
    /// Declarations that were visited.
    seen: HashSet<&'w str>,
    /// Functions that were found, each with the outermost declaration that leads to it.
    found: Vec<(&'static str, Option<&'w str>)>,
}

impl<'w> ChangingCallSearch<'_, 'w> {
    fn visit(&mut self, expr: &'w Expr) {
        if let Some((name, _)) = self.file.built_in(expr)
            && let Some(function) = CHANGING.iter().find(|function| **function == &*name.text)
        {
            self.found.push((function, self.open.first().copied()));
        }
        let followed = match self.file.symbol(expr) {
            Some(Symbol::Param(at)) => self.file.model.params.get(at),
            Some(Symbol::Variable(at)) => self.file.model.variables.get(at),
            _ => None,
        };
        if let Some(declared) = followed
            && let Some(value) = declared.value
            && self.open.len() < MAX_DEPTH
            && self.seen.insert(&declared.name.text)
        {
            self.open.push(&declared.name.text);
            self.visit(value);
            self.open.pop();
        }
        each_child(expr, &mut |child| self.visit(child));
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::check;

    #[test]
    fn a_name_that_changes_is_found_through_variables_and_default_values() {
        check(
            "use-stable-resource-identifiers",
            "param t string = utcNow()
var v = 'x${t}'
resource a 'Microsoft.A/b@2020-01-01' = { name: v }
                                          //    ^ `name` differs in each deployment: it calls `utcNow` through `v`
resource b 'Microsoft.A/b@2020-01-01' = { name: 'b', tags: { c: t } }
param w string = w
resource d 'Microsoft.A/b@2020-01-01' = { name: w }
",
        );
    }
}
