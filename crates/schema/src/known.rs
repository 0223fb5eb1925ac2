//! Questions about a path in resources of a type, and their answers.

/// A segment of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPart<'a> {
    /// The member with this name.
    Name(&'a str),
    /// An item of an array.
    Item,
    /// All members of an object.
    Members,
    /// All items of an array, or all members of an object.
    Any,
}

/// Answer to whether resources of a type can have a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// At least one version of the type has the path, or the types do not say.
    Possible,
    /// No type has this name. Holds the end of a message that suggests a similar name.
    NoType(String),
    /// No version of the type has this segment of the path. Holds the segment and the end of a message that suggests a
    /// similar name.
    NoProperty(String, String),
}

/// Kinds of values that published types distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    String,
    Int,
    Bool,
    Array,
    Object,
}

/// Properties of a resource type, one level of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDescription {
    /// The type, its version, and the path.
    pub title: String,
    /// One line for each property.
    pub lines: Vec<String>,
}

/// Reason why a type has no description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeProblem {
    /// No type has this name. Holds the nearest names.
    NoType(Vec<String>),
    /// The type has no such version. Holds the newest ones.
    NoVersion(Vec<String>),
    /// The type has no such property. Holds those that it has there.
    NoPath(Vec<String>),
    /// This build has no types.
    Unknown,
}
