//! `formwork completions`: generates shell completion scripts.

use std::io;

use clap::CommandFactory;

use crate::cli::args::{Arguments, CompletionsArguments};
use crate::cli::exit::{Error, Exit};

/// Prints the completion script for a shell.
pub(super) fn run(arguments: &CompletionsArguments) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "formwork", &mut script);
    io::Write::write_all(&mut io::stdout().lock(), &script)?;
    Ok(Exit::Clean)
}
