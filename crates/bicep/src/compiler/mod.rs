//! Compiles Bicep to templates without the Bicep CLI.
//!
//! [`units`] reads a file and everything that it is compiled from, [`model`] resolves names, and [`template`] emits
//! the templates. Each value of a template has the span of the Bicep that it comes from.
//!
//! # Invariants
//!
//! - Each value of a compiled template has the span of the Bicep that it comes from.
//! - A construct that the compiler does not understand is an error. Its value is unknown in a template that is checked.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod ancestry;
mod arguments;
mod calls;
mod compilation;
mod configuration;
mod convert;
mod decorators;
mod depend;
mod emitter;
mod exported;
mod extensions;
mod features;
mod formula;
mod functions;
mod generator;
mod host;
mod identity;
mod imports;
mod inline;
mod json_path;
mod linter;
mod linter_settings;
mod loaded;
mod loads;
mod members;
pub mod memory;
mod model;
mod order;
mod parameters;
mod reference;
mod references;
mod referrers;
mod resolve;
mod resources;
mod scope;
mod secure;
mod semantics;
mod settings;
mod template;
#[cfg(test)]
mod tests;
mod types;
mod units;
mod unknown;
mod values;

pub use self::compilation::{Compilation, compile, compile_parameters};
pub use self::generator::with_hashes;
pub use self::host::{Host, Missing};
pub use self::linter::{BICEP_WARNING, check_of_rule, lint_checks};
pub use self::reference::Artifact;
