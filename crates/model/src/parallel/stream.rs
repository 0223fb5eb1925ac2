//! Passes results in order while later ones are computed.

use std::collections::VecDeque;
use std::sync::mpsc::{self, TryRecvError};

use rayon::Yield;

/// Number of items that a thread takes at once. Items take different times.
const PIECE: usize = 16;

/// Maximum number of pieces that wait for the consumer, so that a report with a million entries is never completely
/// in memory.
const AHEAD: usize = 64;

/// Implements [`stream`](fn@super::stream) on a thread of a pool.
pub(super) fn stream<'t, T: Sync, R: Send, C>(
    items: &'t [T],
    each: impl Fn(&'t T) -> R + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = R>) -> C,
) -> C {
    rayon::in_place_scope_fifo(|scope| {
        let each = &each;
        let mut pieces = items.chunks(PIECE);
        let mut waiting = VecDeque::with_capacity(AHEAD);
        let made = std::iter::from_fn(|| {
            for piece in pieces.by_ref().take(AHEAD - waiting.len()) {
                let (sender, receiver) = mpsc::sync_channel(1);
                scope.spawn_fifo(move |_| {
                    // The consumer may have ended.
                    let _ = sender.send(piece.iter().map(each).collect());
                });
                waiting.push_back(receiver);
            }
            receive(&waiting.pop_front()?)
        });
        consume(&mut made.flatten())
    })
}

/// Waits for a piece. In the meantime, computes pieces that no thread has taken. `None` if this panicked; the scope
/// propagates the panic.
fn receive<R>(piece: &mpsc::Receiver<Vec<R>>) -> Option<Vec<R>> {
    loop {
        match piece.try_recv() {
            Ok(made) => return Some(made),
            Err(TryRecvError::Disconnected) => return None,
            // If no work is left, another thread has the piece.
            Err(TryRecvError::Empty) if rayon::yield_now() != Some(Yield::Executed) => return piece.recv().ok(),
            Err(TryRecvError::Empty) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::{AHEAD, PIECE};
    use crate::parallel::stream;
    use crate::parallel::tests::{THREADS, in_pool};

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, PIECE, 100, PIECE * AHEAD * 3 + 1] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            let streamed = || stream(&items, |item| item * 2, |all| all.collect::<Vec<_>>());
            assert_eq!(streamed(), doubled);
            for threads in THREADS {
                assert_eq!(in_pool(threads, streamed), doubled, "{threads} threads");
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
            in_pool(threads, || stream(&[(); PIECE * AHEAD * 4], make, consume));
            assert_eq!(waiting.into_inner(), 0, "{threads} threads");
        }
    }

    #[test]
    fn a_consumer_that_ends_early_ends_the_work() {
        for threads in THREADS {
            let made = AtomicUsize::new(0);
            let count = |(): &()| made.fetch_add(1, Ordering::SeqCst);
            let items = vec![(); PIECE * AHEAD * 4];
            in_pool(threads, || stream(&items, count, |all| all.next().is_some()));
            assert!(made.into_inner() <= PIECE * (AHEAD + 1), "{threads} threads");
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        for threads in THREADS {
            let items: Vec<usize> = (0..10_000).collect();
            let each = |item: &usize| assert_ne!(*item, 5_000, "it panics");
            let work = AssertUnwindSafe(|| in_pool(threads, || stream(&items, each, |all| all.count())));
            assert!(catch_unwind(work).is_err(), "{threads} threads");
        }
    }
}
