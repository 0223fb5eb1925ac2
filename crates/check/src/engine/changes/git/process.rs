//! Runs one process to its end, within a time limit.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::cleanup;
use crate::engine::changes::Error;
use crate::text::cut;
use crate::text::escape::visible;

/// Time that a command may take to exit after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// The greatest length of an error message of git that is repeated, in bytes.
const MAX_MESSAGE: usize = 300;

/// Maximum size of the output of one command, in bytes.
const MAX_OUTPUT: u64 = 512 << 20;

/// Result of a command.
#[derive(Debug)]
pub(in crate::engine::changes) struct Output {
    status: ExitStatus,
    /// All of its standard output.
    pub(in crate::engine::changes) stdout: Vec<u8>,
    /// All of its standard error. Invalid UTF-8 is replaced.
    pub(in crate::engine::changes) stderr: String,
}

impl Output {
    /// Returns `true` if the command exited with success.
    pub(in crate::engine::changes) fn is_success(&self) -> bool {
        self.status.success()
    }

    /// Returns the error message, in one line. A server may have written it, so the line contains no workflow command
    /// for a runner.
    pub(in crate::engine::changes) fn message(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let reasons = lines.iter().filter(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let reasons: Vec<&str> = reasons.copied().collect();
        let text = if reasons.is_empty() { lines } else { reasons }.join("; ");
        cut(&visible(&text), MAX_MESSAGE)
    }

    /// Returns the standard output without the final line break.
    pub(in crate::engine::changes) fn line(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end_matches(['\n', '\r']).to_owned()
    }
}

/// Starts a process, writes its input, and reads its output. Ends it after `timeout`.
pub(super) fn wait(mut command: Command, input: Vec<u8>, timeout: Duration) -> Result<Output, Error> {
    let (mut child, _noted) = cleanup::start(&mut command, true).map_err(Error::Start)?;
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

/// Receiver of the output of a process on one stream, which arrives once the stream has ended.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_what_git_gives_as_the_reason() {
        let message = |stderr: &str| {
            Output { status: ExitStatus::default(), stdout: Vec::new(), stderr: stderr.to_owned() }.message()
        };
        assert_eq!(message("hint: try\n  fatal: one\n\nerror: two\n"), "fatal: one; error: two");
        assert_eq!(message("error: two\nhint: try\n"), "error: two");
        assert_eq!(message(" one\n\ntwo\n"), "one; two");
    }

    #[test]
    #[cfg(unix)]
    fn a_command_that_is_ended_can_clean_up() {
        let folder = tempfile::tempdir().unwrap();
        let (started, removed) = (folder.path().join("lock"), folder.path().join("removed"));
        let script = "trap 'mv lock removed; exit' TERM; : > lock; while [ -e lock ]; do sleep 0.01; done";
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(folder.path());
        let (mut child, _noted) = cleanup::start(&mut command, true).unwrap();
        while !started.exists() {
            thread::sleep(Duration::from_millis(1));
        }
        let asked = Instant::now();
        end(&mut child);
        assert!(removed.exists() && asked.elapsed() < Duration::from_mins(1));
    }
}
