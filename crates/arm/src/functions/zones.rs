//! Functions for availability zones.
//!
//! Which physical zone a logical zone maps to differs between subscriptions, and only Azure knows it. formwork assumes
//! that they are in order, as they are in most subscriptions.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-resource#pickzones>.

use crate::fault::Fault;
use crate::functions::{Args, Function, between, exactly, pure};
use crate::value::{Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("pickZones", between(3, 5), Kind::Array, pick_zones),
    pure("toLogicalZone", exactly(3), Kind::String, to_logical_zone),
    pure("toLogicalZones", exactly(3), Kind::Array, to_logical_zones),
    pure("toPhysicalZone", exactly(3), Kind::String, to_physical_zone),
    pure("toPhysicalZones", exactly(3), Kind::Array, to_physical_zones),
];

/// Regions with availability zones: <https://learn.microsoft.com/azure/reliability/regions-list>.
const REGIONS: &[&str] = &[
    "australiaeast",
    "austriaeast",
    "brazilsouth",
    "canadacentral",
    "centralindia",
    "centralus",
    "chilecentral",
    "eastasia",
    "eastus",
    "eastus2",
    "eastus2euap",
    "francecentral",
    "germanywestcentral",
    "indonesiacentral",
    "israelcentral",
    "italynorth",
    "japaneast",
    "japanwest",
    "koreacentral",
    "malaysiawest",
    "mexicocentral",
    "newzealandnorth",
    "northeurope",
    "norwayeast",
    "polandcentral",
    "qatarcentral",
    "southafricanorth",
    "southcentralus",
    "southeastasia",
    "spaincentral",
    "swedencentral",
    "switzerlandnorth",
    "uaenorth",
    "uksouth",
    "usgovvirginia",
    "westeurope",
    "westus2",
    "westus3",
];

/// Resource types that support zones, in lower case.
const ZONAL_TYPES: &[&str] = &[
    "microsoft.cache/redis",
    "microsoft.cache/redisenterprise",
    "microsoft.compute/disks",
    "microsoft.compute/virtualmachines",
    "microsoft.compute/virtualmachinescalesets",
    "microsoft.containerinstance/containergroups",
    "microsoft.containerservice/managedclusters",
    "microsoft.dbformysql/flexibleservers",
    "microsoft.dbforpostgresql/flexibleservers",
    "microsoft.netapp/netappaccounts/capacitypools/volumes",
    "microsoft.network/applicationgateways",
    "microsoft.network/azurefirewalls",
    "microsoft.network/bastionhosts",
    "microsoft.network/loadbalancers",
    "microsoft.network/natgateways",
    "microsoft.network/publicipaddresses",
    "microsoft.network/publicipprefixes",
    "microsoft.network/virtualnetworkgateways",
];

/// Returns the number of zones of a region; 0 if it has none or is not known.
fn zone_count(region: &str) -> i64 {
    match region {
        "eastus2euap" => 4,
        _ if REGIONS.contains(&region) => 3,
        _ => 0,
    }
}

/// Returns the normalized name of a location: `West US 2` is `westus2`.
fn region(location: &str) -> String {
    location.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// `pickZones(namespace, type, location, [count], [offset])`: logical zones that a resource can be placed in; empty if
/// the type or the region does not support zones.
fn pick_zones(args: Args<'_>) -> Result<Value, Fault> {
    let (namespace, type_name, location): (&str, &str, &str) = args.get()?;
    let count = args.at::<Option<i64>>(3)?.unwrap_or(1);
    let offset = args.at::<Option<i64>>(4)?.unwrap_or(0);
    let full = format!("{namespace}/{type_name}").to_ascii_lowercase();
    let available = if ZONAL_TYPES.contains(&full.as_str()) { zone_count(&region(location)) } else { 0 };
    if available == 0 {
        return Ok(Value::array(Vec::new()));
    }
    let fits = count >= 0 && offset >= 0 && count.checked_add(offset).is_some_and(|last| last <= available);
    if !fits {
        return Err(Fault::failed(format!(
            "`pickZones` cannot pick {count} zones after skipping {offset}: `{location}` has {available}"
        )));
    }
    Ok(Value::array((offset + 1..=offset + count).map(|zone| Value::from(zone.to_string())).collect()))
}

/// `toLogicalZone(subscription, location, physicalZone)`: the number of a zone, or an empty string.
fn to_logical_zone(args: Args<'_>) -> Result<Value, Fault> {
    let (_, location, zone): (&str, &str, &str) = args.get()?;
    Ok(Value::from(logical(location, zone).unwrap_or_default()))
}

/// `toLogicalZones(subscription, location, physicalZones)`: the numbers of the zones that exist.
fn to_logical_zones(args: Args<'_>) -> Result<Value, Fault> {
    each(args, logical)
}

/// `toPhysicalZone(subscription, location, logicalZone)`: the name of a zone, or an empty string.
fn to_physical_zone(args: Args<'_>) -> Result<Value, Fault> {
    let (_, location, zone): (&str, &str, &str) = args.get()?;
    Ok(Value::from(physical(location, zone).unwrap_or_default()))
}

/// `toPhysicalZones(subscription, location, logicalZones)`: the names of the zones that exist.
fn to_physical_zones(args: Args<'_>) -> Result<Value, Fault> {
    each(args, physical)
}

/// Converts each zone in an array, and drops those that do not exist.
fn each(args: Args<'_>, convert: fn(&str, &str) -> Option<String>) -> Result<Value, Fault> {
    let (_, location, zones): (&str, &str, &[Value]) = args.get()?;
    let texts = zones.iter().map(|zone| zone.as_str().ok_or_else(|| args.mismatch(2, "an array of strings")));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    let found = texts.iter().filter_map(|zone| convert(location, zone)).map(Value::from);
    Ok(Value::array(found.collect()))
}

fn logical(location: &str, zone: &str) -> Option<String> {
    let region = region(location);
    let number = region_zone(zone, &region)?;
    (1..=zone_count(&region)).contains(&number).then(|| number.to_string())
}

/// Returns the number in `westus2-az1`.
fn region_zone(zone: &str, region: &str) -> Option<i64> {
    zone.to_ascii_lowercase().strip_prefix(region)?.strip_prefix("-az")?.parse().ok()
}

fn physical(location: &str, zone: &str) -> Option<String> {
    let region = region(location);
    let number: i64 = zone.parse().ok()?;
    (1..=zone_count(&region)).contains(&number).then(|| format!("{region}-az{number}"))
}
