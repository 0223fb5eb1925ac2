//! Finds the Bicep CLI. It looks in the same places as `PSRule` for Azure, in the same order.
//!
//! See <https://azure.github.io/PSRule.Rules.Azure/setup/setup-bicep/>.

use std::path::PathBuf;

use crate::bicep::Options;

/// The variable with the path of the Bicep CLI.
pub(super) const PATH_VARIABLE: &str = "PSRULE_AZURE_BICEP_PATH";

/// The variable that is `true` to build with the Azure CLI.
pub(super) const AZURE_CLI_VARIABLE: &str = "PSRULE_AZURE_BICEP_USE_AZURE_CLI";

/// A program that builds Bicep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tool {
    /// The path of the program.
    pub(super) program: PathBuf,
    /// True if the program is the Azure CLI, which has Bicep as a command.
    pub(super) is_azure_cli: bool,
    /// The programs that are involved. A change of one may change the version.
    pub(super) files: Vec<PathBuf>,
}

impl Tool {
    fn own(program: PathBuf) -> Self {
        Self { files: vec![program.clone()], program, is_azure_cli: false }
    }

    fn azure(program: PathBuf, options: &Options) -> Self {
        // The Azure CLI runs a Bicep CLI that it installs in the home folder.
        let home = options.variable("HOME").or_else(|| options.variable("USERPROFILE")).map(PathBuf::from);
        let bicep = home.map(|home| home.join(".azure/bin/bicep").with_extension(std::env::consts::EXE_EXTENSION));
        let files = std::iter::once(program.clone()).chain(bicep).collect();
        Self { files, program, is_azure_cli: true }
    }
}

/// There is no Bicep CLI. Lists what was tried.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Bicep CLI was not found: {}", .0.join(", "))]
pub struct NotFound(Vec<String>);

/// Finds the first program that exists.
///
/// # Errors
///
/// Lists everything that was tried if there is none.
pub(super) fn locate(options: &Options) -> Result<Tool, NotFound> {
    if let Some(path) = options.variable(PATH_VARIABLE) {
        let program = PathBuf::from(path);
        // A user who names a program wants that one, and no other.
        return if program.is_file() {
            Ok(Tool::own(program))
        } else {
            Err(NotFound(vec![format!("`{PATH_VARIABLE}` is `{path}`, which is not a file")]))
        };
    }
    let mut probed = vec![format!("`{PATH_VARIABLE}` is not set")];
    if options.variable(AZURE_CLI_VARIABLE).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        match on_path(options, &["az", "az.cmd"]) {
            Ok(program) => return Ok(Tool::azure(program, options)),
            Err(why) => probed.push(format!("`{AZURE_CLI_VARIABLE}` is `true`, but {why}")),
        }
    } else {
        probed.push(format!("`{AZURE_CLI_VARIABLE}` is not `true`"));
    }
    on_path(options, &["bicep"]).map(Tool::own).map_err(|why| {
        probed.push(why);
        NotFound(probed)
    })
}

/// Returns the first of the programs `names` in the folders of `PATH`.
fn on_path(options: &Options, names: &[&str]) -> Result<PathBuf, String> {
    let search_path = options.search_path().ok_or_else(|| "no program may be started".to_owned())?;
    search_path.find(names).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Programs;

    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: Result<(&str, bool), &str>) {
        let variables = variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let found = locate(&Options { variables, programs: Some(Programs::of_command_line()), ..Options::default() });
        let name = |tool: &Tool| tool.program.file_stem().unwrap().to_string_lossy().into_owned();
        let found = found.map(|tool| (name(&tool), tool.is_azure_cli));
        let expected = expected.map(|(name, azure)| (name.to_owned(), azure)).map_err(str::to_owned);
        assert_eq!(found.map_err(|error| error.to_string()), expected);
    }

    #[test]
    fn the_cli_is_looked_for_in_three_places() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).with_extension(std::env::consts::EXE_EXTENSION);
        for name in ["az", "bicep", "mine"] {
            std::fs::write(file(name), "").unwrap();
            #[cfg(unix)]
            std::fs::set_permissions(file(name), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let mine = file("mine");
        let (path, mine) = (folder.path().to_str().unwrap(), mine.to_str().unwrap());
        check(&[("PATH", path)], Ok(("bicep", false)));
        let azure = ("PSRULE_AZURE_BICEP_USE_AZURE_CLI", "true");
        check(&[("PATH", path), azure], Ok(("az", true)));
        check(&[("PATH", path), azure, ("PSRULE_AZURE_BICEP_PATH", mine)], Ok(("mine", false)));
        check(&[("PATH", path), ("PSRULE_AZURE_BICEP_PATH", "")], Ok(("bicep", false)));
    }

    #[test]
    fn the_error_lists_everything_that_was_tried() {
        check(
            &[("PATH", "/nowhere")],
            Err("the Bicep CLI was not found: `PSRULE_AZURE_BICEP_PATH` is not set, \
                 `PSRULE_AZURE_BICEP_USE_AZURE_CLI` is not `true`, there is no `bicep` on the `PATH`"),
        );
        check(
            &[("PSRULE_AZURE_BICEP_PATH", "/nowhere/bicep")],
            Err("the Bicep CLI was not found: `PSRULE_AZURE_BICEP_PATH` is `/nowhere/bicep`, which is not a file"),
        );
        check(
            &[("PSRULE_AZURE_BICEP_USE_AZURE_CLI", "TRUE")],
            Err("the Bicep CLI was not found: `PSRULE_AZURE_BICEP_PATH` is not set, \
                 `PSRULE_AZURE_BICEP_USE_AZURE_CLI` is `true`, but there is no `az` on the `PATH`, \
                 there is no `bicep` on the `PATH`"),
        );
    }
}
