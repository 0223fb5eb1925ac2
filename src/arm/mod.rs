//! Azure Resource Manager templates: reading, evaluating and expanding them into a [`Document`](crate::model::Document).

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
mod target;
mod types;

pub use self::context::Context;
pub use self::evaluate::evaluate;
pub use self::expand::{Request, expand};
pub(crate) use self::exported::{exported, of_export};
