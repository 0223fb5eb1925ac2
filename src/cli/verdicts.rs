//! `formwork verdicts`: answers the cases of a conformance suite, for maintainers.

use std::io::{BufWriter, Write};

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::cli::args::{Suite, VerdictsArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::stdin_lines;
use crate::cli::streams;
use crate::model::Limits;
use crate::rules::guard3;
use crate::text::Sources;
use crate::text::escape::Notation;
use crate::value::Value;

/// A case of the suite `guard3`.
#[derive(Debug, Deserialize)]
struct GuardCase {
    id: String,
    /// The text of the rules file.
    rules: String,
    /// The text of the template.
    data: String,
    /// The name of the template.
    name: String,
    /// Texts of documents that are joined with the template.
    #[serde(default)]
    params: Vec<String>,
}

/// Reads one case a line from standard input, and answers each with one line.
pub(super) fn run(arguments: &VerdictsArguments) -> Result<Exit, Error> {
    let Suite::Guard3 = arguments.suite;
    let mut out = BufWriter::new(streams::out(Notation::Json));
    for line in stdin_lines() {
        let line = line?;
        let case: GuardCase = serde_json::from_str(&line).map_err(|error| Error::Usage(error.to_string()))?;
        let answer = match statuses(&case) {
            Ok(statuses) => json!({"id": case.id, "statuses": statuses}),
            Err(error) => json!({"id": case.id, "error": error}),
        };
        writeln!(out, "{answer}")?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

fn statuses(case: &GuardCase) -> Result<Json, String> {
    let sources = Sources::new();
    let read = |name: &str, text: &str| -> Result<Value, String> {
        let file = sources.add(name, text);
        let value = guard3::read(file, sources.get(file).text(), Limits::default().nesting);
        value.ok_or_else(|| format!("`{name}` is neither JSON nor YAML"))
    };
    let mut document = read(&case.name, &case.data)?;
    for text in &case.params {
        document = guard3::joined(&document, &read("parameters", text)?)?;
    }
    let rules = sources.add("case.guard", case.rules.as_str());
    let statuses = guard3::Program::new(rules, &case.rules)?.statuses(document)?;
    let statuses = statuses.into_iter().map(|(name, status)| (name, Json::from(status.as_str())));
    Ok(Json::Object(statuses.collect::<Map<String, Json>>()))
}
