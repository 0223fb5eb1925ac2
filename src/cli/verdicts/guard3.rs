//! The suite `guard3`: the statuses of Guard rules.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::model::Limits;
use crate::rules::guard3;
use crate::text::Sources;
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

/// Returns the answer to a case.
pub(super) fn answer(line: &str) -> Result<Json, String> {
    let case: GuardCase = serde_json::from_str(line).map_err(|error| error.to_string())?;
    Ok(match statuses(&case) {
        Ok(statuses) => json!({"id": case.id, "statuses": statuses}),
        Err(error) => json!({"id": case.id, "error": error}),
    })
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
