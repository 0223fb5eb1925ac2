//! `formwork github report` in builds without the feature `github`.

use crate::cli::Environment;
use crate::cli::args::GithubReportArguments;
use crate::cli::exit::{Error, Exit};

/// Returns the error that this build cannot publish.
pub(super) fn run(_arguments: &GithubReportArguments, _environment: &Environment) -> Result<Exit, Error> {
    let message = "this formwork was built without publishing to GitHub; use a released program, or build it with \
                   `--features github`";
    Err(Error::Usage(message.to_owned()))
}
