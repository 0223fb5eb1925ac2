//! Storage, key vaults, registries.

use crate::arm::project::{Subject, Table, object, placeholder, properties, succeeded, text};
use crate::value::{Member, Value};

pub(super) const TABLE: Table = &[
    ("Microsoft.ContainerRegistry/registries", registry),
    ("Microsoft.KeyVault/vaults", vault),
    ("Microsoft.KeyVault/vaults/secrets", secret),
    ("Microsoft.Storage/storageAccounts", storage_account),
    ("Microsoft.Storage/storageAccounts/objectReplicationPolicies", replication_policy),
];

/// <https://learn.microsoft.com/azure/templates/microsoft.containerregistry/registries>
fn registry(subject: &Subject<'_>) -> Vec<Member> {
    properties(vec![text("loginServer", format!("{}.azurecr.io", subject.own_name()))])
}

/// <https://learn.microsoft.com/azure/templates/microsoft.keyvault/vaults>
fn vault(subject: &Subject<'_>) -> Vec<Member> {
    properties(vec![
        Member::new("accessPolicies", Value::array(Vec::new())),
        Member::new("tenantId", subject.tenant_id()),
        text("vaultUri", format!("https://{}.vault.azure.net/", subject.own_name().to_lowercase())),
    ])
}

/// The version of a secret is drawn by Azure.
fn secret(subject: &Subject<'_>) -> Vec<Member> {
    let (vault, name) = (subject.root_name().to_lowercase(), subject.own_name().to_lowercase());
    let uri = format!("https://{vault}.vault.azure.net/secrets/{name}");
    let version = "f".repeat(32);
    properties(vec![text("secretUri", uri.as_str()), text("secretUriWithVersion", format!("{uri}/{version}"))])
}

/// <https://learn.microsoft.com/azure/templates/microsoft.storage/storageaccounts>
fn storage_account(subject: &Subject<'_>) -> Vec<Member> {
    let name = subject.own_name();
    let endpoint = |service: &str| text(service, format!("https://{name}.{service}.core.windows.net/"));
    let services = ["web", "dfs", "blob", "file", "queue", "table"];
    let location = subject.body.get("location").and_then(Value::as_str);
    let mut members = vec![succeeded()];
    members.extend(location.map(|it| text("primaryLocation", it.to_lowercase())));
    members.push(object("primaryEndpoints", services.iter().map(|it| endpoint(it)).collect()));
    properties(members)
}

/// The ids of rules are drawn by Azure.
fn replication_policy(subject: &Subject<'_>) -> Vec<Member> {
    let rules = subject.property("rules").and_then(Value::as_array).unwrap_or_default();
    let rules = rules.iter().map(|_| Value::object(vec![Member::new("ruleId", placeholder())]));
    properties(vec![Member::new("rules", Value::array(rules.collect()))])
}
