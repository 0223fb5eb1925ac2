//! The operators of conditions.

/// What an operator compares, without its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Both are the same scalar.
    Equals,
    /// A string has a pattern with at most one `*`.
    Like,
    /// A string has a pattern with `#` for a digit, `?` for a letter and `.` for any character.
    Match,
    /// The same, ignoring case.
    MatchInsensitively,
    /// A string has a part, or an array an item.
    Contains,
    /// A value is one of an array.
    In,
    /// An object has a member.
    ContainsKey,
    /// A number, string or date is before another.
    Less,
    /// The same, or equal.
    LessOrEquals,
    /// A number, string or date is after another.
    Greater,
    /// The same, or equal.
    GreaterOrEquals,
    /// There is a value, which is not null.
    Exists,
}

/// An operator of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name as documented.
    pub name: &'static str,
    /// What it compares, without its negation: `notEquals` has that of `equals`.
    pub comparison: Comparison,
    /// Whether it holds where the comparison does not.
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

    /// The operator of a name, which ignores case.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.name.eq_ignore_ascii_case(name))
    }
}
