//! `use-resource-symbol-reference`: calls of `reference` and `list*` for resources of the file.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::linter::same::same_all;
use crate::compiler::model::{ResourceId, ResourceInfo};
use crate::language::ast::{Expr, ExprKind};

declare_checks! {
    pub(super) USE_RESOURCE_SYMBOL_REFERENCE = Lint Low "bicep/use-resource-symbol-reference" "Bicep.ResourceSymbolReference"
        "A resource of the file should be used by its symbol"
        "`reference()` and `list*()` with the ID of a resource repeat its type and version, and hide the dependency on it."
        "Use `symbol.properties`, or `symbol.listKeys()`.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    if file.is_huge() {
        return Vec::new();
    }
    let found = file.exprs.iter().filter_map(|expr| {
        let (name, arguments) = file.built_in(expr)?;
        let lower = name.text.to_ascii_lowercase();
        let is_known = lower == "reference" && (1..=3).contains(&arguments.len())
            || lower.starts_with("list") && (2..=3).contains(&arguments.len());
        let (id, version) = (arguments.first().filter(|_| is_known)?, arguments.get(1));
        let resource = of_version(file, resources(file, id), version)?;
        let symbol = &resource.declaration.name.text;
        Some((expr.span, format!("use the resource `{symbol}` itself instead of `{}`", name.text)))
    });
    found.collect()
}

/// Returns the resources that an ID can refer to.
fn resources<'w>(file: &LintFile<'w>, id: &'w Expr) -> Vec<&'w ResourceInfo<'w>> {
    if let ExprKind::Property { base, name, .. } = &id.kind
        && ["id", "name"].contains(&&*name.text)
        && let Some(resource) = file.resource(base)
    {
        return vec![resource];
    }
    let Some((name, [ty, names @ ..])) = file.built_in(id) else { return Vec::new() };
    let Some(ty) = ty.literal().filter(|ty| &*name.text == "resourceId" && ty.contains('/')) else { return Vec::new() };
    let all = file.model.resources.iter().enumerate();
    let found =
        all.filter(|(at, own)| own.is_azure() && own.ty.eq_ignore_ascii_case(ty) && has_names(file, *at, names));
    found.map(|(_, resource)| resource).collect()
}

/// True if a resource and its ancestors have these names, the oldest first.
fn has_names(file: &LintFile<'_>, id: ResourceId, names: &[Expr]) -> bool {
    let lineage = file.model.lineage(id);
    let written = lineage.iter().map(|own| file.model.resources.get(*own)?.body.get("name"));
    written.collect::<Option<Vec<_>>>().is_some_and(|written| same_all(written, names))
}

/// Returns the resource with the API version of a call. Without a version, there has to be only one resource.
fn of_version<'w>(
    file: &LintFile<'w>,
    resources: Vec<&'w ResourceInfo<'w>>,
    version: Option<&Expr>,
) -> Option<&'w ResourceInfo<'w>> {
    let Some(version) = version else {
        return <[_; 1]>::try_from(resources).ok().map(|[only]| only);
    };
    let named = match &version.kind {
        ExprKind::Property { base, name, .. } if &*name.text == "apiVersion" => file.resource(base),
        _ => None,
    };
    let written = version.literal();
    resources.into_iter().find(|resource| {
        let own = resource.version.as_deref();
        let is_written = written.zip(own).is_some_and(|(written, own)| written.eq_ignore_ascii_case(own));
        is_written || named.is_some_and(|named| std::ptr::eq(named, *resource))
    })
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn calls_for_a_resource_of_the_file_are_found() {
        let text = "param n string
resource a 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: n }
resource s 'Microsoft.Storage/storageAccounts/blobServices@2023-01-01' existing = { parent: a, name: 'default' }
output b object = reference(a.id)
output c object = reference(a.id, a.apiVersion, 'Full')
output d object = reference(resourceId('Microsoft.Storage/storageAccounts', n), '2023-01-01')
output e object = listKeys(a.id, '2023-01-01')
output f object = az.reference(resourceId('Microsoft.Storage/storageAccounts/blobServices', n, 'default'))
output g object = listKeys(a.id, '2022-01-01')
output h object = reference(resourceId('Microsoft.Storage/storageAccounts', 'x'))
output i object = a.listKeys()
output j object = reference(resourceId('g', 'Microsoft.Storage/storageAccounts', n))
";
        assert_eq!(lines("use-resource-symbol-reference", text), [4, 5, 6, 7, 8]);
    }
}
