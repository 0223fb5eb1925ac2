//! Invariants of every input: reading ends without a panic, positions lie in the text, and repeating a step has the
//! same result.
//!
//! Each function takes the bytes of one input and panics if something does not hold. The tests of this module damage
//! samples in every way, and the fuzz targets in `fuzz` call the same functions with what they invent. So this is
//! compiled for tests and, with the feature `fuzzing`, for `cargo fuzz`, and for nothing else.

#![expect(clippy::unwrap_used, reason = "a property that does not hold panics")]

mod bicep;
mod difference;
mod expression;
mod places;
mod policies;
mod syntax;
#[cfg(test)]
mod tests;

use crate::engine::Threads;

pub use self::bicep::{bicep, bicep_parameters};
pub use self::difference::difference;
pub use self::expression::expression;
pub use self::policies::policies;
pub use self::syntax::{json, sam_config, yaml};
pub use crate::engine::invariants::{baseline, guard_verdicts, parameters, rules, ruleset, stack, template};
pub use crate::join::invariants::shard;

pub(crate) use self::places::{check_problems, check_span, check_value, text};

/// Does some work on a thread whose stack is deep enough for whatever the limits allow.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    Threads::start(1).unwrap().install(work)
}
