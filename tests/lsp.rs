//! The language server as a process: what it takes of the machine however long somebody types.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const MAIN: &str = "param env string = 'x'\nmodule m 'm.bicep' = { name: 'm', params: { env: env } }\n";
const MODULE: &str =
    "param env string\nresource st 'Microsoft.Storage/storageAccounts@2023-01-01' = { name: 'st${env}' }\n";

/// What the server takes of the machine.
#[derive(Debug)]
struct Usage {
    /// The most memory that it had so far, in kB. What it has at a time goes up and down by a fifth.
    peak: u64,
    /// How many files it has open.
    files: usize,
}

struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    uri: String,
    version: i64,
}

impl Server {
    /// Starts the program that `FORMWORK` names when the test is built, or else the one that is tested, and opens a file of a folder.
    fn start(folder: &Path) -> Self {
        Self::start_as(folder, None, &Value::Null)
    }

    /// As [`Server::start`], with a folder of programs as the whole `PATH`, and with initialization options.
    fn start_as(folder: &Path, path: Option<&Path>, options: &Value) -> Self {
        let program = option_env!("FORMWORK").unwrap_or(env!("CARGO_BIN_EXE_formwork"));
        fs::write(folder.join("main.bicep"), MAIN).unwrap();
        fs::write(folder.join("m.bicep"), MODULE).unwrap();
        let mut command = Command::new(program);
        command.envs(path.map(|path| ("PATH", path)));
        let mut process = command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let root = format!("file://{}", folder.canonicalize().unwrap().display());
        let mut server = Self { process, input, output, uri: format!("{root}/main.bicep"), version: 1 };
        server.send(&json!({"id": 1, "method": "initialize", "params": {"rootUri": root, "capabilities": {}, "initializationOptions": options}}));
        server.send(&json!({"method": "initialized", "params": {}}));
        let document = json!({"uri": server.uri, "languageId": "bicep", "version": 1, "text": MAIN});
        server.send(&json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
        server.wait();
        server
    }

    fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// Waits for the diagnostics of the latest version.
    fn wait(&mut self) {
        loop {
            let message = self.receive();
            let told = &message["params"];
            if told["uri"] == *self.uri && told["version"] == self.version {
                break;
            }
        }
    }

    /// Types a character into the text or deletes it again, and waits for what is found then.
    fn edit(&mut self) {
        let is_typed = self.version % 2 == 1;
        self.version += 1;
        let place = |character: u32| json!({"line": 0, "character": character});
        let range = json!({"start": place(20), "end": place(if is_typed { 20 } else { 21 })});
        let changes = json!([{"range": range, "text": if is_typed { "y" } else { "" }}]);
        let document = json!({"uri": self.uri, "version": self.version});
        let parameters = json!({"textDocument": document, "contentChanges": changes});
        self.send(&json!({"method": "textDocument/didChange", "params": parameters}));
        self.wait();
    }

    fn usage(&self) -> Usage {
        let of_process = Path::new("/proc").join(self.process.id().to_string());
        let status = fs::read_to_string(of_process.join("status")).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak = peak.trim().trim_end_matches(" kB").parse().unwrap();
        Usage { peak, files: fs::read_dir(of_process.join("fd")).unwrap().count() }
    }

    /// Ends the server, which is expected to end well.
    fn stop(mut self) {
        self.send(&json!({"id": 2, "method": "shutdown"}));
        self.send(&json!({"method": "exit"}));
        assert!(self.process.wait().unwrap().success());
    }
}

/// Types so often, and fails if the server takes more for the second half than for the first one.
#[expect(clippy::print_stderr, reason = "somebody who runs it by hand wants the figures")]
fn type_often(edits: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path());
    let mut half = || {
        (0..edits / 2).for_each(|_| server.edit());
        server.usage()
    };
    let [first, second] = [half(), half()];
    eprintln!("after {} edits: {first:?}, after {edits}: {second:?}", edits / 2);
    assert!(second.files <= first.files, "{first:?} {second:?}");
    // An allocator still takes some more in a test that is short.
    assert!(second.peak <= first.peak + first.peak / 20 + 2_048, "{first:?} {second:?}");
    server.stop();
}

#[test]
fn a_server_takes_no_more_the_longer_somebody_types() {
    type_often(200);
}

/// `FORMWORK=$PWD/target/release/formwork cargo test --all-features --test main lsp:: -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes with a program that is not optimized"]
fn ten_thousand_edits_take_no_more_than_some() {
    type_often(10_000);
}

/// Makes programs that leave a mark if anybody starts them, and returns the path of the mark.
#[cfg(unix)]
fn put_programs(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;

    let mark = folder.join("started");
    for name in ["git", "bicep", "az", "sh", "node", "python3"] {
        let program = folder.join(name);
        fs::write(&program, format!("#!/bin/sh\necho {name} >> '{}'\n", mark.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    mark
}

#[cfg(unix)]
#[test]
fn a_server_starts_no_other_program() {
    let (folder, programs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (root, mark) = (folder.path(), put_programs(programs.path()));
    let git = |arguments: &[&str]| {
        assert!(Command::new("git").args(arguments).current_dir(root).status().unwrap().success());
    };
    git(&["init", "--quiet"]);
    let text = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01",
        "name": "a"}]}"#;
    for (name, text) in
        [("tracked.json", text), ("untracked.json", text), (".gitmodules", ""), ("formwork.yaml", "bicep: cli\n")]
    {
        fs::write(root.join(name), text).unwrap();
    }
    git(&["add", "tracked.json"]);
    fs::write(root.join(".gitignore"), "tracked.json\nuntracked.json\n").unwrap();
    let mut server = Server::start_as(root, Some(programs.path()), &json!({"check": "workspace"}));
    let mut told = BTreeSet::new();
    while !told.contains("tracked.json") {
        let message = server.receive();
        let told_of = &message["params"];
        if told_of["diagnostics"].as_array().is_some_and(|found| !found.is_empty()) {
            let uri = told_of["uri"].as_str().unwrap_or_default();
            told.insert(uri.rsplit('/').next().unwrap_or_default().to_owned());
        }
    }
    server.edit();
    server.stop();
    assert!(!told.contains("untracked.json"), "{told:?}");
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap_or_default());
}
