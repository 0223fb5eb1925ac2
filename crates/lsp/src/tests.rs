//! Transcripts with checks that take as long as a test wants. Those of templates are in the program.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::{Checked, Checks, Deployment, FileText, Job, Settings, serve};

/// A text whose check does not end before it is cancelled.
const ENDLESS: &str = "endless";

/// Checks one file, which is in the report, and finds nothing.
struct Slow;

impl Checks for Slow {
    fn check(&mut self, job: &Job) -> Option<Checked> {
        let is_endless = job.texts.values().any(|text| text == ENDLESS);
        wait(job, is_endless);
        let of_file = |(path, text): (&std::path::PathBuf, &arcstr::ArcStr)| {
            ("a".into(), FileText { path: path.clone(), text: text.clone() })
        };
        let texts: BTreeMap<_, _> = job.texts.iter().map(of_file).collect();
        (!is_endless).then(|| Checked { texts, is_usable: true, ..Checked::default() })
    }

    fn expand(&mut self, job: &Job, _: &Deployment) -> Option<String> {
        wait(job, true);
        Some("too late".to_owned())
    }
}

fn wait(job: &Job, is_endless: bool) {
    while is_endless && !job.cancellation.is_cancelled() {
        thread::sleep(Duration::from_millis(1));
    }
}

fn start() -> Connection {
    start_with(Value::Null)
}

fn start_with(options: Value) -> Connection {
    let (own, other) = Connection::memory();
    let settings = Settings { keep: Duration::ZERO, version: "0" };
    thread::Builder::new().spawn(move || serve(other, Box::new(Slow), settings)).unwrap();
    request(
        &own,
        0,
        "initialize",
        json!({"rootUri": "file:///w", "capabilities": {}, "initializationOptions": options}),
    );
    assert!(matches!(receive(&own), Message::Response(_)));
    own
}

fn request(connection: &Connection, id: i32, method: &str, parameters: Value) {
    let request = Request::new(id.into(), method.to_owned(), parameters);
    connection.sender.send(Message::Request(request)).unwrap();
}

fn notify(connection: &Connection, method: &str, parameters: Value) {
    connection.sender.send(Message::Notification(Notification::new(method.to_owned(), parameters))).unwrap();
}

fn receive(connection: &Connection) -> Message {
    connection.receiver.recv_timeout(Duration::from_mins(1)).expect("a message")
}

fn open(connection: &Connection, text: &str) {
    let document = json!({"uri": "file:///w/a.bicep", "languageId": "bicep", "version": 1, "text": text});
    notify(connection, "textDocument/didOpen", json!({"textDocument": document}));
}

/// The version with which diagnostics are published next.
fn published(connection: &Connection) -> Value {
    loop {
        if let Message::Notification(note) = receive(connection) {
            return note.params["version"].clone();
        }
    }
}

#[test]
fn a_newer_text_cancels_the_check_of_an_older_one() {
    let connection = start();
    open(&connection, ENDLESS);
    let document = json!({"uri": "file:///w/a.bicep", "version": 2});
    notify(&connection, "textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": "x"}]}));
    assert_eq!(published(&connection), json!(2));
}

#[test]
fn a_text_can_wait_until_it_is_saved() {
    let connection = start_with(json!({"run": "onSave"}));
    open(&connection, "x");
    assert_eq!(published(&connection), json!(1));
    for version in 2..9 {
        let document = json!({"uri": "file:///w/a.bicep", "version": version});
        let changes = json!({"textDocument": document, "contentChanges": [{"text": version.to_string()}]});
        notify(&connection, "textDocument/didChange", changes);
    }
    notify(&connection, "textDocument/didSave", json!({"textDocument": {"uri": "file:///w/a.bicep"}}));
    assert_eq!(published(&connection), json!(8));
}

#[test]
fn a_request_is_answered_while_a_check_is_under_way() {
    let connection = start();
    open(&connection, ENDLESS);
    for id in 1..20 {
        request(&connection, id, "textDocument/documentSymbol", json!({"textDocument": {"uri": "file:///w/a.bicep"}}));
        let Message::Response(Response { id: answered, .. }) = receive(&connection) else { panic!("an answer") };
        assert_eq!(answered, id.into());
    }
}

#[test]
fn a_request_that_is_cancelled_is_answered_once() {
    let connection = start();
    open(&connection, "x");
    published(&connection);
    let uri = "formwork:/a.jsonc?%7B%22folder%22%3A%22%2Fw%22%2C%22template%22%3A%22a%22%7D";
    request(&connection, 7, "workspace/textDocumentContent", json!({"uri": uri}));
    notify(&connection, "$/cancelRequest", json!({"id": 7}));
    notify(&connection, "$/cancelRequest", json!({"id": 7}));
    request(&connection, 8, "shutdown", Value::Null);
    let answers = [receive(&connection), receive(&connection)].map(|message| match message {
        Message::Response(Response { id, response_result, .. }) => {
            (id.to_string(), response_result.map_err(|error| error.code))
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(answers, [("7".to_owned(), Err(-32800)), ("8".to_owned(), Ok(Value::Null))]);
}
