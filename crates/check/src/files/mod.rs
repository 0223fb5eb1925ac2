//! The user's files: how they are read, replaced, matched and named.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod admitted;
mod bounds;
mod fault;
mod fence;
mod folders;
mod globs;
mod host;
mod memory;
mod paths;
mod read;
#[cfg(feature = "system")]
mod system;
mod tree;

pub use self::admitted::Admitted;
pub use self::bounds::{Bounds, leads_out};
pub use self::fault::{NotWritten, describe, describe_write};
pub use self::fence::Fence;
pub(crate) use self::fence::is_local;
pub use self::folders::Folders;
pub use self::globs::{PathFilter, PathGlobs, TemplateOf, glob_of, has_wildcards, is_glob};
#[cfg(test)]
#[cfg(test)]
pub(crate) use self::host::Listing;
pub use self::host::Stat;
pub use self::host::{Host, Programs};
pub use self::memory::Memory;
pub use self::paths::display_name;
pub use self::read::{Contents, Unreadable, register};
pub use self::tree::{Entry, Tree};

#[cfg(feature = "system")]
pub use self::system::{
    Destination, Disk, Overlay, SearchPath, endless_ignore_file, open, read_bytes, read_given, read_named,
    repository_name, repository_of, tracked_by_index,
};
