//! `use-resource-id-functions`: IDs of resources that are strings instead of results of a function.
//!
//! Lists: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter-rule-use-resource-id-functions>.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::Symbol;
use crate::language::ast::{Expr, ExprKind, Item, Property};
use crate::language::walk::each_child;

declare_checks! {
    pub(super) USE_RESOURCE_ID_FUNCTIONS = Lint Low "bicep/use-resource-id-functions" "Bicep.ResourceIdFunctions"
        "The ID of a resource should come from its symbol or from a function"
        "An ID that is joined from strings breaks if its form is not exactly right. The rule is off unless `bicepconfig.json` turns it on."
        "Use the symbol of the resource, or a function such as `resourceId()`.";
}

/// Functions whose results are IDs.
const FUNCTIONS: [&str; 10] = [
    "extensionResourceId",
    "guid",
    "if",
    "managementGroupResourceId",
    "reference",
    "resourceId",
    "roleDefinitions",
    "subscription",
    "subscriptionResourceId",
    "tenantResourceId",
];

/// Properties whose values are other IDs, in lower case.
const OTHER: [&str; 40] = [
    "appid",
    "clientid",
    "connectorid",
    "contentid",
    "datatypeid",
    "defaultmenuitemid",
    "deploymentspecid",
    "detector",
    "groupid",
    "illusiveincidentid",
    "keyid",
    "keyvaultid",
    "keyvaultsecretid",
    "locations",
    "menuid",
    "metadata",
    "metricid",
    "nodeagentskuid",
    "objectid",
    "parentid",
    "policydefinitionreferenceid",
    "principalid",
    "requestedserviceobjectiveid",
    "resource",
    "ruleid",
    "schemaid",
    "serviceprincipalclientid",
    "sid",
    "startingdeviceid",
    "storageaccountsubscriptionid",
    "subscriptionid",
    "syntheticmonitorid",
    "tags",
    "targetprotectioncontainerid",
    "targetworkersizeid",
    "tenantid",
    "timezoneid",
    "uniquefindingid",
    "vlanid",
    "workersizeid",
];

/// Maximum number of variables on the way to a value.
const MAX_DEPTH: usize = 50;

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let mut found = Vec::new();
    for resource in file.model.resources.iter().filter(|resource| resource.is_azure()) {
        let ty = resource.ty.to_ascii_lowercase();
        if is_excluded(&ty) {
            continue;
        }
        if let Some(properties) = resource.body.get("properties").and_then(Expr::as_object) {
            let is_subscription = ty == "microsoft.apimanagement/service/subscriptions";
            search_items(file, properties, is_subscription, &mut found);
        }
    }
    found
}

/// True for types whose properties have IDs of other kinds. `ty` is in lower case.
fn is_excluded(ty: &str) -> bool {
    let whole =
        ["microsoft.portal/dashboards", "microsoft.logic/workflows", "microsoft.apimanagement/service/backends"];
    let is_collection = ty
        .strip_prefix("microsoft.documentdb/databaseaccounts/")
        .is_some_and(|rest| rest.split_once('/').is_some_and(|(_, end)| end == "collections"));
    whole.contains(&ty) || ty.starts_with("microsoft.web/sites/config") || is_collection
}

fn search_items<'w>(file: &LintFile<'w>, items: &'w [Item], is_subscription: bool, found: &mut Vec<LintFinding>) {
    for item in items {
        match item {
            Item::Property(own) => search_property(file, own, is_subscription, found),
            Item::Spread(value) => search(file, value, is_subscription, found),
            Item::Resource(_) => {}
        }
    }
}

fn search_property<'w>(file: &LintFile<'w>, own: &'w Property, is_subscription: bool, found: &mut Vec<LintFinding>) {
    let Some(name) = own.name() else { return search(file, &own.value, is_subscription, found) };
    let lower = name.to_ascii_lowercase();
    if OTHER.contains(&&*lower) || is_subscription && lower == "ownerid" {
        return;
    }
    let is_id = lower.ends_with("id") && !name.ends_with("uid") && !name.ends_with("UID");
    if !is_id {
        return search(file, &own.value, is_subscription, found);
    }
    if file.types.is_text(&own.value) && is_wrong(file, &own.value, 0) {
        let message =
            format!("`{name}` is a string; use the symbol of the resource, or a function such as `resourceId()`");
        found.push((own.key.span, message));
    }
}

fn search<'w>(file: &LintFile<'w>, expr: &'w Expr, is_subscription: bool, found: &mut Vec<LintFinding>) {
    match &expr.kind {
        ExprKind::Object(items) => search_items(file, items, is_subscription, found),
        _ => each_child(expr, &mut |child| search(file, child, is_subscription, found)),
    }
}

/// True if an ID is built from strings.
fn is_wrong<'w>(file: &LintFile<'w>, expr: &'w Expr, depth: usize) -> bool {
    if depth > MAX_DEPTH || names_resource(file, expr) {
        return false;
    }
    match &expr.kind {
        ExprKind::Call { name, .. } => !FUNCTIONS.contains(&&*name.text),
        ExprKind::Property { base, .. } | ExprKind::Index { base, .. } => {
            !is_parameter(file, base) && is_wrong(file, base, depth + 1)
        }
        ExprKind::Variable(_) => match file.symbol(expr) {
            Some(Symbol::Variable(at)) => {
                let value = file.model.variables.get(at).and_then(|variable| variable.value);
                value.is_some_and(|value| is_wrong(file, value, depth + 1))
            }
            Some(Symbol::Param(_)) => false,
            _ => true,
        },
        ExprKind::Ternary(_) => false,
        ExprKind::Text(text) => text.literal().is_none_or(|text| text.contains('/')),
        ExprKind::Paren(inner) | ExprKind::NonNull(inner) => is_wrong(file, inner, depth + 1),
        _ => true,
    }
}

/// True if an expression uses the symbol of a resource or module.
fn names_resource<'w>(file: &LintFile<'w>, expr: &'w Expr) -> bool {
    if matches!(file.symbol(expr), Some(Symbol::Resource(_) | Symbol::Module(_))) {
        return true;
    }
    let mut found = false;
    each_child(expr, &mut |child| found = found || names_resource(file, child));
    found
}

fn is_parameter(file: &LintFile<'_>, base: &Expr) -> bool {
    match &base.bare().kind {
        ExprKind::Property { base, .. } | ExprKind::Index { base, .. } => is_parameter(file, base),
        _ => matches!(file.symbol(base.bare()), Some(Symbol::Param(_))),
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn an_id_that_is_a_string_is_found() {
        let text = "param p string\nvar v = 'a/b'\nresource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'a'\n  properties: {\n    id: 'a/b'\n    other: { someId: v }\n    appId: 'a/b'\n    uid: 'a/b'
    paramId: p\n    rightId: resourceId('A.B/c', 'd')\n    plainId: 'a'\n    joinId: concat(v)\n  }\n}\n";
        assert_eq!(lines("use-resource-id-functions", text), [6, 7, 13]);
    }
}
