//! Published types of Azure and CloudFormation, and the checks of resources against them.

#[cfg(feature = "types")]
pub mod archive;
pub mod checks;
mod known;
#[cfg_attr(not(feature = "types"), path = "absent.rs")]
mod published;
mod shape;
mod versions;

use formwork_model::{diagnostic, model, text, value};
#[cfg(feature = "types")]
use formwork_model::{outcomes, parallel};
#[cfg(feature = "types")]
use formwork_pattern as pattern;

pub use self::known::{Known, PathPart, Published, TypeDescription, TypeProblem};
pub use self::published::*;
pub use self::versions::{ApiVersion, BreakingChange, PathSpan, ReadPath, VersionChange, VersionedBody, is_preview};

/// Result of looking up the body of a resource type.
pub type BodyLookup = shape::BodyLookup<PublishedNode>;
/// The structure of a type.
pub type PublishedShape = shape::PublishedShape<PublishedNode>;
/// A member of a published object.
pub type PublishedMember = shape::PublishedMember<PublishedNode>;
