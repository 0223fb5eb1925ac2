//! `formwork completions`: generates shell completion scripts.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::{Generator, generate};
use clap_complete_nushell::Nushell;

use crate::cli::args::{Arguments, CompletionsArguments, Shell};
use crate::cli::exit::{Error, Exit};
use crate::cli::streams;
use crate::text::escape::Notation;

/// Prints the completion script for a shell.
pub(super) fn run(arguments: &CompletionsArguments) -> Result<Exit, Error> {
    let script = match arguments.shell {
        Shell::Bash => script(clap_complete::Shell::Bash),
        Shell::Elvish => script(clap_complete::Shell::Elvish),
        Shell::Fish => script(clap_complete::Shell::Fish),
        Shell::Nushell => script(Nushell),
        Shell::Powershell => script(clap_complete::Shell::PowerShell),
        Shell::Zsh => script(clap_complete::Shell::Zsh),
    };
    streams::out(Notation::Plain).write_all(&script)?;
    Ok(Exit::Clean)
}

fn script(shell: impl Generator) -> Vec<u8> {
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "formwork", &mut script);
    script
}
