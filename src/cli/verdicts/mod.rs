//! `formwork verdicts`: answers the cases of a conformance suite. For maintainers.

mod drift;
mod guard3;
mod order;
mod policy;
mod upgrade;

use std::io::{BufWriter, Write};

use crate::cli::args::{Suite, VerdictsArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::stdin_lines;
use crate::cli::streams;
use crate::text::escape::Notation;

pub(super) use self::policy::STRENGTH;

/// Reads one case per line from standard input, and answers each with one line.
pub(super) fn run(arguments: &VerdictsArguments) -> Result<Exit, Error> {
    let answer = match arguments.suite {
        Suite::Drift => drift::answer,
        Suite::Guard3 => guard3::answer,
        Suite::Order => order::answer,
        Suite::Policy => policy::answer,
        Suite::Upgrade => upgrade::answer,
    };
    let mut out = BufWriter::new(streams::out(Notation::Json));
    for line in stdin_lines() {
        let answer = answer(&line?).map_err(Error::Usage)?;
        writeln!(out, "{answer}")?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}
