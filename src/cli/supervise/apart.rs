//! Runs a command in a process of its own, so that a crash of it costs no more than its own result.

use std::process::{Command, Stdio};

use crate::cli::Environment;
use crate::cli::exit::{Error, Exit};
use crate::cli::supervise::VARIABLE;

/// Tells the process that another one waits for what it prints.
pub(super) const PARENT: &str = "FORMWORK_PARENT";

/// What a command prints on standard output. What it prints on standard error is printed.
///
/// # Errors
///
/// Fails if the command cannot be started, crashes, or prints nothing because its arguments or its files are wrong.
pub(in crate::cli) fn apart(arguments: &[String], environment: &Environment) -> Result<Vec<u8>, Error> {
    let failed = |why: &str| Error::Usage(format!("`formwork {}` {why}", arguments.first().map_or("", String::as_str)));
    let start = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).current_dir(&environment.working).env_clear().envs(&environment.variables);
        command.env_remove(VARIABLE).env(PARENT, std::process::id().to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?.wait_with_output()
    };
    let output = start().map_err(|error| failed(&format!("cannot be run: {error}")))?;
    let is = |exit: Exit| output.status.code() == Some(exit.code().into());
    match () {
        () if is(Exit::Usage) => Err(failed("failed: see the log")),
        () if [Exit::Clean, Exit::Findings, Exit::Unanalysed].into_iter().any(is) => Ok(output.stdout),
        () => Err(failed("crashed, or the system ended it because memory or processor time ran out")),
    }
}
