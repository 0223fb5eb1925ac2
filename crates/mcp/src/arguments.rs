//! The arguments of a call, checked against the table of its tool.

use std::collections::BTreeMap;

use formwork_model::text::Suggestions;
use serde_json::{Map, Value};

use crate::tool::{Parameter, Takes, Tool};

/// Maximum number of unsaved files.
const MAX_FILES: usize = 100;

/// Maximum length of an unsaved file, in bytes.
const MAX_FILE: usize = 1 << 20;

/// Maximum length of all unsaved files, in bytes.
const MAX_TEXTS: usize = 10 << 20;

/// Maximum number of texts in a list.
const MAX_LIST: usize = 1_000;

/// Unsaved texts by path. `None` stands for a deleted file.
pub type Files = BTreeMap<String, Option<String>>;

/// Arguments of a call, which fit the table of its tool.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    values: Map<String, Value>,
}

impl Arguments {
    /// Checks arguments.
    ///
    /// # Errors
    ///
    /// Fails with a sentence that says what to do.
    pub fn new(tool: Tool, arguments: Option<&Value>) -> Result<Self, String> {
        let mut values = match arguments {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(values)) => values.clone(),
            Some(_) => return Err("the arguments must be an object".to_owned()),
        };
        // Some clients send an argument that is not given as `null`.
        values.retain(|_, value| !value.is_null());
        for name in values.keys() {
            if !tool.parameters().iter().any(|parameter| parameter.name == name) {
                let known = tool.parameters().iter().map(|parameter| parameter.name);
                let hint = Suggestions::default().did_you_mean(name, known.clone());
                let known: Vec<&str> = known.collect();
                let name = formwork_report::brief::quoted(name);
                let (tool, known) = (tool.as_str(), known.join(", "));
                return Err(format!("`{tool}` has no argument {name}{hint}; its arguments are {known}"));
            }
        }
        for parameter in tool.parameters() {
            match values.get_mut(parameter.name) {
                None if parameter.is_required => return Err(format!("the argument `{}` is missing", parameter.name)),
                None => {}
                Some(value) => check_value(parameter, value)?,
            }
        }
        Ok(Self { values })
    }

    /// Returns the text of an argument.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    /// Returns the texts of a list. Empty if it is not given.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.values.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns a Boolean argument. `false` if it is not given.
    pub fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Returns a number.
    pub fn count(&self, name: &str) -> Option<usize> {
        usize::try_from(self.values.get(name)?.as_u64()?).ok()
    }

    /// Returns the unsaved files.
    pub fn files(&self) -> Files {
        let files = self.values.get("files").and_then(Value::as_object).into_iter().flatten();
        files.map(|(path, text)| (path.clone(), text.as_str().map(str::to_owned))).collect()
    }
}

/// Checks a value. One text in the place of a list is made a list.
fn check_value(parameter: &Parameter, value: &mut Value) -> Result<(), String> {
    if parameter.takes == Takes::Texts && value.is_string() {
        *value = Value::Array(vec![value.take()]);
    }
    let name = parameter.name;
    match parameter.takes {
        Takes::Text => value.as_str().map(drop).ok_or_else(|| format!("`{name}` must be a string")),
        Takes::Texts => match value.as_array() {
            Some(list) if list.len() > MAX_LIST => Err(format!("`{name}` has more than {MAX_LIST} entries")),
            Some(list) if list.iter().all(Value::is_string) => Ok(()),
            _ => Err(format!("`{name}` must be a list of strings")),
        },
        Takes::Flag => value.as_bool().map(drop).ok_or_else(|| format!("`{name}` must be true or false")),
        Takes::Count(most) => match value.as_u64() {
            Some(count) if count <= most => Ok(()),
            _ => Err(format!("`{name}` must be a number from 0 to {most}")),
        },
        Takes::Word(words) => match value.as_str() {
            Some(word) if words.contains(&word) => Ok(()),
            _ => Err(format!("`{name}` must be one of {}", words.join(", "))),
        },
        Takes::Files => check_files(value),
    }
}

fn check_files(value: &Value) -> Result<(), String> {
    let Some(files) = value.as_object() else {
        return Err("`files` must be an object of texts by path, such as {\"main.bicep\": \"…\"}".to_owned());
    };
    if files.len() > MAX_FILES {
        return Err(format!("`files` has {} entries; expected at most {MAX_FILES}", files.len()));
    }
    let mut length = 0;
    for text in files.values() {
        match text {
            Value::Null => {}
            Value::String(text) if text.len() > MAX_FILE => {
                return Err(format!("a text in `files` has {} bytes; expected at most {MAX_FILE}", text.len()));
            }
            Value::String(text) => length += text.len(),
            _ => return Err("a text in `files` must be a string, or null for a deleted file".to_owned()),
        }
    }
    if length > MAX_TEXTS {
        return Err(format!("the texts in `files` have {length} bytes; expected at most {MAX_TEXTS}"));
    }
    Ok(())
}
