//! Keeps a failure on one file from costing the results of the others.
//!
//! A panic is caught where it happens. What cannot be caught, such as a stack overflow or a lack of memory, ends the
//! process. For these, the work on a file is noted in a journal, which outlives the process: a supervisor reads it, and
//! starts a new process that reports the file instead of working on it (`cli::supervise`).

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The file in the folder of a journal that the process under supervision appends to.
const NOTES: &str = "notes";

/// The file that tells this process which files to leave alone.
const ORDERS: &str = "orders";

/// The first line of [`ORDERS`] if there may be only one thread, so that the last note names the culprit.
const SERIAL: &str = "serial";

/// How the work on single files is isolated.
#[derive(Debug, Default)]
pub(crate) struct Isolation {
    /// `None` if no supervisor reads it.
    notes: Option<File>,
    /// The names of the files on which a former process failed.
    fatal: BTreeSet<String>,
    is_serial: bool,
}

impl Isolation {
    /// The isolation without a supervisor, which only catches panics.
    pub(crate) const ALONE: &'static Self = &Self { notes: None, fatal: BTreeSet::new(), is_serial: false };

    /// Joins the supervisor that prepared a folder with [`Isolation::prepare`].
    pub(crate) fn join(folder: &Path) -> io::Result<Self> {
        let orders = fs::read_to_string(folder.join(ORDERS))?;
        let is_serial = orders.lines().next() == Some(SERIAL);
        let fatal = orders.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect();
        let notes = OpenOptions::new().append(true).open(folder.join(NOTES))?;
        Ok(Self { notes: Some(notes), fatal, is_serial })
    }

    /// Prepares a folder for a process that leaves the files in `fatal` alone.
    pub(crate) fn prepare(folder: &Path, fatal: &[String], is_serial: bool) -> io::Result<()> {
        let first = if is_serial { SERIAL } else { "" };
        let names = fatal.iter().map(|name| format!("\n{}", quoted(name)));
        fs::write(folder.join(ORDERS), std::iter::once(first.to_owned()).chain(names).collect::<String>())?;
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

    /// Does some work on the file with this name. `None` if it fails in a way that is a defect of formwork.
    pub(super) fn run<T>(&self, name: &str, work: impl FnOnce() -> T) -> Option<T> {
        if self.fatal.contains(name) {
            return None;
        }
        self.note('+', name);
        let result = catch_unwind(AssertUnwindSafe(work)).ok();
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
        assert_eq!(Isolation::ALONE.run("a", || 1), Some(1));
        assert_eq!(Isolation::ALONE.run("a", || -> u8 { panic!("as a defect would") }), None);
    }

    #[test]
    fn what_was_begun_and_not_ended_is_known_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        Isolation::prepare(folder.path(), &[], false).unwrap();
        let isolation = Isolation::join(folder.path()).unwrap();
        isolation.run("done.json", || ());
        isolation.run("a\n.json", || {
            isolation.run("done.json", || ());
            isolation
                .run("b.json", || assert_eq!(Isolation::unfinished(folder.path()).unwrap(), ["a\n.json", "b.json"]));
        });
        assert_eq!(Isolation::unfinished(folder.path()).unwrap(), [""; 0]);
    }

    #[test]
    fn fatal_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        Isolation::prepare(folder.path(), &["a\n.json".to_owned()], true).unwrap();
        let isolation = Isolation::join(folder.path()).unwrap();
        assert!(isolation.is_serial());
        assert_eq!((isolation.run("a\n.json", || 1), isolation.run("b.json", || 2)), (None, Some(2)));
    }
}
