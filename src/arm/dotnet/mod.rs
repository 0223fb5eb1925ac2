//! What the .NET runtime does with texts and numbers, wherever a function of Resource Manager hands its arguments
//! straight to it. The culture is the invariant one throughout.

pub(super) mod base64;
pub(super) mod case;
pub(super) mod composite;
mod digits;
pub(super) mod escape;
pub(super) mod number;
mod pattern;
pub(super) mod uri;
