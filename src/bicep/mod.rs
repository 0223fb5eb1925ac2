//! Bicep, with what needs an operating system: the Bicep CLI ([`cli`]), and the [`modules`] of registries.

pub(crate) mod cli;
pub(crate) mod modules;

pub use formwork_bicep::source_map;
pub(crate) use formwork_bicep::{compiler, language};
