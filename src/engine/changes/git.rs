//! Runs `git` so that a repository cannot execute anything.
//!
//! A repository brings its own configuration and attributes, and some of those name programs to run: file monitors,
//! external diffs, text conversions, filters, submodules with a configuration of their own. None of them is run.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::changes::Error;
use crate::leftovers;
use crate::text::cut;
use crate::text::escape::visible;

/// How long one command may take.
const TIMEOUT: Duration = Duration::from_mins(2);

/// How long a command that uses the network may take.
const FETCH_TIMEOUT: Duration = Duration::from_mins(1);

/// How long a command may take to exit after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// The greatest length of an error message of git that is repeated, in bytes.
const MAX_MESSAGE: usize = 300;

/// How much one command may print, in bytes.
const MAX_OUTPUT: u64 = 512 << 20;

/// The first arguments of every command.
const SAFE: [&str; 10] = [
    "--no-pager",
    // In the container of a job, the files belong to another user. Git refuses to read such a repository, because its
    // configuration may name programs to run; none of them is run here.
    "-c",
    "safe.directory=*",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "submodule.recurse=false",
    "--no-replace-objects",
];

/// The first arguments of every comparison. They override the user's settings for diffs, and run no external programs.
pub(super) const DIFF: [&str; 9] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--ignore-submodules=all",
    "--inter-hunk-context=0",
    "--diff-algorithm=default",
    "-z",
];

/// Lists the files and then their lines. Not for every comparison: `--unified` always reads contents, which a partial
/// clone may lack.
pub(super) const PATCH: [&str; 2] = ["--patch-with-raw", "--unified=0"];

/// The repository around a folder.
#[derive(Debug)]
pub(super) struct Git {
    working: PathBuf,
    /// Options that turn off the filters that the configuration names.
    without_filters: Vec<OsString>,
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Output {
    status: ExitStatus,
    /// All of its standard output.
    pub(super) stdout: Vec<u8>,
    stderr: String,
}

impl Output {
    /// Whether the command did what it was asked.
    pub(super) fn is_success(&self) -> bool {
        self.status.success()
    }

    /// Why it failed, in one line. A server may have written it, so the line contains no workflow command for a runner.
    pub(super) fn message(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let reasons = lines.iter().filter(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let reasons: Vec<&str> = reasons.copied().collect();
        let text = if reasons.is_empty() { lines } else { reasons }.join("; ");
        cut(&visible(&text), MAX_MESSAGE)
    }

    /// Its standard output without the final line break.
    pub(super) fn line(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end_matches(['\n', '\r']).to_owned()
    }
}

impl Git {
    /// The repository around `working`, an absolute path. Only the names of its filters are read.
    pub(super) fn new(working: &Path) -> Result<Self, Error> {
        let mut git = Self { working: working.to_owned(), without_filters: Vec::new() };
        let pattern = r"^filter\..*\.(clean|smudge|process|required)$";
        // Fails if there are no filters.
        let names = git.run(&["config", "--null", "--name-only", "--get-regexp", pattern])?;
        for name in names.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            // Not `-c`: a name may have a `=` in it.
            let mut option = OsString::from("--config-env=");
            option.push(path_of(name));
            option.push(if name.ends_with(b".required") { "=FORMWORK_FALSE" } else { "=FORMWORK_EMPTY" });
            git.without_filters.push(option);
        }
        Ok(git)
    }

    /// Runs a command, which may fail.
    pub(super) fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Output, Error> {
        wait(self.command(arguments), Vec::new(), TIMEOUT)
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub(super) fn ask<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Vec<u8>, Error> {
        self.ask_with(arguments, Vec::new())
    }

    /// As [`Git::ask`], with standard input.
    pub(super) fn ask_with<A: AsRef<OsStr>>(&self, arguments: &[A], input: Vec<u8>) -> Result<Vec<u8>, Error> {
        let output = wait(self.command(arguments), input, TIMEOUT)?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        let command =
            arguments.first().map(|argument| argument.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        Err(Error::Failed { command, message: output.message() })
    }

    /// Runs a command that uses the network. `variables` are added to its environment, and may be secret.
    pub(super) fn talk(&self, arguments: &[String], variables: &[(&str, &str)]) -> Result<Output, Error> {
        let mut command = self.command(arguments);
        // An empty name means that no program asks for passwords, even if the configuration names one.
        command.env("GIT_ASKPASS", "").env("GIT_ALLOW_PROTOCOL", "file:http:https").env("GIT_TRACE_REDACT", "1");
        command.envs(variables.iter().copied());
        wait(command, Vec::new(), FETCH_TIMEOUT)
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new("git");
        command
            .args(SAFE)
            .args(&self.without_filters)
            .args(arguments)
            .current_dir(&self.working)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // A partial clone would fetch missing objects with a program that its configuration may name.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("FORMWORK_FALSE", "false")
            .env("FORMWORK_EMPTY", "")
            .env("LC_ALL", "C");
        for name in ["GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_LITERAL_PATHSPECS"] {
            command.env_remove(name);
        }
        // A process inherits what is not taken from it, so all names are needed, and no value.
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_credential(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Words in the names of variables that hold credentials. A word of up to four letters is one between underscores.
const CREDENTIAL_WORDS: [&str; 16] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "PRIVATE",
    "APIKEY",
    "COOKIE",
    "CONNECTION_STRING",
    "KEY",
    "PAT",
    "PWD",
    "PASS",
    "AUTH",
    "SAS",
];

/// The beginnings of the names of variables with which a runner or a cloud signs a program in.
const CREDENTIAL_STARTS: [&str; 8] = ["ACTIONS_", "GH_", "AWS_", "AZURE_", "ARM_", "GOOGLE_", "CLOUDSDK_", "DOCKER_"];

/// Whether git has no business with a variable. Its own stay: `GIT_CONFIG_KEY_0` may be how a job configures it. So do
/// proxies and certificates, without which it gets to no server.
fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let has = |word: &str| match word.len() {
        ..=4 => name.split('_').any(|part| part == word),
        _ => name.contains(word),
    };
    // The folder that a shell is in, and the one before.
    let is_own = name.starts_with("GIT_") || ["PWD", "OLDPWD"].contains(&name.as_str());
    !is_own
        && (CREDENTIAL_STARTS.iter().any(|start| name.starts_with(start))
            || CREDENTIAL_WORDS.iter().any(|word| has(word)))
}

/// Starts a process, writes its input, and reads its output. Ends it after `timeout`.
fn wait(mut command: Command, input: Vec<u8>, timeout: Duration) -> Result<Output, Error> {
    let (mut child, _noted) = leftovers::start(&mut command, true).map_err(Error::Start)?;
    let (stdout, stderr) = serve(&mut child, input).inspect_err(|_| end(&mut child)).map_err(Error::Start)?;
    let Ok(stdout) = stdout.recv_timeout(timeout) else {
        end(&mut child);
        return Err(Error::Timeout { seconds: timeout.as_secs() });
    };
    let stdout = stdout.map_err(Error::Start)?;
    if stdout.len() as u64 > MAX_OUTPUT {
        end(&mut child);
        return Err(Error::TooMuch { limit: MAX_OUTPUT });
    }
    let stderr = stderr.recv_timeout(timeout).ok().and_then(Result::ok).unwrap_or_default();
    let status = child.wait().map_err(Error::Start)?;
    Ok(Output { status, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// What a process writes to a stream, once it has ended.
type Drained = mpsc::Receiver<io::Result<Vec<u8>>>;

/// Writes the input of a process, and reads its output and its messages, on a thread each.
fn serve(child: &mut Child, input: Vec<u8>) -> io::Result<(Drained, Drained)> {
    if let Some(mut pipe) = child.stdin.take() {
        // Writing fails if the process exits early; its own error message is more useful then.
        thread::Builder::new().spawn(move || pipe.write_all(&input))?;
    }
    Ok((drain(child.stdout.take())?, drain(child.stderr.take())?))
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> io::Result<Drained> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |pipe| pipe.take(MAX_OUTPUT + 1).read_to_end(&mut bytes));
        // Sending fails only after the timeout, when the output is no longer needed.
        let _ = sender.send(read.map(|_| bytes));
    })?;
    Ok(receiver)
}

/// Ends a process and all that it started. It is asked to exit first, so that it can remove its lock files.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};

        // The process was not waited for yet, so its id, which is also that of the group, cannot be reused.
        let group = Pid::from_child(child);
        let _ = kill_process_group(group, Signal::TERM);
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            thread::sleep(GRACE / 100);
        }
        let _ = kill_process_group(group, Signal::KILL);
    }
    // This fails if the process has exited in the meantime.
    let _ = child.kill();
    let _ = child.wait();
}

/// The path for bytes that git printed.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// The path for bytes that git printed.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_told_by_their_names() {
        let credentials = [
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "GH_ENTERPRISE_TOKEN",
            "FORMWORK_TOKEN",
            "ACTIONS_RUNTIME_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_URL",
            "AWS_SECRET_ACCESS_KEY",
            "AZURE_CLIENT_SECRET",
            "ARM_CLIENT_ID",
            "npm_config__auth",
            "NPM_PAT",
            "SYSTEM_ACCESSTOKEN",
            "DB_PASSWORD",
            "SSH_AUTH_SOCK",
        ];
        for name in credentials {
            assert!(is_credential(name), "{name}");
        }
        let others =
            ["PATH", "HOME", "PWD", "GIT_CONFIG_KEY_0", "GIT_SSL_CAINFO", "https_proxy", "SSL_CERT_FILE", "GITHUB_SHA"];
        for name in others {
            assert!(!is_credential(name), "{name}");
        }
    }

    #[test]
    fn a_message_is_what_git_gives_as_the_reason() {
        let message = |stderr: &str| {
            Output { status: ExitStatus::default(), stdout: Vec::new(), stderr: stderr.to_owned() }.message()
        };
        assert_eq!(message("hint: try\n  fatal: one\n\nerror: two\n"), "fatal: one; error: two");
        assert_eq!(message("error: two\nhint: try\n"), "error: two");
        assert_eq!(message(" one\n\ntwo\n"), "one; two");
        assert_eq!(path_of(b"a/b"), PathBuf::from("a/b"));
    }

    #[test]
    #[cfg(unix)]
    fn a_command_that_is_ended_can_clean_up() {
        let folder = tempfile::tempdir().unwrap();
        let (started, removed) = (folder.path().join("lock"), folder.path().join("removed"));
        let script = "trap 'mv lock removed; exit' TERM; : > lock; while [ -e lock ]; do sleep 0.01; done";
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(folder.path());
        let (mut child, _noted) = leftovers::start(&mut command, true).unwrap();
        while !started.exists() {
            thread::sleep(Duration::from_millis(1));
        }
        let asked = Instant::now();
        end(&mut child);
        assert!(removed.exists() && asked.elapsed() < TIMEOUT);
    }
}
