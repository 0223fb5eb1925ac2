//! Published types of Azure and CloudFormation, and the checks of resources against them.

#[cfg(feature = "types")]
pub mod archive;
pub mod checks;
mod known;
#[cfg_attr(not(feature = "types"), path = "absent.rs")]
mod published;

use formwork_model::{diagnostic, model, text, value};
#[cfg(feature = "types")]
use formwork_model::{outcomes, parallel};
#[cfg(feature = "types")]
use formwork_pattern as pattern;

pub use self::known::{Known, PathPart, Published};
pub use self::published::*;
