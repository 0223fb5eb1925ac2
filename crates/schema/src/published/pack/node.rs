//! Nodes: the types of values, as the data describe them.

use crate::published::pack::{Clause, Id, Name};

/// A type of values.
#[derive(Debug)]
pub(crate) enum Node {
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
        pattern: Option<Name>,
    },
    /// A choice of values; an open choice also accepts any other string.
    Choice {
        values: Vec<Name>,
        open: bool,
    },
    Array {
        item: Id,
        min: Option<u64>,
        max: Option<u64>,
    },
    Object(Object),
    /// An object whose member `key` selects a branch.
    Tagged {
        key: Name,
        base: Vec<Property>,
        branches: Vec<(Name, Id)>,
    },
    /// At least one of the types.
    Union(Vec<Id>),
    /// A value of the type `of` that also obeys each of the rules.
    Checked {
        of: Id,
        rules: Vec<Id>,
    },
    /// A rule: a value must fulfill every clause.
    Rule(Vec<Clause>),
}

/// Members that an object may have.
#[derive(Debug)]
pub(crate) struct Object {
    /// Named members, sorted by name.
    pub(crate) properties: Vec<Property>,
    /// Type of members with any other name. `None` if they are not allowed.
    pub(crate) additional: Option<Id>,
    /// Sets of properties, of which at least one must be present completely.
    pub(crate) demands: Vec<Vec<Name>>,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) node: Id,
    pub(super) flags: u8,
}

impl Property {
    /// True if an author must set it.
    pub(crate) fn is_required(&self) -> bool {
        self.flags & 1 != 0 && !self.is_read_only()
    }

    /// True if only the cloud sets it.
    pub(crate) fn is_read_only(&self) -> bool {
        self.flags & 2 != 0
    }

    /// True if the cloud never returns it.
    pub(crate) fn is_write_only(&self) -> bool {
        self.flags & 4 != 0
    }

    /// True if an author may set it.
    pub(crate) fn is_writable(&self) -> bool {
        !self.is_read_only()
    }
}
