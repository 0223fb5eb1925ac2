//! What a run of the engine is given.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diagnostic::Shard;
use crate::engine::changes::Changes;
use crate::engine::frontend::FrontEnds;
use crate::engine::isolation::Isolation;
use crate::files::{Host, PathFilter};
use crate::model::{Assumptions, Limits};
use crate::value::{Str, Value};

/// What is analysed, and under which assumptions.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    /// Where the files are.
    pub host: &'a dyn Host,
    /// The current folder, absolute.
    pub working: &'a Path,
    /// Templates, parameter files and folders.
    pub paths: &'a [PathBuf],
    /// A template that was piped in.
    pub stdin: Option<Piped>,
    /// Parameter files that replace those that are found.
    pub parameters: &'a [PathBuf],
    /// Values of single parameters, which override all files.
    pub overrides: &'a [(Str, Value)],
    /// What is known of the environment that would be deployed to.
    pub assumptions: &'a Assumptions,
    /// Whether CloudFormation templates are compared without evaluating functions, conditions and loops.
    pub as_written: bool,
    /// Which files are taken from folders.
    pub filter: &'a PathFilter,
    /// How Bicep is built.
    pub bicep: &'a crate::bicep::cli::Options,
    /// If given, only the files that it has to do with are inputs.
    pub narrowing: Option<&'a Narrowing<'a>>,
    /// If given, only its part of the files are inputs.
    pub shard: Option<Shard>,
    /// How a failure on one file is kept from the others.
    pub isolation: &'a Isolation,
    /// Limits of the run.
    pub limits: &'a Limits,
}

impl<'a> Inputs<'a> {
    /// The front ends under these assumptions.
    pub(super) fn front_ends(&self) -> FrontEnds<'a> {
        FrontEnds::new(self.assumptions, self.overrides, self.as_written, self.limits)
    }
}

/// A file that every check depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// A rule file, or a folder of rule files.
    Rules(PathBuf),
    /// A settings file, whether or not it is there.
    Settings(PathBuf),
    /// A parameter file of the command line.
    Parameters(PathBuf),
}

impl Basis {
    /// The file or folder.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Rules(path) | Self::Settings(path) | Self::Parameters(path) => path,
        }
    }

    /// How the file takes part in a check, for the reason why a template is checked.
    pub(super) const fn verb(&self) -> &'static str {
        match self {
            Self::Rules(_) => "is checked by the rules of",
            Self::Settings(_) => "is checked under",
            Self::Parameters(_) => "takes parameters from",
        }
    }
}

/// What narrows a run to a part of its files.
#[derive(Debug)]
pub(crate) struct Narrowing<'a> {
    /// What the files have to do with.
    pub cause: Cause<'a>,
    /// Files that every check depends on.
    pub basis: Vec<Basis>,
}

/// What is new, so that files need a check.
#[derive(Debug)]
pub(crate) enum Cause<'a> {
    /// The files that changed, as git tells.
    Changes(&'a Changes),
    /// Files and folders that the user named, as if they had changed.
    Named(Vec<PathBuf>),
    /// Exactly these files, which were selected before.
    Selected(&'a BTreeSet<PathBuf>),
}

/// The bytes of standard input, read to one byte more than the limit of a file.
#[derive(Clone, Debug)]
pub(crate) struct Piped {
    /// The name that reports give it; links are followed from there.
    pub name: String,
    /// What was piped in.
    pub bytes: Vec<u8>,
}
