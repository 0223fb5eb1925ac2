//! A small HTTP server on this machine, as far as tests need one: one thread a connection, whole messages.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A request as it came in.
#[derive(Clone, Debug, Default)]
pub(super) struct Incoming {
    pub(super) method: String,
    /// The path with its query; a whole address where the client takes this for a proxy.
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Incoming {
    /// The values of a header, whose name is in lower case.
    pub(super) fn header(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(it, _)| it == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// What is sent back.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    Answer(Answer),
    /// Nothing: the connection ends.
    Silence,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Serves until it is dropped.
pub(super) struct Server {
    address: SocketAddr,
    ends: Arc<AtomicBool>,
}

impl Server {
    pub(super) fn start(handler: impl Fn(&Incoming) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let ends = Arc::new(AtomicBool::new(false));
        let (handler, ended) = (Arc::new(handler), Arc::clone(&ends));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), handler) = (stream, Arc::clone(&handler)) else { continue };
                // A client that goes away ends its connection, and nobody waits for it.
                thread::spawn(move || converse(&stream, &*handler));
            }
        });
        Self { address, ends }
    }

    /// `http://127.0.0.1:PORT`
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

fn converse(stream: &TcpStream, handler: &(impl Fn(&Incoming) -> Reply + ?Sized)) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let incoming = read(&mut reader)?;
        let Reply::Answer(answer) = handler(&incoming) else { return None };
        let mut head = format!("HTTP/1.1 {} x\r\ncontent-length: {}\r\n", answer.status, answer.body.len());
        for (name, value) in &answer.headers {
            head.extend([name.as_str(), ": ", value.as_str(), "\r\n"]);
        }
        writer.write_all(head.as_bytes()).ok()?;
        writer.write_all(b"\r\n").ok()?;
        writer.write_all(&answer.body).ok()?;
    }
}

fn read(reader: &mut impl BufRead) -> Option<Incoming> {
    let first = line(reader)?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut incoming = Incoming { method, target, ..Incoming::default() };
    loop {
        let line = line(reader)?;
        let Some((name, value)) = line.split_once(':') else { break };
        incoming.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    if incoming.header("transfer-encoding") == ["chunked"] {
        loop {
            let size = usize::from_str_radix(&line(reader)?, 16).ok()?;
            let start = incoming.body.len();
            incoming.body.resize(start + size, 0);
            reader.read_exact(&mut incoming.body[start..]).ok()?;
            line(reader)?;
            if size == 0 {
                break;
            }
        }
    } else if let &[length] = incoming.header("content-length").as_slice() {
        let length = length.parse().ok()?;
        incoming.body.resize(length, 0);
        reader.read_exact(&mut incoming.body).ok()?;
    }
    Some(incoming)
}

/// A line without its end; `None` where the client is gone.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut text = String::new();
    (reader.read_line(&mut text).ok()? > 0).then(|| text.trim_end().to_owned())
}
