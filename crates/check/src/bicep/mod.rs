//! Bicep, with what needs an operating system: the Bicep CLI ([`cli`]), and the [`modules`] of registries.

mod built;
#[cfg(feature = "system")]
pub mod cli;
pub mod modules;
mod options;
mod version;

pub use formwork_bicep::source_map;
pub use formwork_bicep::{codes, compiler, language};

pub use self::built::{Built, Failure, Message, MessageLevel, Point};
pub use self::options::{Compiler, NAMES_VARIABLE, Options, Registry};
pub use self::version::Version;
