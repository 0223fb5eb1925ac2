//! The public API: plain types that do not expose those of the engine. The crate documentation shows how to use it.

#[cfg(feature = "cli")]
mod check;
mod checker;
mod error;
mod files;
mod fix;
mod report;
mod rules;
mod template;

#[cfg(feature = "cli")]
pub use self::check::Check;
pub use self::checker::Checker;
pub use self::error::Error;
pub use self::files::Files;
pub use self::fix::{Edit, Fix, Position};
pub use self::report::{Finding, Problem, Report};
pub use self::rules::Rules;
pub use self::template::Template;
