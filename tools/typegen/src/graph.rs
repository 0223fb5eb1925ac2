//! The types of one provider as a graph, whatever they were read from.

/// The position of a node in a [`Graph`].
pub type Id = u32;

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Any,
    Boolean,
    Integer {
        min: Option<i64>,
        max: Option<i64>,
    },
    Number,
    Text {
        min: Option<u64>,
        max: Option<u64>,
        pattern: Option<String>,
        sensitive: bool,
    },
    /// One of the values; of an open choice, any other text as well.
    Choice {
        values: Vec<String>,
        open: bool,
    },
    Array {
        item: Id,
        min: Option<u64>,
        max: Option<u64>,
    },
    /// `demands` are sets of properties, of which at least one must be there as a whole.
    Object {
        properties: Vec<Property>,
        additional: Option<Id>,
        sensitive: bool,
        demands: Vec<Vec<String>>,
    },
    /// An object whose member `key` tells which branch it follows.
    Tagged {
        key: String,
        base: Vec<Property>,
        branches: Vec<(String, Id)>,
    },
    /// At least one of the types.
    Union(Vec<Id>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Property {
    pub name: String,
    pub node: Id,
    pub flags: u8,
}

/// A resource type.
#[derive(Clone, Debug)]
pub struct ResourceType {
    /// The full name, in the casing of the source.
    pub name: String,
    /// Oldest first.
    pub versions: Vec<Version>,
    /// Paths of properties that hold secrets in some version: `properties.secrets[*].value`, `properties.settings.*`.
    pub secrets: Vec<String>,
}

/// A resource type at one API version.
#[derive(Clone, Debug)]
pub struct Version {
    pub name: String,
    /// The types of a body; several if the source has it in several files, none if only its existence is known.
    pub bodies: Vec<Id>,
    /// The scopes that it can be deployed at, as a set of bits.
    pub scopes: u8,
}

/// The types of one provider.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub types: Vec<ResourceType>,
}

impl Node {
    /// The nodes that it refers to, in a fixed order.
    pub fn children(&self) -> Vec<Id> {
        match self {
            Self::Array { item, .. } => vec![*item],
            Self::Object { properties, additional, .. } => {
                properties.iter().map(|property| property.node).chain(*additional).collect()
            }
            Self::Tagged { base, branches, .. } => {
                base.iter().map(|property| property.node).chain(branches.iter().map(|(_, node)| *node)).collect()
            }
            Self::Union(nodes) => nodes.clone(),
            _ => Vec::new(),
        }
    }

    /// The same node with other children, in the order of [`Self::children`].
    #[must_use]
    pub fn renumbered(&self, number: &dyn Fn(Id) -> Id) -> Self {
        let renamed = |properties: &[Property]| {
            properties.iter().map(|property| Property { node: number(property.node), ..property.clone() }).collect()
        };
        match self {
            Self::Array { item, min, max } => Self::Array { item: number(*item), min: *min, max: *max },
            Self::Object { properties, additional, sensitive, demands } => Self::Object {
                properties: renamed(properties),
                additional: additional.map(number),
                sensitive: *sensitive,
                demands: demands.clone(),
            },
            Self::Tagged { key, base, branches } => Self::Tagged {
                key: key.clone(),
                base: renamed(base),
                branches: branches.iter().map(|(value, node)| (value.clone(), number(*node))).collect(),
            },
            Self::Union(nodes) => Self::Union(nodes.iter().map(|node| number(*node)).collect()),
            other => other.clone(),
        }
    }
}
