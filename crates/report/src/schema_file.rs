//! JSON schemas in the folder `schemas`, which tests generate from the types that are written.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// Returns the schema of `T`. Its member `schema` is `format`.
pub(crate) fn schema_of<T: JsonSchema>(title: &str, about: &str, format: &str) -> Value {
    // Of what is written: members that may be left out are not required.
    let settings = SchemaSettings::default().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    drop_notes_on_reading(&mut schema);
    schema["title"] = title.into();
    schema["description"] = about.into();
    schema["properties"]["schema"] = json!({"type": "string", "const": format});
    schema
}

/// Compares a file with its expected schema.
#[track_caller]
pub(crate) fn check_schema(file: &str, schema: &Value) {
    let text = format!("{schema:#}\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(file);
    #[expect(clippy::disallowed_methods, reason = "the one switch of the tests")]
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&path, &text).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == text, "INSTA_UPDATE=always renews {}", path.display());
}

/// Removes notes about reading members that older documents do not have.
fn drop_notes_on_reading(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, _| !["default", "readOnly"].contains(&name.as_str()));
            members.values_mut().for_each(drop_notes_on_reading);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_notes_on_reading),
        _ => {}
    }
}
