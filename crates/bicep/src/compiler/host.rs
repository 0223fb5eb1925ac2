//! File access of the compiler, which the caller implements.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;

use crate::compiler::reference::Artifact;
use crate::language::SyntaxTree;
use crate::text::FileId;

/// File access of the compiler. Errors are messages.
pub trait Host {
    /// Reads a text file.
    fn open(&mut self, path: &Path) -> Result<(FileId, ArcStr), String>;
    /// Parses a Bicep file.
    fn parse(&mut self, path: &Path) -> Result<Arc<SyntaxTree>, String>;
    /// Reads any file.
    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String>;
    /// Lists the files in a folder.
    fn files_in(&mut self, folder: &Path) -> Result<Vec<PathBuf>, String>;
    /// Returns `true` if the file exists.
    fn is_file(&mut self, path: &Path) -> bool;
    /// Returns `true` if the path is in the repository. Other files are not read.
    fn is_inside(&mut self, path: &Path) -> bool;
    /// Finds the path of a registry module's template. `root` is the cache folder that `bicepconfig.json` names.
    fn module(&mut self, artifact: &Artifact, root: Option<&Path>) -> Result<PathBuf, Missing>;
}

/// Reason why a module of a registry is not available.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// Reason why it is not downloaded, as the end of a sentence.
    pub why: String,
    /// Action for the user.
    pub help: String,
    /// True if the module cannot exist, so that the reference to it is an error.
    pub is_error: bool,
}

impl Missing {
    /// Returns a reason with an action for the user.
    pub fn because(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into(), is_error: false }
    }

    /// Returns a reason why the module cannot exist, with an action for the user.
    pub fn for_all(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::because(why, help) }
    }
}
