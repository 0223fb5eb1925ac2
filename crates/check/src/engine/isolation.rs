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
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::findings::internal_fault;
use crate::model::Cancellation;
use crate::text::FileId;

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

/// Receives notes about the work of a process, from many threads.
pub(super) trait WorkNotes: fmt::Debug + Send + Sync {
    /// Notes that some work begins or has ended on the file with this name.
    fn note(&self, phase: WorkPhase, work: Work, name: &str);
}

/// Beginning or end of some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkPhase {
    /// The work begins.
    Begun,
    /// The work has ended.
    Ended,
}

/// Isolation of the work on single files.
#[derive(Debug, Default)]
pub struct Isolation {
    /// `None` if no supervisor reads it.
    notes: Option<Box<dyn WorkNotes>>,
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

    /// Returns the isolation of a process that follows orders, and notes its work for a supervisor.
    pub(super) fn supervised(orders: Orders, notes: impl WorkNotes + 'static) -> Self {
        Self { notes: Some(Box::new(notes)), orders, ..Self::default() }
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
        self.note(WorkPhase::Begun, work, name);
        let result = catch_unwind(AssertUnwindSafe(action)).map_err(|_| Failure::Defect);
        self.note(WorkPhase::Ended, work, name);
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

    fn note(&self, phase: WorkPhase, work: Work, name: &str) {
        if let Some(notes) = &self.notes {
            notes.note(phase, work, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
