//! Evaluates the assignments that are in force on the requests of a deployment.
//!
//! Effects have an order: policies that append to and modify a request come first, and the others see the changed
//! request. Reference: <https://learn.microsoft.com/azure/governance/policy/concepts/effect-basics>.
//!
//! # Invariant
//!
//! A verdict is given only if it holds whatever the unknown parts turn out to be.

mod bind;
mod bodies;
mod by_assignment;
mod by_type;
mod candidates;
mod change;
mod changes;
mod compare;
mod conditions;
mod effect;
mod entry;
mod evaluate;
mod evidence;
mod exempt;
mod explain;
mod fields;
mod in_force;
mod limits;
mod lists;
mod lookups;
mod modes;
mod order;
mod ranges;
mod related;
mod request;
mod scene;
mod scopes;
mod standing;
mod surroundings;
#[cfg(test)]
mod tests;
mod trace;
mod truth;
mod verdict;

pub use self::effect::Effect;
pub use self::explain::{Explained, Explanations, Given, Origin, Question};
pub use self::in_force::InForce;
pub use self::request::Request;
pub use self::surroundings::Surroundings;
pub use self::trace::{Answer, Evaluated, PartKind, Seen};
pub use self::verdict::{Change, Exempting, Judged, Judgment, Outcome, Standing, Strength, Trouble, Verdict};
