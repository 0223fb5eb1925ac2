//! Published types of Azure as a compiler sees them: the bodies of a resource type, and what they consist of.

use std::hash::{Hash, Hasher};

use crate::published::catalog::{DescribedType, azure};
use crate::published::exceptions::is_unreliable;
use crate::published::pack::{Block, Id, Node, Property};
use crate::published::patterns;
use crate::shape::{BodyLookup, PublishedMember, PublishedShape};

/// A published type of values.
#[derive(Clone, Copy, Debug)]
pub struct PublishedNode {
    block: &'static Block,
    id: Id,
}

impl PartialEq for PublishedNode {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.block, other.block)
    }
}

impl Eq for PublishedNode {}

impl Hash for PublishedNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
        std::ptr::hash(self.block, state);
    }
}

impl PublishedNode {
    /// Returns the structure of the type, one level deep.
    pub fn shape(self) -> PublishedShape<PublishedNode> {
        let Self { block, .. } = self;
        match block.node(self.id) {
            Node::Boolean => PublishedShape::Bool,
            Node::Integer { min, max } => PublishedShape::Int { min: *min, max: *max },
            Node::Text { min, max, pattern } => PublishedShape::Text {
                min: min.map(to_length),
                max: max.map(to_length),
                pattern: pattern.map(|pattern| block.text(pattern)),
            },
            Node::Choice { values, open } => PublishedShape::Choice {
                values: values.iter().map(|value| block.text(*value)).collect(),
                is_open: *open,
            },
            Node::Array { item, min, max } => {
                PublishedShape::Array { item: self.sibling(*item), min: min.map(to_length), max: max.map(to_length) }
            }
            Node::Object(object) => PublishedShape::Object {
                members: self.members(&object.properties),
                additional: object.additional.map(|id| self.sibling(id)),
            },
            Node::Tagged { key, base, branches } => PublishedShape::Tagged {
                key: block.text(*key),
                base: self.members(base),
                branches: branches.iter().map(|(name, id)| (block.text(*name), self.sibling(*id))).collect(),
            },
            Node::Union(parts) => PublishedShape::Union(parts.iter().map(|id| self.sibling(*id)).collect()),
            Node::Any | Node::Number | Node::Checked { .. } | Node::Rule(_) => PublishedShape::Any,
        }
    }

    fn sibling(self, id: Id) -> Self {
        Self { id, ..self }
    }

    fn members(self, properties: &'static [Property]) -> Vec<PublishedMember<PublishedNode>> {
        properties
            .iter()
            .map(|property| PublishedMember {
                name: self.block.text(property.name),
                ty: self.sibling(property.node),
                is_required: property.is_required(),
                is_read_only: property.is_read_only(),
                is_write_only: property.is_write_only(),
            })
            .collect()
    }
}

fn to_length(length: u64) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// True if a string matches the pattern of a published type.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    patterns::matches(pattern, text, false)
}

/// Looks up the body of a resource type at a version. Names are case-insensitive.
pub fn body_of(type_name: &str, version: &str) -> BodyLookup<PublishedNode> {
    let Some(pack) = azure() else { return BodyLookup::Unknown };
    let Some((provider, _)) = type_name.split_once('/') else { return BodyLookup::Unknown };
    let Some(block) = pack.provider(provider) else { return BodyLookup::NoType };
    let Some(found) = DescribedType::new(block, type_name) else { return BodyLookup::NoType };
    let Some(known) = found.version(version) else {
        // A version after the data may exist.
        let is_later = version.get(..10).is_none_or(|day| day > pack.source().date);
        return if is_later { BodyLookup::Unknown } else { BodyLookup::NoVersion };
    };
    match known.bodies.first() {
        Some(id) if known.bodies.len() == 1 && !is_unreliable(type_name, version) => {
            BodyLookup::Body(PublishedNode { block, id: *id }, known.scopes)
        }
        _ => BodyLookup::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(node: PublishedNode, name: &str) -> PublishedMember<PublishedNode> {
        let PublishedShape::Object { members, .. } = node.shape() else { panic!("{:?}", node.shape()) };
        members.into_iter().find(|member| member.name == name).unwrap()
    }

    #[test]
    fn a_body_has_the_members_of_its_type() {
        let BodyLookup::Body(body, _) = body_of("microsoft.storage/StorageAccounts", "2023-01-01") else { panic!() };
        assert!(member(body, "name").is_required && member(body, "id").is_read_only);
        let endpoints = member(member(body, "properties").ty, "primaryEndpoints");
        assert!(endpoints.is_read_only);
        assert!(matches!(member(endpoints.ty, "blob").ty.shape(), PublishedShape::Text { .. }));
    }

    #[test]
    fn a_type_or_version_that_is_not_published_has_no_body() {
        let found = |name, version| body_of(name, version);
        assert!(matches!(found("Microsoft.Storage/storageAccount", "2023-01-01"), BodyLookup::NoType));
        assert!(matches!(found("Microsoft.Storage/storageAccounts", "2023-01-02"), BodyLookup::NoVersion));
        assert!(matches!(found("Microsoft.Storage/storageAccounts", "2099-01-01"), BodyLookup::Unknown));
        assert!(matches!(found("storageAccounts", "2023-01-01"), BodyLookup::Unknown));
    }
}
