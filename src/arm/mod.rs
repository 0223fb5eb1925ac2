//! Azure Resource Manager templates: reading, evaluating and expanding them into a [`Document`](crate::model::Document).

mod context;
mod dotnet;
pub mod eval;
pub mod expr;
mod fault;
pub mod functions;
mod target;

pub use self::context::Context;
pub use self::fault::Fault;
