//! Builds each file with its own process. This is for the Azure CLI, for versions of the Bicep CLI without `jsonrpc`,
//! and for user arguments that only `bicep build` accepts.

use std::ffi::OsString;
use std::io;

use crate::bicep::cli::locate::Tool;
use crate::bicep::cli::{Request, answer, process};
use crate::bicep::{Built, Failure, MessageLevel, Options};

/// Builds one file. Errors in the file are messages in the result.
///
/// # Errors
///
/// Fails if the process crashes, times out, or ends without a template or a message.
pub(super) fn build(tool: &Tool, options: &Options, request: &Request) -> Result<Built, Failure> {
    let arguments = arguments(tool, options, request);
    let output = match process::run(&tool.program, &arguments, options) {
        Ok(Some(output)) => output,
        Ok(None) => return Err(Failure::TimedOut),
        Err(error) => return Err(Failure::Crashed(format!("did not start: {error}"))),
    };
    let how = output.how();
    if output.status.is_some_and(|status| status.success()) {
        let built = answer::of_output(output.stdout, &output.stderr, request.is_parameters);
        return built.ok_or_else(|| Failure::Crashed(format!("{how}, without a template")));
    }
    let messages = answer::of_stderr(&output.stderr);
    if messages.iter().any(|message| message.level == MessageLevel::Error) {
        return Ok(Built { messages, ..Built::default() });
    }
    Err(Failure::Crashed(how))
}

fn arguments(tool: &Tool, options: &Options, request: &Request) -> Vec<OsString> {
    let command = if request.is_parameters { "build-params" } else { "build" };
    let file = request.path.as_os_str();
    let mut arguments: Vec<OsString> = if tool.is_azure_cli {
        vec!["bicep".into(), command.into(), "--file".into(), file.into()]
    } else {
        vec![command.into(), file.into()]
    };
    arguments.push("--stdout".into());
    let given = options.arguments();
    if options.is_offline() && !given.contains(&"--no-restore") {
        arguments.push("--no-restore".into());
    }
    arguments.extend(given.into_iter().map(OsString::from));
    arguments
}

/// Asks the CLI for its version, and returns its output. `None` if there is no answer in time.
pub(super) fn version(tool: &Tool, options: &Options) -> io::Result<Option<process::Output>> {
    let arguments: &[&str] = if tool.is_azure_cli { &["bicep", "version"] } else { &["--version"] };
    process::run(&tool.program, arguments, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bicep::Registry;
    use std::path::PathBuf;

    #[track_caller]
    fn check(is_azure_cli: bool, is_parameters: bool, options: &Options, expected: &str) {
        let tool = Tool { program: PathBuf::from("x"), is_azure_cli, files: Vec::new() };
        let request = Request { path: "a b.bicep".into(), is_parameters, needs_restore: false, references: Vec::new() };
        let words: Vec<String> =
            arguments(&tool, options, &request).iter().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(words.join("|"), expected);
    }

    #[test]
    fn each_cli_has_its_own_arguments() {
        let options = Options::default();
        check(false, false, &options, "build|a b.bicep|--stdout");
        check(false, true, &options, "build-params|a b.bicep|--stdout");
        check(true, false, &options, "bicep|build|--file|a b.bicep|--stdout");
        check(true, true, &options, "bicep|build-params|--file|a b.bicep|--stdout");
    }

    #[test]
    fn arguments_of_the_user_and_no_restore_are_added_once() {
        let variables = [("PSRULE_AZURE_BICEP_ARGS".to_owned(), " --no-restore  --x y;z ".to_owned())];
        let options = Options { variables: variables.into(), registry: Registry::Skipped, ..Options::default() };
        check(false, false, &options, "build|a b.bicep|--stdout|--no-restore|--x|y;z");
        let options = Options { registry: Registry::Skipped, ..Options::default() };
        check(false, false, &options, "build|a b.bicep|--stdout|--no-restore");
    }
}
