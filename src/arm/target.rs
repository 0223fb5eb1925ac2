//! What a deployment deploys to, and the ids that follow from it.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/deploy-to-resource-group>.

use crate::arm::context::Context;

/// The scope of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A resource group.
    ResourceGroup {
        /// Id of the subscription, a GUID.
        subscription: String,
        /// Name of the group.
        name: String,
    },
    /// A subscription, by its GUID.
    Subscription(String),
    /// A management group, by its name.
    ManagementGroup(String),
    /// The tenant.
    Tenant,
}

impl Scope {
    /// The scope that a template's `$schema` speaks of, in the surroundings of `context`.
    pub fn of_schema(schema: &str, context: &Context) -> Self {
        let file = schema.trim_end_matches('#').rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let text = |value: &crate::value::Value, key: &str| {
            value.get(key).and_then(crate::value::Value::as_str).unwrap_or_default().to_owned()
        };
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

    /// The scope behind a resource id, if it is that of a resource group, subscription, management group or tenant.
    pub fn of_id(id: &str) -> Option<Self> {
        let segments: Vec<&str> = id.trim_matches('/').split('/').collect();
        let is = |at: usize, name: &str| segments[at].eq_ignore_ascii_case(name);
        match segments.len() {
            1 if segments[0].is_empty() => Some(Self::Tenant),
            2 if is(0, "subscriptions") => Some(Self::Subscription(segments[1].to_owned())),
            4 if is(0, "subscriptions") && is(2, "resourceGroups") => {
                Some(Self::ResourceGroup { subscription: segments[1].to_owned(), name: segments[3].to_owned() })
            }
            3 if is(0, "Microsoft.Management") && is(1, "managementGroups") => {
                Some(Self::ManagementGroup(segments[2].to_owned()))
            }
            4 if is(0, "providers") && is(1, "Microsoft.Management") && is(2, "managementGroups") => {
                Some(Self::ManagementGroup(segments[3].to_owned()))
            }
            _ => None,
        }
    }

    /// The id: `/subscriptions/…/resourceGroups/…`; `/` for the tenant.
    pub fn id(&self) -> String {
        match self {
            Self::Tenant => "/".to_owned(),
            _ => self.prefix(),
        }
    }

    /// What ids in this scope begin with: empty for the tenant.
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

    /// `resourceGroup`, `subscription`, `managementGroup` or `tenant`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ResourceGroup { .. } => "resourceGroup",
            Self::Subscription(_) => "subscription",
            Self::ManagementGroup(_) => "managementGroup",
            Self::Tenant => "tenant",
        }
    }

    /// The GUID of the subscription, where there is one.
    pub fn subscription(&self) -> Option<&str> {
        match self {
            Self::ResourceGroup { subscription, .. } | Self::Subscription(subscription) => Some(subscription),
            Self::ManagementGroup(_) | Self::Tenant => None,
        }
    }
}

/// The id of the resource of this type and full name below `prefix`. Types and names are laid into each other:
/// `Microsoft.Sql/servers/databases`, `s/d` give `…/providers/Microsoft.Sql/servers/s/databases/d`.
pub(super) fn resource_id(prefix: &str, type_name: &str, name: &str) -> String {
    let mut id = String::with_capacity(prefix.len() + type_name.len() + name.len() + 16);
    id.push_str(prefix);
    if type_name.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups") {
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
    for name in names {
        id.push('/');
        id.push_str(name);
    }
    id
}

/// Types that live at the tenant whatever the scope of the deployment that creates them.
pub(super) fn is_tenant_level(type_name: &str) -> bool {
    ["Microsoft.Management/managementGroups", "Microsoft.Subscription/aliases"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(type_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_names_are_laid_into_each_other() {
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
    fn scopes_are_read_from_ids_and_written_back() {
        for id in [
            "/",
            "/subscriptions/s",
            "/subscriptions/s/resourceGroups/g",
            "/providers/Microsoft.Management/managementGroups/m",
        ] {
            assert_eq!(Scope::of_id(id).map(|scope| scope.id()).as_deref(), Some(id));
        }
        assert_eq!(
            Scope::of_id("Microsoft.Management/managementGroups/m"),
            Some(Scope::ManagementGroup("m".to_owned()))
        );
        assert_eq!(Scope::of_id("/subscriptions/s/resourceGroups/g/providers/A.B/c/n"), None);
    }
}
