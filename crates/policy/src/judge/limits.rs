//! Limits on the evaluation of policies, and functions that policies do not have.

use formwork_arm::Fault;
use formwork_arm::eval::{Evaluator, Resources};

use crate::model::Limits;
use crate::value::Value;

/// Limits on the evaluation of all policies on one deployment. The limits on values and on depth are those of the
/// service, which denies requests that exceed them.
pub(super) const LIMITS: Limits = Limits {
    file_bytes: 0,
    nesting: 128,
    expression_bytes: 128 << 10,
    call_depth: 128,
    steps: 50_000_000,
    memory_bytes: 512 << 20,
    text_bytes: 131_072,
    value_weight: 32_768,
    copies: 0,
    resources: 0,
};

/// Resources of no template: policies have no functions that refer to other resources.
#[derive(Debug)]
pub(super) struct Nowhere;

impl Resources for Nowhere {
    fn reference(&self, _: &Evaluator<'_>, _: &str, _: bool) -> Option<Result<Value, Fault>> {
        None
    }

    fn lacks(&self, _: &Evaluator<'_>, _: &str) -> bool {
        false
    }

    fn references(&self, _: &Evaluator<'_>, _: &str, _: bool) -> Option<Result<Value, Fault>> {
        None
    }

    fn group(&self, _: &Evaluator<'_>, _: &str) -> Option<Value> {
        None
    }

    fn info(&self, _: &Evaluator<'_>, _: &str) -> Option<Value> {
        None
    }
}
