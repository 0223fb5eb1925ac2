//! Official casing of type names. For a few types, it depends on the version.

use std::sync::LazyLock;

use foldhash::HashMap;

use crate::published::catalog::{DescribedType, azure};

/// Casings of a type name: the usual one, and others with the versions that use them.
struct Ways {
    usual: &'static str,
    others: Vec<(&'static str, Vec<&'static str>)>,
}

/// Casings, by the type name in lower case.
static WAYS: LazyLock<HashMap<String, Ways>> = LazyLock::new(|| {
    let mut ways: HashMap<String, Ways> = HashMap::default();
    for line in include_str!("../../data/azure.casing").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let Some(name) = words.next() else { continue };
        let versions: Vec<&'static str> = words.collect();
        let known = ways.entry(name.to_ascii_lowercase()).or_insert(Ways { usual: name, others: Vec::new() });
        if !versions.is_empty() {
            known.others.push((name, versions));
        }
    }
    ways
});

/// Returns the name of a type in the casing of a version. `None` if the type is not known.
pub fn type_name(name: &str, version: Option<&str>) -> Option<&'static str> {
    if let Some(ways) = WAYS.get(&name.to_ascii_lowercase()) {
        let own = ways.others.iter().find(|(_, versions)| version.is_some_and(|version| versions.contains(&version)));
        return Some(own.map_or(ways.usual, |(name, _)| name));
    }
    let block = azure()?.provider(name.split('/').next()?)?;
    let found = DescribedType::new(block, name)?;
    Some(found.block.text(found.kind.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_depend_on_the_version() {
        let check = |name, version, expected| assert_eq!(type_name(name, Some(version)), expected, "{name}@{version}");
        check("microsoft.cache/redis", "2019-07-01", Some("Microsoft.Cache/Redis"));
        check("Microsoft.Cache/Redis", "2024-03-01", Some("Microsoft.Cache/redis"));
        check("microsoft.network/virtualnetworks", "2030-01-01", Some("Microsoft.Network/virtualNetworks"));
        check("microsoft.storage/storageaccounts", "2024-01-01", Some("Microsoft.Storage/storageAccounts"));
        check("Contoso.Own/things", "2024-01-01", None);
    }
}
