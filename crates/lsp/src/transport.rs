//! Standard input and output, or any other connection.

use std::io;
use std::thread;

use crossbeam_channel::{Sender, unbounded};
use lsp_server::{Connection, Message};

use crate::checks::Checks;
use crate::server::{Server, Settings};

/// Serves a client on standard input and output, until it says that it exits or the connection ends. Returns whether it ended
/// as the protocol says.
///
/// # Errors
///
/// Fails if no thread can be started.
pub fn serve_streams(checks: Box<dyn Checks>, settings: Settings) -> io::Result<bool> {
    let (connection, threads) = Connection::stdio();
    let is_orderly = serve(connection, checks, settings)?;
    // The reader may wait for a client that does not close its end; only what was written matters.
    drop(threads);
    Ok(is_orderly)
}

/// Serves a client on a connection.
///
/// # Errors
///
/// Fails if no thread can be started.
pub fn serve(connection: Connection, checks: Box<dyn Checks>, settings: Settings) -> io::Result<bool> {
    let Connection { sender, receiver } = connection;
    let (queue, writer) = queue(sender)?;
    let is_orderly = Server::new(queue, checks, settings)?.run(&receiver);
    // The server is gone, and with it the only sender of the queue: what is in it is written first.
    let _ = writer.join();
    Ok(is_orderly)
}

/// A queue without bounds in front of a channel that takes one message at a time: a slow client must not stop the server.
fn queue(sender: Sender<Message>) -> io::Result<(Sender<Message>, thread::JoinHandle<()>)> {
    let (queue, messages) = unbounded();
    let forward = move || {
        // If it fails, nobody reads any more.
        for message in messages {
            if sender.send(message).is_err() {
                break;
            }
        }
    };
    Ok((queue, thread::Builder::new().name("queue".to_owned()).spawn(forward)?))
}
