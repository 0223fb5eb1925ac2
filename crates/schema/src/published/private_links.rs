//! The groups of private endpoints, which depend on the type of the resource that they lead to.
//!
//! Reference: <https://learn.microsoft.com/azure/private-link/private-endpoint-overview#private-link-resource>.

use crate::checks::NETWORK_GROUP_ID;
use crate::diagnostic::Severity;
use crate::model::{Issue, Resource, ResourceId};
use crate::published::misfit::MisfitStep;
use crate::published::tolerance::Cloud;
use crate::published::{issue_at, walk};
use crate::text::{cut, did_you_mean};
use crate::value::{Data, Traits, Value, ValueExcerpt};

/// The type of private endpoints.
const ENDPOINTS: &str = "Microsoft.Network/privateEndpoints";

/// The lists of connections of an endpoint.
const CONNECTIONS: [&str; 2] = ["privateLinkServiceConnections", "manualPrivateLinkServiceConnections"];

/// The longest part of a value in a message, in bytes.
const MAX_SHOWN: usize = 100;

/// The groups of a type.
struct Groups {
    type_name: &'static str,
    names: Vec<&'static str>,
    /// Number of independent sources that agree.
    sources: u32,
}

impl Groups {
    /// Returns the groups of a type. `None` if they are not known.
    fn of_type(type_name: &str) -> Option<Self> {
        let rows = include_str!("../../data/azure.private-links").lines().filter(|line| !line.starts_with('#'));
        let mut rows = rows.map(|row| row.split('\t').collect::<Vec<_>>());
        let row = rows.find(|row| row.first().is_some_and(|name| name.eq_ignore_ascii_case(type_name)))?;
        let [type_name, names, sources] = row.as_slice() else { return None };
        Some(Self { type_name, names: names.split(',').collect(), sources: sources.parse().ok()? })
    }

    fn has(&self, group: &str) -> bool {
        self.names.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => group.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start)),
            None => name.eq_ignore_ascii_case(group),
        })
    }
}

/// Adds the issues of groups that the linked resource of an endpoint does not have.
pub(super) fn check_private_links(resource: &Resource, id: ResourceId, type_name: &str, issues: &mut Vec<Issue>) {
    if !type_name.eq_ignore_ascii_case(ENDPOINTS) {
        return;
    }
    let properties = resource.body.get("properties");
    for list in CONNECTIONS {
        let connections = properties.and_then(|properties| properties.get(list)?.as_array()).unwrap_or_default();
        for (at, connection) in connections.iter().enumerate() {
            let steps = [
                MisfitStep::Member("properties"),
                MisfitStep::Member(list),
                MisfitStep::Item(at),
                MisfitStep::Member("properties"),
            ];
            if let Some(properties) = connection.get("properties") {
                check_connection(resource, id, properties, &steps, issues);
            }
        }
    }
}

fn check_connection(
    resource: &Resource,
    id: ResourceId,
    connection: &Value,
    steps: &[MisfitStep<'_>],
    issues: &mut Vec<Issue>,
) {
    let linked = connection.get("privateLinkServiceId").and_then(linked_type);
    let Some(groups) = linked.and_then(|linked| Groups::of_type(&linked)) else { return };
    let given = connection.get("groupIds").and_then(Value::as_array).unwrap_or_default();
    let issue_of = |steps: &[MisfitStep<'_>], value: Option<&Value>, message: String| {
        let mut issue = issue_at(&walk(resource, steps, &[]), id, NETWORK_GROUP_ID, message);
        issue.severity = (groups.sources < 2).then_some(Severity::Low);
        issue.actual = value.map(ValueExcerpt::new);
        issue
    };
    let listed = [steps, &[MisfitStep::Member("groupIds")]].concat();
    for (at, group) in given.iter().enumerate() {
        let Some(text) = known_text(group).filter(|text| !groups.has(text)) else { continue };
        let names = groups.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let hint = did_you_mean(text, groups.names.iter().copied());
        let one_of = if groups.names.len() == 1 { "" } else { "one of " };
        let message =
            format!("`{}` has no group `{}`; expected {one_of}{names}{hint}", groups.type_name, cut(text, MAX_SHOWN));
        issues.push(issue_of(&[listed.as_slice(), &[MisfitStep::Item(at)]].concat(), Some(group), message));
    }
    let known: Option<Vec<&str>> = given.iter().map(known_text).collect();
    if let Some([_, _, ..]) = known.as_deref() {
        let message = format!("a connection leads to one group, but `groupIds` has {}; expected one", given.len());
        let mut issue = issue_of(&listed, None, message);
        issue.severity = Some(if groups.sources < 2 { Severity::Low } else { Severity::Medium });
        issues.push(issue);
    }
}

/// Returns a string that is known, and that no tool replaces.
fn known_text(value: &Value) -> Option<&str> {
    let is_open = value.traits.has(Traits::SECRET) || value.traits.has(Traits::PLACEHOLDER);
    value.as_str().filter(|text| !is_open && !text.is_empty() && !Cloud::Azure.is_replaced(text))
}

/// Returns the type of the resource with an ID, of which only names may be unknown.
fn linked_type(id: &Value) -> Option<String> {
    let id = match &id.data {
        Data::Unknown(unknown) => unknown.approximation.as_str()?,
        _ => id.as_str()?,
    };
    let (_, own) = id.rsplit_once("/providers/")?;
    let mut segments = own.split('/');
    let provider = segments.next()?;
    let types: Vec<&str> = segments.step_by(2).collect();
    (!types.is_empty()).then(|| format!("{provider}/{}", types.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Kind, Unknown};

    #[test]
    fn types_have_their_groups() {
        let has = |type_name: &str, group: &str| Groups::of_type(type_name).map(|groups| groups.has(group));
        assert_eq!(has("microsoft.sql/SERVERS", "SQLSERVER"), Some(true));
        assert_eq!(has("Microsoft.Sql/servers", "sql"), Some(false));
        assert_eq!(has("Microsoft.Web/sites", "sites-staging"), Some(true));
        assert_eq!(has("Microsoft.Network/privateLinkServices", "x"), None);
    }

    #[test]
    fn the_type_of_an_id_is_found() {
        const ID: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Sql/servers/x";
        assert_eq!(linked_type(&Value::from(ID)).as_deref(), Some("Microsoft.Sql/servers"));
        let child = format!("{ID}/databases/d");
        assert_eq!(linked_type(&Value::from(child)).as_deref(), Some("Microsoft.Sql/servers/databases"));
        let unknown = Value::unknown(Unknown::like(Kind::String, "a test says so", Value::from(ID)));
        assert_eq!(linked_type(&unknown).as_deref(), Some("Microsoft.Sql/servers"));
        assert_eq!(linked_type(&Value::from("x")), None);
    }

    #[test]
    fn the_table_can_be_read() {
        let rows = include_str!("../../data/azure.private-links").lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            assert!(Groups::of_type(row.split('\t').next().unwrap()).is_some(), "{row}");
        }
    }
}
