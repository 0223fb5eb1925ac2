//! Keeps a failure on one file from costing the results of the others.
//!
//! A panic is caught where it happens. What cannot be caught, such as a stack overflow or a lack of memory, ends the
//! process. For these, the work on a file is noted in a journal, which outlives the process: a supervisor reads it, and
//! starts a new process that reports the file instead of working on it (`cli::supervise`).
//!
//! # Invariant
//!
//! A defect of formwork costs the results for one file, and the run reports it as `internal/fault`.

use std::collections::{BTreeMap, BTreeSet};
#[cfg(feature = "system")]
use std::fs::{self, File, OpenOptions};
#[cfg(feature = "system")]
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "system")]
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::findings::internal_fault;
use crate::model::Cancellation;
use crate::text::FileId;

/// The file in the folder of a journal that the process under supervision appends to.
#[cfg(feature = "system")]
const NOTES: &str = "notes";

/// The file that lists the work that this process skips.
#[cfg(feature = "system")]
const ORDERS: &str = "orders";

/// A kind of work on a file, in the order in which a run does them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Reads and parses its text.
    Read,
    /// Compiles it from Bicep.
    Compile,
    /// Expands it, and runs the rules.
    Expand,
    /// Merges what was found, and looks for suppressions.
    Finish,
}

/// Work on the file with a name.
pub type Item = (Work, String);

/// Instructions of a supervisor for the next process, and its knowledge of the files of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Orders {
    pub mode: Mode,
    /// The names of the files on which a process failed, and how.
    pub fatal: BTreeMap<String, Failure>,
    /// The work that a process has finished.
    pub finished: BTreeSet<Item>,
    /// The kinds of work on which too many processes failed: what was not finished before is left alone.
    pub closed: BTreeSet<Work>,
}

/// Purpose of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Checks, and makes the reports.
    #[default]
    Report,
    /// Finds out on which files the process fails: with one thread, so that the last note names the culprit, and
    /// without expanding a file again.
    Probe,
    /// Reports that nothing was analyzed.
    GiveUp,
}

#[cfg(feature = "system")]
impl Orders {
    /// Prepares the folder of a journal for a process that follows these orders.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join(ORDERS), serde_json::to_string(self)?)?;
        fs::write(folder.join(NOTES), "")
    }
}

/// Content of the journal of a process.
#[cfg(feature = "system")]
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The work that the process was doing when it ended, in the order in which it began. If it had one thread, the
    /// last is the innermost.
    pub unfinished: Vec<Item>,
    /// The work that it had ended and not begun again.
    pub finished: BTreeSet<Item>,
}

#[cfg(feature = "system")]
impl Journal {
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut journal = Self::default();
        for line in fs::read_to_string(folder.join(NOTES))?.lines() {
            let Some((mark, item)) = line.split_at_checked(1) else { continue };
            let Ok(item) = serde_json::from_str::<Item>(item) else { continue };
            if mark == "+" {
                journal.unfinished.push(item);
            } else if let Some(at) = journal.unfinished.iter().rposition(|begun| *begun == item) {
                journal.unfinished.remove(at);
                journal.finished.insert(item);
            }
        }
        let Self { unfinished, finished } = &mut journal;
        finished.retain(|item| !unfinished.contains(item));
        Ok(journal)
    }
}

/// Reason why the work on a file failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Failure {
    /// A panic, or a crash of the process: a defect of formwork.
    Defect,
    /// The system ended the process with the signal of this name, such as `SIGKILL`.
    Killed(String),
    /// Not tried, because formwork failed on too many other files, or because the run was cancelled, so that nobody
    /// reads the reason.
    Untried,
}

impl Failure {
    /// Returns the diagnostic for the file.
    pub(super) fn diagnostic(&self, file: FileId) -> Diagnostic {
        match self {
            Self::Defect => internal_fault(file),
            Self::Untried => {
                let message = "this file was not analyzed, because formwork crashed too often on others";
                Diagnostic::of_file(Code::InternalFault, file, message)
                    .with_help("check it in a run without the files on which formwork crashed")
            }
            Self::Killed(signal) => {
                let message = format!("the system ended formwork with {signal} while it analyzed this file");
                Diagnostic::of_file(Code::InternalFault, file, message)
                    .with_help("the system does that if memory or processor time runs out")
            }
        }
    }
}

/// Isolation of the work on single files.
#[derive(Debug, Default)]
pub struct Isolation {
    /// `None` if no supervisor reads it.
    #[cfg(feature = "system")]
    notes: Option<File>,
    orders: Orders,
    cancellation: Cancellation,
}

impl Isolation {
    /// Returns the isolation without a supervisor, which only catches panics.
    pub fn alone() -> &'static Self {
        static ALONE: LazyLock<Isolation> = LazyLock::new(Isolation::default);
        &ALONE
    }

    /// Returns the isolation without a supervisor of a run that can be cancelled.
    pub fn until(cancellation: &Cancellation) -> Self {
        Self { cancellation: cancellation.clone(), ..Self::default() }
    }

    /// Returns the flag that cancels the run.
    pub(super) fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Joins the supervisor that prepared a folder with [`Orders::write`].
    #[cfg(feature = "system")]
    pub fn join(folder: &Path) -> io::Result<Self> {
        let orders = serde_json::from_str(&fs::read_to_string(folder.join(ORDERS))?)?;
        let notes = OpenOptions::new().append(true).open(folder.join(NOTES))?;
        Ok(Self { notes: Some(notes), orders, cancellation: Cancellation::default() })
    }

    /// Returns `true` if the process only finds out on which files it fails, and reports nothing.
    pub fn is_probe(&self) -> bool {
        self.orders.mode == Mode::Probe
    }

    /// Does some work on the file with this name, unless the orders are to leave it alone.
    pub(super) fn run<T>(&self, work: Work, name: &str, action: impl FnOnce() -> T) -> Result<T, Failure> {
        if let Some(failure) = self.refusal(work, name) {
            return Err(failure);
        }
        #[cfg(feature = "system")]
        self.note('+', work, name);
        let result = catch_unwind(AssertUnwindSafe(action)).map_err(|_| Failure::Defect);
        #[cfg(feature = "system")]
        self.note('-', work, name);
        result
    }

    /// Returns the reason why work on a file is skipped, if it is.
    fn refusal(&self, work: Work, name: &str) -> Option<Failure> {
        let Orders { mode, fatal, finished, closed } = &self.orders;
        if let Some(failure) = fatal.get(name) {
            return Some(failure.clone());
        }
        // What a file is parsed into, the next run wants as well.
        if work > Work::Read && self.cancellation.is_cancelled() {
            return Some(Failure::Untried);
        }
        let is_finished = || finished.contains(&(work, name.to_owned()));
        let is_left = match mode {
            Mode::GiveUp => true,
            Mode::Probe if work == Work::Expand && is_finished() => true,
            Mode::Probe | Mode::Report => closed.contains(&work) && !is_finished(),
        };
        is_left.then_some(Failure::Untried)
    }

    /// Appends a line at once, as other threads do. If that fails, a crash cannot be attributed, but nothing else is
    /// lost.
    #[cfg(feature = "system")]
    fn note(&self, mark: char, work: Work, name: &str) {
        if let Some(mut notes) = self.notes.as_ref() {
            let _ = notes.write_all(format!("{mark}{}\n", serde_json::json!([work, name])).as_bytes());
        }
    }
}

#[cfg(test)]
#[cfg(feature = "system")]
mod tests {
    use super::*;

    /// Returns the isolation of a process that follows these orders.
    fn ordered(folder: &Path, orders: &Orders) -> Isolation {
        orders.write(folder).unwrap();
        Isolation::join(folder).unwrap()
    }

    fn item(work: Work, name: &str) -> Item {
        (work, name.to_owned())
    }

    #[test]
    fn a_panic_is_a_result() {
        assert_eq!(Isolation::alone().run(Work::Read, "a", || 1), Ok(1));
        let panic = Isolation::alone().run(Work::Read, "a", || -> u8 { panic!("as a defect would") });
        assert_eq!(panic, Err(Failure::Defect));
    }

    #[test]
    fn a_run_that_is_cancelled_only_parses() {
        let cancellation = Cancellation::default();
        let isolation = Isolation::until(&cancellation);
        let works = [Work::Read, Work::Compile, Work::Expand, Work::Finish];
        let ran = || works.map(|work| isolation.run(work, "a", || ()).is_ok());
        assert_eq!(ran(), [true; 4]);
        cancellation.cancel();
        assert_eq!(ran(), [true, false, false, false]);
    }

    #[test]
    fn what_was_begun_and_not_ended_is_known_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let isolation = ordered(folder.path(), &Orders::default());
        let journal = || Journal::read(folder.path()).unwrap();
        isolation.run(Work::Read, "done.json", || ()).unwrap();
        isolation.run(Work::Expand, "again.json", || ()).unwrap();
        let inner = isolation.run(Work::Expand, "a\n.json", || {
            isolation.run(Work::Expand, "again.json", || isolation.run(Work::Read, "b.json", journal)).unwrap()
        });
        let unfinished =
            vec![item(Work::Expand, "a\n.json"), item(Work::Expand, "again.json"), item(Work::Read, "b.json")];
        let finished = BTreeSet::from([item(Work::Read, "done.json")]);
        assert_eq!(inner, Ok(Ok(Journal { unfinished, finished })));
        assert_eq!((journal().unfinished.len(), journal().finished.len()), (0, 4));
    }

    #[test]
    fn fatal_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let killed = Failure::Killed("SIGKILL".to_owned());
        let fatal = BTreeMap::from([("a\n.json".to_owned(), Failure::Defect), ("c.json".to_owned(), killed.clone())]);
        let isolation = ordered(folder.path(), &Orders { mode: Mode::Probe, fatal, ..Orders::default() });
        assert!(isolation.is_probe());
        let ran = ["a\n.json", "b.json", "c.json"].map(|name| isolation.run(Work::Read, name, || 1));
        assert_eq!(ran, [Err(Failure::Defect), Ok(1), Err(killed)]);
    }

    #[test]
    fn of_closed_work_what_was_finished_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let orders = |mode| Orders {
            mode,
            finished: BTreeSet::from([item(Work::Expand, "a"), item(Work::Compile, "a")]),
            closed: BTreeSet::from([Work::Expand]),
            ..Orders::default()
        };
        let items = [(Work::Expand, "a"), (Work::Expand, "b"), (Work::Compile, "a"), (Work::Compile, "b")];
        let ran = |mode| {
            let isolation = ordered(folder.path(), &orders(mode));
            items.map(|(work, name)| isolation.run(work, name, || ()).is_ok())
        };
        assert_eq!(ran(Mode::Report), [true, false, true, true]);
        assert_eq!(ran(Mode::Probe), [false, false, true, true], "what was expanded is not expanded again");
        assert_eq!(ran(Mode::GiveUp), [false; 4]);
    }
}
