//! Runs a command in a separate process. If it crashes, only its own result is lost.

use std::io;
use std::process::{Command, Output, Stdio};

use crate::cli::Environment;
use crate::cli::exit::{Error, Exit};
use crate::cli::supervise::VARIABLE;

/// Variable that marks the process as a child of another formwork process.
pub(super) const PARENT: &str = "FORMWORK_PARENT";

/// Runs a command, and returns its standard output. Its standard error is printed.
///
/// # Errors
///
/// Fails if the command cannot be started or crashes, or if its arguments or files are invalid.
pub(in crate::cli) fn apart(arguments: &[String], environment: &Environment) -> Result<Vec<u8>, Error> {
    let failure =
        |why: &str| Error::Usage(format!("`formwork {}` {why}", arguments.first().map_or("", String::as_str)));
    let output = start(arguments, environment).map_err(|error| failure(&format!("cannot be run: {error}")))?;
    let is = |exit: Exit| output.status.code() == Some(exit.code().into());
    match () {
        () if is(Exit::Usage) => Err(failure("failed: see the log")),
        () if [Exit::Clean, Exit::Findings, Exit::Unanalysed].into_iter().any(is) => Ok(output.stdout),
        () => Err(failure("crashed, or the system ended it because memory or processor time ran out")),
    }
}

fn start(arguments: &[String], environment: &Environment) -> io::Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).current_dir(&environment.working).env_clear().envs(&environment.variables);
    command.env_remove(VARIABLE).env(PARENT, std::process::id().to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?.wait_with_output()
}
