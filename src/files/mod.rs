//! The user's files: how they are read, replaced, matched and named.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod bounds;
mod destination;
mod disk;
mod fault;
mod folders;
mod globs;
mod host;
mod ignored;
mod paths;
mod pipe;
mod program;
mod read;
mod replace;
mod tree;

pub(crate) use crate::path::normalize;

pub(crate) use self::bounds::{Bounds, leads_out};
pub(crate) use self::destination::Destination;
pub(crate) use self::disk::Disk;
pub(crate) use self::fault::{NotWritten, describe, describe_write};
pub(crate) use self::folders::Folders;
pub(crate) use self::globs::{PathFilter, PathGlobs, glob_of, is_glob};
pub(crate) use self::host::{Host, Listing, Stat};
pub(crate) use self::ignored::endless_ignore_file;
pub(crate) use self::paths::{display_name, repository_name, repository_of};
pub(crate) use self::program::SearchPath;
pub(crate) use self::read::{Contents, Unreadable, open, read_bytes, read_contents, read_given, read_named, register};
pub(crate) use self::tree::{Entry, Tree};
