//! Source texts and positions in them.
//!
//! All other modules use byte [`Span`]s. Lines and columns are computed by [`Source::position`] when a report is
//! created.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod aws_region;
mod causes;
mod cut;
mod decode;
mod digest;
pub mod escape;
mod known_secrets;
mod line_index;
mod line_map;
mod lower;
mod nearest;
mod placeholder;
mod sources;
mod span;

pub use self::aws_region::is_aws_region;
pub use self::causes::with_causes;
pub use self::cut::{cut, cut_apart, cut_long, cut_to_width};
pub use self::decode::Undecodable;
pub use self::decode::decode;
pub use self::digest::{digest, digest_number};
pub use self::known_secrets::{KnownSecret, known_secrets};
pub use self::line_index::Position;
pub use self::line_map::{Hunk, LineMap};
pub use self::lower::with_lower_case;
pub use self::nearest::only_near;
pub use self::nearest::{Suggestions, did_you_mean, nearest_name, slips};
pub use self::placeholder::{is_placeholder, is_stand_in, placeholders};
pub use self::sources::Source;
pub use self::sources::Sources;
pub use self::span::{FileId, Span};
