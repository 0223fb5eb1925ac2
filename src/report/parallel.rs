//! Work on several items at a time.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many items a thread takes at once. They take different times.
const PIECE: usize = 16;

/// How many pieces may wait to be written, so that a report of a million entries is never held whole.
const AHEAD: usize = 64;

/// Writes what `each` makes of the items, in their order. The threads of the pool that calls it help.
pub(super) fn write<T: Sync>(
    items: &[T],
    each: impl Fn(&T, &mut Vec<u8>) -> io::Result<()> + Sync,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let pieces: Vec<&[T]> = items.chunks(PIECE).collect();
    let queue = Queue { state: Mutex::default(), changed: Condvar::new(), pieces: pieces.len() };
    let draw = |at: usize| {
        let mut drawn = Vec::new();
        pieces.get(at).into_iter().copied().flatten().try_for_each(|item| each(item, &mut drawn)).map(|()| drawn)
    };
    let help = || {
        let _ending = Ending { queue: &queue, is_writer: false };
        while let Some(at) = queue.wait_to_take() {
            queue.put(at, draw(at));
        }
    };
    helped(pieces.len(), &help, || {
        let _ending = Ending { queue: &queue, is_writer: true };
        while let Some(next) = queue.next() {
            match next {
                Next::Write(drawn) => out.write_all(&drawn?)?,
                Next::Draw(at) => queue.put(at, draw(at)),
            }
        }
        Ok(())
    })
}

/// Does the work of this thread while others, of which so many are of use, help.
#[cfg(feature = "cli")]
fn helped<R>(useful: usize, help: &(impl Fn() + Sync), work: impl FnOnce() -> R) -> R {
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads().min(useful) {
            scope.spawn(|_| help());
        }
        work()
    })
}

/// Does the work of this thread, where there are no others.
#[cfg(not(feature = "cli"))]
fn helped<R>(_: usize, _: &(impl Fn() + Sync), work: impl FnOnce() -> R) -> R {
    work()
}

/// What is drawn and what is still to draw.
struct Queue {
    state: Mutex<State>,
    /// A piece was drawn or written, or the work ended.
    changed: Condvar,
    /// How many there are.
    pieces: usize,
}

#[derive(Default)]
struct State {
    /// How many pieces were taken.
    taken: usize,
    /// How many pieces were written.
    written: usize,
    /// The pieces that wait to be written.
    drawn: BTreeMap<usize, io::Result<Vec<u8>>>,
    /// Whether nothing more is written, because that failed or a thread panicked.
    is_ended: bool,
}

/// What the thread that writes does next.
enum Next {
    Write(io::Result<Vec<u8>>),
    Draw(usize),
}

impl State {
    /// Whether a piece may be drawn before others are written.
    fn has_room(&self) -> bool {
        self.taken < self.written + AHEAD
    }

    /// A piece that nobody has taken.
    fn take(&mut self, pieces: usize) -> Option<usize> {
        let at = self.taken;
        (at < pieces).then(|| self.taken += 1)?;
        Some(at)
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece to draw, when there is room for it. `None` if there is none.
    fn wait_to_take(&self) -> Option<usize> {
        let mut state = self.state();
        while !state.is_ended && !state.has_room() && state.taken < self.pieces {
            state = self.wait(state);
        }
        if state.is_ended { None } else { state.take(self.pieces) }
    }

    fn put(&self, at: usize, drawn: io::Result<Vec<u8>>) {
        self.state().drawn.insert(at, drawn);
        self.changed.notify_all();
    }

    /// The piece to write, or one to draw until that is there. `None` if all are written.
    fn next(&self) -> Option<Next> {
        let mut state = self.state();
        loop {
            if state.is_ended || state.written == self.pieces {
                return None;
            }
            let at = state.written;
            if let Some(drawn) = state.drawn.remove(&at) {
                state.written += 1;
                self.changed.notify_all();
                return Some(Next::Write(drawn));
            }
            let taken = if state.has_room() { state.take(self.pieces) } else { None };
            if taken.is_some() {
                return taken.map(Next::Draw);
            }
            state = self.wait(state);
        }
    }
}

/// Ends the work of all threads if one of them ends before its time. The others would wait for it forever.
struct Ending<'a> {
    queue: &'a Queue,
    /// Whether the thread is the one that writes.
    is_writer: bool,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if self.is_writer || thread::panicking() {
            self.queue.state().is_ended = true;
            self.queue.changed.notify_all();
        }
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use std::io::Write as _;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const THREADS: [usize; 4] = [1, 2, 3, 100];

    fn with<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    /// What is written of the numbers below `count`, of which one may fail, and the error.
    fn written(count: usize, threads: usize, failing: Option<usize>) -> (String, Option<String>) {
        let items: Vec<usize> = (0..count).collect();
        let mut out = Vec::new();
        let each = |item: &usize, out: &mut Vec<u8>| match failing {
            Some(failing) if *item == failing => Err(io::Error::other("it fails")),
            _ => writeln!(out, "{item}"),
        };
        let error = with(threads, || write(&items, each, &mut out).err());
        (String::from_utf8(out).unwrap(), error.map(|error| error.to_string()))
    }

    fn lines(count: usize) -> String {
        (0..count).map(|item| format!("{item}\n")).collect()
    }

    #[test]
    fn what_is_written_is_in_the_order_of_the_items() {
        for threads in THREADS {
            for count in [0, 1, PIECE, 100, PIECE * AHEAD * 3 + 1] {
                assert_eq!(written(count, threads, None), (lines(count), None), "{threads} threads");
            }
        }
    }

    #[test]
    fn what_waits_to_be_written_is_bounded() {
        struct Slow<'a>(&'a AtomicUsize);
        impl io::Write for Slow<'_> {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                thread::yield_now();
                let waiting = self.0.fetch_sub(bytes.len(), Ordering::SeqCst);
                assert!(waiting <= PIECE * (AHEAD + 1), "{waiting} items wait");
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for threads in THREADS {
            let waiting = AtomicUsize::new(0);
            let each = |_: &(), out: &mut Vec<u8>| {
                waiting.fetch_add(1, Ordering::SeqCst);
                out.write_all(b".")
            };
            with(threads, || write(&vec![(); PIECE * AHEAD * 4], each, &mut Slow(&waiting))).unwrap();
            assert_eq!(waiting.into_inner(), 0, "{threads} threads");
        }
    }

    #[test]
    fn what_comes_before_an_error_is_written() {
        for threads in THREADS {
            let (text, error) = written(5_000, threads, Some(PIECE * 100 + 3));
            assert_eq!((text, error.as_deref()), (lines(PIECE * 100), Some("it fails")), "{threads} threads");
        }
    }

    #[test]
    fn a_writer_that_fails_ends_the_work() {
        struct Full;
        impl io::Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for threads in THREADS {
            let items = vec![0; 10_000];
            let error = with(threads, || write(&items, |item, out| writeln!(out, "{item}"), &mut Full)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{threads} threads");
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        for threads in THREADS {
            let items: Vec<usize> = (0..10_000).collect();
            let each = |item: &usize, out: &mut Vec<u8>| {
                assert_ne!(*item, 5_000, "it panics");
                writeln!(out, "{item}")
            };
            let work = AssertUnwindSafe(|| with(threads, || write(&items, each, &mut io::sink())));
            assert!(catch_unwind(work).is_err(), "{threads} threads");
        }
    }
}
