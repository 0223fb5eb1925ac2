//! The downloads of a release, served from this machine.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// A server that gives files by their paths, until it is dropped.
pub(crate) struct Releases {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

/// What ends the server.
const CLOSE: &str = "/close";

impl Releases {
    /// Serves these files.
    pub(crate) fn serve(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files: BTreeMap<_, _> = files.into_iter().collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                let path = answer(stream.unwrap(), &files);
                if path == CLOSE {
                    break;
                }
                log.lock().unwrap().push(path);
            }
        });
        Self { address, asked, thread: Some(thread) }
    }

    /// Where the downloads begin.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/downloads", self.address)
    }

    /// The paths that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Releases {
    fn drop(&mut self) {
        if let Ok(mut stream) = TcpStream::connect(self.address) {
            let _ = write!(stream, "GET {CLOSE} HTTP/1.1\r\n\r\n");
        }
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Answers one request, and gives its path.
fn answer(stream: TcpStream, files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    for _header in lines.by_ref().take_while(|it| !it.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let (status, body) = match files.get(&path) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", &[][..]),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // The other side may have gone.
    let _ = (&stream).write_all(&[head.as_bytes(), body].concat());
    path
}
