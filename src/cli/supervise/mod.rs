//! Runs a check in a separate process, so that a crash loses only the results for one file.
//!
//! A stack overflow or a lack of memory ends the process, and all findings would be lost. Limits prevent templates
//! from causing either. The supervisor protects against cases that the limits do not cover. It only waits for its
//! worker. Starting a second process takes about 4 milliseconds. If the worker crashes, its journal contains the
//! files in process. The check is repeated without the files that crash ([`course`]), which are reported as
//! `internal/fault`.
//!
//! # Invariant
//!
//! A check ends with the reports that the user asked for. If nothing else helps, the last worker reports that it
//! analyzed nothing.

mod course;

mod apart;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crate::cleanup::{Folder, SharedFolder};
use crate::cli::exit::Exit;
#[cfg(unix)]
use crate::cli::signals::{self, Relay};
use crate::cli::supervise::course::{SupervisedEnd, WorkerEnd};
use crate::cli::{Environment, run, streams};
use crate::engine::{Failure, Isolation, Journal, Mode, Orders};
use crate::text::escape;

pub(super) use self::apart::apart;

/// Variable with the folder of a worker's journal.
pub(super) const VARIABLE: &str = "FORMWORK_WORKER";

/// Variable with the ID of the process that started a worker.
const SUPERVISOR: &str = "FORMWORK_SUPERVISOR";

/// The file in this folder with a random word, which all workers share.
const WORD: &str = "word";

/// Sets the number of milliseconds after which mimalloc returns free memory to the system. By default, it keeps
/// memory for a second. Most runs are shorter, so their peak would include all freed memory.
const PURGE_DELAY: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "25");

/// Variable with the file for the outputs of the action. Probes get another file.
const OUTPUTS: &str = "GITHUB_OUTPUT";

/// Exit code of a process that panicked.
const PANIC: i32 = 101;

/// Runs the program like [`run`], and continues after a crash of a check. Only for the program itself, because it is
/// started again.
pub fn supervise(args: impl IntoIterator<Item = OsString>, environment: &Environment) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    streams::guard_panics();
    if let Some(folder) = environment.get(VARIABLE) {
        return work(args, environment, Path::new(folder));
    }
    if environment.get(apart::PARENT).is_some() {
        end_with_parent();
        return run(args, environment);
    }
    #[cfg(unix)]
    let relay = signals::watch();
    if is_check(&args)
        && let Ok(folder) = Folder::new()
        && let Ok(program) = std::env::current_exe()
    {
        let args = args.get(1..).unwrap_or_default();
        let supervisor = Supervisor {
            program,
            args,
            folder: folder.path(),
            purge_delay: environment.get(PURGE_DELAY.0).unwrap_or(PURGE_DELAY.1),
            #[cfg(unix)]
            relay: &relay,
        };
        let code = supervisor.run();
        #[cfg(unix)]
        relay.end_if_signaled();
        if let Some(code) = code {
            return code;
        }
    }
    run(args, environment)
}

/// Runs the program as the worker of a supervisor with this folder.
fn work(args: Vec<OsString>, environment: &Environment, folder: &Path) -> ExitCode {
    let is_probe = Isolation::join(folder).is_ok_and(|isolation| isolation.is_probe());
    let folder = SharedFolder::new(folder);
    #[cfg(unix)]
    let _ = signals::watch();
    end_with_parent();
    // If the supervisor ended before this call, this process does not end with it.
    let code = if is_orphan(environment) { end_of_orphan() } else { run(args, environment) };
    // The supervisor starts other workers after a probe.
    if let Some(folder) = folder.filter(|_| !is_probe || is_orphan(environment)) {
        folder.remove();
    }
    code
}

/// Returns a random word that all workers share. If one crashes while the runner ignores commands, the next one can
/// enable them. `random` creates the first word.
pub(super) fn word(environment: &Environment, random: impl FnOnce() -> String) -> String {
    let Some(folder) = environment.get(VARIABLE) else { return random() };
    let file = Path::new(folder).join(WORD);
    std::fs::read_to_string(&file).unwrap_or_else(|_| {
        let word = random();
        // Without the file, the next worker has another word and writes no annotations after a crash.
        let _ = std::fs::write(file, &word);
        word
    })
}

/// Returns whether the arguments are those of a command that checks many files.
fn is_check(args: &[OsString]) -> bool {
    let words: Vec<_> = args.iter().skip(1).take(2).filter_map(|word| word.to_str()).collect();
    matches!(words.as_slice(), ["check", ..] | ["github", "action"])
}

/// Makes the kernel end this process if the supervisor is killed. On systems other than Linux, it continues.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
    }
}

/// Returns whether the supervisor has ended, so this process has another parent.
#[cfg(unix)]
fn is_orphan(environment: &Environment) -> bool {
    let parent = std::os::unix::process::parent_id().to_string();
    environment.get(SUPERVISOR).is_some_and(|supervisor| supervisor != parent)
}

#[cfg(not(unix))]
fn is_orphan(_: &Environment) -> bool {
    false
}

/// Ends without a check. Nobody waits for the results, and the next run may use the same files.
fn end_of_orphan() -> ExitCode {
    let message = "nothing was checked, because the process that started the check has ended";
    let _ = writeln!(streams::err(), "error: {message}");
    Exit::Unanalysed.into()
}

/// Starts workers and waits for them.
struct Supervisor<'a> {
    program: PathBuf,
    args: &'a [OsString],
    folder: &'a Path,
    purge_delay: &'a str,
    #[cfg(unix)]
    relay: &'a Relay,
}

impl Supervisor<'_> {
    /// Runs the check. `None` if the first worker cannot be started.
    fn run(&self) -> Option<ExitCode> {
        let reads_stdin = self.args.iter().any(|arg| arg == "-");
        let (failure, item) = match course::run(&mut |orders| self.work(orders), !reads_stdin)? {
            SupervisedEnd::Code(code) => return Some(code.into()),
            SupervisedEnd::Crash(failure, item) => (failure, item),
        };
        let place = item.map_or_else(String::new, |(_, file)| format!(" while it worked on `{file}`"));
        let message = match failure {
            Failure::Killed(signal) => {
                format!(
                    "the system ended formwork with {signal}{place}, as it does if memory or processor time runs out"
                )
            }
            Failure::Defect | Failure::Untried => {
                format!("formwork crashed{place}, which is a defect of formwork; please report it")
            }
        };
        let _ = writeln!(streams::err(), "error: {}", escape::line(&message));
        Some(Exit::Unanalysed.into())
    }

    /// Runs a worker with these orders.
    fn work(&self, orders: &Orders) -> Option<WorkerEnd> {
        orders.write(self.folder).ok()?;
        let mut command = Command::new(&self.program);
        command.args(self.args).env(VARIABLE, self.folder).env(SUPERVISOR, std::process::id().to_string());
        command.env(PURGE_DELAY.0, self.purge_delay);
        if orders.mode == Mode::Probe {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.env(OUTPUTS, self.folder.join("outputs"));
        }
        let worker_end = worker_end(self.run_to_end(&mut command)?);
        Some(match worker_end {
            WorkerEnd::Crash(failure, _) => WorkerEnd::Crash(failure, Journal::read(self.folder).unwrap_or_default()),
            other => other,
        })
    }
}

impl Supervisor<'_> {
    /// Runs a worker to its end. Signals to the supervisor are relayed to it.
    #[cfg(unix)]
    fn run_to_end(&self, command: &mut Command) -> Option<ExitStatus> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

        let (mut worker, process) = self.relay.start(|| {
            let worker = command.spawn().ok()?;
            let process = Pid::from_child(&worker);
            Some((worker, process))
        })?;
        // After the exit status is read, the process ID may be reused.
        let end = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(process), end).is_err_and(|error| error == rustix::io::Errno::INTR) {}
        self.relay.stop();
        worker.wait().ok()
    }

    #[cfg(not(unix))]
    fn run_to_end(&self, command: &mut Command) -> Option<ExitStatus> {
        command.status().ok()
    }
}

/// Returns a crash without the journal of the worker.
fn crash(failure: Failure) -> WorkerEnd {
    WorkerEnd::Crash(failure, Journal::default())
}

/// Returns whether a worker crashed, ended by itself, or was stopped.
fn worker_end(status: ExitStatus) -> WorkerEnd {
    match status.code() {
        Some(PANIC) => crash(Failure::Defect),
        Some(code) => u8::try_from(code).map_or(crash(Failure::Defect), WorkerEnd::Code),
        None => end_by_signal(status),
    }
}

#[cfg(unix)]
fn end_by_signal(status: ExitStatus) -> WorkerEnd {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::Signal;

    let requests = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::PIPE];
    let limits = [(Signal::KILL, "SIGKILL"), (Signal::XCPU, "SIGXCPU"), (Signal::XFSZ, "SIGXFSZ")];
    let Some(signal) = status.signal() else { return crash(Failure::Defect) };
    if requests.iter().any(|request| request.as_raw() == signal) {
        // A shell reports the same code.
        return WorkerEnd::Stopped(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    let limit = limits.into_iter().find(|(limit, _)| limit.as_raw() == signal);
    crash(limit.map_or(Failure::Defect, |(_, name)| Failure::Killed(name.to_owned())))
}

#[cfg(not(unix))]
fn end_by_signal(_: ExitStatus) -> WorkerEnd {
    crash(Failure::Defect)
}
