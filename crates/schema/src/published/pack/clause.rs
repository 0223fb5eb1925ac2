//! Requirements on values besides their structure: the clauses of JSON Schema, and of cfn-lint's extensions.

use crate::published::pack::reader::PartReader;
use crate::published::pack::{Id, Name};

/// A requirement on a value. A clause about one kind of value accepts all other kinds.
#[derive(Debug)]
pub(crate) enum Clause {
    /// A requirement that is not evaluated.
    Opaque,
    /// Requirement that no value fulfills.
    Never,
    /// Attributes that `Fn::GetAtt` returns for a resource; not a requirement.
    Attributes(Vec<Name>),
    /// Properties that identify a resource; not a requirement.
    Identifier(Vec<Name>),
    /// Date on which the service of a type was shut down; not a requirement.
    Shutdown(Name),
    /// Allowed kinds of values.
    Kinds(Kinds),
    OneOf {
        values: Vec<Name>,
        ignore_case: bool,
    },
    Pattern(Name),
    Format(Name),
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
    UniqueBy(Vec<Name>),
    Required(Vec<Name>),
    /// At least one of the members.
    RequiredOr(Vec<Name>),
    /// Exactly one of the members.
    RequiredXor(Vec<Name>),
    /// None of the members.
    Forbidden(Vec<Name>),
    /// If the first member is present, the others are required.
    With(Vec<Name>),
    /// If the first member is present, none of the others is allowed.
    Without(Vec<Name>),
    /// No members other than these.
    Only(Vec<Name>),
    Members(Vec<(Name, Id)>),
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
    If {
        condition: Id,
        then: Id,
        otherwise: Id,
    },
}

/// A set of kinds of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const BOOLEAN: u8 = 1;
    pub(crate) const INTEGER: u8 = 1 << 1;
    pub(crate) const NUMBER: u8 = 1 << 2;
    pub(crate) const STRING: u8 = 1 << 3;
    pub(crate) const ARRAY: u8 = 1 << 4;
    pub(crate) const OBJECT: u8 = 1 << 5;
    pub(crate) const NULL: u8 = 1 << 6;

    pub(crate) fn has(self, kind: u8) -> bool {
        self.0 & kind != 0
    }
}

impl PartReader<'_> {
    pub(super) fn clause(&mut self) -> Option<Clause> {
        Some(match self.byte()? {
            0 => Clause::Opaque,
            1 => Clause::Never,
            2 => Clause::Kinds(Kinds(self.byte()?)),
            kind @ (3 | 4) => Clause::OneOf { ignore_case: kind == 4, values: self.list(Self::string)? },
            5 => Clause::Pattern(self.string()?),
            6 => Clause::Format(self.string()?),
            7 => {
                let (min, max) = self.range()?;
                Clause::Range { min, max }
            }
            8 => Clause::MultipleOf(self.unsigned()?),
            9 => Clause::Length { min: self.bound()?, max: self.bound()? },
            10 => Clause::Items { min: self.bound()?, max: self.bound()? },
            11 => Clause::Unique,
            12 => Clause::UniqueBy(self.list(Self::string)?),
            13 => Clause::Required(self.list(Self::string)?),
            14 => Clause::RequiredOr(self.list(Self::string)?),
            15 => Clause::RequiredXor(self.list(Self::string)?),
            16 => Clause::Forbidden(self.list(Self::string)?),
            17 => Clause::With(self.list(Self::string)?),
            18 => Clause::Without(self.list(Self::string)?),
            19 => Clause::Only(self.list(Self::string)?),
            20 => Clause::Members(self.list(|reader| Some((reader.string()?, reader.id()?)))?),
            29 => Clause::Attributes(self.list(Self::string)?),
            30 => Clause::Identifier(self.list(Self::string)?),
            31 => Clause::Shutdown(self.string()?),
            kind @ 21..=28 => self.compound(kind)?,
            _ => return None,
        })
    }

    /// Reads a clause that consists of rules.
    fn compound(&mut self, kind: u8) -> Option<Clause> {
        let rules = self.list(Self::id)?;
        Some(match (kind, rules.as_slice()) {
            (21, [rule]) => Clause::Names(*rule),
            (22, [rule]) => Clause::Each(*rule),
            (23, [rule]) => Clause::Contains(*rule),
            (24, _) => Clause::All(rules),
            (25, _) => Clause::Any(rules),
            (26, _) => Clause::One(rules),
            (27, [rule]) => Clause::Not(*rule),
            (28, [condition, then, otherwise]) => {
                Clause::If { condition: *condition, then: *then, otherwise: *otherwise }
            }
            _ => return None,
        })
    }
}
