//! What the .NET runtime does with texts, numbers and dates, wherever a function of Resource Manager hands its arguments
//! straight to it. The culture is the invariant one throughout.

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
