//! How Bicep is built.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::bicep::cli::Version;
use crate::value::Value;

/// Arguments for `bicep build`, separated by blanks.
const ARGUMENTS_VARIABLE: &str = "PSRULE_AZURE_BICEP_ARGS";

/// Values that replace those of parameter files, as the Bicep CLI itself takes them: an object in JSON.
const OVERRIDES_VARIABLE: &str = "BICEP_PARAMETERS_OVERRIDES";

/// How long one answer may take if nothing else is said. `PSRule` waits 5 seconds, which is not enough for large modules.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The oldest version that `AZURE_BICEP_CHECK_TOOL` accepts where no other is given, as in `PSRule`.
const MINIMUM: &str = "0.4.451";

/// Where modules of registries come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registry {
    /// The Bicep CLI fetches those that it has not got yet.
    Used,
    /// Nothing is fetched. What hangs on a module that is not there is skipped.
    Skipped,
    /// Nothing is fetched. A module that is not there is an error.
    Refused,
}

/// How Bicep is built: the settings of a run, and its environment.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The environment variables.
    pub variables: BTreeMap<String, String>,
    /// The folder for what was built before. `None` to build everything anew.
    pub cache: Option<PathBuf>,
    /// What happens to modules that the Bicep CLI has not got yet.
    pub registry: Registry,
    /// The oldest version of the CLI that will do.
    pub minimum: Option<Version>,
    /// How long the CLI may be silent.
    pub timeout: Duration,
    /// Whether `.bicep` files are built that the user did not name.
    pub builds_files: bool,
    /// Whether `.bicepparam` files are built that the user did not name.
    pub builds_parameters: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            variables: BTreeMap::new(),
            cache: None,
            registry: Registry::Used,
            minimum: None,
            timeout: TIMEOUT,
            builds_files: true,
            builds_parameters: true,
        }
    }
}

impl Options {
    /// As the `AZURE_BICEP_*` keys of the settings and the environment say.
    pub(crate) fn new(variables: &BTreeMap<String, String>, configuration: Option<&Value>) -> Self {
        let key = |name| configuration.and_then(|it| it.get(name));
        let flag = |name, otherwise| key(name).and_then(Value::as_bool).unwrap_or(otherwise);
        let minimum = key("AZURE_BICEP_MINIMUM_VERSION").and_then(Value::as_str).unwrap_or(MINIMUM);
        let seconds = key("AZURE_BICEP_FILE_EXPANSION_TIMEOUT").and_then(Value::as_int);
        let seconds = seconds.and_then(|it| u64::try_from(it).ok()).filter(|it| *it > 0);
        Self {
            variables: variables.clone(),
            minimum: minimum.parse().ok().filter(|_| flag("AZURE_BICEP_CHECK_TOOL", false)),
            timeout: seconds.map_or(TIMEOUT, Duration::from_secs),
            builds_files: flag("AZURE_BICEP_FILE_EXPANSION", true),
            builds_parameters: flag("AZURE_BICEP_PARAMS_FILE_EXPANSION", true),
            ..Self::default()
        }
    }

    /// Whether nothing may be fetched.
    pub(crate) fn is_offline(&self) -> bool {
        self.registry != Registry::Used
    }

    /// A variable that is set and not empty.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|it| !it.is_empty())
    }

    /// What the user wants to be added to `bicep build`.
    pub(super) fn arguments(&self) -> Vec<&str> {
        self.variable(ARGUMENTS_VARIABLE).map_or_else(Vec::new, |it| it.split_whitespace().collect())
    }

    /// What replaces the values of parameter files, as JSON text.
    pub(super) fn overrides(&self) -> Option<&str> {
        self.variable(OVERRIDES_VARIABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Member;

    #[test]
    fn the_keys_of_ps_rule_count() {
        let configuration = Value::object(vec![
            Member::new("azure_bicep_file_expansion", Value::from(false)),
            Member::new("AZURE_BICEP_FILE_EXPANSION_TIMEOUT", Value::from(7)),
            Member::new("AZURE_BICEP_CHECK_TOOL", Value::from(true)),
            Member::new("AZURE_BICEP_MINIMUM_VERSION", Value::from("0.30.3")),
        ]);
        let options = Options::new(&BTreeMap::new(), Some(&configuration));
        assert_eq!((options.builds_files, options.builds_parameters), (false, true));
        assert_eq!(options.timeout, Duration::from_secs(7));
        assert_eq!(options.minimum.map(|it| it.to_string()).as_deref(), Some("0.30.3"));
    }

    #[test]
    fn versions_are_only_checked_if_the_settings_say_so() {
        let key = Member::new("AZURE_BICEP_MINIMUM_VERSION", Value::from("9.9.9"));
        let options = Options::new(&BTreeMap::new(), Some(&Value::object(vec![key])));
        assert_eq!(options.minimum, None);
    }
}
