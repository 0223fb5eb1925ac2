//! Reads the schemas of CloudFormation's types.

use std::path::Path;

use serde_json::Value;

/// The schemas in a folder, with the names of their types, in any order.
pub fn read(folder: &Path) -> impl Iterator<Item = (String, Value)> {
    let files = std::fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "json")).map(|file| {
        let text = std::fs::read(&file).expect("a readable file");
        let schema: Value = serde_json::from_slice(&text).expect("a schema");
        let name = schema["typeName"].as_str().expect("the name of a type").to_owned();
        (name, schema)
    })
}
