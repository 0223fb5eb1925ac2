//! Where and how a value does not fit its type.

use crate::value::Value;

/// A step from a resource into its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step<'v> {
    Member(&'v str),
    Item(usize),
}

/// A place at which a value does not fit its type.
#[derive(Debug)]
pub(super) struct Misfit<'a> {
    /// The way to the value, or to what is missing.
    pub(super) steps: Vec<Step<'a>>,
    /// The choices on the way: after how many steps which value was chosen.
    pub(super) chosen: Vec<(usize, &'a Value)>,
    pub(super) kind: MisfitKind<'a>,
    /// What makes it wrong, of which each is like "`Engine` is `mysql`". Empty if it is always wrong.
    pub(super) reasons: Vec<String>,
}

/// Why a value does not fit its type.
#[derive(Debug)]
pub(super) enum MisfitKind<'a> {
    /// A name that the object does not have, and those that it has.
    UnknownProperty {
        known: Vec<&'static str>,
        hint: Hint<'a>,
    },
    MissingProperty,
    /// None of several sets of properties, of which one is required as a whole.
    MissingOneOf {
        sets: Vec<Vec<&'a str>>,
    },
    ReadOnly,
    Type {
        found: &'a Value,
        expected: Vec<&'static str>,
    },
    /// A value that a closed choice does not have, and those that it has.
    Value {
        found: &'a Value,
        choices: Vec<&'static str>,
    },
    /// A value that an open choice does not name, and the one that it is a slip of.
    Misspelled {
        found: &'a Value,
        meant: &'static str,
    },
    Length {
        found: u64,
        unit: &'static str,
        min: Option<u64>,
        max: Option<u64>,
    },
    Pattern {
        found: &'a Value,
        pattern: &'a str,
    },
    Range {
        found: &'a Value,
        min: Option<i64>,
        max: Option<i64>,
    },
    /// A string that is of none of its formats, and what is.
    Format {
        found: &'a Value,
        expected: Vec<&'static str>,
    },
    /// What must not be there.
    Forbidden,
    /// What must not be beside another property.
    Excluded {
        with: &'a str,
    },
    /// What is missing beside another property.
    Needed {
        by: &'a str,
    },
    /// An item that is the same as one before.
    Repeated,
    /// A value that has none of the forms that it may have.
    NoForm,
}

/// Where an unknown property may belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint<'a> {
    None,
    /// Into the object of this name beside it.
    Into(&'a str),
    /// One object further out.
    Out,
}

impl MisfitKind<'_> {
    /// Whether another version of the type, which says this of the property, sees no fault in it.
    pub(super) fn is_settled(&self, status: Option<Status>) -> bool {
        match self {
            Self::UnknownProperty { .. } => matches!(status, Some(Status::Optional | Status::Required)),
            Self::MissingProperty => status == Some(Status::Optional),
            Self::ReadOnly => matches!(status, Some(Status::Optional | Status::Required)),
            _ => false,
        }
    }
}

/// What a type says of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Absent,
    Required,
    Optional,
    ReadOnly,
}
