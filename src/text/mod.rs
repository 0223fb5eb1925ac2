//! Texts, and places in them.
//!
//! Everything above works with byte [`Span`]s. Lines and columns exist only while something is rendered: ask
//! [`Source::position`].

mod base64;
mod cut;
mod decode;
mod digest;
mod line_index;
mod line_map;
mod nearest;
mod sources;
mod span;
mod uri;

pub use self::base64::base64;
pub use self::cut::cut;
pub use self::decode::{Undecodable, decode};
pub use self::digest::digest;
pub use self::line_index::Position;
pub use self::line_map::{Hunk, LineMap};
pub use self::nearest::{did_you_mean, nearest_name};
pub use self::sources::{Source, Sources};
pub use self::span::{FileId, Span};
pub use self::uri::uri_path;
