//! What the types of a provider are made of.

use crate::published::pack::{Clause, Id, Name};

/// What a value may be.
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
    /// One of the values; of an open choice, any other text as well.
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
    /// An object whose member `key` tells which branch it follows.
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
    /// What a value must fulfil beside its type: every clause.
    Rule(Vec<Clause>),
}

/// What an object may hold.
#[derive(Debug)]
pub(crate) struct Object {
    /// The named members, sorted by name.
    pub(crate) properties: Vec<Property>,
    /// What members of any other name are. `None` if there may be none.
    pub(crate) additional: Option<Id>,
    /// Sets of properties, of which at least one must be there as a whole.
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
    /// Whether an author must give it.
    pub(crate) fn is_required(&self) -> bool {
        self.flags & 1 != 0 && !self.is_read_only()
    }

    /// Whether only the cloud gives it a value.
    pub(crate) fn is_read_only(&self) -> bool {
        self.flags & 2 != 0
    }

    /// Whether an author may give it.
    pub(crate) fn is_writable(&self) -> bool {
        !self.is_read_only()
    }
}
