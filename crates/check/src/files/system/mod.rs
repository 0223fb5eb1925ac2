//! Files on the disk, and the programs there.

mod destination;
mod disk;
mod ignored;
mod index;
mod overlay;
mod pipe;
mod program;
mod replace;
mod repository;

pub use self::destination::Destination;
pub use self::disk::{Disk, open, read_bytes, read_given, read_named};
pub use self::ignored::endless_ignore_file;
pub use self::index::tracked_by_index;
pub use self::overlay::Overlay;
pub use self::program::SearchPath;
pub use self::repository::{repository_name, repository_of};
