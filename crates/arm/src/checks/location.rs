//! Locations that do not exist, and availability zones in locations that have none.
//!
//! Azure adds locations, and Azure Stack Hub has locations of its own. So only what no location can be is certain: the
//! name of another cloud's region, a known location with its words in another order, or a misspelled one.

use formwork_model::declare_checks;

use crate::checks::regions;
use crate::diagnostic::Severity;
use crate::eval::World;
use crate::model::{Document, Issue, Resource, join_index, join_key};
use crate::scope::normal_location;
use crate::text::placeholders;
use crate::value::{Traits, Value};

declare_checks! {
    pub(crate) const CHECKS;

    RESOURCE_LOCATION = Deployment High "resource/location" "Resource.Location"
        "A resource should name a location that exists, and zones only where there are some"
        "Azure rejects a resource in a location that it does not have, or in a zone of a location without availability zones."
        "Correct the name of the location, or remove the zones."
        .azure("templates/resource-location");
}

/// The locations of the public cloud, sorted. Source: the resource providers that `Azure/PSRule.Rules.Azure` lists, July 2026.
const LOCATIONS: &[&str] = &[
    "australiacentral",
    "australiacentral2",
    "australiaeast",
    "australiasoutheast",
    "austriaeast",
    "belgiumcentral",
    "brazilsouth",
    "brazilsoutheast",
    "canadacentral",
    "canadaeast",
    "centralindia",
    "centralus",
    "centraluseuap",
    "chilecentral",
    "denmarkeast",
    "eastasia",
    "eastus",
    "eastus2",
    "eastus2euap",
    "francecentral",
    "francesouth",
    "germanynorth",
    "germanywestcentral",
    "global",
    "indonesiacentral",
    "israelcentral",
    "italynorth",
    "japaneast",
    "japanwest",
    "koreacentral",
    "koreasouth",
    "malaysiawest",
    "mexicocentral",
    "newzealandnorth",
    "northcentralus",
    "northeurope",
    "norwayeast",
    "norwaywest",
    "polandcentral",
    "qatarcentral",
    "southafricanorth",
    "southafricawest",
    "southcentralus",
    "southeastasia",
    "southindia",
    "spaincentral",
    "swedencentral",
    "switzerlandnorth",
    "switzerlandwest",
    "uaecentral",
    "uaenorth",
    "uksouth",
    "ukwest",
    "westcentralus",
    "westeurope",
    "westindia",
    "westus",
    "westus2",
    "westus3",
];

/// Locations of sovereign clouds, of tests, that are announced, and that are in some lists only; geographies, in which a
/// few types are offered; and the location of Azure Stack Development Kits. Sorted. Source: the locations and geographies
/// that `az account list-locations` and <https://learn.microsoft.com/azure/reliability/regions-list> name.
const OTHERS: &[&str] = &[
    "africa",
    "asia",
    "asiapacific",
    "australia",
    "austria",
    "belgium",
    "bleufrancecentral",
    "bleufrancesouth",
    "brazil",
    "brazilne",
    "brazilus",
    "canada",
    "centralusfoundational",
    "centralusstage",
    "chile",
    "chinaeast",
    "chinaeast2",
    "chinaeast3",
    "chinanorth",
    "chinanorth2",
    "chinanorth3",
    "delosgermanycentral",
    "delosgermanynorth",
    "denmark",
    "eastasiastage",
    "eastus2stage",
    "eastus3",
    "eastusslv",
    "eastusstage",
    "eastusstg",
    "europe",
    "finlandcentral",
    "france",
    "germany",
    "germanycentral",
    "germanynortheast",
    "greececentral",
    "india",
    "indiasouthcentral",
    "indonesia",
    "israel",
    "israelnorthwest",
    "italy",
    "japan",
    "jioindiacentral",
    "jioindiawest",
    "korea",
    "local",
    "malaysia",
    "malaysiasouth",
    "mexico",
    "newzealand",
    "northcentralusstage",
    "northeastus5",
    "norway",
    "poland",
    "qatar",
    "saudiarabiaeast",
    "singapore",
    "southafrica",
    "southcentralus2",
    "southcentralusstage",
    "southcentralusstg",
    "southeastasiastage",
    "southeastus",
    "southeastus3",
    "southeastus5",
    "southwestus",
    "spain",
    "sweden",
    "switzerland",
    "taiwan",
    "taiwannorth",
    "taiwannorthwest",
    "uae",
    "uk",
    "unitedstates",
    "unitedstateseuap",
    "usdodcentral",
    "usdodeast",
    "usgovarizona",
    "usgoviowa",
    "usgovtexas",
    "usgovvirginia",
    "usnateast",
    "usnatwest",
    "usseceast",
    "ussecwest",
    "ussecwestcentral",
    "westus2stage",
    "westusstage",
];

/// Words of names of locations, the longer ones first.
const WORDS: &[&str] = &[
    "southeast",
    "northeast",
    "southwest",
    "northwest",
    "switzerland",
    "australia",
    "indonesia",
    "southafrica",
    "newzealand",
    "malaysia",
    "germany",
    "belgium",
    "austria",
    "denmark",
    "central",
    "mexico",
    "norway",
    "poland",
    "sweden",
    "israel",
    "brazil",
    "canada",
    "france",
    "europe",
    "chile",
    "india",
    "italy",
    "japan",
    "korea",
    "qatar",
    "spain",
    "north",
    "south",
    "east",
    "west",
    "asia",
    "uae",
    "uk",
    "us",
];

/// Texts that stand for a location, and are none.
const STAND_INS: &[&str] = &["location", "region", "resourcegrouplocation", "string"];

/// Locations without availability zones, sorted: no type has zones there. From the same source as the list of
/// locations.
const WITHOUT_ZONES: &[&str] = &[
    "australiacentral",
    "australiacentral2",
    "australiasoutheast",
    "brazilsoutheast",
    "canadaeast",
    "francesouth",
    "germanynorth",
    "koreasouth",
    "northcentralus",
    "norwaywest",
    "southafricawest",
    "southindia",
    "switzerlandwest",
    "uaecentral",
    "ukwest",
    "westcentralus",
    "westindia",
    "westus",
];

/// Reports locations that do not exist, and zones where there are none.
pub(super) fn check_locations(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        check_zones(resource, world);
        if is_of_extension(resource) {
            continue;
        }
        if let Some(value) = resource.body.get("location") {
            check_location(&resource.type_name, value, join_key(&resource.path, "location"), world);
        }
        if resource.type_name.eq_ignore_ascii_case(COSMOS) {
            check_replicas(resource, world);
        }
    }
}

/// Accounts of Cosmos DB, which list the locations of their replicas.
const COSMOS: &str = "Microsoft.DocumentDB/databaseAccounts";

fn check_replicas(account: &Resource, world: &World<'_>) {
    let path = join_key(&join_key(&account.path, "properties"), "locations");
    let replicas = account.body.get("properties").and_then(|properties| properties.get("locations")?.as_array());
    for (at, replica) in replicas.unwrap_or_default().iter().enumerate() {
        if let Some(value) = replica.get("locationName") {
            check_location(&account.type_name, value, join_key(&join_index(&path, at), "locationName"), world);
        }
    }
}

fn check_location(type_name: &str, value: &Value, path: String, world: &World<'_>) {
    let text = value.as_str().filter(|text| !value.traits.has(Traits::SECRET) && !text.trim().is_empty());
    let (Some(text), Some(span)) = (text, value.span) else { return };
    let Some((problem, severity)) = problem(type_name, text) else { return };
    let issue = Issue::new(RESOURCE_LOCATION, path, span, problem).with_value(value);
    world.issue(Issue { severity, ..issue });
}

/// Returns `true` if another service than Azure publishes the type, such as a Kubernetes cluster.
fn is_of_extension(resource: &Resource) -> bool {
    ["extension", "import"].iter().any(|name| resource.body.get(name).is_some())
}

/// Returns the problem of a location, and its severity if it is not that of the check.
fn problem(type_name: &str, text: &str) -> Option<(String, Option<Severity>)> {
    let name = normal_location(text);
    if LOCATIONS.contains(&name.as_str()) || !placeholders(text).is_empty() {
        return None;
    }
    if OTHERS.contains(&name.as_str()) {
        let message =
            || format!("`{text}` is not a location of `{type_name}`; expected a region, such as `westeurope`");
        return (regions::is_listed(type_name) && GEOGRAPHIES.contains(&name.as_str())).then(|| (message(), None));
    }
    if let Some(meant) = meant(text).or_else(|| reordered(&name)) {
        return Some((format!("there is no location `{text}`; did you mean `{meant}`?"), None));
    }
    let lower = text.to_lowercase();
    let is_call =
        ["resourcegroup()", "deployment()", "parameters(", "variables("].iter().any(|call| name.contains(call));
    if is_call {
        let help = if text.starts_with('[') {
            "a parameter file has no expressions, so write a location, or leave the parameter out".to_owned()
        } else {
            format!("write the expression in brackets, `[{text}]`")
        };
        return Some((format!("there is no location `{text}`; {help}"), None));
    }
    if STAND_INS.contains(&name.as_str()) || is_region_of_another_cloud(&lower) {
        return Some((
            format!("there is no location `{text}`; expected a region of Azure, such as `westeurope`"),
            None,
        ));
    }
    // Texts that people replace, and whatever else has other characters than a name.
    let is_of_microsoft = type_name.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("Microsoft."));
    if !is_of_microsoft || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return None;
    }
    let message = format!("Azure had no location `{text}` in July 2026; expected a region, such as `westeurope`");
    // No location has a hyphen, and a location of Azure Stack Hub has letters and digits only.
    let is_replaced =
        ["your", "my", "name", "location", "region", "change", "replace"].iter().any(|word| lower.contains(word));
    let severity = if name.contains('-') && !is_replaced { None } else { Some(Severity::Medium) };
    Some((message, severity))
}

/// Geographies among the other locations, sorted.
const GEOGRAPHIES: &[&str] = &[
    "africa",
    "asia",
    "asiapacific",
    "australia",
    "austria",
    "belgium",
    "brazil",
    "canada",
    "chile",
    "denmark",
    "europe",
    "france",
    "germany",
    "india",
    "indonesia",
    "israel",
    "italy",
    "japan",
    "korea",
    "malaysia",
    "mexico",
    "newzealand",
    "norway",
    "poland",
    "qatar",
    "singapore",
    "southafrica",
    "spain",
    "sweden",
    "switzerland",
    "taiwan",
    "uae",
    "uk",
    "unitedstates",
];

/// Returns the known location that has the same words in another order: `westeurope` for `europewest`.
fn reordered(name: &str) -> Option<&'static str> {
    let own = words(name)?;
    let mut known = LOCATIONS.iter().copied().filter(|known| words(known).is_some_and(|words| words == own));
    let first = known.next()?;
    known.next().is_none().then_some(first)
}

/// Returns the words of a name, sorted. `None` if it has other parts. A hyphen separates words.
fn words(name: &str) -> Option<Vec<&str>> {
    let (mut words, mut rest) = (Vec::new(), name);
    while !rest.is_empty() {
        let word = WORDS.iter().copied().chain(["1", "2", "3"]).find(|word| rest.starts_with(word));
        let length = match word {
            Some(word) => {
                words.push(word);
                word.len()
            }
            None if rest.starts_with('-') => 1,
            None => return None,
        };
        rest = rest.get(length..)?;
    }
    words.sort_unstable();
    Some(words)
}

/// Returns `true` for regions of AWS and of Google Cloud, such as `eu-west-1` and `europe-west1`.
fn is_region_of_another_cloud(text: &str) -> bool {
    const AREAS: [&str; 15] = [
        "af",
        "ap",
        "asia",
        "australia",
        "ca",
        "cn",
        "eu",
        "europe",
        "il",
        "me",
        "mx",
        "northamerica",
        "sa",
        "southamerica",
        "us",
    ];
    const SIDES: [&str; 9] =
        ["central", "east", "north", "northeast", "northwest", "south", "southeast", "southwest", "west"];
    let mut parts = text.split('-');
    let (Some(area), Some(next)) = (parts.next(), parts.next()) else { return false };
    let side = if next == "gov" { parts.next().unwrap_or_default() } else { next };
    let letters = side.trim_end_matches(|c: char| c.is_ascii_digit());
    let has_number = letters.len() < side.len() || parts.next().is_some_and(|part| part.parse::<u8>().is_ok());
    AREAS.contains(&area) && SIDES.contains(&letters) && has_number && parts.next().is_none()
}

/// Reports zones of a resource in a location that has none.
fn check_zones(resource: &Resource, world: &World<'_>) {
    let Some(location) = resource.body.get("location") else { return };
    let Some(zones) = resource.body.get("zones") else { return };
    let text = location.as_str().filter(|_| !location.traits.has(Traits::SECRET) && !zones.traits.has(Traits::SECRET));
    let has_zones = zones.as_array().is_some_and(|zones| zones.iter().any(|zone| zone.as_unknown().is_none()));
    if let (Some(text), Some(span), true) = (text, zones.span, has_zones)
        && is_without_zones(&normal_location(text))
    {
        let message =
            format!("the location `{text}` has no availability zones; remove `zones`, or use another location");
        world.issue(Issue::new(RESOURCE_LOCATION, join_key(&resource.path, "zones"), span, message).with_value(zones));
    }
}

/// Returns `true` for a location in which no type has zones. `name` is in lower case.
pub(super) fn is_without_zones(name: &str) -> bool {
    WITHOUT_ZONES.contains(&name)
}

/// Returns the known location that `text` misspells. A location that differs by a digit may be new.
fn meant(text: &str) -> Option<&'static str> {
    let name = normal_location(text);
    if LOCATIONS.contains(&name.as_str()) {
        return None;
    }
    let letters = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let mut near = LOCATIONS.iter().filter(|known| is_slip(&name, known) && letters(&name) != letters(known));
    let first = near.next()?;
    near.next().is_none().then_some(*first)
}

/// Returns `true` if `written` differs from `meant` by one missing, extra or different character, or by two swapped
/// neighbors.
pub(super) fn is_slip(written: &str, meant: &str) -> bool {
    let same = |(one, other): &(&u8, &u8)| one == other;
    let start = written.bytes().zip(meant.bytes()).take_while(|(one, other)| one == other).count();
    let written = written.as_bytes().get(start..).unwrap_or_default();
    let meant = meant.as_bytes().get(start..).unwrap_or_default();
    let end = written.iter().rev().zip(meant.iter().rev()).take_while(same).count();
    let middle = |rest: &[u8]| rest.get(..rest.len() - end).unwrap_or_default().to_vec();
    let (written, meant) = (middle(written), middle(meant));
    match (written.as_slice(), meant.as_slice()) {
        ([_], [] | [_]) | ([], [_]) => true,
        ([first, second], swapped) => swapped == [*second, *first],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_found() {
        for (text, expected) in [
            ("westeuropee", Some("westeurope")),
            ("West Euope", Some("westeurope")),
            ("northuerope", Some("northeurope")),
            ("swedencentrel", Some("swedencentral")),
            ("East US", None),
            ("global", None),
            ("eastus3", None),
            ("uksouth2", None),
            ("usgovvirginia", None),
            ("chinaeast2", None),
            ("resourceGroup", None),
            ("", None),
        ] {
            assert_eq!(meant(text), expected, "{text}");
        }
        assert!(LOCATIONS.is_sorted() && WITHOUT_ZONES.is_sorted() && OTHERS.is_sorted() && GEOGRAPHIES.is_sorted());
        assert!(GEOGRAPHIES.iter().all(|name| OTHERS.contains(name)));
        assert!(WITHOUT_ZONES.iter().all(|name| LOCATIONS.contains(name)));
    }

    #[test]
    fn locations_that_cannot_exist_are_told_from_new_ones() {
        let account = "Microsoft.Storage/storageAccounts";
        let found = |text: &str| problem(account, text).map(|(_, severity)| severity);
        for text in [
            "West Europe",
            "usgovvirginia",
            "chinanorth3",
            "eastusstg",
            "local",
            "#{location}#",
            "<location>",
            "global",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for text in [
            "eu-west-1",
            "us-gov-west-1",
            "europe-west1",
            "europewest",
            "west-europe",
            "useast",
            "mars-central",
            "location",
            "resourceGroup().location",
            "germany",
        ] {
            assert_eq!(found(text), Some(None), "{text}");
        }
        assert_eq!(found("marscentral"), Some(Some(Severity::Medium)));
        assert_eq!(found("your-region"), Some(Some(Severity::Medium)));
        let directory = "Microsoft.AzureActiveDirectory/b2cDirectories";
        assert_eq!(problem(directory, "europe"), None);
        assert_eq!(problem("Contoso.Lab/things", "marscentral"), None);
    }
}
