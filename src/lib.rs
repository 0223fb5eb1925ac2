//! formwork checks infrastructure templates before they are deployed.
//!
//! The modules are declared in the order of the layers: each names only those above it. `tests/tidy.rs` enforces it,
//! and `ARCHITECTURE.md` explains it.

pub mod text;

pub mod diagnostic;

pub mod value;

pub mod syntax;

pub mod model;

pub mod arm;

pub mod rules;

pub mod config;

pub mod engine;

pub mod report;

pub mod cli;
