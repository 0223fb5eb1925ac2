//! Transcripts with checks that take as long as a test wants. Those of templates are in the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use arcstr::ArcStr;
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::{Checked, Checks, Deployment, FileText, Job, Settings, Shown, Written, serve};

/// A text whose check does not end before it is cancelled.
const ENDLESS: &str = "endless";

/// A text whose check is cancelled when it has just come to its end.
const LATE: &str = "late";

/// A text whose check ends when the test says so, or it is cancelled.
const SLOW: &str = "slow";

/// How long anything may take. A machine that runs all tests at once is slow.
const PATIENCE: Duration = Duration::from_mins(1);

const FILE: &str = "file:///w/a.bicep";

/// A file of the disk in which a value is shown.
const OTHER: &str = "file:///w/b.bicep";

/// Checks one file, which is in the report, and finds nothing.
struct Slow {
    /// Is told of the text of each check that begins.
    began: Sender<ArcStr>,
    /// Lets a check of [`SLOW`] come to its end.
    released: Receiver<()>,
}

impl Checks for Slow {
    fn check_job(&mut self, job: &Job) -> Option<Checked> {
        let of_file = |(path, text): (&PathBuf, &ArcStr)| {
            let _ = self.began.send(text.clone());
            let name = path.file_stem().unwrap().to_string_lossy();
            (Arc::from(&*name), FileText { path: path.clone(), text: text.clone() })
        };
        let mut texts: BTreeMap<_, _> = job.texts.iter().map(of_file).collect();
        texts.entry("b".into()).or_insert(FileText { path: "/w/b.bicep".into(), text: "name: 1".into() });
        let value = Shown {
            file: "b".into(),
            of: Written::Property { start: 0, end: 4 },
            template: "b".into(),
            parameters: None,
            value: "1".to_owned(),
            is_known: true,
            from: None,
        };
        let is = |wanted: &str| job.texts.values().any(|text| text == wanted);
        if is(ENDLESS) || is(LATE) {
            wait(job);
        }
        while is(SLOW) && self.released.try_recv().is_err() {
            if job.cancellation.is_cancelled() {
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
        (!is(ENDLESS)).then(|| Checked { texts, is_usable: true, values: vec![value], ..Checked::default() })
    }

    fn forget(&mut self, folder: &Path) {
        let _ = self.began.send(format!("forgot {}", folder.display()).into());
    }

    fn expand(&mut self, job: &Job, _: &Deployment) -> Option<String> {
        wait(job);
        Some("too late".to_owned())
    }
}

fn wait(job: &Job) {
    while !job.cancellation.is_cancelled() {
        thread::sleep(Duration::from_millis(1));
    }
}

struct Client {
    connection: Connection,
    /// The text of each check that began.
    began: Receiver<ArcStr>,
    release: Sender<()>,
}

impl Client {
    fn start() -> Self {
        Self::start_with(Value::Null)
    }

    fn start_with(options: Value) -> Self {
        Self::start_as(options, json!({}))
    }

    fn start_as(options: Value, capabilities: Value) -> Self {
        let (connection, other) = Connection::memory();
        let (sender, began) = unbounded();
        let settings = Settings { keep: Duration::ZERO, version: "0", schema: Value::Null };
        let (release, released) = unbounded();
        let checks = Box::new(Slow { began: sender, released });
        thread::Builder::new().spawn(move || serve(other, checks, settings)).unwrap();
        let client = Self { connection, began, release };
        let parameters =
            json!({"rootUri": "file:///w", "capabilities": capabilities, "initializationOptions": options});
        client.request(0, "initialize", parameters);
        assert_eq!(client.answered().0, "0");
        client
    }

    fn request(&self, id: i32, method: &str, parameters: Value) {
        let request = Request::new(id.into(), method.to_owned(), parameters);
        self.connection.sender.send(Message::Request(request)).unwrap();
    }

    fn notify(&self, method: &str, parameters: Value) {
        let note = Notification::new(method.to_owned(), parameters);
        self.connection.sender.send(Message::Notification(note)).unwrap();
    }

    fn receive(&self) -> Message {
        self.connection.receiver.recv_timeout(PATIENCE).expect("a message")
    }

    fn open(&self, text: &str) {
        self.open_at(FILE, text);
    }

    fn open_at(&self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "bicep", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&self, version: i32, text: &str) {
        let document = json!({"uri": FILE, "version": version});
        let parameters = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.notify("textDocument/didChange", parameters);
    }

    fn save(&self) {
        self.notify("textDocument/didSave", json!({"textDocument": {"uri": FILE}}));
    }

    /// Waits until all that was sent is handled, by the answers to requests with this ID. A check begins before it, if one does.
    fn settle(&self, id: i32) {
        for _ in 0..2 {
            self.request(id, "textDocument/documentSymbol", json!({"textDocument": {"uri": FILE}}));
            assert_eq!(self.answered().0, id.to_string());
        }
    }

    /// The text of the next check that begins.
    fn began(&self) -> ArcStr {
        self.began.recv_timeout(PATIENCE).expect("a check")
    }

    /// The version with which diagnostics are published next.
    fn published(&self) -> Value {
        loop {
            if let Message::Notification(note) = self.receive() {
                return note.params["version"].clone();
            }
        }
    }

    /// The ID and the result of the next answer, or the code of its error. Nothing else may come before it.
    fn answered(&self) -> (String, Result<Value, i32>) {
        match self.receive() {
            Message::Response(Response { id, response_result, .. }) => {
                (id.to_string(), response_result.map_err(|error| error.code))
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_newer_text_cancels_the_check_of_an_older_one() {
    let client = Client::start();
    client.open(ENDLESS);
    assert_eq!(client.began(), ENDLESS);
    client.change(2, "x");
    assert_eq!((client.began().as_str(), client.published()), ("x", json!(2)));
}

#[test]
fn what_a_check_found_is_shown_though_there_is_a_newer_text() {
    let client = Client::start();
    client.open(LATE);
    assert_eq!(client.began(), LATE);
    client.change(2, ENDLESS);
    assert_eq!(client.published(), json!(1));
}

#[test]
fn a_check_comes_to_its_end_while_somebody_types() {
    let client = Client::start();
    client.open(SLOW);
    client.began();
    // Until a key cancels nothing.
    for version in 2.. {
        assert!(version < 200);
        thread::sleep(Duration::from_millis(30));
        client.change(version, SLOW);
        if client.began.recv_timeout(Duration::from_millis(300)).is_err() {
            break;
        }
    }
    client.release.send(()).unwrap();
    assert!(client.published().as_i64().is_some());
}

#[test]
fn a_text_can_wait_until_it_is_saved() {
    let client = Client::start_with(json!({"run": "onSave"}));
    client.open("x");
    assert_eq!((client.began().as_str(), client.published()), ("x", json!(1)));
    for version in 2..9 {
        client.change(version, &version.to_string());
        client.settle(version);
    }
    client.save();
    assert_eq!((client.began().as_str(), client.published()), ("8", json!(8)));
}

/// What the client is told of the progress of a check next.
fn told(client: &Client) -> Value {
    loop {
        if let Message::Notification(note) = client.receive()
            && note.method == "$/progress"
        {
            return note.params["value"]["kind"].clone();
        }
    }
}

#[test]
fn a_client_hears_of_a_long_check_of_a_folder_which_a_key_cancels() {
    let capabilities = json!({"window": {"workDoneProgress": true}});
    let client = Client::start_as(json!({"check": "workspace"}), capabilities);
    client.open(SLOW);
    client.notify("initialized", json!({}));
    client.began();
    client.release.send(()).unwrap();
    assert_eq!(client.published(), json!(1));
    // The check of everything, which nobody releases.
    assert_eq!(client.began(), SLOW);
    assert_eq!(told(&client), "begin");
    client.change(2, "x");
    assert_eq!((told(&client), client.began().as_str()), (json!("end"), "x"));
    assert_eq!(client.published(), json!(2));
    // It begins again when nobody types.
    assert_eq!(client.began(), "x");
}

#[test]
fn nothing_is_checked_for_a_client_that_wants_nothing() {
    let client = Client::start_with(json!({"check": "off"}));
    client.open("x");
    client.notify("initialized", json!({}));
    client.save();
    client.settle(1);
    assert!(client.began.is_empty());
}

#[test]
fn of_a_text_that_is_not_that_of_the_disk_nothing_is_said_before_it_is_checked() {
    let client = Client::start();
    client.open("x");
    client.published();
    let hover = |uri: &str| {
        let position = json!({"line": 0, "character": 1});
        client.request(1, "textDocument/hover", json!({"textDocument": {"uri": uri}, "position": position}));
        client.answered().1.unwrap()
    };
    client.open_at(OTHER, ENDLESS);
    assert_eq!(hover(OTHER), Value::Null);
}

#[test]
fn a_folder_with_nothing_open_is_forgotten() {
    let client = Client::start();
    client.open("x");
    assert_eq!((client.began().as_str(), client.published()), ("x", json!(1)));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": FILE}}));
    assert_eq!(client.began(), "forgot /w");
}

#[test]
fn a_file_that_is_open_is_not_read_again_when_it_is_saved() {
    let client = Client::start();
    client.open("1");
    assert_eq!((client.began().as_str(), client.published()), ("1", json!(1)));
    let watched = |uri: &str, kind: u32| {
        client.notify("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": uri, "type": kind}]}));
        client.settle(1);
    };
    watched(FILE, 2);
    client.change(2, "2");
    assert_eq!((client.began().as_str(), client.published()), ("2", json!(2)));
    for (uri, kind) in [("file:///w/b.bicep", 2), (FILE, 3)] {
        watched(uri, kind);
        assert_eq!(client.began(), "2");
    }
}

#[test]
fn a_request_is_answered_while_a_check_is_under_way() {
    let client = Client::start();
    client.open(ENDLESS);
    client.began();
    (1..20).for_each(|id| client.settle(id));
}

#[test]
fn a_request_that_is_cancelled_is_answered_once() {
    let client = Client::start();
    client.open("x");
    client.published();
    let uri = "formwork:/a.jsonc?%7B%22folder%22%3A%22%2Fw%22%2C%22template%22%3A%22a%22%7D";
    client.request(7, "workspace/textDocumentContent", json!({"uri": uri}));
    client.notify("$/cancelRequest", json!({"id": 7}));
    client.notify("$/cancelRequest", json!({"id": 7}));
    client.request(8, "shutdown", Value::Null);
    let expected = [("7".to_owned(), Err(-32800)), ("8".to_owned(), Ok(Value::Null))];
    assert_eq!([client.answered(), client.answered()], expected);
}

#[test]
fn a_client_is_asked_for_its_settings_when_they_change() {
    let registers = json!({"dynamicRegistration": true});
    let workspace = json!({"configuration": true, "didChangeConfiguration": registers});
    let client = Client::start_as(Value::Null, json!({"workspace": workspace}));
    let asked = |method: &str| loop {
        if let Message::Request(request) = client.receive() {
            assert_eq!(request.method, method);
            break request;
        }
    };
    let answer = |request: Request, settings: Value| {
        let answer = Response::new_ok(request.id, json!([settings]));
        client.connection.sender.send(Message::Response(answer)).unwrap();
    };
    client.notify("initialized", json!({}));
    let (first, registered) = (asked("workspace/configuration"), asked("client/registerCapability"));
    assert_eq!(first.params, json!({"items": [{"section": "formwork"}]}));
    assert_eq!(registered.params["registrations"][0]["registerOptions"], json!({"section": "formwork"}));
    answer(first, json!({"check": "off"}));
    client.open("x");
    client.settle(1);
    assert!(client.began.try_recv().is_err());
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    let second = asked("workspace/configuration");
    // What a client answers to the older request, or to none, changes nothing.
    answer(registered, json!({"run": "onSave"}));
    answer(second, json!({"check": null}));
    assert_eq!((client.began().as_str(), client.published()), ("x", json!(1)));
}

#[test]
fn a_client_that_cannot_be_asked_tells_its_settings() {
    let client = Client::start();
    client.notify("initialized", json!({}));
    client.open("x");
    assert_eq!((client.began().as_str(), client.published()), ("x", json!(1)));
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"formwork": {"check": "off"}}}));
    assert_eq!(client.began(), "forgot /w");
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"formwork": {"run": "onSave"}}}));
    assert_eq!(client.began(), "x");
}
