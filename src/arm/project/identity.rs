//! Identities, roles, and what lies above resource groups.

use crate::arm::project::{Subject, Table, object, placeholder, properties, text};
use crate::value::{Member, Value};

pub(super) const TABLE: Table = &[
    ("Microsoft.Authorization/roleAssignments", role_assignment),
    ("Microsoft.ManagedIdentity/userAssignedIdentities", user_assigned),
    ("Microsoft.Management/managementGroups", management_group),
    ("Microsoft.Subscription/aliases", subscription_alias),
];

/// <https://learn.microsoft.com/azure/templates/microsoft.managedidentity/userassignedidentities>
fn user_assigned(subject: &Subject<'_>) -> Vec<Member> {
    properties(vec![
        Member::new("clientId", placeholder()),
        Member::new("principalId", placeholder()),
        Member::new("tenantId", subject.tenant_id()),
    ])
}

/// The principal is a user unless the template says otherwise.
fn role_assignment(_: &Subject<'_>) -> Vec<Member> {
    properties(vec![text("principalType", "User")])
}

fn management_group(subject: &Subject<'_>) -> Vec<Member> {
    properties(vec![Member::new("tenantId", subject.tenant_id())])
}

/// Azure draws the id of a new subscription.
fn subscription_alias(_: &Subject<'_>) -> Vec<Member> {
    properties(vec![
        Member::new("subscriptionId", placeholder()),
        text("acceptOwnershipState", "Completed"),
        text("acceptOwnershipUrl", ""),
    ])
}

/// Azure draws the principal of a system-assigned identity.
pub(super) fn of_any(subject: &Subject<'_>) -> Vec<Member> {
    let kind = subject.body.get("identity").and_then(|it| it.get("type")).and_then(Value::as_str).unwrap_or_default();
    if !kind.to_ascii_lowercase().contains("systemassigned") {
        return Vec::new();
    }
    let members = vec![Member::new("principalId", placeholder()), Member::new("tenantId", subject.tenant_id())];
    vec![object("identity", members)]
}
