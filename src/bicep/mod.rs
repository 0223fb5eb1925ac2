//! Bicep: parses it ([`language`]), builds it with the Bicep CLI ([`cli`]) or without it ([`compiler`], with the
//! [`modules`] of registries), and maps compiled JSON back to its lines ([`source_map`]).

pub(crate) mod cli;
pub(crate) mod compiler;
pub(crate) mod language;
pub(crate) mod modules;
pub mod source_map;
