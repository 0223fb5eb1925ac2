//! Runs the built program in a folder of its own.

use std::env::consts::EXE_EXTENSION;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The `$schema` of a template.
pub(crate) const TEMPLATE: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// The `$schema` of a parameter file.
pub(crate) const PARAMETERS: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#";

/// Whether golden files and generated lists are to be renewed: `INSTA_UPDATE=always`, which renews snapshots, too.
#[expect(clippy::disallowed_methods, reason = "the one switch of the tests")]
pub(crate) fn is_blessing() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}

/// What stands in for the Bicep CLI. A test run builds it, unless it is told to build one test program only.
pub(crate) fn standin() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_formwork"));
    let cli = program.parent().unwrap().join("examples/standin").with_extension(EXE_EXTENSION);
    assert!(cli.exists(), "`{}` is missing: run `cargo build --all-features --examples`", cli.display());
    cli
}

/// A temporary folder to run in.
pub(crate) struct Folder {
    dir: TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        let parsed = serde_json::from_str(&self.stdout);
        parsed.unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// The diagnostics of a JSON report, as `code file:line`.
    #[track_caller]
    pub(crate) fn diagnostics(&self) -> Vec<String> {
        let report = self.json();
        let all = report["diagnostics"].as_array().expect("a report has diagnostics").iter();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        all.map(|diagnostic| {
            format!("{} {}:{}", text(&diagnostic["code"]), text(&diagnostic["file"]), diagnostic["line"])
        })
        .collect()
    }
}

impl Folder {
    /// A folder with nothing in it.
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("there is room for a folder") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
        fs::write(path, content).expect("files can be written");
        self
    }

    /// Runs the program, and nothing of the environment reaches it.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, &[], b"")
    }

    /// As [`Folder::run`], with environment variables and standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)], stdin: &[u8]) -> Ended {
        let mut child = Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("standard input is piped");
        // The program may end without reading.
        let _ = input.write_all(stdin);
        drop(input);
        let output = child.wait_with_output().expect("the program ends");
        Ended {
            code: output.status.code().expect("no signal ends the program"),
            stdout: String::from_utf8(output.stdout).expect("output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

/// A template with these members beside its schema.
pub(crate) fn template(members: &str) -> String {
    format!("{{\n  \"$schema\": \"{TEMPLATE}\",\n  \"contentVersion\": \"1.0.0.0\",\n  {members}\n}}")
}

/// A parameter file with these parameters.
pub(crate) fn parameters(members: &str) -> String {
    format!("{{\"$schema\": \"{PARAMETERS}\", \"contentVersion\": \"1.0.0.0\", \"parameters\": {{{members}}}}}")
}
