//! Types: the constraints that the declarations of parameters and outputs put on their values.
//!
//! A declaration is read into a [`Schema`](schema::Schema) when it is first needed, and only once. A `$ref` is followed
//! at that time ([`Types`]); the constraints of its target apply in addition to those next to it. Errors in
//! declarations are reported without a value ([`inspect`]). Validating a value against its type ([`validate`]) returns
//! [`Violation`]s, which the expansion turns into issues at the author's text.
//!
//! References: <https://learn.microsoft.com/azure/azure-resource-manager/templates/definitions>,
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/parameters>, and for `validate`
//! [REP 0010](https://github.com/Azure/bicep-reps).
//!
//! # Invariant
//!
//! An unknown value never violates a type.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod aggregate;
mod allowed;
mod check;
mod inspect;
mod keyword;
mod message;
mod resolve;
mod schema;
mod secrets;
#[cfg(test)]
mod tests;
mod validator;
mod version;

pub(crate) use self::check::{Noun, Subject, Violation, validate};
pub(crate) use self::resolve::{Type, Types};
pub(crate) use self::secrets::{mark_deployment, mark_secrets, secret_literals, without_secrets};
