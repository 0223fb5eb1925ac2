//! `formwork completions`: generates shell completion scripts.

use std::io::Write;

use clap::CommandFactory;

use crate::cli::args::{Arguments, CompletionsArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::streams;
use crate::text::escape::Notation;

/// Prints the completion script for a shell.
pub(super) fn run(arguments: &CompletionsArguments) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "formwork", &mut script);
    streams::out(Notation::Plain).write_all(&script)?;
    Ok(Exit::Clean)
}
