//! The user's files: how they are read, replaced, matched and named.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod bounds;
#[cfg(feature = "cli")]
mod destination;
#[cfg(feature = "cli")]
mod disk;
mod fault;
mod folders;
mod globs;
mod host;
#[cfg(feature = "cli")]
mod ignored;
mod memory;
mod paths;
#[cfg(feature = "cli")]
mod pipe;
#[cfg(feature = "cli")]
mod program;
mod read;
#[cfg(feature = "cli")]
mod replace;
mod tree;

pub(crate) use self::bounds::{Bounds, leads_out};
pub(crate) use self::fault::{NotWritten, describe, describe_write};
pub(crate) use self::folders::Folders;
pub(crate) use self::globs::{PathFilter, PathGlobs, glob_of, is_glob};
pub(crate) use self::host::Host;
#[cfg(test)]
pub(crate) use self::host::{Listing, Stat};
pub(crate) use self::memory::Memory;
pub(crate) use self::paths::display_name;
pub(crate) use self::read::{Contents, Unreadable, register};
pub(crate) use self::tree::{Entry, Tree};

#[cfg(feature = "cli")]
pub(crate) use self::{
    destination::Destination,
    disk::{Disk, open, read_bytes, read_given, read_named},
    ignored::endless_ignore_file,
    paths::{repository_name, repository_of},
    program::SearchPath,
};
