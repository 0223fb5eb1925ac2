//! Transcripts: what a client is told, in process, over a connection in memory.

mod requests;
mod same;

use std::fs;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::editor::Analyst;
use crate::engine::CheckOptions;

const MAIN: &str = "param secure bool = false
param env string = 'x'

resource app 'Microsoft.Web/sites@2022-09-01' = {
  name: 'app-${env}'
  location: 'westeurope'
  properties: { httpsOnly: secure }
}
";

const DEV: &str = "using 'main.bicep'\nparam secure = false\nparam env = 'dev'\n";
const PROD: &str = "using 'main.bicep'\nparam secure = true\nparam env = 'prod'\n";

/// How long a message may take. A machine that runs all tests at once is slow.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client of a server in this process, with a folder of its own.
struct Client {
    folder: tempfile::TempDir,
    connection: Connection,
    server: JoinHandle<bool>,
    last: i32,
    /// What arrived while another message was waited for.
    published: Vec<Value>,
}

impl Client {
    fn start(files: &[(&str, &str)], keep: Duration, capabilities: Value) -> Self {
        Self::start_with(files, keep, capabilities, Value::Null)
    }

    /// A server with these initialization options.
    fn start_with(files: &[(&str, &str)], keep: Duration, capabilities: Value, options: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let (own, other) = Connection::memory();
        let checks = Box::new(Analyst::new(CheckOptions { threads: 1, ..CheckOptions::new("/".into()) }));
        let settings = formwork_lsp::Settings { keep, version: "0", schema: Value::Null };
        let server =
            thread::Builder::new().spawn(move || formwork_lsp::serve(other, checks, settings).unwrap()).unwrap();
        let mut client = Self { folder, connection: own, server, last: 0, published: Vec::new() };
        let root = client.uri("");
        let parameters = json!({"rootUri": root, "capabilities": capabilities, "initializationOptions": options});
        client.ask("initialize", parameters).unwrap();
        client.notify("initialized", json!({}));
        client
    }

    /// A server for the files, with `main.bicep` open and checked.
    fn open() -> Self {
        let files = [("main.bicep", MAIN), ("main.dev.bicepparam", DEV), ("main.prod.bicepparam", PROD)];
        let related = json!({"textDocument": {"publishDiagnostics": {"relatedInformation": true}}});
        let mut client = Self::start(&files, Duration::from_mins(1), related);
        client.did_open("main.bicep", MAIN);
        client.diagnostics("main.bicep", 1);
        client
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().canonicalize().unwrap().join(name).display())
    }

    fn notify(&self, method: &str, parameters: Value) {
        let note = Notification::new(method.to_owned(), parameters);
        self.connection.sender.send(Message::Notification(note)).unwrap();
    }

    fn did_open(&self, name: &str, text: &str) {
        let document = json!({"uri": self.uri(name), "languageId": "x", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&self, name: &str, version: i32, changes: Value) {
        let document = json!({"uri": self.uri(name), "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    fn receive(&mut self) -> Message {
        self.connection.receiver.recv_timeout(PATIENCE).expect("a message")
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, i32> {
        self.last += 1;
        let id = self.last.into();
        let request = Request::new(self.last.into(), method.to_owned(), parameters);
        self.connection.sender.send(Message::Request(request)).unwrap();
        loop {
            match self.receive() {
                Message::Response(Response { id: answered, response_result, .. }) => {
                    assert_eq!(answered, id);
                    return response_result.map_err(|error| error.code);
                }
                Message::Notification(note) => self.published.push(note.params),
                Message::Request(_) => {}
            }
        }
    }

    fn ask_in(&mut self, method: &str, name: &str, line: u32, character: u32) -> Value {
        let position = json!({"line": line, "character": character});
        let parameters = json!({"textDocument": {"uri": self.uri(name)}, "position": position});
        self.ask(method, parameters).unwrap()
    }

    /// The next diagnostics of a file of at least this version, each as its line, its code, and the first line of its message.
    fn diagnostics(&mut self, name: &str, version: i64) -> Vec<String> {
        let uri = self.uri(name);
        loop {
            let at = self
                .published
                .iter()
                .position(|one| one["uri"] == uri.as_str() && one["version"].as_i64() >= Some(version));
            if let Some(at) = at {
                let found = self.published.drain(..=at).next_back().unwrap();
                return found["diagnostics"].as_array().unwrap().iter().map(drawn).collect();
            }
            if let Message::Notification(note) = self.receive() {
                self.published.push(note.params);
            }
        }
    }

    /// The next diagnostics of a file, open or not.
    fn found(&mut self, name: &str) -> Vec<String> {
        let uri = self.uri(name);
        loop {
            if let Some(at) = self.published.iter().position(|one| one["uri"] == uri.as_str()) {
                return self.published.remove(at)["diagnostics"].as_array().unwrap().iter().map(drawn).collect();
            }
            if let Message::Notification(note) = self.receive() {
                self.published.push(note.params);
            }
        }
    }

    /// Waits until a file has no diagnostics.
    fn cleared(&mut self, name: &str) {
        let uri = self.uri(name);
        loop {
            let Message::Notification(note) = self.receive() else { continue };
            if note.params["uri"] == uri.as_str() && note.params["diagnostics"] == json!([]) {
                break;
            }
        }
    }

    /// Ends the server, which says whether it ended in order.
    fn stop(mut self) -> bool {
        assert_eq!(self.ask("shutdown", Value::Null), Ok(Value::Null));
        assert_eq!(self.ask("textDocument/hover", json!({})), Err(-32600));
        self.notify("exit", Value::Null);
        self.server.join().unwrap()
    }
}

fn drawn(diagnostic: &Value) -> String {
    let message = diagnostic["message"].as_str().unwrap().replace('\n', " ");
    format!("{} {} {message}", diagnostic["range"]["start"]["line"], diagnostic["code"].as_str().unwrap())
}

fn has(found: &[String], code: &str) -> bool {
    found.iter().any(|one| one.contains(code))
}

const HTTPS: &str = "6 AZ-APPSERVICE-001";

#[test]
fn a_finding_names_its_environment_and_where_the_value_comes_from() {
    let mut client = Client::open();
    client.change("main.bicep", 2, json!([{"text": MAIN}]));
    let found = client.diagnostics("main.bicep", 2);
    assert!(found.iter().any(|one| one.starts_with(HTTPS) && one.ends_with("in: main.dev.bicepparam")), "{found:?}");
    assert!(client.stop());
}

#[test]
fn unsaved_texts_count_in_all_files_that_use_them() {
    let mut client = Client::open();
    client.did_open("main.dev.bicepparam", DEV);
    let range = json!({"start": {"line": 1, "character": 15}, "end": {"line": 1, "character": 20}});
    client.change("main.dev.bicepparam", 2, json!([{"range": range, "text": "true"}]));
    client.diagnostics("main.dev.bicepparam", 2);
    client.change("main.bicep", 2, json!([{"text": MAIN}]));
    let found = client.diagnostics("main.bicep", 2);
    assert!(!has(&found, HTTPS), "{found:?}");
    assert!(client.stop());
}

#[test]
fn findings_stay_while_the_text_is_broken_and_move_with_it() {
    let mut client = Client::open();
    let start = json!({"line": 0, "character": 0});
    client.change("main.bicep", 2, json!([{"range": {"start": start, "end": start}, "text": "resource x '\n"}]));
    let found = client.diagnostics("main.bicep", 2);
    assert!(has(&found, "7 AZ-APPSERVICE-001"), "{found:?}");
    // The error is shown once nobody types.
    let found = client.diagnostics("main.bicep", 2);
    assert!(has(&found, "bicep"), "{found:?}");
    let range = json!({"start": start, "end": {"line": 1, "character": 0}});
    client.change("main.bicep", 3, json!([{"range": range, "text": ""}]));
    let found = client.diagnostics("main.bicep", 3);
    assert!(has(&found, HTTPS) && !has(&found, "bicep/"), "{found:?}");
    assert!(client.stop());
}

#[test]
fn a_finding_that_stays_and_is_found_again_is_shown_once() {
    let mut client = Client::open();
    let start = json!({"line": 0, "character": 0});
    let range = json!({"start": start, "end": start});
    client.change("main.bicep", 2, json!([{"range": range, "text": "// formwork:ignore * -- why\n"}]));
    let invalid = |found: &[String]| found.iter().filter(|one| one.contains("suppression/invalid")).count();
    assert_eq!(invalid(&client.diagnostics("main.bicep", 2)), 1);
    client.change("main.bicep", 3, json!([{"range": range, "text": "resource x '\n"}]));
    for _ in 0..2 {
        let found = client.diagnostics("main.bicep", 3);
        assert!(has(&found, "8 AZ-APPSERVICE-001"), "{found:?}");
        assert_eq!(invalid(&found), 1, "{found:?}");
    }
    assert!(client.stop());
}

#[test]
fn settings_that_cannot_be_used_are_reported_and_the_findings_stay() {
    let mut client = Client::open();
    client.did_open("formwork.yaml", "min-severity: 7\n");
    let found = client.diagnostics("formwork.yaml", 1);
    assert!(has(&found, "config/"), "{found:?}");
    client.change("formwork.yaml", 2, json!([{"text": "rules:\n  exclude: [AZ-APPSERVICE-001]\n"}]));
    assert!(client.diagnostics("formwork.yaml", 2).is_empty());
    client.change("main.bicep", 2, json!([{"text": MAIN}]));
    let found = client.diagnostics("main.bicep", 2);
    assert!(!has(&found, HTTPS), "{found:?}");
    assert!(client.stop());
}

/// What is shown after any edits is what a new server shows of the final text.
#[test]
fn every_keystroke_of_a_file_leads_to_the_same_as_its_result() {
    let (mut typed, mut fresh) =
        (Client::start(&[], Duration::ZERO, json!({})), Client::start(&[], Duration::ZERO, json!({})));
    typed.did_open("main.bicep", "");
    for (at, c) in MAIN.char_indices() {
        let before = &MAIN[..at];
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
        let position = json!({"line": line, "character": character});
        let change = json!([{"range": {"start": position, "end": position}, "text": c.to_string()}]);
        typed.change("main.bicep", i32::try_from(at).unwrap() + 2, change);
    }
    let last = i64::try_from(MAIN.len()).unwrap() + 1;
    let found = typed.diagnostics("main.bicep", last);
    fresh.did_open("main.bicep", MAIN);
    assert_eq!(found, fresh.diagnostics("main.bicep", 1));
    assert!(has(&found, HTTPS));
    assert!(typed.stop() && fresh.stop());
}

#[test]
fn what_no_client_should_send_is_refused_and_changes_nothing() {
    let mut client = Client::open();
    let far = json!({"line": u32::MAX, "character": u32::MAX});
    client.change("main.bicep", 2, json!([{"range": {"start": far, "end": {"line": 0, "character": 0}}, "text": ""}]));
    client.change("main.bicep", 3, json!([{"range": {"start": {"line": -1}}, "text": 5}]));
    client.change("unknown.bicep", 4, json!([{"text": "x"}]));
    client.notify("textDocument/didOpen", json!({"textDocument": 7}));
    client.notify("$/cancelRequest", json!({"id": 99}));
    assert_eq!(client.ask("textDocument/noSuchThing", json!({})), Err(-32601));
    assert_eq!(client.ask("textDocument/hover", json!({"textDocument": 5})), Err(-32602));
    assert_eq!(client.ask("workspace/executeCommand", json!({"command": "rm"})), Err(-32602));
    client.change("main.bicep", 5, json!([{"text": MAIN}]));
    assert!(has(&client.diagnostics("main.bicep", 5), HTTPS));
    assert!(client.stop());
}

#[test]
fn a_file_that_is_closed_is_cleared() {
    let mut client = Client::open();
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": client.uri("main.bicep")}}));
    client.cleared("main.bicep");
    assert!(client.stop());
}

/// The path of the folder may have a link in it, as temporary folders do on macOS.
#[test]
fn texts_outside_of_all_folders_have_a_folder_of_their_own() {
    let mut client = Client::start(&[], Duration::ZERO, json!({}));
    let other = tempfile::tempdir().unwrap();
    let uri = format!("file://{}", Path::new(other.path()).join("a.bicep").display());
    let document = json!({"uri": uri, "languageId": "bicep", "version": 1, "text": MAIN});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    loop {
        let Message::Notification(note) = client.receive() else { continue };
        if note.params["uri"] == uri.as_str() {
            let found: Vec<String> = note.params["diagnostics"].as_array().unwrap().iter().map(drawn).collect();
            assert!(has(&found, HTTPS), "{found:?}");
            break;
        }
    }
    assert!(client.stop());
}

/// The text of a template and of another one, which does not depend on it.
fn two_templates(keep: Duration) -> Client {
    let mut client = Client::start(&[], keep, json!({}));
    for name in ["main.bicep", "other.bicep"] {
        client.did_open(name, MAIN);
        assert!(has(&client.diagnostics(name, 1), HTTPS));
    }
    client
}

#[test]
fn of_a_file_that_is_closed_nothing_stays_though_another_one_is_broken() {
    let mut client = two_templates(Duration::from_mins(1));
    client.change("other.bicep", 2, json!([{"text": "resource x '"}]));
    client.diagnostics("other.bicep", 2);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": client.uri("main.bicep")}}));
    client.cleared("main.bicep");
    assert!(client.stop());
}

#[test]
fn findings_of_a_broken_text_go_when_it_stays_broken() {
    let mut client = two_templates(Duration::from_millis(300));
    let start = json!({"line": 0, "character": 0});
    client.change("main.bicep", 2, json!([{"range": {"start": start, "end": start}, "text": "resource x '\n"}]));
    while has(&client.diagnostics("main.bicep", 2), "AZ-APPSERVICE-001") {}
    client.change("other.bicep", 2, json!([{"text": MAIN}]));
    assert!(has(&client.diagnostics("other.bicep", 2), HTTPS));
    assert!(client.stop());
}

/// A parameter file that is written decides which template is checked, though only its text is another one.
#[test]
fn a_reference_that_changes_selects_other_files() {
    let mut client = Client::start(&[("a.bicep", MAIN), ("b.bicep", MAIN)], Duration::ZERO, json!({}));
    client.did_open("x.bicepparam", "using 'a.bicep'\nparam secure = false\n");
    assert!(has(&client.found("a.bicep"), HTTPS));
    for (version, template, other) in [(2, "b.bicep", "a.bicep"), (3, "a.bicep", "b.bicep"), (4, "b.bicep", "a.bicep")]
    {
        let text = format!("using '{template}'\nparam secure = false\n");
        client.change("x.bicepparam", version, json!([{"text": text}]));
        assert!(has(&client.found(template), HTTPS));
        assert!(client.found(other).is_empty());
        // A key that changes no reference.
        let secure = format!("using '{template}'\nparam secure = true\n");
        client.change("x.bicepparam", 10 * version, json!([{"text": secure}]));
        assert!(!has(&client.found(template), HTTPS));
        client.change("x.bicepparam", 10 * version + 1, json!([{"text": text}]));
        assert!(has(&client.found(template), HTTPS));
    }
    assert!(client.stop());
}

#[test]
fn files_of_the_disk_are_read_again_when_the_client_says_so() {
    let mut client = Client::start(&[("main.bicep", MAIN)], Duration::ZERO, json!({}));
    client.did_open("main.bicep", MAIN);
    assert!(has(&client.diagnostics("main.bicep", 1), HTTPS));
    let file = client.folder.path().join("main.prod.bicepparam");
    for (is_there, has_finding) in [(true, false), (false, true)] {
        if is_there {
            fs::write(&file, PROD).unwrap();
        } else {
            fs::remove_file(&file).unwrap();
        }
        let change = json!({"uri": client.uri("main.prod.bicepparam"), "type": if is_there { 1 } else { 3 }});
        client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
        assert_eq!(has(&client.found("main.bicep"), HTTPS), has_finding);
    }
    assert!(client.stop());
}

/// Settings decide what is checked, saved or not, although no run keeps their text.
#[test]
fn settings_that_are_written_select_other_files() {
    let mut client = Client::open();
    client.did_open("formwork.yaml", "");
    client.diagnostics("formwork.yaml", 1);
    for (version, exclude, has_finding) in [(2, "main.dev.bicepparam", false), (3, "x", true), (4, "*.dev.*", false)] {
        client.published.clear();
        let text = format!("exclude: ['{exclude}']\n");
        client.change("formwork.yaml", version, json!([{"text": text}]));
        assert_eq!(has(&client.found("main.bicep"), HTTPS), has_finding, "{exclude}");
    }
    assert!(client.stop());
}

#[test]
fn everything_in_a_folder_is_checked_if_the_client_wants_that() {
    let outside = "param secure bool = true\n";
    let files = [("main.bicep", MAIN), ("a/b.bicep", MAIN), ("formwork.yaml", ""), ("c.bicep", outside)];
    let mut client = Client::start_with(&files, Duration::ZERO, json!({}), json!({"check": "workspace"}));
    for name in ["a/b.bicep", "main.bicep"] {
        assert!(has(&client.found(name), HTTPS), "{name}");
    }
    // What is open is not said twice.
    client.did_open("main.bicep", MAIN);
    let found = client.diagnostics("main.bicep", 1);
    assert_eq!(found.iter().filter(|one| one.starts_with(HTTPS)).count(), 1, "{found:?}");
    client.change("main.bicep", 2, json!([{"text": MAIN.replace("= false", "= true")}]));
    assert!(!has(&client.diagnostics("main.bicep", 2), HTTPS));
    client.published.clear();
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": client.uri("main.bicep")}}));
    // What was not saved is lost.
    while !has(&client.found("main.bicep"), HTTPS) {}
    fs::write(client.folder.path().join("a/b.bicep"), MAIN.replace("= false", "= true")).unwrap();
    let change = json!({"uri": client.uri("a/b.bicep"), "type": 2});
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
    while has(&client.found("a/b.bicep"), HTTPS) {}
    assert!(client.stop());
}

#[test]
fn what_only_a_deployment_can_decide_is_a_hint_if_the_client_wants_that() {
    let text = MAIN.replace("param secure bool = false", "param secure bool");
    for (is_asked, expected) in [(false, 0), (true, 1)] {
        let options = json!({"undecided": is_asked});
        let mut client = Client::start_with(&[], Duration::ZERO, json!({}), options);
        client.did_open("main.bicep", &text);
        let found = client.diagnostics("main.bicep", 1);
        let undecided = found.iter().filter(|one| one.starts_with(HTTPS) && one.contains("undecided: "));
        assert_eq!(undecided.count(), expected, "{found:?}");
        assert!(client.stop());
    }
}

#[test]
fn nothing_is_shown_of_a_folder_that_is_removed() {
    let mut client =
        Client::start_with(&[("main.bicep", MAIN)], Duration::ZERO, json!({}), json!({"check": "workspace"}));
    assert!(has(&client.found("main.bicep"), HTTPS));
    let folder = json!({"uri": client.uri(""), "name": "x"});
    let event = json!({"added": [], "removed": [folder]});
    client.notify("workspace/didChangeWorkspaceFolders", json!({"event": event}));
    client.cleared("main.bicep");
    assert!(client.stop());
}
