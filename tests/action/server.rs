//! A server on this machine, in place of those that a job talks to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What the server was asked.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) path: String,
    pub(crate) body: String,
}

/// A server, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Request>>>,
    thread: Option<JoinHandle<()>>,
}

/// What ends the server.
const CLOSE: &str = "/close";

impl Server {
    /// Starts a server that answers with a status and a body.
    pub(crate) fn start(mut answer: impl FnMut(&Request) -> (u16, Vec<u8>) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                if request.path == CLOSE {
                    break;
                }
                log.lock().unwrap().push(request.clone());
                let (status, body) = answer(&request);
                let head = format!(
                    "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                // The other side may have gone.
                let _ = (&stream).write_all(&[head.as_bytes(), &body].concat());
            }
        });
        Self { address, asked, thread: Some(thread) }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(mut stream) = TcpStream::connect(self.address) {
            let _ = write!(stream, "GET {CLOSE} HTTP/1.1\r\n\r\n");
        }
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Reads one request.
fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|it| *it > 0).map(|_| line.trim_end().to_owned())
    };
    let first = line()?;
    let mut length = 0;
    while let Some(header) = line().filter(|it| !it.is_empty()) {
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    Some(Request { method: words.next()?, path: words.next()?, body: String::from_utf8(body).unwrap() })
}
