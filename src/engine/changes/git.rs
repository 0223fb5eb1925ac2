//! Runs `git`, and trusts nothing but its output.
//!
//! A repository brings its own configuration and attributes, and some of those name programs to run: file monitors,
//! external diffs, text conversions, filters, submodules with a configuration of their own. None of them is run.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::engine::changes::Error;

/// How long one command may take.
const TIMEOUT: Duration = Duration::from_mins(2);

/// How much one command may print, in bytes.
const MAX_OUTPUT: u64 = 512 << 20;

/// What every command is told first.
const SAFE: [&str; 8] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "submodule.recurse=false",
    "--no-replace-objects",
];

/// What every comparison is told first: the user's taste in diffs is not ours, and attributes run nothing.
pub(super) const DIFF: [&str; 10] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--ignore-submodules=all",
    "--inter-hunk-context=0",
    "--unified=0",
    "--diff-algorithm=default",
    "-z",
];

/// The repository around a folder.
#[derive(Debug)]
pub(super) struct Git {
    working: PathBuf,
    /// Options that switch off the filters which the configuration names.
    without_filters: Vec<OsString>,
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Output {
    status: ExitStatus,
    /// What it printed.
    pub(super) stdout: Vec<u8>,
    stderr: String,
}

impl Output {
    /// Whether the command did what it was asked.
    pub(super) fn is_success(&self) -> bool {
        self.status.success()
    }

    /// What it printed, without the end of the line.
    pub(super) fn line(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end_matches(['\n', '\r']).to_owned()
    }
}

impl Git {
    /// The repository around `working`, an absolute path. Reads nothing of it but the names of its filters.
    pub(super) fn new(working: &Path) -> Result<Self, Error> {
        let mut git = Self { working: working.to_owned(), without_filters: Vec::new() };
        let pattern = r"^filter\..*\.(clean|smudge|process|required)$";
        // Fails where there is none.
        let names = git.run(&["config", "--null", "--name-only", "--get-regexp", pattern])?;
        for name in names.stdout.split(|&it| it == 0).filter(|it| !it.is_empty()) {
            // Not `-c`: a name may have a `=` in it.
            let mut option = OsString::from("--config-env=");
            option.push(path_of(name));
            option.push(if name.ends_with(b".required") { "=FORMWORK_FALSE" } else { "=FORMWORK_EMPTY" });
            git.without_filters.push(option);
        }
        Ok(git)
    }

    /// Runs a command, whatever comes of it.
    pub(super) fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Output, Error> {
        self.run_with(arguments, Vec::new())
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub(super) fn ask<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Vec<u8>, Error> {
        self.ask_with(arguments, Vec::new())
    }

    /// As [`Git::ask`], with standard input.
    pub(super) fn ask_with<A: AsRef<OsStr>>(&self, arguments: &[A], input: Vec<u8>) -> Result<Vec<u8>, Error> {
        let output = self.run_with(arguments, input)?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        let command = arguments.first().map(|it| it.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        let message = output.stderr.lines().map(str::trim).filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ");
        Err(Error::Failed { command, message })
    }

    fn run_with<A: AsRef<OsStr>>(&self, arguments: &[A], input: Vec<u8>) -> Result<Output, Error> {
        let mut command = Command::new("git");
        command
            .args(SAFE)
            .args(&self.without_filters)
            .args(arguments)
            .current_dir(&self.working)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // A partial clone would fetch what it lacks, by a program that its configuration names.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("FORMWORK_FALSE", "false")
            .env("FORMWORK_EMPTY", "")
            .env("LC_ALL", "C")
            .env_remove("GIT_EXTERNAL_DIFF")
            .env_remove("GIT_DIFF_OPTS")
            .env_remove("GIT_LITERAL_PATHSPECS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().map_err(Error::Start)?;
        wait(child, input)
    }
}

/// Feeds and drains a process, and ends it when its time has passed.
fn wait(mut child: Child, input: Vec<u8>) -> Result<Output, Error> {
    if let Some(mut pipe) = child.stdin.take() {
        // A process that ends before it has read all of its input has told why.
        thread::spawn(move || pipe.write_all(&input));
    }
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let Ok(stdout) = stdout.recv_timeout(TIMEOUT) else {
        end(&mut child);
        return Err(Error::Timeout { seconds: TIMEOUT.as_secs() });
    };
    let stdout = stdout.map_err(Error::Start)?;
    if stdout.len() as u64 > MAX_OUTPUT {
        end(&mut child);
        return Err(Error::TooMuch { limit: MAX_OUTPUT });
    }
    let stderr = stderr.recv_timeout(TIMEOUT).ok().and_then(Result::ok).unwrap_or_default();
    let status = child.wait().map_err(Error::Start)?;
    Ok(Output { status, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |it| it.take(MAX_OUTPUT + 1).read_to_end(&mut bytes));
        // Nobody listens where the time has passed.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

fn end(child: &mut Child) {
    // It may have ended by itself in the meantime.
    let _ = child.kill();
    let _ = child.wait();
}

/// A path as git prints it.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// A path as git prints it.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
