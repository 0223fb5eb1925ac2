//! Environment variables and the current folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Environment variables and the current folder. No other code of formwork reads them from the process.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Variables whose name and value are valid Unicode.
    pub variables: BTreeMap<String, String>,
    /// Absolute path of the current folder. Empty if it was removed, or cannot be read.
    pub working: PathBuf,
}

impl Environment {
    /// Reads the environment of this process.
    pub fn of_process() -> Self {
        let variables = std::env::vars_os();
        let texts = variables.filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
        let working = std::env::current_dir().unwrap_or_default();
        Self { variables: texts.collect(), working }
    }

    /// Returns the value of a variable. An empty one counts as not set.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }
}
