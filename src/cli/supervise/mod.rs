//! Runs a check in a process of its own, so that a crash costs the results for one file only.
//!
//! A stack overflow or a lack of memory ends a process, and with it every finding. Limits keep templates from causing
//! either; this is for the case that a limit has a gap. The supervisor does nothing but wait; to
//! start twice takes about 4 milliseconds. If the worker crashes, its journal names the files that it was working on, and
//! the check is repeated without those that crash it ([`course`]), which are reported as `internal/fault`.

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
use crate::cli::supervise::course::{End, Ending};
use crate::cli::{Environment, run, streams};
use crate::engine::{Failure, Isolation, Journal, Mode, Orders};
use crate::text::escape;

pub(super) use self::apart::apart;

/// Tells a worker the folder of its journal.
pub(super) const VARIABLE: &str = "FORMWORK_WORKER";

/// Tells a worker the ID of the process that started it.
const SUPERVISOR: &str = "FORMWORK_SUPERVISOR";

/// The file in this folder with a random word, which is the same for all workers.
const WORD: &str = "word";

/// Tells mimalloc after how many milliseconds to give free memory back to the system. By default, it keeps it for a second.
/// Most runs end earlier, so their peak would include all that they freed.
const PURGE_DELAY: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "25");

/// Where a worker of the action notes its outputs. A probe has none.
const OUTPUTS: &str = "GITHUB_OUTPUT";

/// The exit code of a process that panicked.
const PANIC: i32 = 101;

/// Runs the program as [`run`] does, and survives a crash of a check. Only for the program itself: it is started again.
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
    // A supervisor that ended before this does not end this process.
    let code = if is_orphan(environment) { end_of_orphan() } else { run(args, environment) };
    // The supervisor has other workers after a probe.
    if let Some(folder) = folder.filter(|_| !is_probe || is_orphan(environment)) {
        folder.remove();
    }
    code
}

/// A random word that a worker shares with those before and after it: if one crashes while the runner ignores commands,
/// the next one can enable them. `random` makes the first one.
pub(super) fn word(environment: &Environment, random: impl FnOnce() -> String) -> String {
    let Some(folder) = environment.get(VARIABLE) else { return random() };
    let file = Path::new(folder).join(WORD);
    std::fs::read_to_string(&file).unwrap_or_else(|_| {
        let word = random();
        // Without the file, the next worker has another word, and no annotations after a crash.
        let _ = std::fs::write(file, &word);
        word
    })
}

/// Whether the arguments are those of a command that checks many files.
fn is_check(args: &[OsString]) -> bool {
    let words: Vec<_> = args.iter().skip(1).take(2).filter_map(|word| word.to_str()).collect();
    matches!(words.as_slice(), ["check", ..] | ["github", "action"])
}

/// Lets the kernel end this process if the supervisor is killed. Elsewhere, it runs to its end.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
    }
}

/// Whether the supervisor has ended, so that somebody else is the parent of this process.
#[cfg(unix)]
fn is_orphan(environment: &Environment) -> bool {
    let parent = std::os::unix::process::parent_id().to_string();
    environment.get(SUPERVISOR).is_some_and(|supervisor| supervisor != parent)
}

#[cfg(not(unix))]
fn is_orphan(_: &Environment) -> bool {
    false
}

/// Nobody waits for the results, and the next run may be at work on the same files.
fn end_of_orphan() -> ExitCode {
    let message = "nothing was checked, because the process that started the check has ended";
    let _ = writeln!(streams::err(), "error: {message}");
    Exit::Unanalysed.into()
}

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
            End::Code(code) => return Some(code.into()),
            End::Crash(failure, item) => (failure, item),
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
    fn work(&self, orders: &Orders) -> Option<Ending> {
        orders.write(self.folder).ok()?;
        let mut command = Command::new(&self.program);
        command.args(self.args).env(VARIABLE, self.folder).env(SUPERVISOR, std::process::id().to_string());
        command.env(PURGE_DELAY.0, self.purge_delay);
        if orders.mode == Mode::Probe {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.env(OUTPUTS, self.folder.join("outputs"));
        }
        let ending = ending(self.run_to_end(&mut command)?);
        Some(match ending {
            Ending::Crash(failure, _) => Ending::Crash(failure, Journal::read(self.folder).unwrap_or_default()),
            other => other,
        })
    }
}

impl Supervisor<'_> {
    /// Runs a worker until it has ended. A signal to the supervisor is one to the worker.
    #[cfg(unix)]
    fn run_to_end(&self, command: &mut Command) -> Option<ExitStatus> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

        let (mut worker, process) = self.relay.start(|| {
            let worker = command.spawn().ok()?;
            let process = Pid::from_child(&worker);
            Some((worker, process))
        })?;
        // Its ID may become that of another process as soon as somebody has asked how it ended.
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

/// A crash, without the journal of the worker.
fn crash(failure: Failure) -> Ending {
    Ending::Crash(failure, Journal::default())
}

/// Whether a worker crashed, or ended by itself or on request.
fn ending(status: ExitStatus) -> Ending {
    match status.code() {
        Some(PANIC) => crash(Failure::Defect),
        Some(code) => u8::try_from(code).map_or(crash(Failure::Defect), Ending::Code),
        None => ending_by_signal(status),
    }
}

#[cfg(unix)]
fn ending_by_signal(status: ExitStatus) -> Ending {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::Signal;

    let requests = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::PIPE];
    let limits = [(Signal::KILL, "SIGKILL"), (Signal::XCPU, "SIGXCPU"), (Signal::XFSZ, "SIGXFSZ")];
    let Some(signal) = status.signal() else { return crash(Failure::Defect) };
    if requests.iter().any(|request| request.as_raw() == signal) {
        // As a shell reports it.
        return Ending::Stopped(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    let limit = limits.into_iter().find(|(limit, _)| limit.as_raw() == signal);
    crash(limit.map_or(Failure::Defect, |(_, name)| Failure::Killed(name.to_owned())))
}

#[cfg(not(unix))]
fn ending_by_signal(_: ExitStatus) -> Ending {
    crash(Failure::Defect)
}
