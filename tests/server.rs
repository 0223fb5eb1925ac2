//! A small HTTP server on this machine that tests talk to: one thread per connection, whole messages.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incoming {
    pub(crate) method: String,
    /// The path with its query; a whole address where the client takes this for a proxy.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Incoming {
    /// The values of the headers with this name, which is given in lower case.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// What is sent back.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Answer(Answer),
    /// Closes the connection without an answer.
    #[cfg_attr(not(feature = "github"), expect(dead_code))]
    Silence,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Answers with a status and a body of JSON.
    pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self::Answer(Answer { status, headers, body: body.into() })
    }
}

/// A server that runs until it is dropped, and remembers what it was asked.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Incoming>>>,
    ends: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server whose requests are answered by `handler`.
    pub(crate) fn start(handler: impl Fn(&Incoming) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let ends = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&ends);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let handler = Arc::new(move |incoming: &Incoming| {
            log.lock().unwrap().push(incoming.clone());
            handler(incoming)
        });
        let serve = move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), handler) = (stream, Arc::clone(&handler)) else { continue };
                // The thread ends when the client closes the connection, so it needs no joining.
                thread::Builder::new().spawn(move || converse(&stream, &*handler)).unwrap();
            }
        };
        thread::Builder::new().spawn(serve).unwrap();
        Self { address, asked, ends }
    }

    /// The address, as `http://127.0.0.1:PORT`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Incoming> {
        self.asked.lock().unwrap().clone()
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
