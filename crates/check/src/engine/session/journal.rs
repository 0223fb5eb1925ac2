//! The journal of a process under supervision, which outlives a crash: the work on files that it begins and ends.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::engine::isolation::{WorkNotes, WorkPhase};
use crate::engine::{Isolation, Item, Orders, Work};

/// The file in the folder of a journal that the process under supervision appends to.
const NOTES: &str = "notes";

/// The file that lists the work that this process skips.
const ORDERS: &str = "orders";

/// Mark of a line about work that begins.
const BEGIN: &str = "+";

/// Mark of a line about work that has ended.
const END: &str = "-";

impl Orders {
    /// Prepares the folder of a journal for a process that follows these orders.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join(ORDERS), serde_json::to_string(self)?)?;
        fs::write(folder.join(NOTES), "")
    }
}

/// Content of the journal of a process.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The work that the process was doing when it ended, in the order in which it began. If it had one thread, the
    /// last is the innermost.
    pub unfinished: Vec<Item>,
    /// The work that it had ended and not begun again.
    pub finished: BTreeSet<Item>,
}

impl Journal {
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut journal = Self::default();
        for line in fs::read_to_string(folder.join(NOTES))?.lines() {
            let Some((mark, item)) = line.split_at_checked(1) else { continue };
            let Ok(item) = serde_json::from_str::<Item>(item) else { continue };
            if mark == BEGIN {
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

impl Isolation {
    /// Joins the supervisor that prepared a folder with [`Orders::write`].
    pub fn join(folder: &Path) -> io::Result<Self> {
        let orders = serde_json::from_str(&fs::read_to_string(folder.join(ORDERS))?)?;
        let notes = OpenOptions::new().append(true).open(folder.join(NOTES))?;
        Ok(Self::supervised(orders, notes))
    }
}

impl WorkNotes for File {
    /// Appends a line at once, as other threads do. If that fails, a crash cannot be attributed, but nothing else is
    /// lost.
    fn note(&self, phase: WorkPhase, work: Work, name: &str) {
        let mark = match phase {
            WorkPhase::Begun => BEGIN,
            WorkPhase::Ended => END,
        };
        let mut notes = self;
        let _ = notes.write_all(format!("{mark}{}\n", serde_json::json!([work, name])).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::engine::{Failure, Mode};

    /// Returns the isolation of a process that follows these orders.
    fn ordered(folder: &Path, orders: &Orders) -> Isolation {
        orders.write(folder).unwrap();
        Isolation::join(folder).unwrap()
    }

    fn item(work: Work, name: &str) -> Item {
        (work, name.to_owned())
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
