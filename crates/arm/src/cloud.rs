//! The clouds of Azure, and the value of `environment()` in each.
//!
//! Names and endpoints are those that Resource Manager publishes
//! (<https://management.azure.com/metadata/endpoints?api-version=2019-05-01>), in the form that `environment()` returns:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-deployment#environment>.

use crate::value::{Member, Unknown, Value};

/// The name of the public cloud.
pub(super) const PUBLIC: &str = "AzureCloud";

/// The endpoints in which the clouds differ.
struct Cloud {
    name: &'static str,
    portal: &'static str,
    login: &'static str,
    /// Suffix after `https://management.` in the endpoint of Resource Manager.
    management: &'static str,
    /// Suffix after `https://management.core.` in the endpoint of the classic deployment model.
    core: &'static str,
    gallery: &'static str,
    graph: &'static str,
    batch: &'static str,
    media: &'static str,
    container_registry: &'static str,
    front_door: &'static str,
    key_vault: &'static str,
    sql_server: &'static str,
    storage: &'static str,
}

const CLOUDS: &[Cloud] = &[
    Cloud {
        name: PUBLIC,
        portal: "https://portal.azure.com",
        login: "https://login.microsoftonline.com/",
        management: "azure.com",
        core: "windows.net",
        gallery: "https://gallery.azure.com/",
        graph: "https://graph.windows.net/",
        batch: "https://batch.core.windows.net/",
        media: "https://rest.media.azure.net",
        container_registry: ".azurecr.io",
        front_door: "azurefd.net",
        key_vault: ".vault.azure.net",
        sql_server: ".database.windows.net",
        storage: "core.windows.net",
    },
    Cloud {
        name: "AzureUSGovernment",
        portal: "https://portal.azure.us",
        login: "https://login.microsoftonline.us/",
        management: "usgovcloudapi.net",
        core: "usgovcloudapi.net",
        gallery: "https://gallery.usgovcloudapi.net/",
        graph: "https://graph.windows.net/",
        batch: "https://batch.core.usgovcloudapi.net/",
        media: "https://rest.media.usgovcloudapi.net",
        container_registry: ".azurecr.us",
        front_door: "",
        key_vault: ".vault.usgovcloudapi.net",
        sql_server: ".database.usgovcloudapi.net",
        storage: "core.usgovcloudapi.net",
    },
    Cloud {
        name: "AzureChinaCloud",
        portal: "https://portal.azure.cn",
        login: "https://login.chinacloudapi.cn/",
        management: "chinacloudapi.cn",
        core: "chinacloudapi.cn",
        gallery: "https://gallery.chinacloudapi.cn/",
        graph: "https://graph.chinacloudapi.cn/",
        batch: "https://batch.chinacloudapi.cn/",
        media: "https://rest.media.chinacloudapi.cn",
        container_registry: ".azurecr.cn",
        front_door: "",
        key_vault: ".vault.azure.cn",
        sql_server: ".database.chinacloudapi.cn",
        storage: "core.chinacloudapi.cn",
    },
];

/// Returns the value of `environment()` in the named cloud. For a cloud that is not one of Microsoft's, only the name
/// is known.
pub(super) fn environment(name: &str) -> Value {
    let known = CLOUDS.iter().find(|cloud| cloud.name.eq_ignore_ascii_case(name));
    known.map_or_else(
        || {
            let why = format!("only cloud `{name}` knows its endpoints");
            Value::unknown(Unknown::open(why, Value::object(vec![text("name", name)])))
        },
        Cloud::environment,
    )
}

impl Cloud {
    fn environment(&self) -> Value {
        let management = format!("https://management.{}/", self.management);
        let classic = format!("https://management.core.{}", self.core);
        let is_public = self.name == PUBLIC;
        let mut members = vec![
            text("name", self.name),
            text("gallery", self.gallery),
            text("graph", self.graph),
            text("portal", self.portal),
            text("graphAudience", self.graph),
        ];
        if is_public {
            members.push(text("activeDirectoryDataLake", "https://datalake.azure.net/"));
        }
        members.extend([
            text("batch", self.batch),
            text("media", self.media),
            text("sqlManagement", &format!("{classic}:8443/")),
            text("vmImageAliasDoc", ALIASES),
            text("resourceManager", &management),
            Member::new("authentication", self.authentication(&[&format!("{classic}/"), &management])),
            Member::new("suffixes", self.suffixes(is_public)),
        ]);
        Value::object(members)
    }

    fn authentication(&self, audiences: &[&str]) -> Value {
        let audiences = audiences.iter().map(|&audience| Value::from(audience)).collect();
        Value::object(vec![
            text("loginEndpoint", self.login),
            Member::new("audiences", Value::array(audiences)),
            text("tenant", "common"),
            text("identityProvider", "AAD"),
        ])
    }

    /// Returns the suffixes of service endpoints. Data lakes of the first generation existed only in the public cloud.
    fn suffixes(&self, has_data_lakes: bool) -> Value {
        let mut members = vec![text("acrLoginServer", self.container_registry)];
        if has_data_lakes {
            members.push(text("azureDatalakeAnalyticsCatalogAndJob", "azuredatalakeanalytics.net"));
            members.push(text("azureDatalakeStoreFileSystem", "azuredatalakestore.net"));
        }
        members.extend([
            text("azureFrontDoorEndpointSuffix", self.front_door),
            text("keyvaultDns", self.key_vault),
            text("sqlServerHostname", self.sql_server),
            text("storage", self.storage),
        ]);
        Value::object(members)
    }
}

/// The list of aliases of virtual machine images.
const ALIASES: &str =
    "https://raw.githubusercontent.com/Azure/azure-rest-api-specs/master/arm-compute/quickstart-templates/aliases.json";

fn text(key: &str, value: &str) -> Member {
    Member::new(key, Value::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Traits;

    #[track_caller]
    fn check(cloud: &str, path: &[&str], expected: &str) {
        let environment = environment(cloud);
        let found = path.iter().try_fold(&environment, |value, key| value.get(key));
        assert_eq!(found.and_then(Value::as_str), Some(expected));
    }

    #[test]
    fn each_cloud_has_its_own_endpoints() {
        check("AzureCloud", &["resourceManager"], "https://management.azure.com/");
        check("AzureCloud", &["sqlManagement"], "https://management.core.windows.net:8443/");
        check("azureusgovernment", &["name"], "AzureUSGovernment");
        check("AzureUSGovernment", &["suffixes", "keyvaultDns"], ".vault.usgovcloudapi.net");
        check("AzureUSGovernment", &["authentication", "loginEndpoint"], "https://login.microsoftonline.us/");
        check("AzureChinaCloud", &["suffixes", "storage"], "core.chinacloudapi.cn");
        check("AzureChinaCloud", &["resourceManager"], "https://management.chinacloudapi.cn/");
    }

    #[test]
    fn only_the_name_of_another_cloud_is_known() {
        assert!(environment("Stack").traits.has(Traits::UNKNOWN));
    }
}
