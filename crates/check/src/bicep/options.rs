//! The options for building Bicep, from the settings and the environment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::bicep::Version;
use crate::bicep::modules::{ModuleSource, NoModules};
use crate::files::Programs;
use crate::value::Value;

/// The variable with the names of further variables that the Bicep CLI gets, separated by commas or spaces. A `*` at
/// the end of one stands for any rest.
pub const NAMES_VARIABLE: &str = "FORMWORK_BICEP_ENV";

/// The variable with extra arguments for `bicep build`, separated by spaces.
const ARGUMENTS_VARIABLE: &str = "PSRULE_AZURE_BICEP_ARGS";

/// The variable with a JSON object of values that replace those in parameter files. The Bicep CLI reads it too.
const OVERRIDES_VARIABLE: &str = "BICEP_PARAMETERS_OVERRIDES";

/// Default time limit for one answer. `PSRule` waits 5 seconds, which is not enough for large modules.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The oldest version that `AZURE_BICEP_CHECK_TOOL` accepts by default, as in `PSRule`.
const MINIMUM: &str = "0.4.451";

/// Permission to fetch modules from registries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// Modules that are not in the cache are fetched.
    Used,
    /// Fetches nothing. Files that depend on a module that is not in the cache are skipped.
    Skipped,
}

/// Choice of the compiler for Bicep files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compiler {
    /// The Bicep CLI if it is found, else the built-in compiler.
    #[default]
    Auto,
    /// The Bicep CLI, and an error if there is none.
    Cli,
    /// The built-in compiler, even if there is a CLI.
    Builtin,
}

impl Compiler {
    /// Returns the compiler with a name in the settings.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "cli" => Some(Self::Cli),
            "builtin" => Some(Self::Builtin),
            _ => None,
        }
    }
}

/// The options for building Bicep files.
#[derive(Clone, Debug)]
pub struct Options {
    /// Compiler that builds the files.
    pub compiler: Compiler,
    /// The right to start the CLI. Without it, there is only the built-in compiler.
    pub programs: Option<Programs>,
    /// The environment variables of the run.
    pub variables: BTreeMap<String, String>,
    /// The roots of the checkouts around the run, in which the CLI must not be unless the user names it.
    pub checkouts: Vec<PathBuf>,
    /// Files named `bicepconfig.json` that a build must not read from the disk: what it reads instead, or `None` if it
    /// finds no file there.
    pub settings: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// The folder of the cache. `None` to build everything again.
    pub cache: Option<PathBuf>,
    /// Permission to fetch modules from registries.
    pub registry: Registry,
    /// Source of modules for the built-in compiler.
    pub modules: Arc<dyn ModuleSource>,
    /// The oldest version of the CLI that is accepted. `None` to accept any.
    pub minimum: Option<Version>,
    /// Time limit of the CLI for one file or answer.
    pub timeout: Duration,
    /// True if `.bicep` files that the user did not name are built.
    pub builds_files: bool,
    /// True if `.bicepparam` files that the user did not name are built.
    pub builds_parameters: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            compiler: Compiler::default(),
            programs: None,
            variables: BTreeMap::new(),
            checkouts: Vec::new(),
            settings: BTreeMap::new(),
            cache: None,
            registry: Registry::Used,
            modules: Arc::new(NoModules),
            minimum: None,
            timeout: TIMEOUT,
            builds_files: true,
            builds_parameters: true,
        }
    }
}

impl Options {
    /// Reads the options from the `AZURE_BICEP_*` keys of the `configuration` settings. Invalid values are ignored.
    pub fn new(variables: &BTreeMap<String, String>, configuration: Option<&Value>) -> Self {
        let key = |name| configuration.and_then(|settings| settings.get(name));
        let flag = |name, otherwise| key(name).and_then(Value::as_bool).unwrap_or(otherwise);
        let minimum = key("AZURE_BICEP_MINIMUM_VERSION").and_then(Value::as_str).unwrap_or(MINIMUM);
        let seconds = key("AZURE_BICEP_FILE_EXPANSION_TIMEOUT").and_then(Value::as_int);
        let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok()).filter(|seconds| *seconds > 0);
        Self {
            variables: variables.clone(),
            minimum: minimum.parse().ok().filter(|_| flag("AZURE_BICEP_CHECK_TOOL", false)),
            timeout: seconds.map_or(TIMEOUT, Duration::from_secs),
            builds_files: flag("AZURE_BICEP_FILE_EXPANSION", true),
            builds_parameters: flag("AZURE_BICEP_PARAMS_FILE_EXPANSION", true),
            ..Self::default()
        }
    }

    /// Returns `true` if the CLI must not fetch modules.
    pub fn is_offline(&self) -> bool {
        self.registry != Registry::Used
    }

    /// Returns the value of an environment variable. `None` if it is not set or empty.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the user's extra arguments for `bicep build`.
    pub(super) fn arguments(&self) -> Vec<&str> {
        self.variable(ARGUMENTS_VARIABLE).map_or_else(Vec::new, |value| value.split_whitespace().collect())
    }

    /// Returns the JSON object of values that replace those in parameter files.
    pub(super) fn overrides(&self) -> Option<&str> {
        self.variable(OVERRIDES_VARIABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Member;

    #[test]
    fn the_keys_of_ps_rule_are_read() {
        let configuration = Value::object(vec![
            Member::new("azure_bicep_file_expansion", Value::from(false)),
            Member::new("AZURE_BICEP_FILE_EXPANSION_TIMEOUT", Value::from(7)),
            Member::new("AZURE_BICEP_CHECK_TOOL", Value::from(true)),
            Member::new("AZURE_BICEP_MINIMUM_VERSION", Value::from("0.30.3")),
        ]);
        let options = Options::new(&BTreeMap::new(), Some(&configuration));
        assert_eq!((options.builds_files, options.builds_parameters), (false, true));
        assert_eq!(options.timeout, Duration::from_secs(7));
        assert_eq!(options.minimum.map(|version| version.to_string()).as_deref(), Some("0.30.3"));
    }

    #[test]
    fn versions_are_only_checked_if_the_settings_say_so() {
        let key = Member::new("AZURE_BICEP_MINIMUM_VERSION", Value::from("9.9.9"));
        let options = Options::new(&BTreeMap::new(), Some(&Value::object(vec![key])));
        assert_eq!(options.minimum, None);
    }
}
