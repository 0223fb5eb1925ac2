//! Azure Resource Manager templates: reads, evaluates and expands them into a [`Document`](crate::model::Document).
//!
//! The parts use each other in one direction, from [`mod@expand`] down to [`fault`], with three recursions that the
//! language itself has:
//!
//! - [`expr`] and [`functions`]: the parser resolves function names, and lambdas and lazy functions get expressions.
//! - [`functions`] and [`eval`]: evaluation calls functions, and these evaluate their lazy arguments.
//! - [`eval`] and [`types`]: evaluation takes the type of a parameter into account, and `validate` calls lambdas.
//!
//! [`mod@expand`] is also called back, through the trait [`Resources`](eval::Resources): `reference()` needs the state of a
//! resource.

mod artifacts;
mod checks;
mod cloud;
mod context;
mod dotnet;
pub mod eval;
mod evaluate;
pub mod expand;
mod exported;
pub mod expr;
mod fault;
pub mod functions;
mod parameters;
pub mod pointer;
mod runtime;
mod scope;
mod template_hash;
mod types;
mod used;
mod version_uses;

use formwork_model::{diagnostic, model, outcomes, secret_names, text, value};
use formwork_syntax as syntax;

pub use self::checks::{CREDENTIAL, SECRET_IN_NESTED_TEMPLATE, UNUSED_VARIABLE};
pub use self::context::{Context, is_assumed};
pub use self::evaluate::evaluate;
pub use self::expand::{Request, expand};
pub use self::exported::{exported, of_export};
pub use self::fault::Fault;
pub use self::parameters::parameter_file_problems;
pub use self::scope::DeploymentScope;
pub use self::template_hash::template_hash;
pub use self::used::parameters_used;
pub use self::version_uses::{CallVersion, NamedValue, ResourceCall, VersionUses, named_by, version_uses};

/// Returns the checks that this crate declares.
pub fn checks() -> impl Iterator<Item = diagnostic::Check> {
    checks::CHECKS.iter().chain([&expand::constraints::CHECKS, &eval::CHECKS]).copied().flatten().copied()
}
