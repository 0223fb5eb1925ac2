//! Bicep: parses it ([`language`]), compiles it to ARM templates ([`compiler`]), and maps compiled JSON back to its lines
//! ([`source_map`]).
//!
//! [`codes`] lists the codes of Bicep's compiler.
//!
//! Nothing here reads a file: whoever compiles hands in a [`compiler::Host`].

pub mod codes;
pub mod compiler;
pub mod language;
pub mod source_map;

use formwork_arm as arm;
use formwork_model::{diagnostic, model, path, text, value};
use formwork_schema as schema;
use formwork_syntax as syntax;
