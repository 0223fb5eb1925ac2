//! Keeps a failure on one file from costing the results of the others.
//!
//! A panic is caught where it happens. What cannot be caught, such as a stack overflow or a lack of memory, ends the
//! process. For these, the work on a file is noted in a journal, which outlives the process: a supervisor reads it, and
//! starts a new process that reports the file instead of working on it (`cli::supervise`).

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::findings::internal_fault;
use crate::text::FileId;

/// The file in the folder of a journal that the process under supervision appends to.
const NOTES: &str = "notes";

/// The file that tells this process which files to leave alone.
const ORDERS: &str = "orders";

/// The first line of [`ORDERS`] if there may be only one thread, so that the last note names the culprit.
const SERIAL: &str = "serial";

/// Why the work on a file failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It panicked, or crashed the process: a defect of formwork.
    Defect,
    /// The system ended the process with the signal of this name, such as `SIGKILL`.
    Killed(String),
}

impl Failure {
    /// The diagnostic for the file.
    pub(super) fn diagnostic(&self, file: FileId) -> Diagnostic {
        match self {
            Self::Defect => internal_fault(file),
            Self::Killed(signal) => {
                let message = format!("the system ended formwork with {signal} while it analyzed this file");
                Diagnostic::of_file(Code::InternalFault, file, message)
                    .with_help("the system does that if memory or processor time runs out")
            }
        }
    }
}

/// How the work on single files is isolated.
#[derive(Debug, Default)]
pub(crate) struct Isolation {
    /// `None` if no supervisor reads it.
    notes: Option<File>,
    /// The names of the files on which a former process failed, and how.
    fatal: BTreeMap<String, Failure>,
    is_serial: bool,
}

impl Isolation {
    /// The isolation without a supervisor, which only catches panics.
    pub(crate) const ALONE: &'static Self = &Self { notes: None, fatal: BTreeMap::new(), is_serial: false };

    /// Joins the supervisor that prepared a folder with [`Isolation::prepare`].
    pub(crate) fn join(folder: &Path) -> io::Result<Self> {
        let orders = fs::read_to_string(folder.join(ORDERS))?;
        let is_serial = orders.lines().next() == Some(SERIAL);
        let fatal = orders.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok());
        let failure = |signal: Option<String>| signal.map_or(Failure::Defect, Failure::Killed);
        let fatal = fatal.map(|(name, signal)| (name, failure(signal))).collect();
        let notes = OpenOptions::new().append(true).open(folder.join(NOTES))?;
        Ok(Self { notes: Some(notes), fatal, is_serial })
    }

    /// Prepares a folder for a process that leaves the files in `fatal` alone.
    pub(crate) fn prepare(folder: &Path, fatal: &[(String, Failure)], is_serial: bool) -> io::Result<()> {
        let first = if is_serial { SERIAL } else { "" };
        let line = |(name, failure): &(String, Failure)| {
            let signal = match failure {
                Failure::Defect => None,
                Failure::Killed(signal) => Some(signal),
            };
            format!("\n{}", serde_json::json!([name, signal]))
        };
        let lines = fatal.iter().map(line);
        fs::write(folder.join(ORDERS), std::iter::once(first.to_owned()).chain(lines).collect::<String>())?;
        fs::write(folder.join(NOTES), "")
    }

    /// The names of the files that the process was working on when it ended, in the order in which it began. If it had
    /// one thread, the last is that of the innermost work.
    pub(crate) fn unfinished(folder: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for line in fs::read_to_string(folder.join(NOTES))?.lines() {
            let Some((mark, name)) = line.split_at_checked(1) else { continue };
            let Ok(name) = serde_json::from_str::<String>(name) else { continue };
            if mark == "+" {
                names.push(name);
            } else if let Some(at) = names.iter().rposition(|begun| *begun == name) {
                names.remove(at);
            }
        }
        Ok(names)
    }

    /// Whether there may be only one thread.
    pub(crate) fn is_serial(&self) -> bool {
        self.is_serial
    }

    /// Does some work on the file with this name, unless a former process failed on it.
    pub(super) fn run<T>(&self, name: &str, work: impl FnOnce() -> T) -> Result<T, Failure> {
        if let Some(failure) = self.fatal.get(name) {
            return Err(failure.clone());
        }
        self.note('+', name);
        let result = catch_unwind(AssertUnwindSafe(work)).map_err(|_| Failure::Defect);
        self.note('-', name);
        result
    }

    /// Appends a line at once, as other threads do. If that fails, a crash cannot be attributed, but nothing else is lost.
    fn note(&self, mark: char, name: &str) {
        if let Some(mut notes) = self.notes.as_ref() {
            let _ = notes.write_all(format!("{mark}{}\n", quoted(name)).as_bytes());
        }
    }
}

/// A name on one line.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_result() {
        assert_eq!(Isolation::ALONE.run("a", || 1), Ok(1));
        assert_eq!(Isolation::ALONE.run("a", || -> u8 { panic!("as a defect would") }), Err(Failure::Defect));
    }

    #[test]
    fn what_was_begun_and_not_ended_is_known_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        Isolation::prepare(folder.path(), &[], false).unwrap();
        let isolation = Isolation::join(folder.path()).unwrap();
        let unfinished = || Isolation::unfinished(folder.path()).unwrap();
        isolation.run("done.json", || ()).unwrap();
        let inner = isolation.run("a\n.json", || {
            isolation.run("done.json", || ()).unwrap();
            isolation.run("b.json", unfinished)
        });
        assert_eq!(inner, Ok(Ok(vec!["a\n.json".to_owned(), "b.json".to_owned()])));
        assert_eq!(unfinished(), [""; 0]);
    }

    #[test]
    fn fatal_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let killed = Failure::Killed("SIGKILL".to_owned());
        let fatal = [("a\n.json".to_owned(), Failure::Defect), ("c.json".to_owned(), killed.clone())];
        Isolation::prepare(folder.path(), &fatal, true).unwrap();
        let isolation = Isolation::join(folder.path()).unwrap();
        assert!(isolation.is_serial());
        let ran = ["a\n.json", "b.json", "c.json"].map(|name| isolation.run(name, || 1));
        assert_eq!(ran, [Err(Failure::Defect), Ok(1), Err(killed)]);
    }
}
