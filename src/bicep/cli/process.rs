//! A process and everything that it starts, which are gone when the [`Process`] is.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How much of what a process writes to standard error is kept: the end of it.
const KEPT: usize = 64 << 10;

/// How long a process has to end once it has nothing more to do.
const GRACE: Duration = Duration::from_millis(500);

/// A running process, the first of a group of its own. No shell is between it and its arguments.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    status: Option<ExitStatus>,
}

impl Process {
    pub(super) fn start<S: AsRef<OsStr>>(program: &Path, arguments: &[S], stdin: Stdio) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Templates of strangers choose what is fetched, and from where.
        command.env_remove("FORMWORK_TOKEN").env_remove("GITHUB_TOKEN");
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(Self { child: command.spawn()?, status: None })
    }

    /// The streams, as far as they are pipes and were not taken yet.
    pub(super) fn streams(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    /// How the process ended, if it does within a short time by itself.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + GRACE;
        while self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
            if Instant::now() >= deadline {
                break;
            }
            if self.status.is_none() {
                thread::sleep(Duration::from_millis(2));
            }
        }
        self.status
    }

    /// Before the process was waited for its id, which is that of the group, cannot mean another one.
    fn kill(&mut self) {
        if self.status.is_some() {
            return;
        }
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        let _ = self.child.kill();
        self.status = self.child.wait().ok();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a process wrote until it ended.
#[derive(Debug)]
pub(super) struct Output {
    /// `None` where it closed its streams and went on.
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: Vec<u8>,
    /// The end of it, with what is no UTF-8 replaced.
    pub(super) stderr: String,
}

impl Output {
    /// How the process ended, for a message.
    pub(super) fn how(&self) -> String {
        let said = excerpt(&self.stderr);
        self.status.map_or_else(|| format!("closed its output{said}"), |it| format!("ended ({it}){said}"))
    }
}

/// Runs a program to its end. `None` if that takes longer than `timeout`; the process is gone then.
pub(super) fn run<S: AsRef<OsStr>>(program: &Path, arguments: &[S], timeout: Duration) -> io::Result<Option<Output>> {
    let deadline = Instant::now() + timeout;
    let mut process = Process::start(program, arguments, Stdio::null())?;
    let (_, stdout, stderr) = process.streams();
    let stdout = drain(stdout, usize::MAX);
    let stderr = drain(stderr, KEPT);
    let (Some(stdout), Some(stderr)) = (receive(&stdout, deadline), receive(&stderr, deadline)) else {
        return Ok(None);
    };
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    Ok(Some(Output { status: process.ended(), stdout, stderr }))
}

fn receive(stream: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    match stream.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
        Err(RecvTimeoutError::Timeout) => None,
    }
}

/// Reads a stream on a thread of its own, so that the process never waits for us, and gives its last `kept` bytes.
pub(super) fn drain(stream: Option<impl Read + Send + 'static>, kept: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stream) = stream {
        thread::spawn(move || {
            let (mut bytes, mut buffer) = (Vec::new(), vec![0; 32 << 10]);
            while let Ok(count) = stream.read(&mut buffer)
                && count > 0
            {
                bytes.extend_from_slice(&buffer[..count]);
                if bytes.len() > kept.saturating_mul(2) {
                    bytes.drain(..bytes.len() - kept);
                }
            }
            // Nobody listens any more if it took too long.
            let _ = sender.send(bytes);
        });
    }
    receiver
}

/// As [`drain`], for standard error: the text once the process ended.
pub(super) fn drain_messages(stream: Option<ChildStderr>) -> Receiver<Vec<u8>> {
    drain(stream, KEPT)
}

/// The first lines of what a process said before it failed, for a message.
pub(super) fn excerpt(stderr: &str) -> String {
    let lines = stderr.lines().map(str::trim).filter(|it| !it.is_empty()).take(3);
    let text: String = lines.collect::<Vec<_>>().join("; ").chars().take(300).collect();
    if text.is_empty() { text } else { format!(": {text}") }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, timeout: Duration) -> Option<Output> {
        run(Path::new("/bin/sh"), &["-c", script], timeout).expect("there is a shell")
    }

    #[test]
    fn both_streams_are_drained() {
        let script = "i=0; while [ $i -lt 20000 ]; do echo out; echo err >&2; i=$((i+1)); done; exit 3";
        let output = sh(script, Duration::from_mins(1)).unwrap();
        assert_eq!(output.status.unwrap().code(), Some(3));
        assert_eq!(output.stdout.len(), 80_000);
        assert!(output.stderr.len() <= 2 * KEPT && output.stderr.ends_with("err\n"));
    }

    #[test]
    fn a_process_that_takes_too_long_is_gone_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > '{}'; wait", file.display());
        assert!(sh(&script, Duration::from_millis(700)).is_none());
        let pid: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
        let child = rustix::process::Pid::from_raw(pid).unwrap();
        // The child is an orphan: whoever adopts it needs a moment to take note of its end.
        let is_gone = || {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            rustix::process::test_kill_process(child).is_err() || state.contains(") Z ")
        };
        assert!((0..200).any(|_| is_gone() || {
            thread::sleep(Duration::from_millis(10));
            false
        }));
    }

    #[test]
    fn an_excerpt_is_short() {
        assert_eq!(excerpt("\n one\ntwo\n\nthree\nfour"), ": one; two; three");
        assert_eq!(excerpt(" \n"), "");
    }
}
