//! `formwork schema`: JSON schemas of what formwork reads and writes.

use std::io::{self, Write};

use crate::cli::args::{SchemaArguments, SchemaSubject};
use crate::cli::exit::{Error, Exit};
use crate::config;
use crate::report;

/// Prints the schema of one subject.
pub(super) fn run(arguments: &SchemaArguments) -> Result<Exit, Error> {
    let mut out = io::stdout().lock();
    match arguments.subject {
        SchemaSubject::Settings => writeln!(out, "{:#}", config::json_schema())?,
        SchemaSubject::Report => out.write_all(report::JSON_SCHEMA.as_bytes())?,
    }
    Ok(Exit::Clean)
}
