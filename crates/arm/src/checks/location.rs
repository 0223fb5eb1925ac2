//! Misspelled locations, and availability zones in locations that have none. Azure has more locations than this table,
//! so only likely misspellings are reported.
use formwork_model::declare_checks;

use crate::eval::World;
use crate::model::{Document, Issue, Resource, join_key};
use crate::scope::normal_location;
use crate::value::Traits;

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

/// Reports locations that differ from a known one by one letter, and zones where there are none.
pub(super) fn check(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        check_zones(resource, world);
        let Some(value) = resource.body.get("location") else { continue };
        let text = value.as_str().filter(|_| !value.traits.has(Traits::SECRET));
        if let (Some(text), Some(span)) = (text, value.span)
            && let Some(meant) = meant(text)
        {
            let message = format!("there is no location `{text}`; did you mean `{meant}`?");
            world.issue(
                Issue::new(RESOURCE_LOCATION, join_key(&resource.path, "location"), span, message).with_value(value),
            );
        }
    }
}

/// Reports zones of a resource in a location that has none.
fn check_zones(resource: &Resource, world: &World<'_>) {
    let Some(location) = resource.body.get("location") else { return };
    let Some(zones) = resource.body.get("zones") else { return };
    let text = location.as_str().filter(|_| !location.traits.has(Traits::SECRET) && !zones.traits.has(Traits::SECRET));
    let has_zones = zones.as_array().is_some_and(|zones| zones.iter().any(|zone| zone.as_unknown().is_none()));
    if let (Some(text), Some(span), true) = (text, zones.span, has_zones)
        && WITHOUT_ZONES.contains(&normal_location(text).as_str())
    {
        let message =
            format!("the location `{text}` has no availability zones; remove `zones`, or use another location");
        world.issue(Issue::new(RESOURCE_LOCATION, join_key(&resource.path, "zones"), span, message).with_value(zones));
    }
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
        assert!(LOCATIONS.is_sorted() && WITHOUT_ZONES.is_sorted());
        assert!(WITHOUT_ZONES.iter().all(|name| LOCATIONS.contains(name)));
    }
}
