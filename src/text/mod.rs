//! Source texts and positions in them.
//!
//! All other modules work with byte [`Span`]s. Lines and columns are computed only while something is rendered, by
//! [`Source::position`].

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod causes;
mod cut;
mod decode;
mod digest;
pub(crate) mod escape;
mod line_index;
mod line_map;
mod lower;
mod nearest;
mod placeholder;
mod sources;
mod span;

pub(crate) use self::causes::with_causes;
pub(crate) use self::cut::{cut, cut_apart, cut_long};
pub(crate) use self::decode::Undecodable;
pub use self::decode::decode;
pub(crate) use self::digest::digest;
pub(crate) use self::line_index::Position;
pub(crate) use self::line_map::{Hunk, LineMap};
pub(crate) use self::lower::with_lower_case;
#[cfg(feature = "types")]
pub(crate) use self::nearest::only_near;
pub(crate) use self::nearest::{Suggestions, did_you_mean, nearest_name};
pub(crate) use self::placeholder::is_placeholder;
pub(crate) use self::sources::Source;
pub use self::sources::Sources;
pub use self::span::{FileId, Span};
