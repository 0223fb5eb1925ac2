//! Serving a client on standard input and output, one message a line.

use std::io::{self, Write};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use formwork_lsp::{Frame, read_line};
use serde_json::Value;

use crate::call::Tools;
use crate::server::{Server, Settings};

/// Maximum length of a message, in bytes.
pub const MAX_MESSAGE: u64 = 16 << 20;

/// Serves a client on standard input and output until it closes its end.
///
/// # Errors
///
/// Fails if a thread cannot be started, or if the client does not read answers.
pub fn serve_streams(tools: Box<dyn Tools>, settings: Settings) -> io::Result<()> {
    // Few messages are read ahead, because each may be long.
    let (arrived, messages) = bounded(4);
    let _reader = thread::Builder::new().name("input".to_owned()).spawn(move || read_messages(&arrived))?;
    serve(&messages, &mut |message: &Value| write_message(&mut io::stdout().lock(), message), tools, settings)
}

/// Serves a client whose messages arrive in a channel.
pub(crate) fn serve(
    messages: &Receiver<Frame>,
    send: &mut dyn FnMut(&Value) -> io::Result<()>,
    tools: Box<dyn Tools>,
    settings: Settings,
) -> io::Result<()> {
    Server::new(send, tools, settings)?.run(messages)
}

fn read_messages(arrived: &Sender<Frame>) {
    let mut input = io::stdin().lock();
    loop {
        let is_sent = match read_line(&mut input, MAX_MESSAGE) {
            Ok(Frame::End) | Err(_) => false,
            Ok(frame) => arrived.send(frame).is_ok(),
        };
        if !is_sent {
            return;
        }
    }
}

fn write_message(output: &mut dyn Write, message: &Value) -> io::Result<()> {
    writeln!(output, "{message}")?;
    output.flush()
}
