//! A client for `bicep jsonrpc --stdio`.
//!
//! Messages are JSON-RPC 2.0, each after a `Content-Length` header as in the Language Server Protocol. Any number of
//! requests may be pending, and answers come in any order. See
//! <https://github.com/Azure/bicep/blob/main/docs/jsonrpc.md>.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::bicep::Options;
use crate::bicep::cli::process::{self, Process};

/// The longest answer that is accepted, in bytes. Azure's limit for a template is 4 MiB.
const MAX_ANSWER: u64 = 512 << 20;

/// The longest header line, in bytes. A longer one is read in parts.
const MAX_LINE: u64 = 64 << 10;

/// Maximum number of lines before the body of an answer. Some tools print warnings to standard output.
const MAX_LINES: usize = 10_000;

/// The JSON-RPC error code for a method that the server does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// A connection to a running CLI.
#[derive(Debug)]
pub(super) struct Session {
    process: Process,
    /// Requests are written on a thread of their own, because a process that hangs does not read them.
    questions: Sender<Vec<u8>>,
    answers: Receiver<Incoming>,
    stderr: Receiver<Vec<u8>>,
    /// The id of the last request.
    asked: u64,
    timeout: Duration,
}

/// A message from the process.
#[derive(Debug)]
enum Incoming {
    Answer(RpcResponse),
    /// Something that is not JSON-RPC.
    Noise(io::Error),
}

/// The answer to a request.
#[derive(Debug)]
pub(super) struct RpcResponse {
    /// The id of the request.
    pub(super) id: u64,
    /// The result or the error in the answer.
    pub(super) result: Result<Json, Refusal>,
}

/// The error in an answer.
#[derive(Debug)]
pub(super) struct Refusal {
    /// True if the CLI does not have the method.
    pub(super) is_unknown_method: bool,
    pub(super) message: String,
}

/// Reason why there are no more answers.
#[derive(Debug)]
pub(super) enum Silence {
    /// The process ended, or sent invalid messages. A phrase with "it" as the subject says how.
    Ended(String),
    /// There was no answer in time.
    TimedOut,
}

impl Session {
    pub(super) fn start(program: &Path, options: &Options) -> io::Result<Self> {
        let mut process = Process::start(program, &["jsonrpc", "--stdio"], options, Stdio::piped())?;
        let (stdin, stdout, stderr) = process.streams();
        let (questions, outbox) = mpsc::channel::<Vec<u8>>();
        if let Some(mut stdin) = stdin {
            thread::Builder::new().spawn(move || {
                outbox.iter().all(|bytes| stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_ok())
            })?;
        }
        let (inbox, answers) = mpsc::channel();
        if let Some(stdout) = stdout {
            thread::Builder::new().spawn(move || listen(stdout, &inbox))?;
        }
        Ok(Self {
            process,
            questions,
            answers,
            stderr: process::drain_messages(stderr)?,
            asked: 0,
            timeout: options.timeout,
        })
    }

    /// Sends a request without waiting for the answer, and returns the id that the answer will have.
    pub(super) fn ask(&mut self, method: &str, parameters: &Json) -> u64 {
        self.asked += 1;
        let question = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": parameters}).to_string();
        let message = format!("Content-Length: {}\r\n\r\n{question}", question.len());
        // If the process is gone, `listen` reports that.
        let _ = self.questions.send(message.into_bytes());
        self.asked
    }

    /// Waits for the next answer to any request.
    ///
    /// # Errors
    ///
    /// Fails if there is no answer within the time limit, which starts anew with each call, or if the process has
    /// ended.
    pub(super) fn listen(&mut self) -> Result<RpcResponse, Silence> {
        match self.answers.recv_timeout(self.timeout) {
            Ok(Incoming::Answer(answer)) => Ok(answer),
            Ok(Incoming::Noise(error)) => Err(Silence::Ended(format!("sent invalid JSON-RPC: {error}"))),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended(self.end())),
            Err(RecvTimeoutError::Timeout) => Err(Silence::TimedOut),
        }
    }

    /// Describes how the process ended, as a phrase with "it" as the subject.
    fn end(&mut self) -> String {
        let status = self.process.ended();
        let stderr = self.stderr.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
        let said = process::excerpt(&String::from_utf8_lossy(&stderr));
        match status {
            Some(status) => format!("ended ({status}){said}"),
            None => format!("closed its output{said}"),
        }
    }

    /// Closes the connection, and lets the process end by itself.
    pub(super) fn finish(self) {
        let Self { mut process, questions, .. } = self;
        drop(questions);
        process.ended();
    }
}

/// Forwards all answers until the stream ends.
fn listen(stdout: ChildStdout, inbox: &Sender<Incoming>) {
    let mut stream = BufReader::new(stdout);
    loop {
        let message = match read_message(&mut stream) {
            Ok(None) => return,
            Ok(Some(body)) => match answer(&body) {
                Some(Ok(answer)) => Incoming::Answer(answer),
                Some(Err(error)) => Incoming::Noise(error.into()),
                None => continue,
            },
            Err(error) => Incoming::Noise(error),
        };
        let is_last = matches!(message, Incoming::Noise(_));
        if inbox.send(message).is_err() || is_last {
            return;
        }
    }
}

/// Reads the body of the next message. `None` at the end of the stream.
fn read_message(stream: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    for _ in 0..MAX_LINES {
        let mut line = Vec::new();
        if stream.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        match (line.trim().split_once(':'), length) {
            (Some((name, value)), _) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse::<u64>().ok().filter(|length| *length <= MAX_ANSWER);
            }
            (None, Some(length)) if line.trim().is_empty() => return read_body(stream, length).map(Some),
            // Other headers, blank lines after a body, and output that is not part of the protocol.
            _ => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "there is no `Content-Length` header"))
}

fn read_body(stream: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if stream.by_ref().take(length).read_to_end(&mut body)? as u64 == length {
        Ok(body)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Parses the body of a message. `None` for a notification or a request from the server.
fn answer(body: &[u8]) -> Option<serde_json::Result<RpcResponse>> {
    let mut message: Json = match serde_json::from_slice(body) {
        Ok(message) => message,
        Err(error) => return Some(Err(error)),
    };
    let id = message.get("id")?.as_u64()?;
    let result = match message.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(Refusal {
            is_unknown_method: error.get("code").and_then(Json::as_i64) == Some(METHOD_NOT_FOUND),
            message: error.get("message").and_then(Json::as_str).unwrap_or("no reason was given").to_owned(),
        }),
        None => Ok(message.get_mut("result")?.take()),
    };
    Some(Ok(RpcResponse { id, result }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        let mut stream = stream.as_bytes();
        let mut found = Vec::new();
        while let Some(body) = read_message(&mut stream).unwrap() {
            found.push(String::from_utf8(body).unwrap());
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn messages_are_as_long_as_their_headers_say() {
        check("Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\n[12]", &["{}", "[12]"]);
        check("content-length:2\r\nContent-Type: x\r\n\r\n{}\r\n\r\nContent-Length: 2\n\n[]", &["{}", "[]"]);
        check("", &[]);
    }

    #[test]
    fn output_between_messages_is_ignored() {
        check("WARNING: something\nContent-Length: 2\r\n\r\n{}", &["{}"]);
    }

    #[test]
    fn a_truncated_message_is_an_error() {
        let read = |mut stream: &[u8]| read_message(&mut stream).map_err(|error| error.kind());
        assert_eq!(read(b"Content-Length: 5\r\n\r\n{}"), Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(read("x\n".repeat(MAX_LINES + 1).as_bytes()), Err(io::ErrorKind::InvalidData));
    }

    #[test]
    fn an_answer_is_a_result_or_a_refusal() {
        let read =
            |body: &str| answer(body.as_bytes()).map(|parsed| parsed.map_err(|error| error.to_string()).unwrap());
        assert_eq!(read(r#"{"id": 7, "result": {"a": 1}}"#).unwrap().result.unwrap(), json!({"a": 1}));
        let refusal = read(r#"{"id": 7, "error": {"code": -32601, "message": "m"}}"#).unwrap().result.unwrap_err();
        assert_eq!((refusal.is_unknown_method, refusal.message.as_str()), (true, "m"));
        assert!(read(r#"{"method": "log"}"#).is_none());
        assert!(answer(b"{").is_some_and(|parsed| parsed.is_err()));
    }
}
