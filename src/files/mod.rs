//! The user's files: how they are read, replaced, matched and named.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod bounds;
mod globs;
mod paths;
mod read;
mod replace;
mod tree;

pub(crate) use self::bounds::{Bounds, leads_out};
pub(crate) use self::globs::{PathFilter, PathGlobs, glob_of, is_glob};
pub(crate) use self::paths::{display_name, normalize, repository_name, repository_of};
pub(crate) use self::read::{Unreadable, read_bytes, read_named, register};
pub(crate) use self::replace::replace;
pub(crate) use self::tree::{Disk, Entry, Tree};
