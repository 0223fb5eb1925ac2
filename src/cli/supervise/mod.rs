//! Runs a check in a process of its own, so that a crash costs the results for one file only.
//!
//! A stack overflow or a lack of memory ends a process, and with it every finding. Limits keep templates from causing
//! either; this is for the case that a limit has a gap. The supervisor does nothing but wait; to
//! start twice takes about 4 milliseconds. If the worker crashes, its journal names the files that it was working on. If
//! there are several, a second worker with one thread finds out which one it is; then the check is repeated without this
//! file, which is reported as `internal/fault`.

mod apart;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use crate::cli::exit::Exit;
#[cfg(unix)]
use crate::cli::signals::{self, Relay};
use crate::cli::{Environment, run, streams};
use crate::engine::{Failure, Isolation};
use crate::leftovers::{Folder, SharedFolder};
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

/// How many workers are started before the supervisor gives up. Each finds at least one file that crashes it.
const MAX_WORKERS: usize = 32;

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
    let folder = SharedFolder::new(folder);
    #[cfg(unix)]
    let _ = signals::watch();
    end_with_parent();
    // A supervisor that ended before this does not end this process.
    let code = if is_orphan(environment) { end_of_orphan() } else { run(args, environment) };
    if let Some(folder) = folder {
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

/// How a worker ended.
enum Ending {
    /// By itself or on request.
    Code(u8),
    /// In the middle of its work.
    Crash(Failure),
}

impl Supervisor<'_> {
    /// Starts workers until one does not crash. `None` if none can be started.
    fn run(&self) -> Option<ExitCode> {
        let (mut fatal, mut is_serial, mut failure) = (Vec::new(), false, Failure::Defect);
        for _ in 0..MAX_WORKERS {
            Isolation::prepare(self.folder, &fatal, is_serial).ok()?;
            let mut command = Command::new(&self.program);
            command.args(self.args).env(VARIABLE, self.folder).env(SUPERVISOR, std::process::id().to_string());
            command.env(PURGE_DELAY.0, self.purge_delay);
            match ending(self.run_to_end(&mut command)?) {
                Ending::Code(code) => return Some(code.into()),
                Ending::Crash(how) => failure = how,
            }
            // A second worker could not read standard input again.
            if self.args.iter().any(|arg| arg == "-") {
                break;
            }
            let mut unfinished = Isolation::unfinished(self.folder).unwrap_or_default();
            let is_clear = is_serial || unfinished.len() == 1;
            match unfinished.pop() {
                Some(file) if is_clear => fatal.push((file, failure.clone())),
                Some(_) => is_serial = true,
                None => break,
            }
        }
        let unfinished = Isolation::unfinished(self.folder).unwrap_or_default();
        let place = unfinished.last().map_or_else(String::new, |file| format!(" while it worked on `{file}`"));
        let message = match failure {
            Failure::Defect => format!("formwork crashed{place}, which is a defect of formwork; please report it"),
            Failure::Killed(signal) => {
                format!(
                    "the system ended formwork with {signal}{place}, as it does if memory or processor time runs out"
                )
            }
        };
        let _ = writeln!(streams::err(), "error: {}", escape::line(&message));
        Some(Exit::Unanalysed.into())
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

/// Whether a worker crashed, or ended by itself or on request.
fn ending(status: ExitStatus) -> Ending {
    match status.code() {
        Some(PANIC) => Ending::Crash(Failure::Defect),
        Some(code) => u8::try_from(code).map_or(Ending::Crash(Failure::Defect), Ending::Code),
        None => ending_by_signal(status),
    }
}

#[cfg(unix)]
fn ending_by_signal(status: ExitStatus) -> Ending {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::Signal;

    let requests = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::PIPE];
    let limits = [(Signal::KILL, "SIGKILL"), (Signal::XCPU, "SIGXCPU"), (Signal::XFSZ, "SIGXFSZ")];
    let Some(signal) = status.signal() else { return Ending::Crash(Failure::Defect) };
    if requests.iter().any(|request| request.as_raw() == signal) {
        // As a shell reports it.
        return Ending::Code(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    let limit = limits.into_iter().find(|(limit, _)| limit.as_raw() == signal);
    Ending::Crash(limit.map_or(Failure::Defect, |(_, name)| Failure::Killed(name.to_owned())))
}

#[cfg(not(unix))]
fn ending_by_signal(_: ExitStatus) -> Ending {
    Ending::Crash(Failure::Defect)
}
