//! Which workers a check needs so that it ends with reports, whatever they crash on.
//!
//! If a worker crashes on one file, the check is repeated without it. If that crashes as well, or if several files were in
//! work, probes single out the files: each is a worker that reports nothing and continues where the one before it crashed.
//! Their number has a bound. Beyond it, nothing of the kind of work that keeps crashing is done anymore, except what a
//! worker has finished before.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::engine::{Failure, Item, Journal, Mode, Orders, Work};

/// How many workers make reports before one reports that nothing was analyzed.
const MAX_REPORTERS: usize = 6;

/// How many probes crash on one kind of work before it is closed.
const MAX_CRASHES: usize = 64;

/// How long probes are started that may crash on a new file. After that, each crash closes a kind of work.
const MAX_PROBING: Duration = Duration::from_mins(3);

/// How a worker ended.
pub(super) enum Ending {
    /// By itself, with this exit code.
    Code(u8),
    /// On request of somebody else.
    Stopped(u8),
    /// In the middle of its work.
    Crash(Failure, Journal),
}

/// How a check ended.
pub(super) enum End {
    Code(u8),
    /// Not even a worker that does nothing could report. The last crash is that of the one before it.
    Crash(Failure, Option<Item>),
}

/// Starts workers with `start` until one has made the reports. A check is not repeated if `is_repeatable` is false, because
/// its input can be read only once. `None` if not even the first worker can be started.
pub(super) fn run(start: &mut dyn FnMut(&Orders) -> Option<Ending>, is_repeatable: bool) -> Option<End> {
    let mut orders = Orders::default();
    let mut last = (Failure::Defect, None);
    for attempt in 0..MAX_REPORTERS {
        let (failure, journal) = match start(&orders) {
            Some(Ending::Code(code) | Ending::Stopped(code)) => return Some(End::Code(code)),
            Some(Ending::Crash(failure, journal)) => (failure, journal),
            None if attempt == 0 => return None,
            None => break,
        };
        let Journal { unfinished, finished } = journal;
        last = (failure.clone(), unfinished.last().cloned());
        let Some((work, name)) = unfinished.last().filter(|_| is_repeatable) else { break };
        orders.finished.extend(finished);
        if attempt == 0 && unfinished.len() == 1 {
            orders.fatal.insert(name.clone(), failure);
            continue;
        }
        let known = orders.fatal.len();
        if let Some(code) = probe(start, &mut orders) {
            return Some(End::Code(code));
        }
        if orders.fatal.len() == known {
            // One thread does not crash on it, or it is work that probes do not come to.
            orders.closed.insert(*work);
            orders.fatal.extend(unfinished.into_iter().map(|(_, name)| (name, failure.clone())));
        }
    }
    orders.mode = Mode::GiveUp;
    Some(match start(&orders) {
        Some(Ending::Code(code) | Ending::Stopped(code)) => End::Code(code),
        Some(Ending::Crash(..)) | None => End::Crash(last.0, last.1),
    })
}

/// Starts probes until one does not crash. Returns the exit code of one that was stopped.
fn probe(start: &mut dyn FnMut(&Orders) -> Option<Ending>, orders: &mut Orders) -> Option<u8> {
    let began = Instant::now();
    let mut crashes: BTreeMap<Work, usize> = BTreeMap::new();
    orders.mode = Mode::Probe;
    let stopped = loop {
        match start(orders) {
            Some(Ending::Code(_)) | None => break None,
            Some(Ending::Stopped(code)) => break Some(code),
            Some(Ending::Crash(failure, Journal { mut unfinished, finished })) => {
                orders.finished.extend(finished);
                let Some((work, name)) = unfinished.pop() else { break None };
                let is_new = orders.fatal.insert(name, failure).is_none();
                let count = crashes.entry(work).or_default();
                *count += 1;
                let is_enough = *count >= MAX_CRASHES || began.elapsed() > MAX_PROBING;
                // Work that is closed crashes again only if it does not always crash.
                if is_enough && !orders.closed.insert(work) || !is_new {
                    break None;
                }
            }
        }
    };
    orders.mode = Mode::Report;
    stopped
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use super::*;

    /// A check of files, which crashes on some of them.
    struct Check<'a> {
        files: &'a [String],
        crashes: &'a dyn Fn(&Item) -> bool,
        /// How many files are in work at a time in a worker that reports.
        threads: usize,
        workers: Cell<usize>,
    }

    impl Check<'_> {
        /// Does the work that the orders do not exclude. The exit code is 0; a worker that reports notes what it did.
        fn work(&self, orders: &Orders, reported: &mut Option<BTreeSet<Item>>) -> Ending {
            self.workers.update(|workers| workers + 1);
            let threads = if orders.mode == Mode::Probe { 1 } else { self.threads };
            let mut done = BTreeSet::new();
            for work in [Work::Compile, Work::Expand] {
                let items: Vec<Item> = self.files.iter().map(|name| (work, name.clone())).collect();
                let is_left = |item: &&Item| {
                    let is_finished = orders.finished.contains(item);
                    let is_repeated = orders.mode == Mode::Probe && work == Work::Expand && is_finished;
                    let is_closed = orders.closed.contains(&work) && !is_finished;
                    orders.mode == Mode::GiveUp || orders.fatal.contains_key(&item.1) || is_repeated || is_closed
                };
                let items: Vec<&Item> = items.iter().filter(|item| !is_left(item)).collect();
                for together in items.chunks(threads) {
                    if together.iter().any(|item| (self.crashes)(item)) {
                        let unfinished = together.iter().map(|&item| item.clone()).collect();
                        return Ending::Crash(Failure::Defect, Journal { unfinished, finished: done });
                    }
                    done.extend(together.iter().map(|&item| item.clone()));
                }
            }
            *reported = (orders.mode != Mode::Probe).then_some(done);
            Ending::Code(0)
        }
    }

    /// How many files were expanded in the end, and how many workers that took.
    #[track_caller]
    fn check(count: usize, crashes: &dyn Fn(&Item) -> bool) -> (usize, usize) {
        let files: Vec<String> = (0..count).map(|at| format!("{at:04}")).collect();
        let check = Check { files: &files, crashes, threads: 2, workers: Cell::new(0) };
        let mut reported = None;
        let end = run(&mut |orders| Some(check.work(orders, &mut reported)), true);
        assert!(matches!(end, Some(End::Code(0))));
        let expanded = reported.unwrap().into_iter().filter(|(work, _)| *work == Work::Expand).count();
        (expanded, check.workers.get())
    }

    #[test]
    fn a_crash_costs_one_file() {
        assert_eq!(check(10, &|_| false), (10, 1));
        assert_eq!(check(9, &|(_, name)| name == "0008"), (8, 2), "nothing else was in work");
        assert_eq!(check(10, &|(_, name)| name == "0003"), (9, 4));
        assert_eq!(check(500, &|(work, name)| *work == Work::Expand && name.ends_with('7')), (450, 53));
    }

    #[test]
    fn many_crashes_cost_what_was_not_finished_before() {
        let (expanded, workers) = check(1_000, &|(work, name)| *work == Work::Expand && **name >= *"0500");
        assert_eq!((expanded, workers), (500, 67));
        let (expanded, workers) = check(1_000, &|(work, name)| *work == Work::Compile && **name < *"0900");
        assert_eq!((expanded, workers), (936, 67), "what is not compiled is expanded in this model");
    }

    #[test]
    fn a_crash_that_depends_on_threads_ends_as_well() {
        let count = Cell::new(0);
        let odd = |_: &Item| {
            count.update(|count| count + 1);
            count.get() % 7 == 3
        };
        assert!(check(100, &odd).1 < 200);
    }

    #[test]
    fn a_crash_outside_of_all_work_ends_with_an_empty_report() {
        let mut modes = Vec::new();
        let end = run(
            &mut |orders| {
                modes.push(orders.mode);
                let crash = Ending::Crash(Failure::Defect, Journal::default());
                Some(if orders.mode == Mode::GiveUp { Ending::Code(3) } else { crash })
            },
            true,
        );
        assert!(matches!(end, Some(End::Code(3))));
        assert_eq!(modes, [Mode::Report, Mode::GiveUp]);
    }

    #[test]
    fn what_is_stopped_is_not_started_again() {
        let mut count = 0;
        let stopped = run(
            &mut |_| {
                count += 1;
                Some(Ending::Stopped(143))
            },
            true,
        );
        assert!(matches!(stopped, Some(End::Code(143))) && count == 1);
    }
}
