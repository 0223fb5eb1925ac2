//! Describes a resource type for its authors: one level of its properties at a time.

use crate::known::{TypeDescription, TypeProblem};
use crate::published::catalog::{DescribedType, azure, cloudformation, is_preview};
use crate::published::cloudformation::{is_published, is_type, provider_of};
use crate::published::describe::describe;
use crate::published::pack::{Block, Id, Node, Pack, Property, Version};
use crate::text::nearest_name;

/// Number of similar types that are named.
const MAX_NEAR: usize = 3;

/// Number of versions that are named.
const MAX_VERSIONS: usize = 5;

/// Number of properties that are named if a path does not exist.
const MAX_NAMES: usize = 40;

/// Number of types that one segment of a path may lead to.
const MAX_NODES: usize = 200;

/// Describes the properties of a type at a path, such as `properties.networkAcls`. Without a version, it is the newest
/// stable one.
///
/// # Errors
///
/// Fails if there is no such type, version, or path.
pub fn describe_type(name: &str, version: Option<&str>, path: &str) -> Result<TypeDescription, TypeProblem> {
    let (pack, provider) = match name.split_once('/') {
        Some((provider, _)) => (azure(), provider),
        None if is_published(name) => (cloudformation(), provider_of(name)),
        None => return Err(TypeProblem::NoType(Vec::new())),
    };
    let pack = pack.ok_or(TypeProblem::Unknown)?;
    let Some(block) = pack.provider(provider) else { return Err(TypeProblem::NoType(near_in_pack(pack, provider))) };
    let Some(found) = DescribedType::new(block, name) else {
        return Err(TypeProblem::NoType(near_in_block(block, name)));
    };
    let own_name = block.text(found.kind.name);
    let version = chosen_version(found, version)?;
    let mut nodes = version.bodies.to_vec();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let part = part.trim_end_matches(|c: char| "[]*0123456789".contains(c));
        let is_properties =
            is_type(own_name) && part.eq_ignore_ascii_case("Properties") && nodes.as_slice() == &*version.bodies;
        if !is_properties {
            nodes = step(block, &nodes, part)?;
        }
    }
    let shown = if is_type(own_name) { String::new() } else { format!("@{}", block.text(version.name)) };
    let place = if path.is_empty() { String::new() } else { format!(" {path}") };
    let mut title = format!("{own_name}{shown}{place}");
    if path.is_empty() && !is_type(own_name) {
        title = format!("{title}; newest versions: {}", newest(found).join(", "));
    }
    Ok(TypeDescription { title, lines: lines(block, &nodes) })
}

fn chosen_version(found: DescribedType, name: Option<&str>) -> Result<&'static Version, TypeProblem> {
    let version = if let Some(name) = name {
        found.version(name).filter(|version| !version.bodies.is_empty())
    } else {
        let known = found.kind.versions.iter().rev().filter(|version| !version.bodies.is_empty());
        let stable = known.clone().find(|version| !is_preview(found.block.text(version.name)));
        stable.or_else(|| known.clone().next())
    };
    version.ok_or_else(|| TypeProblem::NoVersion(newest(found)))
}

/// Returns the names of the newest versions, the newest first.
fn newest(found: DescribedType) -> Vec<String> {
    let names = found.kind.versions.iter().rev().map(|version| found.block.text(version.name).to_owned());
    names.take(MAX_VERSIONS).collect()
}

/// Returns the types of the property with a name, through arrays, unions, and branches.
fn step(block: &'static Block, nodes: &[Id], name: &str) -> Result<Vec<Id>, TypeProblem> {
    let mut next = Vec::new();
    let mut names = Vec::new();
    for property in properties(block, nodes) {
        let own = block.text(property.name);
        if own.eq_ignore_ascii_case(name) {
            next.push(property.node);
        } else if names.len() < MAX_NAMES {
            names.push(own.to_owned());
        }
    }
    if next.is_empty() { Err(TypeProblem::NoPath(names)) } else { Ok(next) }
}

/// Returns the properties of objects, through arrays, unions, and branches. Each node is visited once.
fn properties(block: &'static Block, nodes: &[Id]) -> Vec<&'static Property> {
    let mut all: Vec<&'static Property> = Vec::new();
    for id in inner(block, nodes) {
        match block.node(id) {
            Node::Object(object) => all.extend(&object.properties),
            Node::Tagged { base, .. } => all.extend(base),
            _ => {}
        }
    }
    all
}

/// Returns nodes with the items, alternatives, and branches in them.
fn inner(block: &'static Block, nodes: &[Id]) -> Vec<Id> {
    let mut all = nodes.to_vec();
    let mut seen = 0;
    while let Some(id) = all.get(seen).copied() {
        seen += 1;
        let more: Vec<Id> = match block.node(id) {
            Node::Array { item, .. } => vec![*item],
            Node::Tagged { branches, .. } => branches.iter().map(|(_, branch)| *branch).collect(),
            Node::Union(parts) => parts.clone(),
            Node::Checked { of, .. } => vec![*of],
            _ => Vec::new(),
        };
        let new: Vec<Id> = more.into_iter().filter(|id| !all.contains(id)).collect();
        all.extend(new);
        all.truncate(MAX_NODES);
    }
    all
}

/// Returns one line for each property: required ones first, those that only the cloud sets last.
fn lines(block: &'static Block, nodes: &[Id]) -> Vec<String> {
    let found = properties(block, nodes);
    if found.is_empty() {
        return describe(block, nodes).map(|words| words.replace('`', "'")).into_iter().collect();
    }
    let rank = |property: &Property| match () {
        () if property.is_required() => 0,
        () if property.is_read_only() => 2,
        () => 1,
    };
    let mut shown: Vec<(u8, &'static str, String)> = Vec::new();
    for property in found {
        let name = block.text(property.name);
        if shown.iter().any(|(_, known, _)| *known == name) {
            continue;
        }
        let word = match rank(property) {
            0 => "required, ",
            2 => "read-only, ",
            _ => "",
        };
        let words = describe(block, &[property.node]).unwrap_or_else(|| "any".to_owned()).replace('`', "'");
        shown.push((rank(property), name, format!("{name}: {word}{words}")));
    }
    shown.sort();
    shown.into_iter().map(|(_, _, line)| line).collect()
}

/// Returns the types of a provider with similar names.
fn near_in_block(block: &'static Block, name: &str) -> Vec<String> {
    nearest(name, block.types.iter().map(|kind| block.text(kind.name)).collect())
}

/// Returns the types of similar providers.
fn near_in_pack(pack: &'static Pack, provider: &str) -> Vec<String> {
    nearest(provider, pack.names().collect())
}

/// Returns the nearest names, or those that contain the last segment.
fn nearest(name: &str, mut names: Vec<&'static str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    while found.len() < MAX_NEAR {
        let Some(near) = nearest_name(name, names.iter().copied()) else { break };
        found.push(near.to_owned());
        names.retain(|known| *known != near);
    }
    let last = name.rsplit(['/', ':']).next().unwrap_or_default().to_ascii_lowercase();
    if last.len() >= MAX_NEAR {
        let alike = names.iter().filter(|known| known.to_ascii_lowercase().contains(&last));
        found.extend(alike.take(MAX_NEAR - found.len().min(MAX_NEAR)).map(|known| (*known).to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, version: Option<&str>, path: &str) -> String {
        let described = describe_type(name, version, path).unwrap();
        described.title + "\n" + &described.lines.join("\n")
    }

    #[test]
    fn a_type_is_described_one_level_at_a_time() {
        let top = shown("microsoft.storage/storageaccounts", Some("2023-01-01"), "");
        assert!(top.starts_with("Microsoft.Storage/storageAccounts@2023-01-01; newest versions: 20"), "{top}");
        assert!(top.contains("\nkind: required, string, such as ") && top.contains("\nproperties: object"), "{top}");
        assert!(top.contains("\nid: read-only, "), "{top}");
        let inner = shown("Microsoft.Storage/storageAccounts", None, "properties.networkAcls");
        assert!(inner.contains("\ndefaultAction: required, string, one of "), "{inner}");
        let items = shown("Microsoft.Storage/storageAccounts", None, "properties.networkAcls.ipRules");
        assert!(items.contains("\nvalue: required, string"), "{items}");
        let bucket = shown("AWS::S3::Bucket", None, "Properties.VersioningConfiguration");
        assert!(bucket.contains("\nStatus: required, string, one of"), "{bucket}");
    }

    #[test]
    fn what_does_not_exist_is_answered_with_what_does() {
        let fails = |name: &str, version: Option<&str>, path: &str| describe_type(name, version, path).unwrap_err();
        let TypeProblem::NoType(near) = fails("Microsoft.Storage/storageAcounts", None, "") else { panic!() };
        assert_eq!(near.first().map(String::as_str), Some("Microsoft.Storage/storageAccounts"));
        let TypeProblem::NoType(near) = fails("AWS::S3::Buckets", None, "") else { panic!() };
        assert_eq!(near.first().map(String::as_str), Some("AWS::S3::Bucket"));
        assert!(
            matches!(fails("Microsoft.Storage/storageAccounts", Some("1"), ""), TypeProblem::NoVersion(known) if known.len() == 5)
        );
        assert!(
            matches!(fails("AWS::S3::Bucket", None, "Nmae"), TypeProblem::NoPath(known) if known.contains(&"BucketName".to_owned()))
        );
        assert!(matches!(fails("x", None, ""), TypeProblem::NoType(near) if near.is_empty()));
    }
}
