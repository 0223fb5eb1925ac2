//! The syntax tree of a pattern.

use crate::class::Class;

/// A part of a pattern.
#[derive(Debug)]
pub(super) enum Node {
    /// Matches the empty string everywhere.
    Empty,
    /// Matches one unit: a UTF-16 code unit in .NET, a code point in Java.
    One(Class),
    /// Matches between two units.
    Anchor(Anchor),
    /// `(…)`, with the group that it defines.
    Capture(GroupName, Box<Node>),
    /// Parts that match one after the other.
    Concat(Vec<Node>),
    /// Alternatives, `a|b`: the first that matches is taken.
    Either(Vec<Node>),
    /// `*`, `+`, `?`, `{1,2}`. Without a `max` there is no upper bound.
    Repeat { node: Box<Node>, min: u32, max: Option<u32>, lazy: bool },
    /// `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`
    Look { behind: bool, negative: bool, node: Box<Node> },
    /// `(?>…)`, and what a possessive quantifier repeats.
    Atomic(Box<Node>),
    /// A reference to what a group matched, `\1` or `\k<name>`.
    Reference { group: GroupName, ignore_case: bool },
    /// A choice by whether a group took part in the match, `(?(1)…|…)`.
    IfGroup { group: GroupName, yes: Box<Node>, no: Box<Node> },
    /// A choice by whether a condition matches here, `(?(condition)…|…)`.
    IfMatch { condition: Box<Node>, yes: Box<Node>, no: Box<Node> },
}

/// What must hold between two units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `\A`, `\G`, and `^` without `m`.
    Start,
    /// `^` with the option `m`: the start of any line.
    LineStart,
    /// `\Z`, and `$` without `m`: the end of the string, or before a line break that ends it.
    End,
    /// `\z`: the end of the string, even after a final line break.
    VeryEnd,
    /// `$` with the option `m`: the end of any line.
    LineEnd,
    /// `\b`: the start or the end of a word.
    WordEdge,
    /// `\B`: anywhere but at the start or the end of a word.
    NoWordEdge,
}

/// How a pattern refers to a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum GroupName {
    Number(u32),
    Name(String),
}
