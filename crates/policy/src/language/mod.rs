//! Language of rules: conditions, operators, and the expressions in their strings.
//!
//! Names of members, operators and functions are case-insensitive.

mod check;
mod condition;
mod operator;

pub(crate) use self::check::{Declared, OWN, check_expressions};
pub use self::condition::{Condition, Count, Counted, Subject, Test};
pub use self::operator::{Comparison, Operator};
