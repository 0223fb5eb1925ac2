//! `formwork schema`: JSON schemas of what formwork reads and writes.

use std::io::Write;

use crate::cli::args::{SchemaArguments, SchemaSubject};
use crate::cli::exit::{Error, Exit};
use crate::cli::streams;
use crate::config;
use crate::report;
use crate::text::escape::Notation;

/// Prints the schema of one subject.
pub(super) fn run(arguments: &SchemaArguments) -> Result<Exit, Error> {
    let mut out = streams::out(Notation::Json);
    match arguments.subject {
        SchemaSubject::Settings => writeln!(out, "{:#}", config::json_schema())?,
        SchemaSubject::Diff => out.write_all(report::difference::JSON_SCHEMA.as_bytes())?,
        SchemaSubject::Report => out.write_all(report::JSON_SCHEMA.as_bytes())?,
    }
    Ok(Exit::Clean)
}
