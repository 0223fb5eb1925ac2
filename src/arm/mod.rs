//! Azure Resource Manager templates: reading, evaluating and expanding them into a [`Document`](crate::model::Document).

mod checks;
mod context;
mod dotnet;
pub mod eval;
mod evaluate;
pub mod expand;
pub mod expr;
mod fault;
pub mod functions;
mod issue;
mod parameters;
mod project;
mod target;

pub use self::context::Context;
pub use self::evaluate::evaluate;
pub use self::expand::{Expansion, Request, expand};
pub use self::issue::Issue;
