//! Work on several items at a time.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many items a thread takes at once. They take different times.
const PIECE: usize = 16;

/// What `each` makes of the items, in their order, by up to `threads` threads; fewer, if there are no more to have.
pub(super) fn map<T: Sync, R: Send>(items: &[T], threads: usize, each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let pieces: Vec<&[T]> = items.chunks(PIECE).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        pieces.get(at).map(|piece| (at, piece.iter().map(&each).collect::<Vec<R>>()))
    };
    let work = || std::iter::from_fn(take).collect::<Vec<_>>();
    let mut done = thread::scope(|scope| {
        let begin = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads.min(pieces.len())).map_while(begin).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, piece)| piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for threads in [0, 1, 3, 100, 1000] {
            assert_eq!(map(&items, threads, |item| item * 2), expected, "{threads} threads");
        }
        assert!(map(&[], 4, |item: &usize| *item).is_empty());
    }
}
