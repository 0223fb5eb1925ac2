//! Syntax tree of a ruleset.

use crate::guard::path::Path;
use crate::guard::piece::Piece;

/// An assignment, `let NAME = VALUE`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment<'a> {
    pub(super) name: Piece<'a>,
    /// Text up to the end of the line.
    pub(super) value: Piece<'a>,
}

/// Operator between the rules of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// `|AND|`, also for a single rule: each rule must hold.
    And,
    /// `|OR|`: one rule must hold.
    Or,
}

impl Joint {
    /// Returns the notation in rulesets.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::And => "|AND|",
            Self::Or => "|OR|",
        }
    }
}

/// A line with rules.
#[derive(Debug)]
pub(super) struct Clause<'a> {
    pub(super) text: Piece<'a>,
    pub(super) joint: Joint,
    pub(super) rules: Vec<RuleNode<'a>>,
}

/// A base rule or a conditional rule.
#[derive(Debug)]
pub(super) struct RuleNode<'a> {
    pub(super) text: Piece<'a>,
    pub(super) type_name: Piece<'a>,
    pub(super) condition: Option<Condition<'a>>,
    /// Comparison that must hold if the condition does.
    pub(super) check: Comparison<'a>,
}

/// `WHEN` and `CHECK` of a conditional rule.
#[derive(Debug)]
pub(super) struct Condition<'a> {
    /// The two keywords in the case of the text.
    pub(super) keywords: [Piece<'a>; 2],
    pub(super) comparison: Comparison<'a>,
}

/// A property comparison with its output message.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    /// Whole text, with the message.
    pub(super) text: Piece<'a>,
    pub(super) path_text: Piece<'a>,
    pub(super) path: Path,
    pub(super) operator: Operator,
    pub(super) value: Piece<'a>,
    pub(super) message: Option<Piece<'a>>,
}

/// Operator of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    Greater,
    AtMost,
    AtLeast,
    In,
    NotIn,
}

impl Operator {
    pub(super) const ALL: [Self; 8] =
        [Self::Equal, Self::NotEqual, Self::Less, Self::Greater, Self::AtMost, Self::AtLeast, Self::In, Self::NotIn];

    /// Returns the notation in rulesets.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
            Self::In => "IN",
            Self::NotIn => "NOT_IN",
        }
    }

    /// Returns the operator with this notation, or `None` if there is none.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.as_str() == word)
    }

    /// True if one matching element under a wildcard is enough. With the other operators, every element counts.
    pub(super) const fn is_existential(self) -> bool {
        matches!(self, Self::Equal | Self::In)
    }
}
