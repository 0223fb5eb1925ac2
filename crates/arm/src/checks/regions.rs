//! Resource types in locations that do not offer them, or that have no availability zones for them.
//!
//! Azure adds locations to types, and never announces all of them in one place. So this is a check of its own, which users can
//! disable, and a type that the table does not have is offered everywhere.

use formwork_model::declare_checks;
use std::sync::LazyLock;

use crate::checks::location::is_without_zones;
use crate::eval::World;
use crate::model::{Document, Issue, Resource, join_key};
use crate::scope::normal_location;
use crate::value::Traits;

declare_checks! {
    pub(crate) const CHECKS;

    RESOURCE_REGION = Deployment Medium "resource/region" "Resource.Region"
        "A resource should be in a location that offers its type"
        "Azure rejects a resource in a location without its type. formwork knows the locations of July 2026; Azure adds some every month, so disable the check if it reports one of these."
        "Use a location that offers the type. `az provider show --namespace NAMESPACE` lists those of each type."
        .azure("templates/resource-location");
}

/// The most locations that a message names.
const MAX_NAMED: usize = 6;

/// Locations where each resource type is offered.
struct Table {
    /// The locations, in the order of the bits.
    locations: Vec<&'static str>,
    /// Each type in lower case, and a bit for each of its locations, sorted by type.
    types: Vec<(&'static str, u64)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut lines = include_str!("regions.txt").lines().filter(|line| !line.starts_with('#'));
    let locations = lines.next().unwrap_or_default().split(' ').collect();
    Table { locations, types: lines.filter_map(row).collect() }
});

/// Locations where a resource type has availability zones.
static ZONES: LazyLock<Table> = LazyLock::new(|| {
    let lines = include_str!("zones.txt").lines().filter(|line| !line.starts_with('#'));
    Table { locations: TABLE.locations.clone(), types: lines.filter_map(row).collect() }
});

/// Reads a type and the bits of its locations.
fn row(line: &'static str) -> Option<(&'static str, u64)> {
    let (name, bits) = line.split_once(' ')?;
    Some((name, u64::from_str_radix(bits, 16).ok()?))
}

/// Returns `true` for a type of which all locations are known, and none is a geography such as `europe`.
pub(super) fn is_listed(type_name: &str) -> bool {
    TABLE.bits(type_name).is_some()
}

impl Table {
    /// Returns the bits of the locations of a type. `None` if the type is not known.
    fn bits(&self, type_name: &str) -> Option<u64> {
        let name = type_name.to_ascii_lowercase();
        let at = self.types.binary_search_by_key(&name.as_str(), |(known, _)| known).ok()?;
        self.types.get(at).map(|(_, bits)| *bits)
    }

    /// Returns the locations of a type, if `location` is not one of them. `None` if it is, or if the type or the
    /// location is not known.
    fn others(&self, type_name: &str, location: &str) -> Option<Vec<&'static str>> {
        let at = self.locations.iter().position(|known| *known == location)?;
        let bits = self.bits(type_name)?;
        let has = |at: usize| bits >> at & 1 == 1;
        let offered = self.locations.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, name)| *name);
        (!has(at)).then(|| offered.collect())
    }
}

/// Reports resources in locations that do not offer their type, or no zones for it.
pub(super) fn check_regions(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        check_zones(resource, world);
        let Some(value) = resource.body.get("location") else { continue };
        let text = value.as_str().filter(|_| !value.traits.has(Traits::SECRET));
        let (Some(text), Some(span)) = (text, value.span) else { continue };
        let Some(others) = TABLE.others(&resource.type_name, &normal_location(text)) else { continue };
        let named = others.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let instead = match others.len() {
            1 => format!("expected {named}"),
            2..=MAX_NAMED => format!("expected one of {named}"),
            count => format!("{count} other locations do"),
        };
        let message = format!("the location `{text}` does not offer `{}`; {instead}", resource.type_name);
        world.issue(Issue::new(RESOURCE_REGION, join_key(&resource.path, "location"), span, message).with_value(value));
    }
}

/// Reports zones of a resource in a location that has zones, but not for its type.
fn check_zones(resource: &Resource, world: &World<'_>) {
    let (Some(zones), Some(location)) = (resource.body.get("zones"), resource.body.get("location")) else { return };
    let is_secret = zones.traits.has(Traits::SECRET) || location.traits.has(Traits::SECRET);
    let has_zones = zones.as_array().is_some_and(|zones| zones.iter().any(|zone| zone.as_unknown().is_none()));
    let (Some(text), Some(span), true) = (location.as_str(), zones.span, has_zones && !is_secret) else { return };
    let name = normal_location(text);
    if is_without_zones(&name) || name == "global" || ZONES.others(&resource.type_name, &name).is_none() {
        return;
    }
    let message = format!(
        "the location `{text}` has no availability zones for `{}`; remove `zones`, or use another location",
        resource.type_name
    );
    world.issue(Issue::new(RESOURCE_REGION, join_key(&resource.path, "zones"), span, message).with_value(zones));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_offered_in_some_locations() {
        let others = |type_name: &str, location: &str| TABLE.others(type_name, location);
        let of_sites = ["centralus", "eastasia", "eastus2", "westeurope", "westus2"];
        assert_eq!(others("Microsoft.Web/staticSites", "northeurope"), Some(of_sites.into()));
        assert_eq!(others("microsoft.web/staticsites", "westeurope"), None);
        assert_eq!(others("Microsoft.Web/staticSites", "usgovvirginia"), None);
        assert_eq!(others("Contoso.Lab/things", "northeurope"), None);
        assert_eq!(others("Microsoft.AlertsManagement/smartDetectorAlertRules", "westus"), Some(vec!["global"]));
        assert_eq!(others("Microsoft.Storage/storageAccounts", "westeurope"), None);
    }

    #[test]
    fn a_location_of_which_the_list_has_only_some_types_is_not_known() {
        for location in ["centraluseuap", "eastus2euap", "francesouth", "uaecentral"] {
            assert_eq!(TABLE.others("Microsoft.Web/staticSites", location), None, "{location}");
        }
        for location in TABLE.locations.iter().filter(|name| **name != "global") {
            for type_name in
                ["Microsoft.Storage/storageAccounts", "Microsoft.Compute/virtualMachines", "Microsoft.KeyVault/vaults"]
            {
                assert_eq!(TABLE.others(type_name, location), None, "{location}");
            }
        }
    }

    #[test]
    fn a_type_has_zones_in_some_locations() {
        let is_without = |type_name: &str, location: &str| ZONES.others(type_name, location).is_some();
        assert!(is_without("Microsoft.NetApp/netAppAccounts/capacityPools/volumes", "austriaeast"));
        assert!(!is_without("Microsoft.NetApp/netAppAccounts/capacityPools/volumes", "westeurope"));
        assert!(!is_without("Microsoft.Compute/virtualMachines", "austriaeast"));
        assert!(!is_without("Microsoft.Web/sites", "westus"));
        assert!(ZONES.types.is_sorted_by_key(|(name, _)| name) && ZONES.types.len() > 25);
    }

    #[test]
    fn the_table_can_be_read() {
        assert!(TABLE.locations.is_sorted() && TABLE.locations.len() <= 64);
        assert!(TABLE.types.is_sorted_by_key(|(name, _)| name) && TABLE.types.len() > 1000);
        let known = 1 << TABLE.locations.len();
        assert!(TABLE.types.iter().all(|(_, bits)| *bits > 0 && *bits < known));
    }
}
