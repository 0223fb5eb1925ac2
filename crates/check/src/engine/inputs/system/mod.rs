//! Inputs of an operating system: walks of folders on the disk, and runs about a change that git knows.
//!
//! In a build without the feature `system`, the module `without_system` takes its place.

mod affected;
mod again;
mod missing;
mod renamed;
mod selection;
mod walk;
mod walkers;

pub use self::affected::{OneSide, affected};
pub(super) use self::again::narrowed;
pub(super) use self::missing::report;
pub(in crate::engine) use self::renamed::Taken;
pub(in crate::engine) use self::selection::{Explained, explain};
pub(super) use self::walk::walk;
