//! Finds out which Bicep CLI a run would use, without building anything.

use std::path::PathBuf;
use std::time::Duration;

use crate::bicep::cli::cache::Cache;
use crate::bicep::cli::locate::{AZURE_CLI_VARIABLE, PATH_VARIABLE, locate};
use crate::bicep::cli::{Builder, Error, NotFound};
use crate::bicep::{Options, Version};

/// Time limit for the CLI to report its version.
const TIMEOUT: Duration = Duration::from_secs(15);

/// A Bicep CLI that was found.
#[derive(Debug)]
pub struct Probe {
    /// The path of the program, which may be the Azure CLI.
    pub program: PathBuf,
    /// The environment variable through which it was found.
    pub found_by: &'static str,
    /// The version that it reports. `None` if the answer is not a version.
    pub version: Result<Option<Version>, Error>,
}

/// Finds the CLI, and asks it for its version.
///
/// # Errors
///
/// Fails if there is no CLI. Whether it works is part of the result.
pub fn probe(options: &Options) -> Result<Probe, NotFound> {
    let options = Options { cache: None, timeout: options.timeout.min(TIMEOUT), ..options.clone() };
    let tool = locate(&options)?;
    let found_by = match () {
        () if options.variable(PATH_VARIABLE).is_some() => PATH_VARIABLE,
        () if tool.is_azure_cli => AZURE_CLI_VARIABLE,
        () => "PATH",
    };
    let builder = Builder { options: &options, tool: &tool, cache: Cache::new(&options), requests: &[] };
    let version = builder.version_alone();
    let version = version.and_then(|version| builder.check_version(version).map(|()| version));
    Ok(Probe { program: tool.program.clone(), found_by, version })
}

/// Returns `true` if the settings or the environment ask for a particular CLI or version, so that a missing one is an
/// error.
pub fn is_asked_for(options: &Options) -> bool {
    let azure = options.variable(AZURE_CLI_VARIABLE).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    azure || options.variable(PATH_VARIABLE).is_some() || options.minimum.is_some()
}
