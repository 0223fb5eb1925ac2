//! Which paths lead to something in any version of a type: what rules name can be checked with it.

use crate::schema::catalog::{Found, azure, cloudformation};
use crate::schema::cloudformation::provider_of;
use crate::schema::judge::is_template_member;
use crate::schema::pack::{Block, Id, Node, Pack, Property};
use crate::text::did_you_mean;

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathPart<'a> {
    /// A member of this name.
    Name(&'a str),
    /// An item of an array.
    Item,
    /// All members of an object.
    Members,
}

/// Whether resources have what a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// At least one version of the type has it, or the types do not say.
    Possible,
    /// No type has this name. With the end of a message that names a similar one.
    NoType(String),
    /// No version of the type has this part of the path. With the end of a message that names a similar one.
    NoProperty(String, String),
}

/// Looks up a type, without a path, and a path in its resources. Names ignore case.
pub(crate) fn look_up(type_name: &str, path: &[PathPart<'_>]) -> Known {
    let (pack, provider) = match type_name.split_once('/') {
        Some((provider, _)) => (azure(), provider),
        None => (cloudformation(), provider_of(type_name)),
    };
    let Some(pack) = pack else { return Known::Possible };
    let Some(block) = pack.provider(provider) else { return unknown_provider(pack, type_name, provider) };
    let Some(found) = Found::new(block, type_name) else {
        return Known::NoType(did_you_mean(type_name, block.types.iter().map(|kind| block.text(kind.name))));
    };
    let bodies: Vec<Id> = found.kind.versions.iter().flat_map(|version| version.bodies.iter().copied()).collect();
    match path.first() {
        _ if bodies.is_empty() => Known::Possible,
        // What the template language itself reads is in every resource.
        Some(PathPart::Name(name)) if is_template_member(name) => Known::Possible,
        _ => follow(block, bodies, path),
    }
}

/// A provider that no data have. Of those that are like no other, nothing is known.
fn unknown_provider(pack: &'static Pack, type_name: &str, provider: &str) -> Known {
    let hint = did_you_mean(provider, pack.names());
    if hint.is_empty() || !type_name.contains("::") && !provider.to_ascii_lowercase().starts_with("microsoft.") {
        return Known::Possible;
    }
    Known::NoType(hint)
}

fn follow(block: &'static Block, mut nodes: Vec<Id>, path: &[PathPart<'_>]) -> Known {
    for part in path {
        let mut next: Vec<Id> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        let mut seen = 0;
        while let Some(id) = nodes.get(seen).copied() {
            seen += 1;
            let mut properties = |list: &'static [Property]| {
                for property in list {
                    let name = block.text(property.name);
                    match part {
                        PathPart::Name(wanted) if name.eq_ignore_ascii_case(wanted) => next.push(property.node),
                        PathPart::Members => next.push(property.node),
                        PathPart::Name(_) | PathPart::Item => names.push(name),
                    }
                }
            };
            match block.node(id) {
                Node::Any => return Known::Possible,
                Node::Object(object) => {
                    properties(&object.properties);
                    next.extend(object.additional.filter(|_| *part != PathPart::Item));
                }
                Node::Tagged { base, branches, .. } => {
                    properties(base);
                    nodes.extend(branches.iter().map(|(_, branch)| *branch));
                }
                Node::Union(parts) => nodes.extend(parts),
                Node::Array { item, .. } if *part == PathPart::Item => next.push(*item),
                _ => {}
            }
            // Unions of unions could refer to each other.
            nodes.truncate(MAX_NODES);
        }
        if next.is_empty() {
            let PathPart::Name(name) = part else { return Known::NoProperty("an array".to_owned(), String::new()) };
            return Known::NoProperty(format!("`{name}`"), did_you_mean(name, names));
        }
        next.sort_unstable();
        next.dedup();
        nodes = next;
    }
    Known::Possible
}

/// How many nodes a part of a path may lead to, in all versions of a type.
const MAX_NODES: usize = 10_000;
