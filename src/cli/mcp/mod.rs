//! `formwork mcp`: the server for coding agents on standard input and output.
//!
//! The protocol is in the crate `mcp`, and this module answers the calls. It checks with the inventory of the language
//! server, so nothing here starts a process, uses the network, or writes a file.

mod check;
mod diff;
mod expand;
mod explain;
mod fix;
mod memory;
mod rules;
mod text;
mod types;
mod unsaved;
mod workbench;

use formwork_mcp::{Settings, Tool, ToolAnswer, ToolCall, Tools};

use crate::cli::Environment;
use crate::cli::args::McpArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::mcp::workbench::Workbench;
use crate::path::normalize;

/// Serves a client until it closes its end.
pub(super) fn run(arguments: &McpArguments, environment: &Environment) -> Result<Exit, Error> {
    let root = match &arguments.root {
        Some(root) => normalize(&environment.working, root),
        None => environment.working.clone(),
    };
    let root = root.canonicalize().ok().filter(|root| root.is_dir());
    let root = root.ok_or_else(|| Error::Usage("the root is not a folder; expected `--root FOLDER`".to_owned()))?;
    let bench = Workbench::new(root, arguments, environment)?;
    formwork_mcp::serve_streams(Box::new(bench), Settings { version: env!("CARGO_PKG_VERSION"), max_time: None })?;
    Ok(Exit::Clean)
}

impl Tools for Workbench {
    fn call(&mut self, call: &ToolCall) -> ToolAnswer {
        let answer = match call.tool {
            Tool::Check => check::check(self, call),
            Tool::Fix => fix::fix(self, call),
            Tool::Explain => explain::explain(self, call),
            Tool::Expand => expand::expand(self, call),
            Tool::Diff => diff::diff(self, call),
            Tool::Rules => rules::rules(self, call),
            Tool::Type => types::describe_type(call),
        };
        answer.unwrap_or_else(ToolAnswer::error)
    }
}
