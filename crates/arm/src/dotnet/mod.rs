//! The behavior of .NET for strings, numbers, dates and URIs, as far as functions of Resource Manager expose it. The
//! culture is the invariant one throughout.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

pub(super) mod base64;
pub(super) mod case;
pub(super) mod composite;
pub(super) mod culture;
pub(super) mod date;
mod digits;
pub(super) mod escape;
pub(super) mod number;
mod pattern;
pub(super) mod uri;
