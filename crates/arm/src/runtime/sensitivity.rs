//! Properties of resources that hold secrets, and properties that hold none although their names suggest it.
//!
//! The rows are those that matter for parameters. Azure's type definitions mark secrets as `sensitive`; a table made of
//! them can replace [`SECRETS`] without a change elsewhere.

use crate::secret_names::{self, Hint};
use crate::value::{Data, Member, Traits, Unknown, Value};

/// Sensitivity of the values of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sensitivity {
    /// Azure treats the value as a secret, and does not return it.
    Secret,
    /// Azure does not return the value, which may contain a secret.
    WriteOnly,
    /// Everyone who can read the resource can read the value.
    Plain,
}

/// Resource types and the paths of their properties that hold secrets, without the indexes of arrays.
const SECRETS: &[(&str, &str)] = &[
    ("Microsoft.Automation/automationAccounts/credentials", "properties.password"),
    ("Microsoft.Automation/automationAccounts/sourceControls", "properties.securityToken"),
    ("Microsoft.Cdn/profiles/secrets", "properties.parameters.secretSource"),
    ("Microsoft.Compute/virtualMachineScaleSets", "properties.virtualMachineProfile.osProfile.adminPassword"),
    ("Microsoft.Compute/virtualMachines", "properties.osProfile.adminPassword"),
    ("Microsoft.ContainerInstance/containerGroups", "properties.imageRegistryCredentials.password"),
    ("Microsoft.ContainerService/managedClusters", "properties.servicePrincipalProfile.secret"),
    ("Microsoft.ContainerService/managedClusters", "properties.windowsProfile.adminPassword"),
    ("Microsoft.DBforMariaDB/servers", "properties.administratorLoginPassword"),
    ("Microsoft.DBforMySQL/flexibleServers", "properties.administratorLoginPassword"),
    ("Microsoft.DBforMySQL/servers", "properties.administratorLoginPassword"),
    ("Microsoft.DBforPostgreSQL/flexibleServers", "properties.administratorLoginPassword"),
    ("Microsoft.DBforPostgreSQL/servers", "properties.administratorLoginPassword"),
    ("Microsoft.HDInsight/clusters", "properties.storageProfile.storageaccounts.key"),
    ("Microsoft.Network/connections", "properties.sharedKey"),
    ("Microsoft.Sql/managedInstances", "properties.administratorLoginPassword"),
    ("Microsoft.Sql/servers", "properties.administratorLoginPassword"),
    ("Microsoft.Synapse/workspaces", "properties.sqlAdministratorLoginPassword"),
    ("Microsoft.Web/certificates", "properties.password"),
];

/// Resource types and the paths of their properties that Azure does not return, secret or not.
const WRITE_ONLY: &[(&str, &str)] = &[
    ("Microsoft.Compute/virtualMachineScaleSets/extensions", "properties.protectedSettings"),
    ("Microsoft.Compute/virtualMachines", "properties.osProfile.customData"),
    ("Microsoft.Compute/virtualMachines/extensions", "properties.protectedSettings"),
    ("Microsoft.HDInsight/clusters", "properties.clusterDefinition.configurations"),
    ("Microsoft.KeyVault/vaults/secrets", "properties.value"),
];

/// Resource types and the paths of their properties whose names sound like a secret, but which hold none.
const PLAIN: &[(&str, &str)] = &[
    ("Microsoft.AppConfiguration/configurationStores/keyValues", "name"),
    ("Microsoft.DocumentDB/databaseAccounts/mongodbDatabases/collections", "properties.resource.shardKey"),
    ("Microsoft.Logic/integrationAccounts/certificates", "properties.key"),
    ("Microsoft.NetApp/netAppAccounts/capacityPools/volumes", "properties.creationToken"),
];

/// Members of every resource that show their values to everyone.
const PLAIN_MEMBERS: &[&str] = &["apiVersion", "kind", "location", "name", "sku", "tags"];

/// Names of properties that hold no secret in any resource.
const PLAIN_PROPERTIES: &[&str] =
    &["keyName", "keyVersion", "partitionKey", "publicKey", "secretName", "secretVersion"];

/// Returns the sensitivity of the property at a path such as `properties.osProfile.adminPassword`, without the indexes
/// of arrays. `None` if it is not known.
pub(crate) fn sensitivity(type_name: &str, path: &str) -> Option<Sensitivity> {
    let is_row = |rows: &[(&str, &str)]| {
        rows.iter().filter(|(name, _)| name.eq_ignore_ascii_case(type_name)).any(|(_, row)| {
            let is_below = path.get(row.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            let begins = path.get(..row.len()).is_some_and(|start| start.eq_ignore_ascii_case(row));
            is_below && begins
        })
    };
    let member = path.split('.').next().unwrap_or(path);
    let property = path.rsplit('.').next().unwrap_or(path);
    let is_one_of = |names: &[&str], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if is_row(SECRETS) {
        Some(Sensitivity::Secret)
    } else if is_row(WRITE_ONLY) {
        Some(Sensitivity::WriteOnly)
    } else if is_row(PLAIN) || is_one_of(PLAIN_MEMBERS, member) || is_one_of(PLAIN_PROPERTIES, property) {
        Some(Sensitivity::Plain)
    } else {
        None
    }
}

/// Returns `value`, which is written at `path` in a resource, in the form that Azure returns: without secrets that were
/// only written. Secret are the properties that are known to hold one, and others whose names suggest it.
pub(crate) fn returned(type_name: &str, path: &str, value: &Value) -> Value {
    if !value.traits.has(Traits::SECRET) {
        return value.clone();
    }
    let property = path.rsplit('.').next().unwrap_or(path);
    let is_scalar = !matches!(value.data, Data::Array(_) | Data::Object(_));
    let is_secret = matches!(sensitivity(type_name, path), Some(Sensitivity::Secret | Sensitivity::WriteOnly))
        || (is_scalar && secret_names::hint(property) == Some(Hint::Strong));
    if is_secret {
        let why = format!("Azure does not return `{path}`, which holds a secret");
        return Value { span: value.span, ..Value::unknown(Unknown::new(value.kind(), why)) };
    }
    let part = match &value.data {
        Data::Array(items) => Value::array(items.iter().map(|item| returned(type_name, path, item)).collect()),
        Data::Object(object) => {
            let member = |member: &Member| {
                let value = returned(type_name, &format!("{path}.{}", member.key), &member.value);
                Member { value, ..member.clone() }
            };
            Value::object(object.iter().map(member).collect())
        }
        _ => return value.clone(),
    };
    Value { span: value.span, via: value.via.clone(), ..part }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_unique() {
        for table in [SECRETS, WRITE_ONLY, PLAIN] {
            assert!(table.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn properties_are_found_by_type_and_path() {
        let of = sensitivity;
        assert_eq!(of("microsoft.sql/servers", "properties.AdministratorLoginPassword"), Some(Sensitivity::Secret));
        assert_eq!(of("Microsoft.Sql/servers", "properties.administratorLogin"), None);
        assert_eq!(
            of("Microsoft.Logic/integrationAccounts/certificates", "properties.key.keyName"),
            Some(Sensitivity::Plain)
        );
        assert_eq!(of("Microsoft.KeyVault/vaults/secrets", "properties.value"), Some(Sensitivity::WriteOnly));
        assert_eq!(of("A.B/c", "properties.keys"), None);
        assert_eq!(of("A.B/c", "tags.x"), Some(Sensitivity::Plain));
    }
}
