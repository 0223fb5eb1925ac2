//! Azure Resource Manager templates: reading, evaluating and expanding them into a [`Document`](crate::model::Document).

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
mod issue;
mod parameters;
mod project;
mod target;
mod types;

pub use self::context::Context;
pub use self::evaluate::evaluate;
pub use self::expand::{Expansion, Request, expand};
pub use self::exported::{exported, of_export};
pub use self::issue::Issue;
