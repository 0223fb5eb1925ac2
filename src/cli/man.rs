//! `formwork man`: man pages, generated from the help of the commands.

use std::io::Write;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::args::{Arguments, ManArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::streams;
use crate::text::escape::Notation;

/// Prints the man page of the program or of a command.
pub(super) fn run(arguments: &ManArguments) -> Result<Exit, Error> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let mut command = &program;
    let mut name = program.get_name().to_owned();
    for word in &arguments.command {
        let found = command.find_subcommand(word).filter(|found| !found.is_hide_set());
        command = found.ok_or_else(|| Error::Usage(format!("there is no command `{word}` in `{name}`")))?;
        name = format!("{name}-{word}");
    }
    let page = Man::new(command.clone()).title(name).manual("formwork");
    let mut text = Vec::new();
    page.render(&mut text)?;
    streams::out(Notation::Plain).write_all(&text)?;
    Ok(Exit::Clean)
}
