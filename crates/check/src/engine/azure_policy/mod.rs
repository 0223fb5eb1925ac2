//! Azure Policy in a run: `load` reads the documents that settings and flags name, `governance` judges what each
//! expansion deploys by them, and `explained` says why. `exemptions` has what suppresses its findings, and `troubles`
//! says which policies cannot be judged.
//!
//! # Invariant
//!
//! Without policies, the checks `azure-policy/*` do not run.

mod deployed;
mod exemptions;
mod explained;
mod governance;
mod load;
mod request;
mod troubles;
mod undecided;

use std::sync::Arc;

use crate::diagnostic::{CheckKind, RuleInfo};
use crate::engine::Checks;

pub use self::explained::PolicyAnswer;
pub use self::governance::Governance;
pub use self::load::{PolicySource, load_policies, tried};
pub(super) use self::load::{is_of_tool, problems};

/// Takes the checks of policies out of those that run, for a run without policies.
pub(super) fn leave_out(checks: &mut Checks, infos: &mut Vec<Arc<RuleInfo>>) {
    checks.retain(|check, _| check.kind() != CheckKind::Policy);
    infos.retain(|info| info.kind() != Some(CheckKind::Policy));
}
