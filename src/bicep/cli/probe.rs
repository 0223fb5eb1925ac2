//! Which Bicep CLI a run would use, without building anything.

use std::path::PathBuf;
use std::time::Duration;

use crate::bicep::cli::cache::Cache;
use crate::bicep::cli::locate::{AZURE_CLI_VARIABLE, PATH_VARIABLE, locate};
use crate::bicep::cli::{Builder, Error, NotFound, Options, Version};

/// How long the CLI may take to tell its version.
const TIMEOUT: Duration = Duration::from_secs(15);

/// A Bicep CLI that was found.
#[derive(Debug)]
pub(crate) struct Probe {
    /// The program; the Azure CLI, where that is used.
    pub program: PathBuf,
    /// What led to it: a variable, or `PATH`.
    pub found_by: &'static str,
    /// What it says of itself; `None` where that is no version.
    pub version: Result<Option<Version>, Error>,
}

/// Looks for the CLI, and asks it for its version.
pub(crate) fn probe(options: &Options) -> Result<Probe, NotFound> {
    let options = Options { cache: None, timeout: options.timeout.min(TIMEOUT), ..options.clone() };
    let tool = locate(&options)?;
    let found_by = match () {
        () if options.variable(PATH_VARIABLE).is_some() => PATH_VARIABLE,
        () if tool.is_azure_cli => AZURE_CLI_VARIABLE,
        () => "PATH",
    };
    let builder = Builder { options: &options, tool: &tool, cache: Cache::new(&options), requests: &[] };
    let version = builder.version_alone().and_then(|it| builder.check_version(it).map(|()| it));
    Ok(Probe { program: tool.program.clone(), found_by, version })
}

/// Whether the settings or the environment name a CLI, or want a version of it.
pub(crate) fn is_asked_for(options: &Options) -> bool {
    let azure = options.variable(AZURE_CLI_VARIABLE).is_some_and(|it| it.eq_ignore_ascii_case("true"));
    azure || options.variable(PATH_VARIABLE).is_some() || options.minimum.is_some()
}
