//! `formwork lsp`: the language server on standard input and output.

use std::time::Duration;

use crate::cli::Environment;
use crate::cli::args::LspArguments;
use crate::cli::clock;
use crate::cli::exit::{Error, Exit};
use crate::cli::settings;
use crate::config;
use crate::editor::Analyst;
use crate::engine::CheckOptions;

/// Serves an editor until it sends `exit`, or the connection ends.
pub(super) fn run(arguments: &LspArguments, environment: &Environment) -> Result<Exit, Error> {
    let options = CheckOptions {
        variables: environment.variables.clone(),
        module_cache: settings::module_cache_in(arguments.cache_dir.as_deref(), environment)?,
        today: clock::today(),
        ..CheckOptions::new(environment.working.clone())
    };
    let settings = formwork_lsp::Settings {
        keep: Duration::from_secs(arguments.keep),
        version: env!("CARGO_PKG_VERSION"),
        schema: config::json_schema(),
    };
    let is_orderly = formwork_lsp::serve_streams(Box::new(Analyst::new(options)), settings)?;
    // The protocol requires 1 if the client exits without `shutdown`.
    Ok(if is_orderly { Exit::Clean } else { Exit::Findings })
}
