//! Inputs of a run of the engine.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::bicep::Options;
use crate::diagnostic::Shard;
use crate::engine::frontend::FrontEnds;
use crate::engine::isolation::Isolation;
use crate::engine::narrowing::Narrowing;
use crate::engine::parse_cache::ParseCache;
use crate::engine::unreviewed::Unreviewed;
use crate::files::{Bounds, Fence, Folders, Host, PathFilter};
use crate::model::{Assumptions, Limits};
use crate::path::normalize;
use crate::value::{Str, Value};

/// Inputs of an analysis and its assumptions.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// File system that the files are read from.
    pub host: &'a dyn Host,
    /// Cache of earlier runs. The sources of the run begin with those of the cache.
    pub cache: Option<&'a ParseCache>,
    /// The current folder, absolute.
    pub working: &'a Path,
    /// Templates, parameter files and folders.
    pub paths: &'a [PathBuf],
    /// A template that was piped in.
    pub stdin: Option<Piped>,
    /// Parameter files that replace those that are found.
    pub parameters: &'a [PathBuf],
    /// True if the parameter files together are those of one deployment, in which later ones override earlier ones.
    /// Otherwise each of them is a deployment.
    pub merges_parameters: bool,
    /// Values of single parameters, which override all files.
    pub overrides: &'a [(Str, Value)],
    /// Known values of the target environment.
    pub assumptions: &'a Assumptions,
    /// True if CloudFormation templates are compared without evaluating functions, conditions and loops.
    pub as_written: bool,
    /// Filter of the files in folders.
    pub filter: &'a PathFilter,
    /// Options of building Bicep files.
    pub bicep: &'a Options,
    /// Restriction of the inputs to a part of the files.
    pub narrowing: Option<&'a Narrowing<'a>>,
    /// The parameter files that do not replace the check of the defaults.
    pub unreviewed: &'a Unreviewed,
    /// Shard of the files that are inputs.
    pub shard: Option<Shard>,
    /// Isolation of failures on single files.
    pub isolation: &'a Isolation,
    /// Limits of the run.
    pub limits: &'a Limits,
}

impl<'a> Inputs<'a> {
    /// Templates at these paths with nothing else given: they are found and checked with their own parameter files.
    pub fn plain(
        host: &'a dyn Host,
        working: &'a Path,
        paths: &'a [PathBuf],
        assumptions: &'a Assumptions,
        bicep: &'a Options,
        limits: &'a Limits,
    ) -> Self {
        static ALL_FILES: LazyLock<PathFilter> = LazyLock::new(PathFilter::default);
        Self {
            host,
            cache: None,
            working,
            paths,
            stdin: None,
            parameters: &[],
            merges_parameters: false,
            overrides: &[],
            assumptions,
            as_written: false,
            filter: &ALL_FILES,
            bicep,
            narrowing: None,
            unreviewed: Unreviewed::NONE,
            shard: None,
            isolation: Isolation::alone(),
            limits,
        }
    }

    /// Returns the folders that the run may read: the repositories around the current folder, and around the paths that
    /// the user named.
    pub(super) fn bounds(&self) -> Bounds<'a> {
        let named: Vec<PathBuf> =
            self.paths.iter().chain(self.parameters).map(|path| normalize(self.working, path)).collect();
        let folders = Arc::new(Folders::new(Fence::of_user(self.host)));
        Bounds::around(self.working, named.iter().map(PathBuf::as_path), &folders)
    }

    /// Returns the front ends under these assumptions.
    pub(super) fn front_ends(&self) -> FrontEnds<'a> {
        FrontEnds::new(self.assumptions, self.overrides, self.as_written, self.limits)
    }
}

/// The bytes of standard input, read to one byte more than the limit of a file.
#[derive(Clone, Debug)]
pub struct Piped {
    /// The name that reports give it; links are followed from there.
    pub name: String,
    /// Content of standard input.
    pub bytes: Vec<u8>,
}
