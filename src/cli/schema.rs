//! `formwork schema`: JSON schemas of the files that formwork reads and writes.

use std::io::Write;

use crate::cli::args::{SchemaArguments, SchemaSubject};
use crate::cli::exit::{Error, Exit};
use crate::cli::streams;
use crate::config;
use crate::text::escape::Notation;

/// Prints the schema of one subject.
pub(super) fn run(arguments: &SchemaArguments) -> Result<Exit, Error> {
    let mut out = streams::out(Notation::Json);
    let text = match arguments.subject {
        SchemaSubject::Settings => &format!("{:#}\n", config::json_schema()),
        SchemaSubject::Report => include_str!("../../schemas/report.schema.json"),
        SchemaSubject::Diff => include_str!("../../schemas/diff.schema.json"),
        SchemaSubject::Drift => include_str!("../../schemas/drift.schema.json"),
        SchemaSubject::Baseline => include_str!("../../schemas/baseline.schema.json"),
        SchemaSubject::Expand => include_str!("../../schemas/expand.schema.json"),
        SchemaSubject::Explain => include_str!("../../schemas/explain.schema.json"),
        SchemaSubject::PolicyExplain => include_str!("../../schemas/policy-explain.schema.json"),
        SchemaSubject::Upgrade => include_str!("../../schemas/upgrade.schema.json"),
        SchemaSubject::RulesList => include_str!("../../schemas/rules-list.schema.json"),
        SchemaSubject::Doctor => include_str!("../../schemas/doctor.schema.json"),
    };
    out.write_all(text.as_bytes())?;
    Ok(Exit::Clean)
}
