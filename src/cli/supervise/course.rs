//! The sequence of workers that a check needs to produce reports, even if workers crash.
//!
//! If a worker crashes on one file, the check is repeated without that file. If that crashes as well, or if the
//! worker was processing several files, probes determine the files that crash. A probe is a worker that reports
//! nothing and continues after the crash of the previous one. The number of probes is limited. After that, the kind
//! of work that crashes is skipped, except for results that a worker has already finished.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::engine::{Failure, Item, Journal, Mode, Orders, Work};

/// Maximum number of workers that write reports. After them, one reports that nothing was analyzed.
const MAX_REPORTERS: usize = 6;

/// Maximum number of crashes of probes on one kind of work. After that, the work is skipped.
const MAX_CRASHES: usize = 64;

/// Duration after which each crash of a probe closes a kind of work.
const MAX_PROBING: Duration = Duration::from_mins(3);

/// The end of a worker.
pub(super) enum WorkerEnd {
    /// The worker ended by itself, with this exit code.
    Code(u8),
    /// The worker was stopped by a signal from another process. This is the resulting exit code.
    Stopped(u8),
    /// The worker crashed.
    Crash(Failure, Journal),
}

/// The end of a check.
pub(super) enum SupervisedEnd {
    Code(u8),
    /// The worker that does nothing could not report either. This is the crash of the worker before it, with its last
    /// file.
    Crash(Failure, Option<Item>),
}

/// Starts workers with `start` until one has written the reports. If `is_repeatable` is `false`, the input can be
/// read only once, so the check is not repeated. `None` if the first worker cannot be started.
pub(super) fn run(start: &mut dyn FnMut(&Orders) -> Option<WorkerEnd>, is_repeatable: bool) -> Option<SupervisedEnd> {
    let mut orders = Orders::default();
    let mut last = (Failure::Defect, None);
    for attempt in 0..MAX_REPORTERS {
        let (failure, journal) = match start(&orders) {
            Some(WorkerEnd::Code(code) | WorkerEnd::Stopped(code)) => return Some(SupervisedEnd::Code(code)),
            Some(WorkerEnd::Crash(failure, journal)) => (failure, journal),
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
            return Some(SupervisedEnd::Code(code));
        }
        if orders.fatal.len() == known {
            // It does not crash with one thread, or probes do not reach this work.
            orders.closed.insert(*work);
            orders.fatal.extend(unfinished.into_iter().map(|(_, name)| (name, failure.clone())));
        }
    }
    orders.mode = Mode::GiveUp;
    Some(match start(&orders) {
        Some(WorkerEnd::Code(code) | WorkerEnd::Stopped(code)) => SupervisedEnd::Code(code),
        Some(WorkerEnd::Crash(..)) | None => SupervisedEnd::Crash(last.0, last.1),
    })
}

/// Starts probes until one does not crash. Returns the exit code if one was stopped.
fn probe(start: &mut dyn FnMut(&Orders) -> Option<WorkerEnd>, orders: &mut Orders) -> Option<u8> {
    let began = Instant::now();
    let mut crashes: BTreeMap<Work, usize> = BTreeMap::new();
    orders.mode = Mode::Probe;
    let stopped = loop {
        match start(orders) {
            Some(WorkerEnd::Code(_)) | None => break None,
            Some(WorkerEnd::Stopped(code)) => break Some(code),
            Some(WorkerEnd::Crash(failure, Journal { mut unfinished, finished })) => {
                orders.finished.extend(finished);
                let Some((work, name)) = unfinished.pop() else { break None };
                let is_new = orders.fatal.insert(name, failure).is_none();
                let count = crashes.entry(work).or_default();
                *count += 1;
                let is_enough = *count >= MAX_CRASHES || began.elapsed() > MAX_PROBING;
                // Closed work crashes again only if the crash is not deterministic.
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
        fn work(&self, orders: &Orders, reported: &mut Option<BTreeSet<Item>>) -> WorkerEnd {
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
                        return WorkerEnd::Crash(Failure::Defect, Journal { unfinished, finished: done });
                    }
                    done.extend(together.iter().map(|&item| item.clone()));
                }
            }
            *reported = (orders.mode != Mode::Probe).then_some(done);
            WorkerEnd::Code(0)
        }
    }

    /// How many files were expanded in the end, and how many workers that took.
    #[track_caller]
    fn check(count: usize, crashes: &dyn Fn(&Item) -> bool) -> (usize, usize) {
        let files: Vec<String> = (0..count).map(|at| format!("{at:04}")).collect();
        let check = Check { files: &files, crashes, threads: 2, workers: Cell::new(0) };
        let mut reported = None;
        let end = run(&mut |orders| Some(check.work(orders, &mut reported)), true);
        assert!(matches!(end, Some(SupervisedEnd::Code(0))));
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
                let crash = WorkerEnd::Crash(Failure::Defect, Journal::default());
                Some(if orders.mode == Mode::GiveUp { WorkerEnd::Code(3) } else { crash })
            },
            true,
        );
        assert!(matches!(end, Some(SupervisedEnd::Code(3))));
        assert_eq!(modes, [Mode::Report, Mode::GiveUp]);
    }

    #[test]
    fn what_is_stopped_is_not_started_again() {
        let mut count = 0;
        let stopped = run(
            &mut |_| {
                count += 1;
                Some(WorkerEnd::Stopped(143))
            },
            true,
        );
        assert!(matches!(stopped, Some(SupervisedEnd::Code(143))) && count == 1);
    }
}
