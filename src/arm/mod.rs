//! Azure Resource Manager templates: reading, evaluating and expanding them into a [`Document`](crate::model::Document).

mod fault;
pub mod functions;

pub use self::fault::Fault;
