//! A job that uses the action: its steps run as the runner runs the steps of a composite action, in a folder of their
//! own and with nothing on the `PATH` but what the action may rely on.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::action::expression::{Lookup, holds, interpolate};
use crate::harness::{Folder, standin};
use crate::yaml;

/// The programs that are on every runner, and in a container with bash and curl.
pub(crate) const PROGRAMS: &[&str] = &[
    "basename",
    "bash",
    "cat",
    "chmod",
    "cp",
    "curl",
    "cut",
    "dirname",
    "git",
    "grep",
    "gzip",
    "head",
    "mkdir",
    "mktemp",
    "mv",
    "od",
    "rm",
    "sed",
    "sha256sum",
    "shasum",
    "tar",
    "tr",
];

/// The files of this repository that the action consists of.
pub(crate) const ACTION: &[&str] = &[
    "action.yml",
    "Cargo.toml",
    ".github/action/checkout.sh",
    ".github/action/runner.sh",
    ".github/action/download.sh",
    ".github/action/install.sh",
    ".github/action/bicep.sh",
    ".github/action/check.sh",
    ".github/action/publish.sh",
    ".github/action/decide.sh",
    ".github/action/checksums.txt",
    ".github/action/repository.txt",
    ".github/action/bicep-checksums.txt",
];

/// What `cargo install` does here: it takes this program for the one that it built.
pub(crate) const INSTALL: &str = concat!(
    r#"while [ "$1" != --root ]; do shift; done; /bin/mkdir -p "$2/bin" && /bin/ln -sf '"#,
    env!("CARGO_BIN_EXE_formwork"),
    r#"' "$2/bin/formwork""#
);

/// The notice of a commit of the action that is not a release.
pub(crate) const BUILT: &str = "::notice title=formwork::This commit of the action is not a release";

/// A runner with a checkout, and the step that uses the action.
pub(crate) struct Job {
    folder: Folder,
    inputs: RefCell<BTreeMap<String, String>>,
    variables: RefCell<BTreeMap<String, String>>,
    /// Whether code scanning takes reports.
    pub(crate) takes_reports: bool,
    runs: Cell<usize>,
}

/// How the step ended.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) log: String,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
    /// What went to code scanning.
    pub(crate) upload: Option<Value>,
}

impl Job {
    /// A job in an empty checkout, on a machine where `cargo` builds this program.
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        for name in ["workspace", "temp", "tools", "path"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        for name in ACTION {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
            folder.write(&format!("action/{name}"), fs::read(source).unwrap());
        }
        for name in PROGRAMS {
            let found = ["/usr/bin", "/bin"].map(|it| Path::new(it).join(name)).into_iter().find(|it| it.exists());
            if let Some(program) = found {
                symlink(program, folder.path().join("path").join(name)).unwrap();
            }
        }
        let job = Self {
            folder,
            inputs: RefCell::default(),
            variables: RefCell::default(),
            takes_reports: true,
            runs: Cell::new(0),
        };
        job.program("cargo", INSTALL);
        job
    }

    /// Puts a program on the `PATH`, which writes down how it is called.
    pub(crate) fn program(&self, name: &str, script: &str) -> &Self {
        let calls = self.path("calls");
        let text = format!("#!/bin/sh\necho \"{name} $*\" >>'{}'\n{script}\n", calls.display());
        let path = self.path("path").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Puts what stands in for the Bicep CLI on the `PATH`. Its version is 0.46.1.
    pub(crate) fn with_bicep(&self) -> &Self {
        self.program("bicep", &format!("exec '{}' \"$@\"", standin().display()))
    }

    /// Takes a program away.
    pub(crate) fn without(&self, name: &str) {
        fs::remove_file(self.path("path").join(name)).unwrap();
    }

    /// How the programs of [`Job::program`] were called.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.path("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// A path on the runner; `workspace`, `action`, `temp` and `tools` are folders there.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        self.folder.write(name, content);
        self
    }

    pub(crate) fn input(&self, name: &str, value: &str) -> &Self {
        self.inputs.borrow_mut().insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn variable(&self, name: &str, value: &str) -> &Self {
        self.variables.borrow_mut().insert(name.to_owned(), value.to_owned());
        self
    }

    /// Runs git in the checkout.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]);
        command.args(arguments).current_dir(self.path("workspace")).env_clear().env("PATH", "/usr/bin:/bin");
        let output = command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.path("temp")).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits all files of the checkout, and gives the id of the commit.
    pub(crate) fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "test"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The event that the job runs for.
    pub(crate) fn event(&self, name: &str, payload: &Value) -> &Self {
        let file = self.path("event.json");
        fs::write(&file, payload.to_string()).unwrap();
        self.variable("GITHUB_EVENT_NAME", name).variable("GITHUB_EVENT_PATH", file.to_str().unwrap())
    }

    /// Runs the steps of the action.
    pub(crate) fn run(&self) -> Ended {
        let action = yaml::parse(&fs::read_to_string(self.path("action/action.yml")).unwrap());
        let mut ended = Ended::default();
        let mut known = self.given(&action);
        for step in action["runs"]["steps"].as_array().unwrap() {
            let status = |name: &str| match name {
                "success()" => (ended.code == 0).to_string(),
                "cancelled()" => "false".to_owned(),
                _ => known.get(name).cloned().unwrap_or_default(),
            };
            if holds(&condition(step["if"].as_str().unwrap_or_default()), &status) {
                let outcome = self.step(step, &status);
                let id = step["id"].as_str().unwrap_or_default();
                let word = if outcome.code == 0 { "success" } else { "failure" };
                known.insert(format!("steps.{id}.outcome"), word.to_owned());
                known.extend(outcome.outputs.into_iter().map(|(name, it)| (format!("steps.{id}.outputs.{name}"), it)));
                ended.log += &outcome.log;
                ended.summary += &outcome.summary;
                ended.upload = outcome.upload.or(ended.upload);
                if step["continue-on-error"] != "true" {
                    ended.code = outcome.code.max(ended.code);
                }
            }
        }
        let lookup = |name: &str| known.get(name).cloned().unwrap_or_default();
        let outputs = action["outputs"].as_object().unwrap().iter();
        ended.outputs =
            outputs.map(|(name, it)| (name.clone(), interpolate(it["value"].as_str().unwrap(), &lookup))).collect();
        ended
    }

    /// What expressions know before the first step.
    fn given(&self, action: &Value) -> BTreeMap<String, String> {
        let variables = self.variables.borrow();
        let server = variables.get("GITHUB_SERVER_URL").map_or("https://github.com", String::as_str);
        // In the steps of a composite action, the repository of the action may be that of another action.
        let github =
            [("github.server_url", server), ("github.token", "secret"), ("github.action_repository", "other/action")];
        let mut known: BTreeMap<String, String> = github.map(|(name, it)| (name.to_owned(), it.to_owned())).into();
        let declared = action["inputs"].as_object().unwrap();
        let inputs = self.inputs.borrow();
        let unknown = inputs.keys().find(|it| !declared.contains_key(*it));
        assert_eq!(unknown, None, "there is no such input");
        for (name, input) in declared {
            let default = |name: &str| known.get(name).cloned().unwrap_or_default();
            let value = inputs.get(name).cloned();
            let value = value.unwrap_or_else(|| interpolate(input["default"].as_str().unwrap(), &default));
            known.insert(format!("inputs.{name}"), value);
        }
        known
    }

    fn step(&self, step: &Value, lookup: Lookup<'_>) -> Ended {
        let values = |members: &Value| -> Vec<(String, String)> {
            let members = members.as_object().into_iter().flatten();
            members.map(|(name, it)| (name.clone(), interpolate(it.as_str().unwrap(), lookup))).collect()
        };
        if step.get("uses").is_some() {
            let with = values(&step["with"]).into_iter().map(|(name, it)| (name, Value::from(it)));
            let code = i32::from(!self.takes_reports);
            return Ended { code, upload: Some(with.collect()), ..Ended::default() };
        }
        assert_eq!(step["shell"], "bash");
        self.script(step["run"].as_str().unwrap(), values(&step["env"]))
    }

    /// Runs a script as `shell: bash` does.
    fn script(&self, script: &str, env: Vec<(String, String)>) -> Ended {
        self.runs.set(self.runs.get() + 1);
        let file = |name: &str| self.path(&format!("{name}-{}", self.runs.get()));
        let (outputs, summary) = (file("outputs"), file("summary"));
        fs::write(&outputs, "").unwrap();
        fs::write(file("script"), script).unwrap();
        // One stream for both, for the runner reads both.
        let log = fs::File::create(file("log")).unwrap();
        let mut command = Command::new("/bin/bash");
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(file("script"));
        command.current_dir(self.path("workspace")).env_clear().envs(self.environment());
        command.env("GITHUB_OUTPUT", &outputs).env("GITHUB_STEP_SUMMARY", &summary).envs(env);
        let status = command.stdout(log.try_clone().unwrap()).stderr(log).status().unwrap();
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        Ended {
            code: status.code().unwrap(),
            log: read(&file("log")),
            outputs: variables(&read(&outputs)),
            summary: read(&summary),
            upload: None,
        }
    }

    /// The variables that a runner sets, and those of the job.
    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        let path = |name: &str| self.path(name).display().to_string();
        let runner = [
            ("PATH", path("path")),
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_ACTION_PATH", path("action")),
            ("GITHUB_WORKSPACE", path("workspace")),
            ("RUNNER_OS", "Linux".to_owned()),
            ("RUNNER_ARCH", "X64".to_owned()),
            ("RUNNER_TEMP", path("temp")),
            ("RUNNER_TOOL_CACHE", path("tools")),
        ];
        let mut environment: BTreeMap<String, String> = runner.map(|(name, it)| (name.to_owned(), it)).into();
        environment.extend(self.variables.borrow().clone());
        environment
    }
}

/// A condition as the runner reads it: one that asks for no status wants success.
fn condition(text: &str) -> String {
    let inner = text.trim().trim_start_matches("${{").trim_end_matches("}}").trim();
    let asks = ["success()", "failure()", "always()", "cancelled()"].iter().any(|it| inner.contains(it));
    match (asks, inner.is_empty()) {
        (true, _) => inner.to_owned(),
        (false, true) => "success()".to_owned(),
        (false, false) => format!("success() && ({inner})"),
    }
}

/// The variables of an environment file. After `EnvFileKeyValuePairs` of the runner.
fn variables(text: &str) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let line = line.trim_end_matches(['\r', '\n']);
        let (equals, heredoc) = (line.find('='), line.find("<<"));
        let (name, value) = match (equals, heredoc) {
            _ if line.is_empty() => continue,
            (equals, Some(at)) if equals.is_none_or(|it| at < it) => {
                let delimiter = &line[at + 2..];
                assert!(at > 0 && !delimiter.is_empty(), "`{line}` is not understood");
                let mut value = String::new();
                loop {
                    let inner = lines.next().unwrap_or_else(|| panic!("`{delimiter}` does not come"));
                    if inner.trim_end_matches(['\r', '\n']) == delimiter {
                        break;
                    }
                    value.push_str(inner);
                }
                (&line[..at], value.trim_end_matches('\n').to_owned())
            }
            (Some(at), _) => (&line[..at], line[at + 1..].to_owned()),
            _ => panic!("`{line}` is not understood"),
        };
        variables.insert(name.to_owned(), value);
    }
    variables
}

impl Ended {
    /// The lines that the runner obeys: commands outside of `stop-commands`. After `ActionCommandManager` of the runner.
    /// Without the notice that formwork is built, which most jobs here have.
    pub(crate) fn commands(&self) -> Vec<&str> {
        let mut commands = Vec::new();
        let mut stopped: Option<&str> = None;
        for line in self.log.lines() {
            let inner = line.trim_start().strip_prefix("::").and_then(|it| it.split_once("::"));
            let legacy = line.contains("##[").then_some(("", ""));
            match (inner.or(legacy), stopped) {
                (Some((name, _)), Some(token)) if name == token => stopped = None,
                (_, Some(_)) | (None, None) => {}
                (Some(("stop-commands", token)), None) => stopped = Some(token),
                (Some(_), None) => commands.push(line),
            }
        }
        assert_eq!(stopped, None, "commands stay stopped");
        commands.retain(|line| !line.starts_with(BUILT));
        commands
    }

    /// The arguments of `formwork check`, as the log for debugging has them.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        let command = self.log.lines().find_map(|it| it.strip_prefix("::debug::formwork check "));
        command.unwrap_or_default().split(' ').collect()
    }

    /// The messages of a level, without their properties.
    pub(crate) fn messages(&self, level: &str) -> Vec<&str> {
        let start = format!("::{level} title=formwork::");
        self.commands().into_iter().filter_map(|it| it.strip_prefix(&start)).collect()
    }
}
