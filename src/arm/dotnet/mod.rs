//! What the functions inherit from the .NET runtime that Resource Manager is built on, in its invariant culture.

pub(super) mod culture;
pub(super) mod date;
