//! How a run ends.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::bicep;
use crate::engine;

/// The exit codes. They are a contract: see the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// 0: all was analysed, and nothing at or above the threshold was found.
    Clean,
    /// 1: all was analysed, and something was found. For `eval`: the expression fails.
    Findings,
    /// 2: a flag, a settings file or a rule file is wrong. Nothing was checked.
    Usage,
    /// 3: an input could not be analysed.
    Unanalysed,
}

impl Exit {
    /// The number.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Unanalysed => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// What keeps a command from doing its work.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// Something that the user typed.
    #[error("{0}")]
    Usage(String),
    /// The settings or the rules; the diagnostics have been printed.
    #[error("nothing was done")]
    Reported,
    /// A file of a report.
    #[error("cannot write `{}`", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard input or output.
    #[error("cannot use the standard streams")]
    Streams(#[from] io::Error),
    /// The pipeline.
    #[error(transparent)]
    Run(#[from] engine::RunError),
    /// A check that did not start.
    #[error(transparent)]
    Check(engine::Error),
    /// The Bicep CLI.
    #[error(transparent)]
    Bicep(#[from] bicep::cli::Error),
    /// Publishing to GitHub.
    #[cfg(feature = "github")]
    #[error(transparent)]
    Github(#[from] crate::github::Error),
    /// A Bicep file that does not compile.
    #[error("the file does not compile: {0}")]
    Refused(String),
}

impl From<engine::Error> for Error {
    fn from(error: engine::Error) -> Self {
        match error {
            // The listener has printed what is wrong.
            engine::Error::Unusable => Self::Reported,
            other => Self::Check(other),
        }
    }
}

/// Prints an error with its causes. A reader that went away (`formwork check | head`) is no error.
pub(super) fn of_error(error: &Error) -> Exit {
    if let Error::Streams(inner) = error
        && inner.kind() == io::ErrorKind::BrokenPipe
    {
        return Exit::Clean;
    }
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr(), "error: {}", with_causes(error));
    of_kind(error)
}

fn of_kind(error: &Error) -> Exit {
    match error {
        Error::Bicep(_) | Error::Refused(_) => Exit::Unanalysed,
        #[cfg(feature = "github")]
        Error::Github(it) if !matches!(it, crate::github::Error::Setup(_)) => Exit::Unanalysed,
        _ => Exit::Usage,
    }
}

/// An error with its causes, as one line.
pub(super) fn with_causes(error: &Error) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |it| it.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Prints what `clap` has to say: help and versions to standard output with success, mistakes to standard error.
pub(super) fn of_usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Clean.into() }
}
