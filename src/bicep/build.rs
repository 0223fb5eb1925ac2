//! Builds Bicep with the Bicep CLI, one process a file.
//!
//! The CLI is looked for as `PSRule` for Azure does: `PSRULE_AZURE_BICEP_PATH`, then the Azure CLI if
//! `PSRULE_AZURE_BICEP_USE_AZURE_CLI` is `true`, then `bicep` on the `PATH`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names the Bicep CLI.
const PATH_VARIABLE: &str = "PSRULE_AZURE_BICEP_PATH";

/// Whether the Azure CLI is used.
const AZURE_CLI_VARIABLE: &str = "PSRULE_AZURE_BICEP_USE_AZURE_CLI";

/// Why a file was not built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no CLI in any of the places.
    #[error(
        "the Bicep CLI was not found: `{PATH_VARIABLE}` is not set, `{AZURE_CLI_VARIABLE}` is not `true`, and there is no `bicep` on the `PATH`"
    )]
    NotFound,
    /// The program does not start.
    #[error("cannot start `{}`", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The compiler refused the file, or crashed.
    #[error("building `{}` failed ({status}): {message}", .file.display())]
    Failed {
        /// The file that was to be built.
        file: PathBuf,
        /// How the process ended.
        status: std::process::ExitStatus,
        /// What it wrote to standard error.
        message: String,
    },
    /// The compiler wrote something that is no text.
    #[error("building `{}` gave no UTF-8", .file.display())]
    Encoding {
        /// The file that was to be built.
        file: PathBuf,
    },
}

/// The template that `file` compiles to, as JSON text. `variables` is the environment.
pub fn build(variables: &BTreeMap<String, String>, file: &Path) -> Result<String, Error> {
    let (program, arguments) = command(variables, file).ok_or(Error::NotFound)?;
    let output = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Start { program, source })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Failed { file: file.to_owned(), status: output.status, message });
    }
    String::from_utf8(output.stdout).map_err(|_| Error::Encoding { file: file.to_owned() })
}

fn command<'a>(variables: &BTreeMap<String, String>, file: &'a Path) -> Option<(PathBuf, Vec<&'a OsStr>)> {
    let get = |name: &str| variables.get(name).filter(|it| !it.is_empty());
    let file = file.as_os_str();
    let own = |program: PathBuf| (program, vec![OsStr::new("build"), file, OsStr::new("--stdout")]);
    if let Some(path) = get(PATH_VARIABLE) {
        return Some(own(PathBuf::from(path)));
    }
    let on_path = |name: &str| {
        let folders = std::env::split_paths(get("PATH")?);
        folders.map(|it| it.join(name).with_extension(std::env::consts::EXE_EXTENSION)).find(|it| it.is_file())
    };
    if get(AZURE_CLI_VARIABLE).is_some_and(|it| it.eq_ignore_ascii_case("true")) {
        let arguments = ["bicep", "build", "--stdout", "--file"].map(OsStr::new);
        return Some((on_path("az")?, arguments.into_iter().chain([file]).collect()));
    }
    on_path("bicep").map(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: Option<&str>) {
        let variables = variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let found = command(&variables, Path::new("main.bicep")).map(|(program, arguments)| {
            let words = arguments.iter().map(|it| it.to_string_lossy().into_owned());
            let name = program.file_stem().unwrap().to_string_lossy().into_owned();
            std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn the_cli_is_looked_for_in_three_places() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        for name in ["az", "bicep"] {
            let file = folder.path().join(name).with_extension(std::env::consts::EXE_EXTENSION);
            std::fs::write(file, "").unwrap();
        }
        check(&[("PATH", path)], Some("bicep build main.bicep --stdout"));
        let azure = ("PSRULE_AZURE_BICEP_USE_AZURE_CLI", "true");
        check(&[("PATH", path), azure], Some("az bicep build --stdout --file main.bicep"));
        let own = ("PSRULE_AZURE_BICEP_PATH", "/opt/mine");
        check(&[("PATH", path), azure, own], Some("mine build main.bicep --stdout"));
        check(&[("PATH", path), ("PSRULE_AZURE_BICEP_PATH", "")], Some("bicep build main.bicep --stdout"));
        check(&[("PATH", "/nowhere")], None);
        check(&[], None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let variables = BTreeMap::from([("PSRULE_AZURE_BICEP_PATH".to_owned(), "/nowhere/bicep".to_owned())]);
        let error = build(&variables, Path::new("main.bicep")).unwrap_err();
        assert_eq!(error.to_string(), "cannot start `/nowhere/bicep`");
    }
}
