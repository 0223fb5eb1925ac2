//! Serving a client on standard input and output, or any other connection.

use std::io;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use lsp_server::{Connection, Message};

use crate::checks::Checks;
use crate::framing::{Frame, read_frame, write_refusal};
use crate::server::{Server, Settings};

/// Serves a client on standard input and output, until it sends `exit` or the connection ends. Returns `true` if it
/// ended as the protocol requires.
///
/// # Errors
///
/// Fails if a thread cannot be started.
pub fn serve_streams(checks: Box<dyn Checks>, settings: Settings) -> io::Result<bool> {
    let ((sender, to_write), (arrived, receiver), (refuse, refused)) = (bounded(0), bounded(0), bounded(0));
    let thread = |name: &str| thread::Builder::new().name(name.to_owned());
    let writer = thread("output").spawn(move || write_messages(&to_write, &refused))?;
    // It may wait for a client that does not close its end; only what was written matters.
    let _reader = thread("input").spawn(move || read_messages(&arrived, &refuse))?;
    let is_orderly = serve(Connection { sender, receiver }, checks, settings)?;
    let _ = writer.join();
    Ok(is_orderly)
}

/// Reads messages from standard input until the client says that it exits, or the connection ends. `refuse` gets the reason for what is not
/// a message.
fn read_messages(arrived: &Sender<Message>, refuse: &Sender<String>) {
    let mut input = io::stdin().lock();
    loop {
        let is_sent = match read_frame(&mut input) {
            Ok(Frame::Message(message)) => {
                let is_exit = matches!(&message, Message::Notification(note) if note.method == "exit");
                arrived.send(message).is_ok() && !is_exit
            }
            Ok(Frame::Refused(why)) => refuse.send(why).is_ok(),
            Ok(Frame::End) | Err(_) => false,
        };
        if !is_sent {
            return;
        }
    }
}

/// Writes messages to standard output until there are no more, and the answers to what was refused.
fn write_messages(messages: &Receiver<Message>, refused: &Receiver<String>) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let mut refused = refused.clone();
    loop {
        select! {
            recv(messages) -> message => match message {
                Ok(message) => message.write(&mut output)?,
                Err(_) => return Ok(()),
            },
            recv(refused) -> why => match why {
                Ok(why) => write_refusal(&mut output, &why)?,
                Err(_) => refused = crossbeam_channel::never(),
            },
        }
    }
}

/// Serves a client on a connection.
///
/// # Errors
///
/// Fails if a thread cannot be started.
pub fn serve(connection: Connection, checks: Box<dyn Checks>, settings: Settings) -> io::Result<bool> {
    let Connection { sender, receiver } = connection;
    // A slow client must not stop the server.
    let (queue, to_write) = unbounded();
    let writer = forward("write", to_write, sender)?;
    // The reader hands over one message at a time, but the server wants to know whether more have arrived.
    let (arrived, messages) = unbounded();
    forward("read", receiver, arrived)?;
    let is_orderly = Server::new(queue, checks, settings)?.run(&messages);
    // The server is gone, and so is soon the thread that publishes: then everything that both have sent is written.
    let _ = writer.join();
    Ok(is_orderly)
}

/// Starts a thread that moves messages from one channel to another, of which one is bounded to a single message.
fn forward(name: &str, from: Receiver<Message>, to: Sender<Message>) -> io::Result<thread::JoinHandle<()>> {
    // If it fails, the receiver is gone.
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        for message in from {
            if to.send(message).is_err() {
                break;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use lsp_server::Notification;
    use serde_json::Value;

    use super::*;

    #[test]
    fn messages_arrive_while_nobody_takes_them() {
        let (reader, receiver) = bounded(0);
        let (arrived, messages) = unbounded();
        let thread = forward("read", receiver, arrived).unwrap();
        for at in 0..3 {
            let note = Notification::new(at.to_string(), Value::Null);
            reader.send(Message::Notification(note)).unwrap();
        }
        drop(reader);
        thread.join().unwrap();
        assert_eq!(messages.len(), 3);
    }
}
