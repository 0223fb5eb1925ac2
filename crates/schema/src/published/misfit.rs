//! Misfits: deviations of a value from its type.

use crate::value::Value;

/// A step from a resource into its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MisfitStep<'v> {
    Member(&'v str),
    Item(usize),
}

/// A deviation of a value from its type.
#[derive(Debug)]
pub(super) struct Misfit<'a> {
    /// Path of the value, or of the missing member.
    pub(super) steps: Vec<MisfitStep<'a>>,
    /// Alternatives chosen for unknown values on the path, each after its number of steps.
    pub(super) chosen: Vec<(usize, &'a Value)>,
    pub(super) kind: MisfitKind<'a>,
    /// Conditions that make it wrong, each like "`Engine` is `mysql`". Empty if it is always wrong.
    pub(super) reasons: Vec<String>,
}

/// Kind of deviation.
#[derive(Debug)]
pub(super) enum MisfitKind<'a> {
    /// A name that the object does not allow, and the allowed names.
    UnknownProperty {
        known: Vec<&'static str>,
        hint: Hint<'a>,
    },
    MissingProperty,
    /// No complete set of properties, where one of several sets is required.
    MissingOneOf {
        sets: Vec<Vec<&'a str>>,
    },
    ReadOnly,
    Type {
        found: &'a Value,
        expected: Vec<&'static str>,
    },
    /// A value that is not in a closed choice, and the choices.
    Value {
        found: &'a Value,
        choices: Vec<&'static str>,
    },
    /// A likely misspelling of a value in an open choice.
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
    /// A string with none of the expected formats.
    Format {
        found: &'a Value,
        expected: Vec<&'static str>,
    },
    /// A forbidden property.
    Forbidden,
    /// A property that is forbidden beside another one.
    Excluded {
        with: &'a str,
    },
    /// A missing property that another one requires.
    Needed {
        by: &'a str,
    },
    /// An item that is equal to an earlier one.
    Repeated,
    /// A value that has none of the allowed forms.
    NoForm,
}

/// Suggested level for an unknown property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint<'a> {
    None,
    /// The sibling object of this name.
    Into(&'a str),
    /// The parent of the object.
    Out,
}

impl MisfitKind<'_> {
    /// True if another version of the type, which gives the property this status, has no such misfit.
    pub(super) fn is_settled(&self, status: Option<Status>) -> bool {
        match self {
            Self::UnknownProperty { .. } => matches!(status, Some(Status::Optional | Status::Required)),
            Self::MissingProperty => status == Some(Status::Optional),
            Self::ReadOnly => matches!(status, Some(Status::Optional | Status::Required)),
            _ => false,
        }
    }
}

/// Status of a property in a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Absent,
    Required,
    Optional,
    ReadOnly,
}
