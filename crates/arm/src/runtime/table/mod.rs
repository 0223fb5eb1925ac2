//! The tables of runtime properties by resource type, and the domains of Azure services.
//!
//! The properties are those that the template reference of a type marks as read-only:
//! <https://learn.microsoft.com/azure/templates/>.

mod compute;
mod data;
mod identity;
mod integration;
mod network;
mod storage;
mod web;

use crate::runtime::source::RuntimeProperty;

/// Resource types with their runtime properties, sorted by type.
type Table = &'static [(&'static str, &'static [RuntimeProperty])];

const TABLES: &[Table] =
    &[compute::TABLE, data::TABLE, identity::TABLE, integration::TABLE, network::TABLE, storage::TABLE, web::TABLE];

/// Returns the runtime properties of a type. The name is case-insensitive.
pub(super) fn properties(type_name: &str) -> &'static [RuntimeProperty] {
    let mut rows = TABLES.iter().flat_map(|table| table.iter());
    rows.find(|(name, _)| name.eq_ignore_ascii_case(type_name)).map_or(&[], |(_, properties)| properties)
}

/// The domains of services in the public cloud, under which their resources have host names.
const DOMAINS: &[(&str, &str)] = &[
    ("api", "azure-api.net"),
    ("batch", "batch.azure.com"),
    ("bus", "servicebus.windows.net"),
    ("cosmos", "documents.azure.com"),
    ("database", "database.azure.com"),
    ("iot", "azure-devices.net"),
    ("kusto", "kusto.windows.net"),
    ("redis", "redis.cache.windows.net"),
    ("registry", "azurecr.io"),
    ("search", "search.windows.net"),
    ("sql", "database.windows.net"),
    ("storage", "core.windows.net"),
    ("synapse", "azuresynapse.net"),
    ("vault", "vault.azure.net"),
    ("web", "azurewebsites.net"),
];

/// Returns the domain of a service, by its key in a pattern.
pub(super) fn domain(service: &str) -> Option<&'static str> {
    DOMAINS.iter().find(|(name, _)| *name == service).map(|(_, domain)| *domain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::source::Source;

    #[test]
    fn types_are_sorted_and_unique() {
        for table in TABLES {
            let names: Vec<String> = table.iter().map(|(name, _)| name.to_lowercase()).collect();
            assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
        }
        let mut all: Vec<String> =
            TABLES.iter().flat_map(|table| table.iter()).map(|(name, _)| name.to_lowercase()).collect();
        all.sort();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn every_placeholder_of_a_pattern_is_known() {
        for (name, properties) in TABLES.iter().flat_map(|table| table.iter()) {
            for property in *properties {
                let (Source::Lower(pattern) | Source::Text(pattern) | Source::Like(pattern)) = property.source else {
                    continue;
                };
                for placeholder in pattern.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()) {
                    let known = ["name", "root", "region"].contains(&placeholder) || domain(placeholder).is_some();
                    assert!(known, "{name} {}: {placeholder}", property.path);
                }
            }
        }
    }
}
