//! The table of aliases against the published types, and against what is known of single aliases.

use formwork_model::text::Suggestions;
use formwork_schema::{Known, PathPart};

use super::*;
use crate::path::Step;

fn check(resource_type: &str, alias: &str, expected: Option<&str>) {
    let path = match resolve(resource_type, alias) {
        Alias::Path(path) => Some(path.to_string()),
        Alias::OfOtherType | Alias::Unknown(_) => None,
    };
    assert_eq!(path.as_deref(), expected, "{alias} of {resource_type}");
}

#[test]
fn the_table_says_where_an_alias_leads() {
    let storage = "Microsoft.Storage/storageAccounts";
    check(
        storage,
        "microsoft.storage/STORAGEACCOUNTS/supportshttpstrafficonly",
        Some("properties.supportsHttpsTrafficOnly"),
    );
    check(storage, "Microsoft.Storage/storageAccounts/sku.name", Some("sku.name"));
    let databases = "Microsoft.Sql/servers/databases";
    check(databases, "Microsoft.Sql/servers/databases/edition", Some("sku.tier"));
    check("Microsoft.Sql/servers", "Microsoft.Sql/servers/databases/edition", None);
}

#[test]
fn parts_of_values_and_unknown_aliases_are_unknown() {
    let is_unknown = |kind, alias| matches!(resolve(kind, alias), Alias::Unknown(_));
    assert!(is_unknown("Microsoft.Compute/disks", "Microsoft.Compute/imagePublisher"));
    check(
        "Microsoft.Compute/virtualMachines",
        "Microsoft.Compute/imagePublisher",
        Some("properties.storageProfile.imageReference.publisher"),
    );
    assert!(is_unknown("Microsoft.Storage/storageAccounts", "Microsoft.Storage/storageAccounts/suportsHttps"));
    assert!(is_unknown("Microsoft.Storage/storageAccounts", "Contoso.Own/things/name"));
    let other = resolve("Microsoft.Compute/disks", "Microsoft.Storage/storageAccounts/supportsHttpsTrafficOnly");
    assert!(matches!(other, Alias::OfOtherType));
}

#[test]
fn aliases_of_networks_follow_their_names() {
    let groups = "Microsoft.Network/networkSecurityGroups";
    let check = |alias, expected| check(groups, alias, expected);
    check(
        "Microsoft.Network/networkSecurityGroups/securityRules[*].access",
        Some("properties.securityRules[*].properties.access"),
    );
    check("Microsoft.Network/networkSecurityGroups/securityRules[*].name", Some("properties.securityRules[*].name"));
    check("Microsoft.Network/networkSecurityGroups/securityRules", Some("properties.securityRules"));
    check("Microsoft.Network/networkSecurityGroups/nothing", None);
    check("Microsoft.Network/networkSecurityGroups/securityRules/access", None);
}

/// Counts the aliases that lead to something that no version of the type has, for types that are published. Published
/// types leave out values that only Azure returns, and those of old versions.
#[test]
fn the_table_fits_the_published_types() {
    let suggestions = Suggestions::default();
    let mut total = 0;
    let mut missing: Vec<(String, usize)> = Vec::new();
    for (kind, aliases) in table::all() {
        if !formwork_schema::has(&kind, &[]) {
            continue;
        }
        let is_missing = |(_, entry): &&(String, Entry)| match entry {
            Entry::Path(path) => !leads_somewhere(&kind, &Path::parse(path), &suggestions),
            Entry::Pattern => false,
        };
        total += aliases.len();
        let count = aliases.iter().filter(is_missing).count();
        if count > 0 {
            missing.push((kind, count));
        }
    }
    missing.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), kind.clone()));
    let sum: usize = missing.iter().map(|(_, count)| count).sum();
    println!("{sum} of {total}: {missing:?}");
    assert!(sum * 100 < total * MOST_MISSING, "{sum} of {total}: {missing:?}");
}

/// Maximum percentage of aliases that lead to nothing in the published types.
const MOST_MISSING: usize = 10;

/// Returns `true` if some version of a type has a path, or the types allow anything on the way.
fn leads_somewhere(kind: &str, path: &Path, suggestions: &Suggestions) -> bool {
    let parts: Vec<PathPart<'_>> = path
        .0
        .iter()
        .map(|step| match step {
            Step::Member(name) => PathPart::Name(name),
            Step::Each => PathPart::Item,
        })
        .collect();
    // Looking for similar names takes long, and is not of interest here.
    formwork_schema::has(kind, &parts) || formwork_schema::look_up(kind, &parts, suggestions) == Known::Possible
}
