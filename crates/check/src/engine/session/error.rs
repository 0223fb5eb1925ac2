//! The errors that end a check.

use std::path::PathBuf;

use crate::engine::session::Override;
use crate::engine::{ChangesError, RunError};
use crate::files::NotWritten;

/// Reason why a check could not start or finish. A problem in a template is not such an error, but part of the result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings, the rules or the baseline are invalid. The observer was notified of the problems.
    #[error("nothing was done")]
    Unusable,
    /// A glob of the options cannot be compiled.
    #[error("a glob cannot be used: {0}")]
    Glob(String),
    /// The value of a parameter is neither JSON nor a bare string.
    #[error("`--set {}={}`: the value is not valid JSON", .0.name, .0.json)]
    Override(Override),
    /// The baseline cannot be written.
    #[error("cannot write `{}`: {why}", .path.display())]
    Write {
        /// The file to be written.
        path: PathBuf,
        /// Reason why the file is not written.
        why: NotWritten,
    },
    /// The settings of the base are wanted, and there is no base.
    #[error(
        "the settings of the base cannot be read{why}; `--config-from=head` uses those that are checked out, which the change may have weakened"
    )]
    NoBase {
        /// Reason why there is none, after a colon; empty if unknown.
        why: String,
    },
    /// The settings of the base count, and the change put something in the place of a file that somebody names.
    #[error("cannot read `{name}`, which `{by}` names: {why}; `--config-from=head` reads what is checked out")]
    NotRead {
        /// The name of the file or folder.
        name: String,
        /// The flag or the setting that names it.
        by: String,
        /// Reason why the file is not read, and advice.
        why: String,
    },
    /// The change cannot be determined.
    #[error(transparent)]
    Changes(#[from] ChangesError),
    /// The run cannot start.
    #[error(transparent)]
    Run(#[from] RunError),
}
