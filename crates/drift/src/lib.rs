//! Drift: how resources that exist differ from those that templates declare.
//!
//! An [`Export`] has the resources that exist, as the tools of Azure and AWS write them. A [`Comparison`] takes the
//! expansions of templates one after the other, pairs their resources with those of the export ([`pair`]), and compares
//! what the templates set ([`body`]).
//!
//! # Invariant
//!
//! Only what a template sets can drift. A value that a cloud adds, or that it does not return, is never a difference.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod aws_names;
mod body;
mod comparison;
mod drift;
mod export;
mod ids;
mod lists;
mod masks;
mod pair;
mod scalars;

#[cfg(test)]
mod tests;

use formwork_model::{diagnostic, model, secret_names, text, value};

pub use self::comparison::{Comparison, DriftOptions};
pub use self::drift::{ChangeSide, Drift, DriftChange, DriftOutcome, DriftedResource};
pub use self::export::{Export, ExportFault, LiveResource, MAX_RESOURCES};
