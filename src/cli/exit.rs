//! Exit codes, and the errors that lead to them.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::bicep;
use crate::cli::streams;
use crate::engine;
use crate::files::{NotWritten, describe_write};
use crate::text::{escape, with_causes};

/// Exit codes. They are a contract: see the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// 0: everything was analyzed, and no finding counts.
    Clean,
    /// 1: everything was analyzed, and at least one finding counts. For other commands: an expression fails, the
    /// template is invalid, or `diff --exit-code` found a difference.
    Findings,
    /// 2: a flag, a settings file, or a rule file is invalid, and nothing was checked. Or a report or a baseline
    /// could not be written, and everything else was done.
    Usage,
    /// 2, for `check --hook`: an edit has new findings, and the agent that made it must read them.
    Stopped,
    /// 3: an input could not be read, parsed, or built, or a limit was reached.
    Unanalysed,
}

impl Exit {
    /// Returns the exit code of the process.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage | Self::Stopped => 2,
            Self::Unanalysed => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// The command line is invalid. Contains the message.
    #[error("{0}")]
    Usage(String),
    /// A word of the command line can be an option or a file.
    #[error("`{0}` is an option, and also the name of a file; rename the file, or write `./{0}` if you mean the file")]
    Ambiguous(String),
    /// The settings, the rules, or the baseline are invalid. The diagnostics have been printed.
    #[error("nothing was done")]
    Reported,
    /// A report or a baseline cannot be written.
    #[error("cannot write `{}`: {why}", .path.display())]
    Write {
        /// Path that the user gave.
        path: PathBuf,
        /// Reason for the failure.
        why: NotWritten,
    },
    /// Standard input, output, or error cannot be used.
    #[error("cannot use the standard streams: {}", describe_write(.0))]
    Streams(io::Error),
    /// A run of the engine did not start.
    #[error(transparent)]
    Run(#[from] engine::RunError),
    /// A check did not start.
    #[error(transparent)]
    Check(engine::Error),
    /// The states of the repository cannot be read.
    #[error(transparent)]
    Revisions(#[from] engine::ChangesError),
    /// The Bicep CLI cannot be used.
    #[error(transparent)]
    Bicep(#[from] bicep::cli::Error),
    /// Publishing to GitHub failed.
    #[cfg(feature = "github")]
    #[error(transparent)]
    Github(#[from] crate::github::Error),
    /// Reports cannot be joined.
    #[error(transparent)]
    Join(#[from] crate::join::Error),
    /// A Bicep file does not compile. Contains the compiler's message.
    #[error("the file does not compile: {0}")]
    Refused(String),
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Streams(error)
    }
}

impl From<engine::Error> for Error {
    fn from(error: engine::Error) -> Self {
        match error {
            // The observer has printed the problems.
            engine::Error::Unusable => Self::Reported,
            other => Self::Check(other),
        }
    }
}

/// Prints an error with its causes, and returns its exit code. A reader that closed the pipe (`formwork check |
/// head`) is not an error.
pub(super) fn of_error(error: &Error) -> Exit {
    if let Error::Streams(inner) = error
        && inner.kind() == io::ErrorKind::BrokenPipe
    {
        return Exit::Clean;
    }
    // If this fails, there is no other stream to report it on.
    let _ = writeln!(streams::err(), "error: {}", escape::line(&with_causes(error)));
    of_kind(error)
}

fn of_kind(error: &Error) -> Exit {
    match error {
        Error::Bicep(_) | Error::Refused(_) | Error::Join(_) => Exit::Unanalysed,
        #[cfg(feature = "github")]
        Error::Github(it) if !matches!(it, crate::github::Error::Setup(_)) => Exit::Unanalysed,
        _ => Exit::Usage,
    }
}

/// Prints the output of `clap`: help and versions to standard output, errors to standard error.
pub(super) fn of_usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let printed = if text.lines().all(escape::is_plain_line) {
        error.print()
    } else {
        // Arguments can be untrusted file names.
        text.lines().try_for_each(|line| writeln!(streams::err(), "{}", escape::line(line)))
    };
    match printed {
        _ if error.use_stderr() => Exit::Usage.into(),
        Ok(()) => Exit::Clean.into(),
        Err(error) => of_error(&Error::Streams(error)).into(),
    }
}
