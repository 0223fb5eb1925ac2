//! What a .NET pattern says.

use crate::rules::json::regex::class::Class;

/// A part of a pattern.
#[derive(Debug)]
pub(super) enum Node {
    /// Matches everywhere.
    Empty,
    /// One UTF-16 code unit.
    One(Class),
    /// A place between units.
    Anchor(Anchor),
    /// `(…)`, by the group that it fills.
    Capture(GroupName, Box<Node>),
    /// One after the other.
    Concat(Vec<Node>),
    /// One or the other.
    Either(Vec<Node>),
    /// `*`, `+`, `?`, `{1,2}`.
    Repeat { node: Box<Node>, min: u32, max: Option<u32>, lazy: bool },
    /// `(?=…)` and its kin.
    Look { behind: bool, negative: bool, node: Box<Node> },
    /// `(?>…)`
    Atomic(Box<Node>),
    /// `\1`, `\k<name>`
    Reference { group: GroupName, ignore_case: bool },
    /// `(?(1)…|…)`
    IfGroup { group: GroupName, yes: Box<Node>, no: Box<Node> },
    /// `(?(condition)…|…)`
    IfMatch { condition: Box<Node>, yes: Box<Node>, no: Box<Node> },
}

/// A place between units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `\A`, `\G`, and `^` without `m`.
    Start,
    /// `^` with `m`.
    LineStart,
    /// `\Z`, and `$` without `m`: also before a final line feed.
    End,
    /// `\z`
    VeryEnd,
    /// `$` with `m`.
    LineEnd,
    /// `\b`
    WordEdge,
    /// `\B`
    NoWordEdge,
}

/// What a group is called: groups without a name are numbered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum GroupName {
    Number(u32),
    Name(String),
}
