//! Looks up paths in all versions of a type, to check the names in rules.

use crate::known::{Known, PathPart, Published};
use crate::published::catalog::{DescribedType, azure, cloudformation};
use crate::published::cloudformation::{is_published, is_type, provider_of};
use crate::published::describe::describe;
use crate::published::judge::{fits, is_template_member};
use crate::published::pack::{Block, Id, Node, Pack, Property, Version};
use crate::published::tolerance::Cloud;
use crate::text::Suggestions;
use crate::value::Value;

/// Looks up a type, or a path in its resources. Names are case-insensitive.
pub fn look_up(type_name: &str, path: &[PathPart<'_>], suggestions: &Suggestions) -> Known {
    let found = match find(type_name) {
        TypeLookup::NoTypes => return Known::Possible,
        TypeLookup::NoProvider(pack, provider) => return unknown_provider(pack, type_name, provider, suggestions),
        TypeLookup::NoType(block) => {
            let names = block.types.iter().map(|kind| block.text(kind.name));
            return Known::NoType(suggestions.did_you_mean(type_name, names));
        }
        TypeLookup::Type(found) => found,
    };
    let bodies = found.bodies(None);
    match path.first() {
        _ if bodies.is_empty() => Known::Possible,
        // What the template language itself reads is in every resource.
        Some(PathPart::Name(name)) if is_template_member(name) => Known::Possible,
        _ => match follow(found, bodies, path) {
            PathTarget::Nodes(_) | PathTarget::Anything => Known::Possible,
            PathTarget::Nothing(PathPart::Name(name), names) => {
                Known::NoProperty(format!("`{name}`"), suggestions.did_you_mean(name, names))
            }
            PathTarget::Nothing(..) => Known::NoProperty("an array".to_owned(), String::new()),
        },
    }
}

/// True if some version of a type has a path. `false` if the types do not say.
pub fn has(type_name: &str, path: &[PathPart<'_>]) -> bool {
    let TypeLookup::Type(found) = find(type_name) else { return false };
    matches!(follow(found, found.bodies(None), path), PathTarget::Nodes(nodes) if !nodes.is_empty())
}

/// True if resources of a type cannot have a path in this version.
pub(super) fn lacks(found: DescribedType, version: &Version, path: &[PathPart<'_>]) -> bool {
    let bodies = version.bodies.iter().copied().collect();
    matches!(follow(found, bodies, path), PathTarget::Nothing(..))
}

/// Describes the values that a path may have according to the types: in one version if it is known, else in all. `None`
/// if the types do not say.
pub fn declared(type_name: &str, version: Option<&str>, path: &[PathPart<'_>]) -> Option<String> {
    let TypeLookup::Type(found) = find(type_name) else { return None };
    match follow(found, found.bodies(version), path) {
        PathTarget::Nodes(nodes) if !path.is_empty() => describe(found.block, &nodes),
        _ => None,
    }
}

/// Returns the kind of values at a path in a version of a type. `None` if the types do not say.
pub fn published(type_name: &str, version: Option<&str>, path: &[PathPart<'_>]) -> Option<Published> {
    let TypeLookup::Type(found) = find(type_name) else { return None };
    let mut bodies = found.bodies(version);
    if bodies.is_empty() {
        bodies = found.bodies(None);
    }
    let PathTarget::Nodes(mut nodes) = follow(found, bodies, path) else { return None };
    let mut kind = None;
    let mut seen = 0;
    while let Some(id) = nodes.get(seen).copied() {
        seen += 1;
        let own = match found.block.node(id) {
            Node::Boolean => Published::Bool,
            Node::Integer { .. } => Published::Int,
            Node::Text { .. } | Node::Choice { .. } => Published::String,
            Node::Array { .. } => Published::Array,
            Node::Object(_) | Node::Tagged { .. } => Published::Object,
            Node::Union(parts) => {
                nodes.extend(parts);
                nodes.truncate(MAX_NODES);
                continue;
            }
            Node::Any | Node::Number | Node::Checked { .. } | Node::Rule(_) => return None,
        };
        if kind.is_some_and(|kind| kind != own) {
            return None;
        }
        kind = Some(own);
    }
    kind
}

/// True if an author may write a value at a path in a resource: the property exists and is not read-only, and nothing
/// in the value is wrong or missing. Types and versions without data accept everything.
pub fn takes(type_name: &str, version: Option<&str>, path: &[PathPart<'_>], value: &Value) -> bool {
    let TypeLookup::Type(found) = find(type_name) else { return true };
    let bodies = found.bodies(version);
    if bodies.is_empty() || matches!(path.first(), Some(PathPart::Name(name)) if is_template_member(name)) {
        return true;
    }
    let cloud = if is_type(found.block.text(found.kind.name)) { Cloud::Aws } else { Cloud::Azure };
    match follow_to(found, bodies, path, Property::is_writable) {
        PathTarget::Nodes(nodes) => nodes.iter().any(|node| fits(found.block, cloud, *node, value)),
        PathTarget::Anything => true,
        PathTarget::Nothing(..) => false,
    }
}

/// Result of looking up a type name.
enum TypeLookup<'a> {
    NoTypes,
    NoProvider(&'static Pack, &'a str),
    NoType(&'static Block),
    Type(DescribedType),
}

fn find(type_name: &str) -> TypeLookup<'_> {
    let (pack, provider) = match type_name.split_once('/') {
        Some((provider, _)) => (azure(), provider),
        None if !is_published(type_name) => return TypeLookup::NoTypes,
        None => (cloudformation(), provider_of(type_name)),
    };
    let Some(pack) = pack else { return TypeLookup::NoTypes };
    let Some(block) = pack.provider(provider) else { return TypeLookup::NoProvider(pack, provider) };
    DescribedType::new(block, type_name).map_or(TypeLookup::NoType(block), TypeLookup::Type)
}

/// Target of a path.
enum PathTarget<'a> {
    Nodes(Vec<Id>),
    /// A value of any type.
    Anything,
    /// Nothing: the segment that does not exist, and the names that exist in its place.
    Nothing(PathPart<'a>, Vec<&'static str>),
}

/// Returns the answer for a provider without data. If no known provider has a similar name, the provider may exist.
fn unknown_provider(pack: &'static Pack, type_name: &str, provider: &str, suggestions: &Suggestions) -> Known {
    let hint = suggestions.did_you_mean(provider, pack.names());
    if hint.is_empty() || !is_type(type_name) && !provider.to_ascii_lowercase().starts_with("microsoft.") {
        return Known::Possible;
    }
    Known::NoType(hint)
}

fn follow<'a>(found: DescribedType, nodes: Vec<Id>, path: &[PathPart<'a>]) -> PathTarget<'a> {
    follow_to(found, nodes, path, |_| true)
}

/// Follows a path like [`follow`], but its last segment must be a property for which `is_wanted` returns `true`.
fn follow_to<'a>(
    found: DescribedType,
    mut nodes: Vec<Id>,
    path: &[PathPart<'a>],
    is_wanted: impl Fn(&Property) -> bool,
) -> PathTarget<'a> {
    let is_stack = is_type(found.block.text(found.kind.name));
    let path = match path {
        // The types of CloudFormation describe only the properties.
        [PathPart::Name(name), rest @ ..] if is_stack && name.eq_ignore_ascii_case("Properties") => rest,
        [_, ..] if is_stack => return PathTarget::Anything,
        _ => path,
    };
    for (at, part) in path.iter().enumerate() {
        let is_last = at + 1 == path.len();
        match follow_part(found.block, is_stack, nodes, *part, |property| !is_last || is_wanted(property)) {
            PathTarget::Nodes(next) => nodes = next,
            other => return other,
        }
    }
    PathTarget::Nodes(nodes)
}

/// Follows one segment of a path from some nodes, through properties for which `is_wanted` returns `true`.
fn follow_part<'a>(
    block: &'static Block,
    is_stack: bool,
    mut nodes: Vec<Id>,
    part: PathPart<'a>,
    is_wanted: impl Fn(&Property) -> bool,
) -> PathTarget<'a> {
    let mut next: Vec<Id> = Vec::new();
    let mut names: Vec<&'static str> = Vec::new();
    let mut seen = 0;
    while let Some(id) = nodes.get(seen).copied() {
        seen += 1;
        let mut properties = |list: &'static [Property]| {
            for property in list.iter().filter(|property| is_wanted(property)) {
                let name = block.text(property.name);
                match part {
                    PathPart::Name(wanted) if name.eq_ignore_ascii_case(wanted) => next.push(property.node),
                    PathPart::Members | PathPart::Any => next.push(property.node),
                    PathPart::Name(_) | PathPart::Item => names.push(name),
                }
            }
        };
        match block.node(id) {
            Node::Any => return PathTarget::Anything,
            Node::Object(object) => {
                properties(&object.properties);
                next.extend(object.additional.filter(|_| part != PathPart::Item));
            }
            Node::Tagged { base, branches, .. } => {
                properties(base);
                nodes.extend(branches.iter().map(|(_, branch)| *branch));
            }
            Node::Union(parts) => nodes.extend(parts),
            Node::Array { item, .. } if matches!(part, PathPart::Item | PathPart::Any) => next.push(*item),
            // A string of CloudFormation may be the JSON of a policy.
            Node::Text { .. } if is_stack => return PathTarget::Anything,
            _ => {}
        }
        // Unions of unions could refer to each other.
        nodes.truncate(MAX_NODES);
    }
    if next.is_empty() {
        return PathTarget::Nothing(part, names);
    }
    next.sort_unstable();
    next.dedup();
    PathTarget::Nodes(next)
}

/// Nodes that one segment of a path may lead to, in all versions of a type.
const MAX_NODES: usize = 10_000;
