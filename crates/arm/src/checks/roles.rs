//! Role assignments that Azure rejects: a role that is misspelled, and a name that is not a GUID.
//!
//! Reference: <https://learn.microsoft.com/azure/role-based-access-control/built-in-roles>,
//! <https://learn.microsoft.com/azure/role-based-access-control/role-assignments-template>.

use std::sync::LazyLock;

use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::checks::location::is_slip;
use crate::eval::World;
use crate::model::{Document, Issue, Resource, join_index, join_key};
use crate::text::placeholders;
use crate::value::{Traits, Value};

declare_checks! {
    pub(crate) const CHECKS;

    ROLE_DEFINITION = Deployment Medium "role/definition" "Role.Definition"
        "A role assignment should name a role that exists"
        "Azure rejects an assignment of a role that it does not have. The ID of the role differs from that of a built-in one by a digit or two, so it is most likely misspelled."
        "Correct the ID of the role, or suppress the finding if the role is one of your own.";
    ROLE_ASSIGNMENT = Deployment High "role/assignment" "Role.Assignment"
        "The name of a role assignment should be a GUID"
        "Azure rejects a role assignment with another name."
        "Compute the name from what the assignment is for: `guid(scope, principal ID, role definition ID)`.";
}

/// The built-in roles: the ID and the name of each, sorted by ID. Azure has more of them.
static ROLES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = include_str!("roles.txt").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.split_once(' ')).collect()
});

/// The groups of digits of a GUID.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// Maximum number of wrong digits in the ID of a misspelled role. Two role IDs differ in more digits, because they are
/// random.
const MAX_SLIPS: usize = 2;

/// Reports role assignments with a misspelled role, or with a name that is not a GUID.
pub(super) fn check_role_assignments(document: &Document, world: &World<'_>) {
    let declared = declared(document);
    for resource in &document.resources {
        let is_of = |kind: &str| resource.type_name.to_ascii_lowercase().ends_with(kind);
        if is_of("microsoft.authorization/roleassignments") || is_of("/providers/roleassignments") {
            check_name(resource, world);
        }
        for (path, value) in roles(resource) {
            let Some(text) = known_text(value) else { continue };
            let Some((_, id)) = text.rsplit_once('/').filter(|(before, _)| is_list_of_roles(before)) else { continue };
            let id = id.to_ascii_lowercase();
            let (Some((meant, name)), Some(span)) = (meant(&id), value.span) else { continue };
            if !declared.contains(&id) {
                let message = format!("Azure has no built-in role `{id}`; did you mean `{meant}`, which is {name}?");
                world.issue(Issue::new(ROLE_DEFINITION, path, span, message).with_value(value));
            }
        }
    }
}

/// Returns the IDs of the roles that the templates define, or refer to as existing.
fn declared(document: &Document) -> HashSet<String> {
    let is_role =
        |resource: &&Resource| resource.type_name.eq_ignore_ascii_case("Microsoft.Authorization/roleDefinitions");
    let roles = document.resources.iter().chain(&document.existing).filter(is_role);
    roles.filter_map(|role| Some(role.name.rsplit('/').next()?.to_ascii_lowercase())).collect()
}

/// Returns the IDs of roles that a resource refers to, each with its path: the role of an assignment, or the roles of a
/// policy, which its assignment needs.
fn roles(resource: &Resource) -> Vec<(String, &Value)> {
    let Some(properties) = resource.body.get("properties") else { return Vec::new() };
    let path = join_key(&resource.path, "properties");
    let one = properties.get("roleDefinitionId").map(|value| (join_key(&path, "roleDefinitionId"), value));
    let mut of_policy = (path, Some(properties));
    for name in ["policyRule", "then", "details", "roleDefinitionIds"] {
        of_policy = (join_key(&of_policy.0, name), of_policy.1.and_then(|value| value.get(name)));
    }
    let (path, list) = of_policy;
    let items = list.and_then(Value::as_array).unwrap_or_default().iter().enumerate();
    one.into_iter().chain(items.map(|(at, item)| (join_index(&path, at), item))).collect()
}

fn is_list_of_roles(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with("microsoft.authorization/roledefinitions")
}

/// Returns the string of a value that is known, not secret, and without a placeholder.
fn known_text(value: &Value) -> Option<&str> {
    let text = value.as_str().filter(|_| !value.traits.has(Traits::SECRET))?;
    placeholders(text).is_empty().then_some(text)
}

/// Returns the role whose ID `id` misspells, with its name. `None` if `id` is in the table.
fn meant(id: &str) -> Option<(&'static str, &'static str)> {
    if ROLES.binary_search_by_key(&id, |(known, _)| *known).is_ok() {
        return None;
    }
    let slips = |known: &str| id.bytes().zip(known.bytes()).filter(|(one, other)| one != other).count();
    let is_near = |known: &str| id.len() == known.len() && slips(known) <= MAX_SLIPS || is_slip(id, known);
    ROLES.iter().copied().find(|(known, _)| is_near(known))
}

fn check_name(assignment: &Resource, world: &World<'_>) {
    let Some(value) = assignment.body.get("name") else { return };
    let (Some(text), Some(span)) = (known_text(value), value.span) else { return };
    let name = text.rsplit('/').next().unwrap_or(text);
    if !is_guid(name) {
        let message =
            format!("the name `{name}` of a role assignment is not a GUID; write `guid(…)` of what it is for");
        world.issue(Issue::new(ROLE_ASSIGNMENT, join_key(&assignment.path, "name"), span, message).with_value(value));
    }
}

/// Returns `true` if `text` is a GUID that .NET accepts, also without hyphens, and in braces or parentheses.
fn is_guid(text: &str) -> bool {
    let text = text.trim();
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let text = inner.or_else(|| text.strip_prefix('(')?.strip_suffix(')')).unwrap_or(text);
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_groups = || text.split('-').map(str::len).eq(GROUPS);
    text.split('-').all(is_hex) && (text.len() == 32 && is_hex(text) || has_groups())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        assert!(ROLES.is_sorted() && ROLES.len() > 200);
        assert!(ROLES.iter().all(|(id, name)| is_guid(id) && *id == id.to_ascii_lowercase() && !name.is_empty()));
    }

    #[test]
    fn an_id_with_wrong_digits_is_told_from_that_of_another_role() {
        let contributor = Some(("b24988ac-6180-42a0-ab88-20f7382dd24c", "Contributor"));
        for slip in [
            "b24988ac-6180-42a0-ab88-20f7382dd24d",
            "b24988ac-6180-42a0-ab88-20f7382dd2d4",
            "b24988ac-6180-42a0-ab88-20f7382dd24",
            "b2498ac-6180-42a0-ab88-20f7382dd24c",
        ] {
            assert_eq!(meant(slip), contributor, "{slip}");
        }
        for other in ["b24988ac-6180-42a0-ab88-20f7382dd24c", "11111111-2222-3333-4444-555555555555", "owner", ""] {
            assert_eq!(meant(other), None, "{other}");
        }
    }

    #[test]
    fn a_guid_has_groups_of_digits() {
        let guid = "b24988ac-6180-42a0-ab88-20f7382dd24c";
        let short = guid.replace('-', "");
        for right in [guid, &guid.to_uppercase(), &short, &format!("{{{guid}}}"), &format!("({guid})")] {
            assert!(is_guid(right), "{right}");
        }
        for wrong in [
            "",
            "owner-of-group",
            "b24988ac",
            "b24988ac-6180-42a0-ab88-20f7382dd24",
            "b24988ac61-80-42a0-ab88-20f7382dd24c",
        ] {
            assert!(!is_guid(wrong), "{wrong}");
        }
    }
}
