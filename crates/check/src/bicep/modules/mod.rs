//! Modules of registries: the cache for them, and the registries that may be asked for others.
//!
//! A module that is named by its digest has this digest wherever it comes from: a cache is compared again, because
//! others may have written to it. A module is looked up in the cache of the Bicep CLI, then in formwork's own, and is
//! downloaded into the latter. Both have the same layout. Downloading is behind the feature `github`, the one with the
//! network.
//!
//! # Invariant
//!
//! Only a registry that the environment trusts is asked, and nothing is kept whose digest differs from the one by which
//! it was named.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

#[cfg(feature = "system")]
mod registry;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bicep::compiler::{Artifact, Missing};

#[cfg(feature = "system")]
pub use self::registry::Modules;

/// A module that was found.
#[derive(Clone, Debug)]
pub struct FoundModule {
    /// The path of its template in a cache.
    pub path: PathBuf,
    /// The template, if it could not be stored at the path, or was compared with its digest.
    pub text: Option<Arc<[u8]>>,
}

/// Finds the modules of registries.
pub trait ModuleSource: fmt::Debug + Send + Sync {
    /// Returns the template of a module. `root` is the cache folder that `bicepconfig.json` names. No template is
    /// longer than `limit`, in bytes.
    ///
    /// # Errors
    ///
    /// Says why there is none.
    fn find(&self, artifact: &Artifact, root: Option<&Path>, limit: u64) -> Result<FoundModule, Missing>;
}

/// Finds none: a check in memory has neither a cache nor a network.
#[derive(Debug)]
pub struct NoModules;

impl ModuleSource for NoModules {
    fn find(&self, _: &Artifact, _: Option<&Path>, _: u64) -> Result<FoundModule, Missing> {
        Err(Missing::because("a check in memory has no module cache", "check the file with `formwork check`"))
    }
}
