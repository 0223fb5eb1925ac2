//! Pipes and devices that the user named as files, such as `<(command)` of a shell. A pipe without a reader or writer
//! must not stop a run, so each step has a time limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Time limits for the other end of a pipe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Time until another program has opened the other end.
    pub(super) opening: Duration,
    /// Time between two pieces of data.
    pub(super) silence: Duration,
}

/// A program at the other end may be slow: one that restores modules takes minutes.
pub(super) const PATIENCE: Patience = Patience { opening: Duration::from_secs(5), silence: Duration::from_mins(5) };

/// Number of bytes that are read or written at once.
const PIECE: usize = 64 << 10;

/// Reads at most `limit` bytes and one more from a pipe.
///
/// A thread reads: neither opening a pipe nor reading from it can be interrupted. If the time is up, it is left alone,
/// and ends with the process.
pub(super) fn read(path: &Path, limit: u64, patience: Patience) -> io::Result<Vec<u8>> {
    let (sender, pieces) = mpsc::sync_channel(1);
    let path = path.to_path_buf();
    thread::Builder::new().spawn(move || {
        // Sending fails if nobody waits any longer.
        let mut send = |piece: io::Result<Vec<u8>>| sender.send(piece).is_ok();
        match File::open(path) {
            Ok(file) if send(Ok(Vec::new())) => read_pieces(file, &mut send),
            Ok(_) => {}
            Err(error) => drop(send(Err(error))),
        }
    })?;
    let mut bytes = next(&pieces, patience.opening, "no program writes to this pipe")?.unwrap_or_default();
    let silent = format!("the program that writes to this pipe sent nothing for {}", shown(patience.silence));
    while let Some(piece) = next(&pieces, patience.silence, &silent)? {
        bytes.extend(piece);
        if bytes.len() as u64 > limit {
            break;
        }
    }
    Ok(bytes)
}

/// Sends what a file has, piece by piece, until it ends or nobody wants more.
fn read_pieces(mut file: File, send: &mut impl FnMut(io::Result<Vec<u8>>) -> bool) {
    let mut buffer = vec![0; PIECE];
    loop {
        let piece = match file.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(buffer.get(..count).unwrap_or_default().to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = piece.is_err();
        if !send(piece) || is_last {
            return;
        }
    }
}

/// Writes bytes into a pipe or a device, with a thread as in [`read`].
pub(super) fn write(path: &Path, bytes: Vec<u8>, patience: Patience) -> io::Result<()> {
    let (sender, steps) = mpsc::channel();
    let path = path.to_path_buf();
    thread::Builder::new().spawn(move || {
        let written = OpenOptions::new().write(true).open(path).and_then(|mut file| {
            let _ = sender.send(Ok(()));
            for piece in bytes.chunks(PIECE) {
                file.write_all(piece)?;
                let _ = sender.send(Ok(()));
            }
            file.flush()
        });
        if let Err(error) = written {
            let _ = sender.send(Err(error));
        }
    })?;
    next(&steps, patience.opening, "no program reads from this pipe")?;
    let silent = format!("the program that reads from this pipe took nothing for {}", shown(patience.silence));
    while next(&steps, patience.silence, &silent)?.is_some() {}
    Ok(())
}

/// Returns the next value that a thread sends; `None` after the last.
fn next<T>(receiver: &Receiver<io::Result<T>>, wait: Duration, late: &str) -> io::Result<Option<T>> {
    match receiver.recv_timeout(wait) {
        Ok(sent) => sent.map(Some),
        Err(RecvTimeoutError::Disconnected) => Ok(None),
        Err(RecvTimeoutError::Timeout) => Err(io::Error::new(io::ErrorKind::TimedOut, late.to_owned())),
    }
}

fn shown(wait: Duration) -> String {
    format!("{} seconds", wait.as_secs())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    const SHORT: Patience = Patience { opening: Duration::from_millis(300), silence: Duration::from_millis(300) };

    /// Returns a pipe in a folder, and a shell that uses it as `$P`.
    fn pipe(script: &str) -> (tempfile::TempDir, std::path::PathBuf, Child) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).env("P", &path).stdout(Stdio::piped());
        (folder, path, shell.spawn().unwrap())
    }

    fn read_from(script: &str, limit: u64, patience: Patience) -> Result<Vec<u8>, String> {
        let (_folder, path, mut shell) = pipe(script);
        let bytes = read(&path, limit, patience).map_err(|error| error.to_string());
        let _ = shell.kill();
        shell.wait().unwrap();
        bytes
    }

    #[test]
    fn a_pipe_is_read_to_its_end_or_to_the_limit() {
        assert_eq!(read_from("(printf a; sleep 0.1; printf b) >\"$P\"", 9, PATIENCE).unwrap(), b"ab");
        assert_eq!(read_from(": >\"$P\"", 9, PATIENCE).unwrap(), b"");
        assert!(read_from("yes >\"$P\"", 9, PATIENCE).unwrap().len() > 9);
    }

    #[test]
    fn a_pipe_into_which_nobody_writes_is_given_up() {
        assert_eq!(read_from("exec sleep 60", 9, SHORT).unwrap_err(), "no program writes to this pipe");
        let silent = read_from("exec 3>\"$P\"; exec sleep 60", 9, SHORT).unwrap_err();
        assert_eq!(silent, "the program that writes to this pipe sent nothing for 0 seconds");
    }

    #[test]
    fn a_pipe_is_written_unless_nobody_reads() {
        let (_folder, path, shell) = pipe("wc -c < \"$P\"");
        write(&path, vec![b'x'; 200_000], PATIENCE).unwrap();
        assert_eq!(shell.wait_with_output().unwrap().stdout.trim_ascii(), b"200000");
        let (_folder, path, mut shell) = pipe("exec sleep 60");
        assert_eq!(write(&path, vec![1], SHORT).unwrap_err().to_string(), "no program reads from this pipe");
        let _ = shell.kill();
        shell.wait().unwrap();
    }
}
