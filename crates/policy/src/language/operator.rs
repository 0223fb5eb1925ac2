//! Operators of conditions.

/// Comparison of an operator, without its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Equality of scalars.
    Equals,
    /// Match of a string with a pattern that has at most one `*`.
    Like,
    /// Match of a string with a pattern that has `#` for a digit, `?` for a letter and `.` for any character.
    Match,
    /// Match like [`Self::Match`], case-insensitive.
    MatchInsensitively,
    /// Search for a part of a string, or for an item of an array.
    Contains,
    /// Search for a value in an array.
    In,
    /// Search for a member of an object.
    ContainsKey,
    /// Order of numbers, strings or dates: less.
    Less,
    /// Order of numbers, strings or dates: less or equal.
    LessOrEquals,
    /// Order of numbers, strings or dates: greater.
    Greater,
    /// Order of numbers, strings or dates: greater or equal.
    GreaterOrEquals,
    /// Existence of a value other than null.
    Exists,
}

/// An operator of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Name as documented.
    pub name: &'static str,
    /// Comparison without the negation: `notEquals` has that of `equals`.
    pub comparison: Comparison,
    /// True if it holds if the comparison does not.
    pub is_negated: bool,
}

const fn plain(name: &'static str, comparison: Comparison) -> Operator {
    Operator { name, comparison, is_negated: false }
}

const fn negated(name: &'static str, comparison: Comparison) -> Operator {
    Operator { name, comparison, is_negated: true }
}

impl Operator {
    /// All operators, as documented.
    pub const ALL: [Self; 19] = [
        plain("equals", Comparison::Equals),
        negated("notEquals", Comparison::Equals),
        plain("like", Comparison::Like),
        negated("notLike", Comparison::Like),
        plain("match", Comparison::Match),
        negated("notMatch", Comparison::Match),
        plain("matchInsensitively", Comparison::MatchInsensitively),
        negated("notMatchInsensitively", Comparison::MatchInsensitively),
        plain("contains", Comparison::Contains),
        negated("notContains", Comparison::Contains),
        plain("in", Comparison::In),
        negated("notIn", Comparison::In),
        plain("containsKey", Comparison::ContainsKey),
        negated("notContainsKey", Comparison::ContainsKey),
        plain("less", Comparison::Less),
        plain("lessOrEquals", Comparison::LessOrEquals),
        plain("greater", Comparison::Greater),
        plain("greaterOrEquals", Comparison::GreaterOrEquals),
        plain("exists", Comparison::Exists),
    ];

    /// Returns the operator with a name, case-insensitive.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.name.eq_ignore_ascii_case(name))
    }
}
