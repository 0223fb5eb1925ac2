//! What the process inherits: environment variables and the current folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The environment variables and the current folder. No other code of formwork reads them from the process.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The variables whose name and value are valid Unicode.
    pub variables: BTreeMap<String, String>,
    /// The current folder, absolute. Empty if it was removed, or may not be read.
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

    /// The value of a variable; an empty one counts as not set.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }
}
