//! From files to a finished report: what is checked with what, in which order.
//!
//! [`engine`] is the pipeline, over a [`files::Host`], which is the disk or a memory. [`config`] reads the settings of
//! a folder, [`bicep`] builds with the Bicep CLI or the built-in compiler, and [`join`] makes one report of several.

// Without `system`, the shared modules contain code that only a check of the disk uses. With it, there is no unused code.
#![cfg_attr(
    not(feature = "system"),
    expect(dead_code, unreachable_pub, unused_imports, reason = "a check of the disk uses them")
)]

// In the order of the layers: each module uses only modules above it, which `tests/tidy` enforces.
#[cfg(feature = "system")]
pub mod cleanup;

pub mod files;

pub mod bicep;

pub mod checks;

pub mod config;

pub mod engine;

#[cfg(feature = "system")]
pub mod join;

#[cfg(any(test, feature = "fuzzing"))]
pub mod invariants;

use formwork_arm as arm;
use formwork_cfn as cfn;
#[cfg(any(test, feature = "fuzzing"))]
use formwork_diff as diff;
use formwork_model::{diagnostic, model, parallel, path, secret_names, text, value};
use formwork_policy as policy;
use formwork_report as report;
use formwork_rules as rules;
use formwork_schema as schema;
use formwork_syntax as syntax;
