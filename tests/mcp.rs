//! `formwork mcp` as a process, driven with the messages of the official clients.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::harness::Folder;

/// A running server.
struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: i64,
}

impl Client {
    /// Starts a server in a folder, and greets it as the client of the package `mcp` for Python does.
    fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    fn start_with(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_formwork"))
            .arg("mcp")
            .current_dir(folder)
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut client = Self { process, input, output, id: 0 };
        let parameters = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "mcp", "version": "0.1.0"}});
        let first = client.ask("initialize", &parameters);
        assert_eq!(first["result"]["serverInfo"]["name"], "formwork");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": parameters}).to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], self.id, "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }

    /// Returns the text of an answer that is not an error.
    #[track_caller]
    fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert!(result["isError"].is_null(), "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn error(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes the connection, which ends the server.
    fn stop(self) {
        let Self { mut process, input, .. } = self;
        drop(input);
        assert!(process.wait().unwrap().success());
    }
}

const MAIN: &str = "\
param tls string = 'TLS1_0'
resource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'staaaa'
  location: 'westeurope'
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
  properties: {
    minimumTlsVersion: tls
    allowBlobPublicAccess: true
    supportsHttpsTrafficOnly: false
  }
}
module m 'm.bicep' = { name: 'm' }
";

const MODULE: &str = "\
resource b 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'stbbbb'
  location: 'westeurope'
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
  properties: { minimumTlsVersion: 'TLS1_2', allowBlobPublicAccess: false }
}
";

fn workspace() -> Folder {
    let folder = Folder::new();
    folder.write("main.bicep", MAIN).write("m.bicep", MODULE);
    folder
}

/// The files of a folder with their contents.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file());
    files.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_check_begins_with_the_verdict_and_tells_the_progress() {
    let folder = workspace();
    let mut client = Client::start(folder.path());
    let first = client.text("check", &json!({"paths": ["main.bicep"]}));
    assert!(first.starts_with("FAIL ") && !first.contains("Since the last call"), "{first}");
    assert!(first.contains("\"supportsHttpsTrafficOnly\"") && first.contains(". fix"), "{first}");
    folder.write("main.bicep", MAIN.replace("Only: false", "Only: true"));
    let second = client.text("check", &json!({"paths": ["main.bicep"]}));
    assert!(second.lines().next().unwrap().ends_with(". Since the last call: 1 fixed, 0 new"), "{second}");
    let limited = client.text("check", &json!({"limit": 1, "min_severity": "low"}));
    assert!(limited.contains("\nnot shown: ") && limited.contains("cursor: 1"), "{limited}");
    let next = client.text("check", &json!({"limit": 1, "cursor": 1, "min_severity": "low"}));
    assert!(next.contains("not shown: 1 kind before"), "{next}");
    client.stop();
}

#[test]
fn unsaved_texts_are_checked_like_saved_ones_and_what_they_hide_is_listed() {
    let folder = workspace();
    let changed = MAIN.replace("TLS1_0", "TLS1_2").replace("module m 'm.bicep' = { name: 'm' }\n", "");
    let mut client = Client::start(folder.path());
    let unsaved =
        client.text("check", &json!({"paths": ["main.bicep"], "files": {"main.bicep": changed, "m.bicep": null}}));
    assert!(
        unsaved.contains(
            "this change hides:\n- no longer deployed: Microsoft.Storage/storageAccounts \"stbbbb\" of main.bicep\n"
        ),
        "{unsaved}"
    );
    folder.write("main.bicep", &changed);
    fs::remove_file(folder.path().join("m.bicep")).unwrap();
    let saved = client.text("check", &json!({"paths": ["main.bicep"]}));
    let findings = |text: &str| text.lines().filter(|line| line.contains(" [")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(findings(&unsaved), findings(&saved));
    let suppressed = changed.replace("    allowBlob", "    // formwork:ignore AZ-STORAGE-003 -- x\n    allowBlob");
    let settings = "rules:\n  exclude: [AZ-STORAGE-002]\n";
    let hidden = client.text("check", &json!({"files": {"main.bicep": suppressed, "formwork.yaml": settings}}));
    assert!(hidden.contains("the change weakens its own check: \"rules.exclude\" has \"AZ-STORAGE-002\""), "{hidden}");
    let new =
        client.text("check", &json!({"files": {"new/other.bicep": MODULE.replace("Access: false", "Access: true")}}));
    assert!(new.contains("new/other.bicep:"), "{new}");
    client.stop();
}

#[test]
fn edits_fix_what_they_promise_and_nothing_is_written() {
    let folder = workspace();
    let before = contents(folder.path());
    let mut client = Client::start(folder.path());
    let checked = client.text("check", &json!({"paths": ["main.bicep"]}));
    let line = checked.lines().find(|line| line.contains("supportsHttpsTrafficOnly")).unwrap();
    let id = line.split_once('[').unwrap().1.split_once(']').unwrap().0;
    let fixed = client.call("fix", &json!({"ids": [id], "paths": ["main.bicep"]}));
    let structured = &fixed["structuredContent"];
    assert_eq!(contents(folder.path()), before);
    let edit = &structured["edits"][0];
    assert_eq!(structured["edits"].as_array().unwrap().len(), 1, "{fixed}");
    assert_eq!((&edit["file"], &edit["start_line"], &edit["end_line"]), (&json!("main.bicep"), &json!(10), &json!(10)));
    assert_eq!(edit["old"], "    supportsHttpsTrafficOnly: false\n");
    assert_eq!(edit["new"], "    supportsHttpsTrafficOnly: true\n");
    let text = fixed["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("1 edit, which you have to apply. After them: FAIL ") && !text.contains('\n'), "{text}");
    folder.write("main.bicep", MAIN.replace("Only: false", "Only: true"));
    assert!(!client.text("check", &json!({"paths": ["main.bicep"]})).contains(id));
    assert!(client.error("fix", &json!({"ids": [id]})).starts_with("no finding has this ID"));
    assert!(client.error("fix", &json!({})).starts_with("`fix` needs `ids`"));
    client.stop();
}

#[test]
fn values_findings_and_resources_are_explained() {
    let folder = workspace();
    let mut client = Client::start(folder.path());
    let value = client.text("explain", &json!({"at": "main.bicep:8"}));
    assert!(
        value.contains("minimumTlsVersion") && value.contains("is \"TLS1_0\"\n") && value.contains("at main.bicep:1"),
        "{value}"
    );
    let checked = client.text("check", &json!({"paths": ["main.bicep"]}));
    let id = checked.split_once(" [").unwrap().1.split_once(']').unwrap().0.to_owned();
    let finding = client.text("explain", &json!({"at": id}));
    assert!(finding.contains("Severity: ") && finding.len() <= 2_100, "{finding}");
    assert!(client.error("explain", &json!({"at": "x"})).starts_with("`at` must be"));
    let index = client.text("expand", &json!({"file": "main.bicep"}));
    assert!(index.contains("Microsoft.Storage/storageAccounts \"staaaa\" main.bicep:2\n"), "{index}");
    assert!(index.contains("\"stbbbb\" m.bicep:1\n"), "{index}");
    let one = client.text("expand", &json!({"file": "main.bicep", "resource": "stbbbb"}));
    assert!(one.contains("\"minimumTlsVersion\": \"TLS1_2\"") && !one.contains("staaaa"), "{one}");
    assert!(client.error("expand", &json!({"file": "main.bicep", "resource": "x"})).contains("without `resource`"));
    let changed = MAIN.replace("TLS1_0", "TLS1_2");
    let diff = client.text("diff", &json!({"files": {"main.bicep": changed}, "paths": ["main.bicep"]}));
    assert!(diff.starts_with("0 created, 1 changed, 0 no longer deployed, 0 uncertain; "), "{diff}");
    assert!(diff.contains("\"properties.minimumTlsVersion\": \"TLS1_0\" -> \"TLS1_2\""), "{diff}");
    let gone = client.text("diff", &json!({"files": {"main.bicep": null}}));
    assert!(gone.contains("no longer deployed: Microsoft.Storage/storageAccounts \"staaaa\" of main.bicep"), "{gone}");
    client.stop();
}

#[test]
fn rules_are_found() {
    let folder = workspace();
    let mut client = Client::start(folder.path());
    let page = client.text("rules", &json!({"id": "AZ-STORAGE-001"}));
    assert!(page.starts_with("AZ-STORAGE-001  Storage.") && page.len() <= 2_100, "{page}");
    let found = client.text("rules", &json!({"query": "storage tls"}));
    assert!(found.lines().next().unwrap().starts_with("AZ-STORAGE-") && found.lines().count() <= 11, "{found}");
    assert!(client.error("rules", &json!({"id": "AZ-STORAGE-0001"})).contains("did you mean"));
    assert!(client.error("rules", &json!({})).contains("either"));
    client.stop();
}

#[cfg(feature = "types")]
#[test]
fn types_are_described() {
    let folder = workspace();
    let mut client = Client::start(folder.path());
    let page = client.text("type", &json!({"type": "Microsoft.Storage/storageAccounts", "path": "properties"}));
    assert!(
        page.contains("\nminimumTlsVersion: string, such as ") || page.contains("\nminimumTlsVersion: string, one of "),
        "{page}"
    );
    assert!(client.error("type", &json!({"type": "AWS::S3::Buckt"})).contains("AWS::S3::Bucket"));
    client.stop();
}

#[test]
fn paths_stay_in_the_workspace() {
    let folder = Folder::new();
    let root = folder.path().join("root");
    folder.write("outside.bicep", MODULE).write("root/.git/config", "x").write("root/main.bicep", MAIN);
    let mut client = Client::start(&root);
    let outside = "\"../outside.bicep\" is outside the workspace; paths are relative to it";
    assert_eq!(client.error("check", &json!({"paths": ["../outside.bicep"]})), outside);
    assert_eq!(client.error("check", &json!({"files": {"../outside.bicep": ""}})), outside);
    assert!(
        client.error("check", &json!({"paths": ["missing.bicep"]})).starts_with("\"missing.bicep\" does not exist")
    );
    assert!(client.error("expand", &json!({"file": ".git/config"})).contains("is a file of git"));
    assert!(client.error("check", &json!({"paths": ["/etc/passwd"]})).contains("outside"));
    let module = client.text("check", &json!({"paths": ["main.bicep"], "files": {"main.bicep": "module m '../outside.bicep' = { name: 'm' }\nvar t = loadTextContent('/etc/hostname')\noutput o string = t\n"}}));
    assert!(!module.contains("stbbbb") && !module.starts_with("CLEAN"), "{module}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        assert!(client.error("check", &json!({"paths": ["link/hostname"]})).contains("outside"));
        let dev = json!({"paths": ["fifo"]});
        assert!(Command::new("mkfifo").arg(root.join("fifo")).status().unwrap().success());
        assert!(client.error("check", &dev).contains("neither a file nor a folder"));
    }
    client.stop();
}

#[test]
fn messages_out_of_order_do_not_end_the_server() {
    let folder = workspace();
    let mut client = Client::start(folder.path());
    for line in ["{", "null", "[1, 2]", "\"x\"", "{\"jsonrpc\": \"2.0\"}", "\u{0}", "{\"id\": {}}"] {
        client.send(line);
        let answer = client.receive();
        assert!(answer["error"]["code"].is_i64() && answer["id"].is_null(), "{line}: {answer}");
    }
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}).to_string());
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "result": {}}).to_string());
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    assert!(client.text("check", &json!({})).starts_with("FAIL "));
    client.stop();
}

/// The server starts no program that is on its path, whatever the workspace says.
#[cfg(unix)]
#[test]
fn a_server_starts_no_program() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, programs) = (workspace(), Folder::new());
    folder.write("formwork.yaml", "bicep: cli\n").write(".git/HEAD", "ref: refs/heads/main\n");
    folder.write("bicepconfig.json", "{}");
    let mark = programs.path().join("mark");
    for name in ["git", "bicep", "az", "sh"] {
        let path = programs.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n: > {}\n", mark.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut client = Client::start_with(folder.path(), &[("PATH", programs.path().to_str().unwrap())]);
    let changed = MAIN.replace("TLS1_0", "TLS1_2");
    client.text("check", &json!({}));
    client.text("check", &json!({"files": {"main.bicep": changed}}));
    client.call("fix", &json!({"rule": "*"}));
    client.text("explain", &json!({"at": "main.bicep:8"}));
    client.text("expand", &json!({"file": "main.bicep"}));
    client.text("diff", &json!({"files": {"main.bicep": changed}}));
    client.text("rules", &json!({"query": "tls"}));
    client.stop();
    assert!(!mark.exists());
}
