//! Hands over results in order while later ones are made.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many items of a stream a thread takes at once. They take different times.
const PIECE: usize = 16;

/// How many pieces of a stream may wait for what consumes them, so that a report of a million entries is never held whole.
const AHEAD: usize = 64;

/// Hands what `each` makes of the items to `consume`, in their order and while later ones are made. A consumer that takes
/// not all of them ends the work.
pub fn stream<'t, T: Sync, R: Send, C>(
    items: &'t [T],
    each: impl Fn(&'t T) -> R + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = R>) -> C,
) -> C {
    let pieces: Vec<&[T]> = items.chunks(PIECE).collect();
    let queue = Queue { state: Mutex::default(), changed: Condvar::new(), pieces: pieces.len() };
    let make = |at: usize| pieces.get(at).into_iter().copied().flatten().map(&each).collect();
    let help = || {
        let _ending = Ending { queue: &queue, consumes: false };
        while let Some(at) = queue.wait_to_take() {
            queue.put(at, make(at));
        }
    };
    helped(pieces.len(), &help, || {
        let _ending = Ending { queue: &queue, consumes: true };
        let mut made = std::iter::from_fn(|| {
            loop {
                match queue.next()? {
                    Next::Made(made) => return Some(made),
                    Next::Make(at) => queue.put(at, make(at)),
                }
            }
        });
        consume(&mut made.by_ref().flatten())
    })
}

/// Does the work of this thread while others, of which so many are of use, help.
#[cfg(feature = "threads")]
fn helped<R>(useful: usize, help: &(impl Fn() + Sync), work: impl FnOnce() -> R) -> R {
    if rayon::current_thread_index().is_none() {
        return work();
    }
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads().min(useful) {
            scope.spawn(|_| help());
        }
        work()
    })
}

/// Does the work of this thread, where there are no others.
#[cfg(not(feature = "threads"))]
fn helped<R>(_: usize, _: &(impl Fn() + Sync), work: impl FnOnce() -> R) -> R {
    work()
}

/// What of a stream is made, and what is still to make.
struct Queue<R> {
    state: Mutex<State<R>>,
    /// A piece was made or consumed, or the work ended.
    changed: Condvar,
    /// How many there are.
    pieces: usize,
}

struct State<R> {
    /// How many pieces were taken.
    taken: usize,
    /// How many pieces were consumed.
    consumed: usize,
    /// The pieces that wait to be consumed.
    made: BTreeMap<usize, Vec<R>>,
    /// Whether nothing more is consumed, because nothing more is wanted or a thread panicked.
    is_ended: bool,
}

/// What the thread that consumes does next.
enum Next<R> {
    Made(Vec<R>),
    Make(usize),
}

impl<R> Default for State<R> {
    fn default() -> Self {
        Self { taken: 0, consumed: 0, made: BTreeMap::new(), is_ended: false }
    }
}

impl<R> State<R> {
    /// Whether a piece may be made before others are consumed.
    fn has_room(&self) -> bool {
        self.taken < self.consumed + AHEAD
    }

    /// A piece that nobody has taken.
    fn take(&mut self, pieces: usize) -> Option<usize> {
        let at = self.taken;
        (at < pieces).then(|| self.taken += 1)?;
        Some(at)
    }
}

impl<R> Queue<R> {
    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<R>>) -> MutexGuard<'a, State<R>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece to make, when there is room for it. `None` if there is none.
    fn wait_to_take(&self) -> Option<usize> {
        let mut state = self.state();
        while !state.is_ended && !state.has_room() && state.taken < self.pieces {
            state = self.wait(state);
        }
        if state.is_ended { None } else { state.take(self.pieces) }
    }

    fn put(&self, at: usize, made: Vec<R>) {
        self.state().made.insert(at, made);
        self.changed.notify_all();
    }

    /// The piece to consume, or one to make until that is there. `None` if all are consumed.
    fn next(&self) -> Option<Next<R>> {
        let mut state = self.state();
        loop {
            if state.is_ended || state.consumed == self.pieces {
                return None;
            }
            let at = state.consumed;
            if let Some(made) = state.made.remove(&at) {
                state.consumed += 1;
                self.changed.notify_all();
                return Some(Next::Made(made));
            }
            let taken = if state.has_room() { state.take(self.pieces) } else { None };
            if taken.is_some() {
                return taken.map(Next::Make);
            }
            state = self.wait(state);
        }
    }
}

/// Ends the work of all threads if one of them ends before its time. The others would wait for it forever.
struct Ending<'a, R> {
    queue: &'a Queue<R>,
    /// Whether the thread is the one that consumes.
    consumes: bool,
}

impl<R> Drop for Ending<'_, R> {
    fn drop(&mut self) {
        if self.consumes || thread::panicking() {
            self.queue.state().is_ended = true;
            self.queue.changed.notify_all();
        }
    }
}

#[cfg(test)]
#[cfg(feature = "threads")]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::parallel::tests::{THREADS, with};

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, PIECE, 100, PIECE * AHEAD * 3 + 1] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            let streamed = || stream(&items, |item| item * 2, |all| all.collect::<Vec<_>>());
            assert_eq!(streamed(), doubled);
            for threads in THREADS {
                assert_eq!(with(threads, streamed), doubled, "{threads} threads");
            }
        }
    }

    #[test]
    fn what_waits_to_be_consumed_is_bounded() {
        for threads in THREADS {
            let waiting = AtomicUsize::new(0);
            let make = |(): &()| waiting.fetch_add(1, Ordering::SeqCst);
            let consume = |all: &mut dyn Iterator<Item = usize>| {
                for _ in all {
                    thread::yield_now();
                    let waiting = waiting.fetch_sub(1, Ordering::SeqCst);
                    assert!(waiting <= PIECE * (AHEAD + 1), "{waiting} items wait");
                }
            };
            with(threads, || stream(&[(); PIECE * AHEAD * 4], make, consume));
            assert_eq!(waiting.into_inner(), 0, "{threads} threads");
        }
    }

    #[test]
    fn a_consumer_that_ends_early_ends_the_work() {
        for threads in THREADS {
            let made = AtomicUsize::new(0);
            let count = |(): &()| made.fetch_add(1, Ordering::SeqCst);
            let items = vec![(); PIECE * AHEAD * 4];
            with(threads, || stream(&items, count, |all| all.next().is_some()));
            assert!(made.into_inner() <= PIECE * (AHEAD + 1), "{threads} threads");
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        for threads in THREADS {
            let items: Vec<usize> = (0..10_000).collect();
            let each = |item: &usize| assert_ne!(*item, 5_000, "it panics");
            let work = AssertUnwindSafe(|| with(threads, || stream(&items, each, |all| all.count())));
            assert!(catch_unwind(work).is_err(), "{threads} threads");
        }
    }
}
