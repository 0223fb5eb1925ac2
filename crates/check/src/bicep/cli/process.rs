//! Runs the CLI as a process. It is killed with all of its descendants when the [`Process`] is dropped.
//!
//! # Invariant
//!
//! Only this module starts processes of the Bicep CLI. It uses no shell, kills the process group when the handle is
//! dropped, and passes only the variables of `passed.rs`.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::bicep::Options;
use crate::bicep::cli::passed::passed;
use crate::cleanup::{self, Noted};

/// Number of bytes of standard error that are kept. Its end has the reason why a process failed.
const KEPT: usize = 64 << 10;

/// Maximum number of bytes that are read of standard output: more than any template that is analyzed.
const MAX_OUTPUT: u64 = 256 << 20;

/// Time that a process may take to end once it has closed its output.
const GRACE: Duration = Duration::from_millis(500);

/// A running process, the leader of its own process group. It is started without a shell, so arguments are literal.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    status: Option<ExitStatus>,
    _noted: Noted,
}

impl Process {
    pub(super) fn start<S: AsRef<OsStr>>(
        program: &Path,
        arguments: &[S],
        options: &Options,
        stdin: Stdio,
    ) -> io::Result<Self> {
        let search_path = options.search_path().ok_or_else(|| io::Error::other("no program may be started"))?;
        let program = std::path::absolute(program)?;
        let mut command = Command::new(&program);
        command.args(arguments).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_clear().envs(passed(&options.variables)).env_remove("PATH");
        command.envs(search_path.joined().map(|folders| ("PATH", folders)));
        // Programs read files of the current folder, which may be that of a repository: Python, in which the Azure CLI is
        // written, looks for modules there. All paths in the arguments are absolute.
        if let Some(folder) = program.parent() {
            command.current_dir(folder);
        }
        let (child, noted) = cleanup::start(&mut command, false)?;
        Ok(Self { child, status: None, _noted: noted })
    }

    /// Takes standard input, output and error. `None` for a stream that is not a pipe, or that was already taken.
    pub(super) fn streams(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    /// Returns the exit status, if the process ends by itself within [`GRACE`].
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

    /// Kills the process group. Its id cannot be reused for another process until this one has been waited for, which
    /// is why an ended process is left alone.
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

/// The output of a process that has ended.
#[derive(Debug)]
pub(super) struct Output {
    /// `None` if the process closed its streams but kept running.
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: Vec<u8>,
    /// True if the process printed more than [`MAX_OUTPUT`], and was killed.
    is_endless: bool,
    /// The end of standard error. Invalid UTF-8 is replaced.
    pub(super) stderr: String,
}

impl Output {
    /// Describes how the process ended, as a phrase with "it" as the subject.
    pub(super) fn how(&self) -> String {
        if self.is_endless {
            return format!("printed more than {} MB", MAX_OUTPUT >> 20);
        }
        let said = excerpt(&self.stderr);
        self.status.map_or_else(|| format!("closed its output{said}"), |status| format!("ended ({status}){said}"))
    }
}

/// Runs a program until it ends. `None` if that takes longer than the time limit; then the process is killed.
pub(super) fn run<S: AsRef<OsStr>>(program: &Path, arguments: &[S], options: &Options) -> io::Result<Option<Output>> {
    let deadline = Instant::now() + options.timeout;
    let mut process = Process::start(program, arguments, options, Stdio::null())?;
    let (_, stdout, stderr) = process.streams();
    let stdout = read_all(stdout)?;
    let stderr = drain_messages(stderr)?;
    let Some(stdout) = receive(&stdout, deadline) else { return Ok(None) };
    if stdout.len() as u64 > MAX_OUTPUT {
        return Ok(Some(Output { status: None, stdout: Vec::new(), is_endless: true, stderr: String::new() }));
    }
    let Some(stderr) = receive(&stderr, deadline) else { return Ok(None) };
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    Ok(Some(Output { status: process.ended(), stdout, is_endless: false, stderr }))
}

/// Waits for what a thread read. `None` after the deadline.
fn receive(stream: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    match stream.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
        Err(RecvTimeoutError::Timeout) => None,
    }
}

/// Reads a stream to its end, or to one byte more than [`MAX_OUTPUT`], on a thread of its own.
fn read_all(stream: Option<impl Read + Send + 'static>) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(stream) = stream {
        thread::Builder::new().spawn(move || {
            let mut bytes = Vec::new();
            // What came before an error is all that there is. The receiver is gone if the deadline has passed.
            let _ = stream.take(MAX_OUTPUT + 1).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        })?;
    }
    Ok(receiver)
}

/// Reads standard error to its end on a thread of its own, so that the process never blocks on a full pipe. Sends the
/// last [`KEPT`] bytes or a few more, at most twice as many.
pub(super) fn drain_messages(stream: Option<ChildStderr>) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stream) = stream {
        thread::Builder::new().spawn(move || {
            let (mut bytes, mut buffer) = (Vec::new(), vec![0; 32 << 10]);
            while let Ok(count) = stream.read(&mut buffer)
                && count > 0
            {
                bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
                // Drained in large steps, so that the cost stays linear.
                if bytes.len() > 2 * KEPT {
                    bytes.drain(..bytes.len() - KEPT);
                }
            }
            // The receiver is gone if the deadline has passed.
            let _ = sender.send(bytes);
        })?;
    }
    Ok(receiver)
}

/// Returns the first lines that a failed process wrote, for a message. Begins with a colon unless it is empty.
pub(super) fn excerpt(stderr: &str) -> String {
    let lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).take(3);
    let text: String = lines.collect::<Vec<_>>().join("; ").chars().take(300).collect();
    if text.is_empty() { text } else { format!(": {text}") }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, timeout: Duration) -> Option<Output> {
        let variables = std::iter::once(("PATH".to_owned(), "/usr/bin:/bin".to_owned())).collect();
        let programs = Some(crate::files::Programs::of_command_line());
        let options = Options { programs, variables, timeout, ..Options::default() };
        run(Path::new("/bin/sh"), &["-c", script], &options).unwrap()
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
    fn output_without_an_end_is_not_kept() {
        let output = sh("yes endless & exec yes endless", Duration::from_mins(1)).unwrap();
        assert_eq!((output.how().as_str(), output.stdout.len()), ("printed more than 256 MB", 0));
    }

    #[test]
    fn a_process_that_times_out_is_killed_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > '{}'; wait", file.display());
        assert!(sh(&script, Duration::from_millis(700)).is_none());
        let pid: i32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
        let child = rustix::process::Pid::from_raw(pid).unwrap();
        // The child is an orphan, and the process that adopts it needs a moment to reap it.
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
