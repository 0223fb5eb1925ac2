//! `no-conflicting-metadata`: a description in `@metadata` that `@description` overrides.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::decorator;
use crate::language::ast::{Decorator, Expr, Item, Property};

declare_checks! {
    pub(super) NO_CONFLICTING_METADATA = Lint Low "bicep/no-conflicting-metadata" "Bicep.ConflictingMetadata"
        "A declaration should have one description"
        "`@description` replaces the description in `@metadata`, so one of them is never shown."
        "Remove one of the descriptions.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let mut all: Vec<&[Decorator]> =
        file.model.declarations.iter().map(|declaration| declaration.decorators.as_slice()).collect();
    all.extend(file.model.resources.iter().map(|resource| resource.declaration.decorators.as_slice()));
    all.extend(file.type_items().map(|item| item.decorators.as_slice()));
    let message = "`@description` replaces this description";
    all.iter()
        .filter_map(|decorators| conflict(decorators))
        .map(|property| (property.key.span, message.to_owned()))
        .collect()
}

/// Returns the description in `@metadata` that `@description` overrides.
fn conflict(decorators: &[Decorator]) -> Option<&Property> {
    decorator(decorators, "description")?;
    description(decorator(decorators, "metadata")?.arguments.first()?)
}

fn description(metadata: &Expr) -> Option<&Property> {
    metadata.as_object()?.iter().find_map(|item| match item {
        Item::Property(property) if property.name() == Some("description") => Some(property),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn two_descriptions_of_one_declaration_conflict() {
        let text = "@description('a')
@metadata({
  description: 'b'
})
param p string
@metadata({ description: 'c' })
param q string
type t = {
  @description('d')
  @metadata({ 'description': 'e' })
  u: string
}
";
        assert_eq!(lines("no-conflicting-metadata", text), [3, 10]);
    }
}
