//! The structure of published types. `N` is a type.

/// Result of looking up the body of a resource type.
#[derive(Clone, Copy, Debug)]
pub enum BodyLookup<N> {
    /// The type of the body, and the scopes of its deployments as a set of bits.
    Body(N, u8),
    /// No type has this name.
    NoType,
    /// The type has no such version.
    NoVersion,
    /// The data do not say.
    Unknown,
}

/// The structure of a type, one level deep. Lengths count characters or items.
#[derive(Clone, Debug)]
pub enum PublishedShape<N> {
    Any,
    Bool,
    Int {
        min: Option<i64>,
        max: Option<i64>,
    },
    Text {
        min: Option<i64>,
        max: Option<i64>,
        pattern: Option<&'static str>,
    },
    /// A choice of strings; an open choice also accepts any other string.
    Choice {
        values: Vec<&'static str>,
        is_open: bool,
    },
    Array {
        item: N,
        min: Option<i64>,
        max: Option<i64>,
    },
    Object {
        members: Vec<PublishedMember<N>>,
        additional: Option<N>,
    },
    /// An object whose member `key` selects a branch.
    Tagged {
        key: &'static str,
        base: Vec<PublishedMember<N>>,
        branches: Vec<(&'static str, N)>,
    },
    Union(Vec<N>),
}

/// A member of a published object.
#[derive(Clone, Copy, Debug)]
pub struct PublishedMember<N> {
    pub name: &'static str,
    pub ty: N,
    pub is_required: bool,
    pub is_read_only: bool,
    /// True if the cloud never returns the member.
    pub is_write_only: bool,
}
