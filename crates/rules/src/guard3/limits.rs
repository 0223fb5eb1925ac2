//! Limits on the evaluation of the rules of a file.

use crate::model::{Document, Limits};

/// The steps and bytes that each resource of a document allows for beyond the limits: a rule looks at all of them.
const STEPS_OF_RESOURCE: u64 = 400;
const BYTES_OF_RESOURCE: usize = 4 << 10;

/// Returns the limits on the evaluation of all rules on a document.
pub(crate) fn limits_for(document: &Document) -> Limits {
    let resources = document.resources.len();
    Limits {
        steps: LIMITS.steps.saturating_add(STEPS_OF_RESOURCE.saturating_mul(resources as u64)),
        memory_bytes: LIMITS.memory_bytes.saturating_add(BYTES_OF_RESOURCE.saturating_mul(resources)),
        ..LIMITS
    }
}

/// The limits on the evaluation of rules on a document without resources. The memory is that of the results of
/// variables and functions, and of the checks that failed.
pub(crate) static LIMITS: Limits = Limits {
    file_bytes: 0,
    nesting: 128,
    expression_bytes: 0,
    call_depth: 0,
    steps: 20_000_000,
    memory_bytes: 64 << 20,
    text_bytes: 4 << 20,
    value_weight: 0,
    copies: 0,
    resources: 0,
};
