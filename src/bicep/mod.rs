//! Bicep, with what needs an operating system: the Bicep CLI ([`cli`]), and the [`modules`] of registries.

mod built;
#[cfg(feature = "cli")]
pub(crate) mod cli;
pub(crate) mod modules;
mod options;
mod version;

pub use formwork_bicep::source_map;
pub(crate) use formwork_bicep::{compiler, language};

pub(crate) use self::built::{Built, Failure, Message, MessageLevel, Point};
pub(crate) use self::options::{Compiler, NAMES_VARIABLE, Options, Registry};
pub(crate) use self::version::Version;
