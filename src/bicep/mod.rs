//! Bicep: building it with the Bicep CLI, and the way back from compiled JSON to its lines.

pub(crate) mod cli;
pub mod reader;
pub mod source_map;
