//! The command line.
//!
//! [`run`] is the whole program as a function: the command line ([`args`]) becomes settings ([`settings`]), a command
//! does the work, and its result becomes an exit code ([`exit`]). Only this module knows about the process:
//! environment, terminal, standard streams.

mod args;
mod build;
mod check;
mod clock;
mod completions;
mod diff;
mod doctor;
mod drift;
mod environment;
mod eval;
mod exit;
mod expand;
mod explain;
mod github;
mod init;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod merge;
mod notice;
mod policy;
mod progress;
mod reports;
mod rules;
mod schema;
mod settings;
mod signals;
mod sourcemap;
mod streams;
mod supervise;
mod terminal;
mod upgrade;
mod verdicts;
mod workflow;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::args::{Arguments, Command, ambiguous};

pub use self::environment::Environment;
pub use self::supervise::supervise;

/// Runs the program on its arguments, the first of which is its own name.
pub fn run(args: impl IntoIterator<Item = OsString>, environment: &Environment) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(word) = ambiguous(&args, &environment.working) {
        return exit::of_error(&exit::Error::Ambiguous(word.display().to_string())).into();
    }
    let arguments = match Arguments::try_parse_from(args) {
        Ok(arguments) => arguments,
        Err(error) => return exit::of_usage(&error),
    };
    if environment.working.as_os_str().is_empty() {
        let gone = "the current folder was removed, or may not be read; change to another one";
        return exit::of_error(&exit::Error::Usage(gone.to_owned())).into();
    }
    let end = match &arguments.command {
        Command::Check(it) => check::run(it, environment),
        Command::Merge(it) => merge::run(it, environment),
        Command::Build(it) => build::run(it, environment),
        Command::Diff(it) => diff::run(it, environment),
        Command::Drift(it) => drift::run(it, environment),
        Command::Upgrade(it) => upgrade::run(it, environment),
        Command::Expand(it) => expand::run(it, environment),
        Command::Explain(it) => explain::run(it, environment),
        Command::Eval(it) => eval::run(it, environment),
        Command::Rules(it) => rules::run(&it.command, environment),
        Command::Policy(it) => policy::run(&it.command, environment),
        Command::Sourcemap(it) => sourcemap::run(it, environment),
        Command::Verdicts(it) => verdicts::run(it),
        Command::Github(it) => github::run(&it.command, environment),
        Command::Doctor(it) => doctor::run(it, environment),
        Command::Init(it) => init::run(it, environment),
        Command::Schema(it) => schema::run(it),
        Command::Completions(it) => completions::run(it),
        Command::Man(it) => man::run(it),
        #[cfg(feature = "lsp")]
        Command::Lsp(it) => lsp::run(it, environment),
        #[cfg(feature = "mcp")]
        Command::Mcp(it) => mcp::run(it, environment),
    };
    end.unwrap_or_else(|error| exit::of_error(&error)).into()
}
