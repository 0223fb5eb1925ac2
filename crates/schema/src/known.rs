//! What is asked of the types about a path, and what they answer.

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPart<'a> {
    /// A member of this name.
    Name(&'a str),
    /// An item of an array.
    Item,
    /// All members of an object.
    Members,
    /// All items of an array, or all members of an object.
    Any,
}

/// Whether resources have what a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// At least one version of the type has it, or the types do not say.
    Possible,
    /// No type has this name. With the end of a message that names a similar one.
    NoType(String),
    /// No version of the type has this part of the path. With the end of a message that names a similar one.
    NoProperty(String, String),
}

/// The kinds of values that published types tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    String,
    Int,
    Bool,
    Array,
    Object,
}
