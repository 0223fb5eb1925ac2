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
pub(crate) mod eval;
mod evaluate;
pub mod expand;
mod exported;
pub(crate) mod expr;
mod fault;
pub(crate) mod functions;
mod parameters;
mod runtime;
mod scope;
mod secret_names;
mod types;
mod used;

pub use self::context::Context;
pub use self::evaluate::evaluate;
pub use self::expand::{Request, expand};
pub(crate) use self::exported::{exported, of_export};
pub(crate) use self::parameters::parameter_file_problems;
pub(crate) use self::used::parameters_used;
