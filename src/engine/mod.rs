//! The pipeline: from paths to a finished [`Run`](crate::diagnostic::Run).
//!
//! Discover files, load and link them, expand each template once per parameter file, run the rules, and merge what
//! they say. A file that cannot be used becomes a diagnostic and never stops the others.

mod baseline;
mod bicep;
mod changes;
mod check;
mod detect;
mod discover;
mod expand;
mod findings;
mod fix;
mod frontend;
mod graph;
mod link;
mod linked;
mod load;
mod merge;
mod plan;
mod pool;
mod rules;
mod scope;
mod selection;
mod session;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diagnostic::Run;
use crate::engine::frontend::FrontEnds;
use crate::files::PathFilter;
use crate::model::{Assumptions, Limits};
use crate::value::{Str, Value};

pub(crate) use self::baseline::{Baseline, Renewal};
pub use self::bicep::BicepFiles;
pub(crate) use self::bicep::Origins;
pub(crate) use self::changes::{Auto, Detail, Error as ChangesError, Notice, Query, Remote, Repository, Wanted};
pub(crate) use self::check::{Checker, check};
pub(crate) use self::expand::{Expanded, expand};
pub(crate) use self::fix::NotFixed;
pub(crate) use self::pool::Error as RunError;
pub(crate) use self::rules::{Checks, LoadedRules, RuleSource, load_rules};
pub(crate) use self::scope::ChangeFilter;
pub use self::session::Status;
pub(crate) use self::session::{
    ChangeOptions, CheckOptions, Error, Finished, Override, Session, WorkflowEvent, proposed_fixes,
};

/// What is analysed, and under which assumptions.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    /// The current folder, absolute.
    pub working: &'a Path,
    /// Templates, parameter files and folders.
    pub paths: &'a [PathBuf],
    /// A template that was piped in.
    pub stdin: Option<Piped>,
    /// Parameter files that replace those that are found.
    pub parameters: &'a [PathBuf],
    /// Single parameters, above all files.
    pub overrides: &'a [(Str, Value)],
    /// What is known of the environment that would be deployed to.
    pub assumptions: &'a Assumptions,
    /// Whether a CloudFormation template is taken as it is written: no function, condition or loop is evaluated.
    pub as_written: bool,
    /// Which files a walk takes.
    pub filter: &'a PathFilter,
    /// How Bicep is built.
    pub bicep: &'a crate::bicep::cli::Options,
    /// If given, no other files are inputs; these are, whether or not a walk takes them.
    pub only: Option<&'a BTreeSet<PathBuf>>,
    /// Bounds of the run.
    pub limits: &'a Limits,
}

impl<'a> Inputs<'a> {
    /// The front ends under these assumptions.
    fn front_ends(&self) -> FrontEnds<'a> {
        FrontEnds::new(self.assumptions, self.overrides, self.as_written, self.limits)
    }
}

/// The bytes of standard input, read to one byte more than the limit of a file.
#[derive(Clone, Debug)]
pub(crate) struct Piped {
    /// The name that reports give it; links are followed from there.
    pub name: String,
    /// What was piped in.
    pub bytes: Vec<u8>,
}

/// Hears what happens before there is a result. Called from many threads.
pub(crate) trait Observer: Sync {
    /// A run begins, and will check this many templates.
    fn begin(&self, _templates: usize) {}
    /// A template is checked.
    fn advance(&self) {}
    /// The run ends.
    fn end(&self) {}
    /// Something is wrong with the settings, the rules or the baseline: the diagnostics of `run`, which has nothing else.
    fn problems(&self, _run: &Run) {}
    /// The user should know this, and the check goes on.
    fn warning(&self, _warning: &Warning<'_>) {}
}

/// What does not keep a check from going on.
#[derive(Debug)]
pub(crate) enum Warning<'a> {
    /// The change is not known as well as it could be.
    Change(&'a Notice),
    /// A file is not changed although it has findings that can be fixed.
    NotFixed {
        /// Its name.
        file: &'a str,
        /// Why it is not changed.
        why: &'a NotFixed,
    },
}
