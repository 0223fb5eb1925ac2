//! The scopes that a deployment can target, and the resource IDs in them.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/deploy-to-resource-group>.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use crate::context::Context;
use crate::value::{Str, Value};

/// The scope that a deployment targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeploymentScope {
    /// A resource group in a subscription.
    ResourceGroup {
        /// The GUID of the subscription.
        subscription: String,
        /// The name of the resource group.
        name: String,
    },
    /// A subscription, by its GUID.
    Subscription(String),
    /// A management group, by its name.
    ManagementGroup(String),
    /// The tenant of the deployer.
    Tenant,
}

impl DeploymentScope {
    /// Returns the scope that a template's `$schema` declares, with the names and IDs of `context`. A resource group
    /// for an unknown or missing schema.
    pub fn of_schema(schema: &str, context: &Context) -> Self {
        let file = schema.trim_end_matches('#').rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let subscription = text(&context.subscription, "subscriptionId");
        if file.starts_with("subscription") {
            Self::Subscription(subscription)
        } else if file.starts_with("managementgroup") {
            Self::ManagementGroup(text(&context.management_group, "name"))
        } else if file.starts_with("tenant") {
            Self::Tenant
        } else {
            Self::ResourceGroup { subscription, name: text(&context.resource_group, "name") }
        }
    }

    /// Returns the scope with this ID. `None` if the ID belongs to another resource.
    pub fn of_id(id: &str) -> Option<Self> {
        let segments: Vec<&str> = id.trim_matches('/').split('/').collect();
        let are = |found: &[&str], expected: &[&str]| {
            found.iter().zip(expected).all(|(found, expected)| found.eq_ignore_ascii_case(expected))
        };
        match *segments.as_slice() {
            [""] => Some(Self::Tenant),
            [kind, id] if are(&[kind], &["subscriptions"]) => Some(Self::Subscription(id.to_owned())),
            [kind, id, inner, name] if are(&[kind, inner], &["subscriptions", "resourceGroups"]) => {
                Some(Self::ResourceGroup { subscription: id.to_owned(), name: name.to_owned() })
            }
            // The `scope` of a deployment may omit `/providers`.
            [provider, kind, name] if are(&[provider, kind], &["Microsoft.Management", "managementGroups"]) => {
                Some(Self::ManagementGroup(name.to_owned()))
            }
            [first, provider, kind, name]
                if are(&[first, provider, kind], &["providers", "Microsoft.Management", "managementGroups"]) =>
            {
                Some(Self::ManagementGroup(name.to_owned()))
            }
            _ => None,
        }
    }

    /// Returns the scope with an ID in which the name of a management group, or the ID of a subscription, is blank: as
    /// in `Microsoft.Management/managementGroups/` before a parameter has a value. The names come from `context`.
    pub fn of_unnamed(id: &str, context: &Context) -> Option<Self> {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let subscription = || text(&context.subscription, "subscriptionId");
        let lower = id.trim_start_matches('/').to_ascii_lowercase();
        let lower = lower.strip_prefix("providers/").unwrap_or(&lower);
        let segments: Vec<&str> = lower.split('/').collect();
        match *segments.as_slice() {
            ["microsoft.management", "managementgroups", ""] => {
                Some(Self::ManagementGroup(text(&context.management_group, "name")))
            }
            ["subscriptions", ""] => Some(Self::Subscription(subscription())),
            ["subscriptions", given, "resourcegroups", name] if given.is_empty() || name.is_empty() => {
                let or = |given: &str, else_: String| if given.is_empty() { else_ } else { given.to_owned() };
                let name = or(name, text(&context.resource_group, "name"));
                Some(Self::ResourceGroup { subscription: or(given, subscription()), name })
            }
            _ => None,
        }
    }

    /// Returns the ID of the scope, such as `/subscriptions/…/resourceGroups/…`; `/` for the tenant.
    pub fn id(&self) -> String {
        match self {
            Self::Tenant => "/".to_owned(),
            _ => self.prefix(),
        }
    }

    /// Returns the prefix of the IDs of resources in this scope. Empty for the tenant.
    pub fn prefix(&self) -> String {
        match self {
            Self::ResourceGroup { subscription, name } => {
                format!("/subscriptions/{subscription}/resourceGroups/{name}")
            }
            Self::Subscription(subscription) => format!("/subscriptions/{subscription}"),
            Self::ManagementGroup(name) => format!("/providers/Microsoft.Management/managementGroups/{name}"),
            Self::Tenant => String::new(),
        }
    }

    /// Returns the name of the kind: `resourceGroup`, `subscription`, `managementGroup` or `tenant`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ResourceGroup { .. } => "resourceGroup",
            Self::Subscription(_) => "subscription",
            Self::ManagementGroup(_) => "managementGroup",
            Self::Tenant => "tenant",
        }
    }

    /// Returns the kind in words: `resource group`, `subscription`, `management group` or `tenant`.
    pub fn words(&self) -> &'static str {
        match self {
            Self::ResourceGroup { .. } => "resource group",
            Self::Subscription(_) => "subscription",
            Self::ManagementGroup(_) => "management group",
            Self::Tenant => "tenant",
        }
    }

    /// Returns the name of the resource group. `None` for any other scope.
    pub fn resource_group(&self) -> Option<&str> {
        match self {
            Self::ResourceGroup { name, .. } => Some(name),
            Self::Subscription(_) | Self::ManagementGroup(_) | Self::Tenant => None,
        }
    }

    /// Returns the GUID of the subscription. `None` for a management group or the tenant.
    pub fn subscription(&self) -> Option<&str> {
        match self {
            Self::ResourceGroup { subscription, .. } | Self::Subscription(subscription) => Some(subscription),
            Self::ManagementGroup(_) | Self::Tenant => None,
        }
    }
}

/// Returns the ID of the resource with this type and full name in the scope with this prefix. Types and names
/// alternate: `Microsoft.Sql/servers/databases` and `s/d` give `…/providers/Microsoft.Sql/servers/s/databases/d`.
pub(super) fn resource_id(prefix: &str, type_name: &str, name: &str) -> String {
    let mut id = String::with_capacity(prefix.len() + type_name.len() + name.len() + 16);
    id.push_str(prefix);
    if is_resource_group(type_name) {
        id.push_str("/resourceGroups/");
        id.push_str(name);
        return id;
    }
    let mut types = type_name.split('/');
    id.push_str("/providers/");
    id.push_str(types.next().unwrap_or_default());
    let mut names = name.split('/');
    for segment in types {
        id.push('/');
        id.push_str(segment);
        if let Some(name) = names.next() {
            id.push('/');
            id.push_str(name);
        }
    }
    // More names than types, which is an error in the template, must not be lost.
    for name in names {
        id.push('/');
        id.push_str(name);
    }
    id
}

/// Returns `true` for the type of resource groups.
pub(super) fn is_resource_group(type_name: &str) -> bool {
    type_name.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups")
}

/// Normalizes a location to Azure's form: `West US 2` becomes `westus2`.
pub(super) fn normal_location(location: &str) -> String {
    location.chars().filter(|character| !character.is_whitespace()).collect::<String>().to_lowercase()
}

/// Returns `true` if resources of this type are always in the tenant, whatever scope their deployment targets.
pub(super) fn is_tenant_level(type_name: &str) -> bool {
    ["Microsoft.Management/managementGroups", "Microsoft.Subscription/aliases"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(type_name))
}

/// Returns the names in a resource ID, in an ID that is relative to a deployment, or in a single name: without the
/// words between them and the types.
pub(super) fn names_of_id(id: &str) -> Vec<&str> {
    // A relative ID begins with a namespace.
    let pairs = match id.split_once('/') {
        None => return vec![id],
        Some((_, pairs)) => pairs,
    };
    let mut names = Vec::new();
    let mut segments = pairs.split('/');
    while let (Some(word), Some(name)) = (segments.next(), segments.next()) {
        if !word.eq_ignore_ascii_case("providers") {
            names.push(name);
        }
    }
    names
}

/// Removes from a type the characters that no type has, such as blanks around it. `None` if the type is already written
/// as Resource Manager requires.
pub(crate) fn cleaned_type(type_name: &str) -> Option<Str> {
    let belongs = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '.' | '-' | '_' | '/');
    let is_clean = type_name.chars().all(belongs) && type_name.split('/').all(|segment| !segment.is_empty());
    if is_clean || type_name.is_empty() {
        return None;
    }
    let kept: String = type_name.chars().filter(|&character| belongs(character)).collect();
    let segments: Vec<&str> = kept.split('/').filter(|segment| !segment.is_empty()).collect();
    Some(Str::from(segments.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_names_alternate_in_an_id() {
        let rg = "/subscriptions/s/resourceGroups/g";
        let check = |type_name, name, expected: &str| assert_eq!(resource_id(rg, type_name, name), expected);
        check("A.B/c", "n", "/subscriptions/s/resourceGroups/g/providers/A.B/c/n");
        check("A.B/c/d", "n/m", "/subscriptions/s/resourceGroups/g/providers/A.B/c/n/d/m");
        check(
            "A.B/c/providers/locks",
            "n/Microsoft.Authorization/l",
            "/subscriptions/s/resourceGroups/g/providers/A.B/c/n/providers/Microsoft.Authorization/locks/l",
        );
    }

    #[test]
    fn names_are_found_in_ids() {
        let check = |id, expected: &[&str]| assert_eq!(names_of_id(id), expected, "{id}");
        check("n", &["n"]);
        check("/subscriptions/s/resourceGroups/g", &["s", "g"]);
        check("/subscriptions/s/providers/A.B/c/n/d/m/providers/E.F/g/o", &["s", "n", "m", "o"]);
        check("A.B/c/n", &["n"]);
    }

    #[test]
    fn scopes_are_read_from_ids_and_written_back() {
        for id in [
            "/",
            "/subscriptions/s",
            "/subscriptions/s/resourceGroups/g",
            "/providers/Microsoft.Management/managementGroups/m",
        ] {
            assert_eq!(DeploymentScope::of_id(id).map(|scope| scope.id()).as_deref(), Some(id));
        }
        assert_eq!(
            DeploymentScope::of_id("Microsoft.Management/managementGroups/m"),
            Some(DeploymentScope::ManagementGroup("m".to_owned()))
        );
        assert_eq!(DeploymentScope::of_id("/subscriptions/s/resourceGroups/g/providers/A.B/c/n"), None);
    }

    #[test]
    fn a_type_is_found_among_what_no_type_has() {
        let cleaned = |text: &str| cleaned_type(text).map(|found| found.to_string());
        for text in [
            " Microsoft.Web/sites",
            "Microsoft.Web/sites\t",
            "Microsoft.Web / sites",
            "/Microsoft.Web//sites/",
            "Microsoft.Web/\u{200b}sites\u{a0}",
        ] {
            assert_eq!(cleaned(text).as_deref(), Some("Microsoft.Web/sites"), "{text:?}");
        }
        assert_eq!(cleaned("Microsoft.Web/sites/host.x-y_z"), None);
        assert_eq!(cleaned(""), None);
    }
}
