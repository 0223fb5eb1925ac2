//! What the process inherits.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The environment variables and the current folder. Nothing else in formwork asks the process for them.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Variables whose name and value are texts.
    pub variables: BTreeMap<String, String>,
    /// The current folder, absolute.
    pub working: PathBuf,
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        let variables = std::env::vars_os();
        let texts = variables.filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
        // A current folder that was removed is as good as the root: relative paths lead nowhere from either.
        let working = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        Self { variables: texts.collect(), working }
    }

    /// The value of a variable; an empty one counts as not set.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|it| !it.is_empty())
    }
}
