//! Pages about a difference: what a change deploys, for people who do not run formwork themselves.
//!
//! A page is made from the JSON of `formwork diff`, which may come from a workflow that ran untrusted code. So everything that
//! is read has a bound, and everything that is shown is escaped. Secrets are already masked in the JSON.

mod html;
mod markdown;
mod model;

#[cfg(test)]
mod tests;

pub use self::html::page;
pub use self::markdown::{Places, section};
pub use self::model::{Difference, untouched};
