//! `formwork github`: the commands of the GitHub action.

mod action;
mod outputs;
#[cfg_attr(not(feature = "github"), path = "without_report.rs")]
mod report;

use crate::cli::Environment;
use crate::cli::args::GithubCommand;
use crate::cli::exit::{Error, Exit};

/// Runs one of the commands.
pub(super) fn run(command: &GithubCommand, environment: &Environment) -> Result<Exit, Error> {
    match command {
        GithubCommand::Action => action::run(environment),
        GithubCommand::Report(it) => report::run(it, environment),
    }
}
