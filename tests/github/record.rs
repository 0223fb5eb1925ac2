//! Leaves what the fake GitHub was asked and answered for `.ci/contract`, if that wants it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::github::fake::Request;
use crate::server::Answer;

/// Appends to a file of this thread.
#[expect(clippy::disallowed_methods, reason = "the script that compares tells the tests where to leave it")]
pub(super) fn write(request: &Request, answer: &Answer) {
    let Ok(folder) = std::env::var("FORMWORK_CONTRACT") else { return };
    // An answer such as 204 has no body.
    let response: Value =
        if answer.body.is_empty() { Value::Null } else { serde_json::from_slice(&answer.body).unwrap() };
    let Request { method, path, body } = request;
    let line = json!({"method": method, "path": path, "body": body, "status": answer.status, "response": response});
    fs::create_dir_all(&folder).unwrap();
    let name = format!("{:?}.jsonl", thread::current().id()).replace(['(', ')'], "-");
    let mut file = OpenOptions::new().create(true).append(true).open(Path::new(&folder).join(name)).unwrap();
    writeln!(file, "{line}").unwrap();
}
