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
    /// A value of the type `of` that also obeys each of the rules.
    Checked {
        of: Id,
        rules: Vec<Id>,
    },
    /// What a value must fulfil beside its type: every clause.
    Rule(Vec<Clause>),
}

/// A part of a rule, as in JSON Schema. A clause about one kind of value says nothing of other kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Clause {
    /// Something that is not decided here.
    Opaque,
    /// No value is right.
    Never,
    /// What `Fn::GetAtt` returns of a resource; nothing about the value.
    Attributes(Vec<String>),
    /// The properties that identify a resource; nothing about the value.
    Identifier(Vec<String>),
    /// The day on which the service of a type was shut down; nothing about the value.
    Shutdown(String),
    /// A set of bits: Boolean, integer, number, string, array, object, null.
    Kinds(u8),
    OneOf {
        values: Vec<String>,
        ignore_case: bool,
    },
    Pattern(String),
    Format(String),
    Range {
        min: Option<i64>,
        max: Option<i64>,
    },
    MultipleOf(u64),
    Length {
        min: Option<u64>,
        max: Option<u64>,
    },
    Items {
        min: Option<u64>,
        max: Option<u64>,
    },
    /// No two items are equal.
    Unique,
    /// No two items agree in all these members.
    UniqueBy(Vec<String>),
    Required(Vec<String>),
    /// At least one of the members.
    RequiredOr(Vec<String>),
    /// Exactly one of the members.
    RequiredXor(Vec<String>),
    /// None of the members.
    Forbidden(Vec<String>),
    /// Beside the first member, the others must be there.
    With(Vec<String>),
    /// Beside the first member, none of the others may be there.
    Without(Vec<String>),
    /// No other members than these.
    Only(Vec<String>),
    Members(Vec<(String, Id)>),
    /// A rule for the names of all members.
    Names(Id),
    /// A rule for all items.
    Each(Id),
    /// At least one item obeys the rule.
    Contains(Id),
    All(Vec<Id>),
    Any(Vec<Id>),
    One(Vec<Id>),
    Not(Id),
    /// The rule, what holds if it is obeyed, and what holds if not.
    If([Id; 3]),
}

impl Clause {
    fn children(&self) -> Vec<Id> {
        match self {
            Self::Members(members) => members.iter().map(|(_, rule)| *rule).collect(),
            Self::Names(rule) | Self::Each(rule) | Self::Contains(rule) | Self::Not(rule) => vec![*rule],
            Self::All(rules) | Self::Any(rules) | Self::One(rules) => rules.clone(),
            Self::If(rules) => rules.to_vec(),
            _ => Vec::new(),
        }
    }

    fn renumbered(&self, number: &dyn Fn(Id) -> Id) -> Self {
        let all = |rules: &[Id]| rules.iter().map(|rule| number(*rule)).collect();
        match self {
            Self::Members(members) => {
                Self::Members(members.iter().map(|(name, rule)| (name.clone(), number(*rule))).collect())
            }
            Self::Names(rule) => Self::Names(number(*rule)),
            Self::Each(rule) => Self::Each(number(*rule)),
            Self::Contains(rule) => Self::Contains(number(*rule)),
            Self::Not(rule) => Self::Not(number(*rule)),
            Self::All(rules) => Self::All(all(rules)),
            Self::Any(rules) => Self::Any(all(rules)),
            Self::One(rules) => Self::One(all(rules)),
            Self::If(rules) => Self::If(rules.map(number)),
            other => other.clone(),
        }
    }
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
            Self::Checked { of, rules } => [*of].into_iter().chain(rules.iter().copied()).collect(),
            Self::Rule(clauses) => clauses.iter().flat_map(Clause::children).collect(),
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
            Self::Checked { of, rules } => {
                Self::Checked { of: number(*of), rules: rules.iter().map(|rule| number(*rule)).collect() }
            }
            Self::Rule(clauses) => Self::Rule(clauses.iter().map(|clause| clause.renumbered(number)).collect()),
            other => other.clone(),
        }
    }
}
