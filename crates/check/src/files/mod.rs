//! The user's files: how they are read, replaced, matched and named.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod admitted;
mod bounds;
#[cfg(feature = "system")]
mod destination;
#[cfg(feature = "system")]
mod disk;
mod fault;
mod fence;
mod folders;
mod globs;
mod host;
#[cfg(feature = "system")]
mod ignored;
#[cfg(feature = "system")]
mod index;
mod memory;
#[cfg(feature = "system")]
mod overlay;
mod paths;
#[cfg(feature = "system")]
mod pipe;
#[cfg(feature = "system")]
mod program;
mod read;
#[cfg(feature = "system")]
mod replace;
mod tree;

pub use self::admitted::Admitted;
pub use self::bounds::{Bounds, leads_out};
pub use self::fault::{NotWritten, describe, describe_write};
pub use self::fence::Fence;
pub(crate) use self::fence::is_local;
pub use self::folders::Folders;
pub use self::globs::{PathFilter, PathGlobs, TemplateOf, glob_of, has_wildcards, is_glob};
pub use self::host::Host;
#[cfg(test)]
#[cfg(test)]
pub(crate) use self::host::Listing;
pub use self::host::Stat;
pub use self::memory::Memory;
pub use self::paths::display_name;
pub use self::read::{Contents, Unreadable, register};
pub use self::tree::{Entry, Tree};

#[cfg(feature = "system")]
pub use self::{
    destination::Destination,
    disk::{Disk, open, read_bytes, read_given, read_named},
    ignored::endless_ignore_file,
    index::tracked_by_index,
    overlay::Overlay,
    paths::{repository_name, repository_of},
    program::{Programs, SearchPath},
};
