//! Types: what the declarations of parameters and outputs demand of their values.
//!
//! A declaration is read into a [`Schema`](schema::Schema) when something first asks for it, and once, however many
//! values are held against it. A `$ref` is followed then ([`Types`]); what it leads to adds its demands to those beside
//! it. What is wrong with declarations themselves is found without a value ([`inspect`]). Holding a value against its
//! type ([`check()`]) gives [`Violation`]s; who asked turns them into issues at a place of the author.
//!
//! References: <https://learn.microsoft.com/azure/azure-resource-manager/templates/definitions>,
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/parameters>, and for `validate`
//! [REP 0010](https://github.com/Azure/bicep-reps).

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

pub(in crate::arm) use self::check::{Noun, Subject, Violation, check};
pub(in crate::arm) use self::resolve::{Type, Types};
pub(in crate::arm) use self::secrets::{mark_secrets, without_secrets};
