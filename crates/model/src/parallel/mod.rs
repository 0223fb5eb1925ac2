//! Parallel work on a shared thread pool.
//!
//! A thread outside a pool works alone, because new threads would have a smaller stack than evaluation needs.
//!
//! # Invariant
//!
//! The order of threads, and that of a hash table, changes nothing that is printed or counted.

#[cfg(feature = "threads")]
mod stream;

use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

/// Maps the items with `each`, and returns the results in the order of the items.
pub fn map<'t, T: Sync, R: Send>(items: &'t [T], each: impl Fn(&'t T) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "threads")]
    if rayon::current_thread_index().is_some() {
        use rayon::prelude::*;
        return items.par_iter().map(&each).collect();
    }
    items.iter().map(each).collect()
}

/// Maps the items with `each`, and returns the results in the order of the items. Items with the largest `length`
/// begin first, because otherwise the last thread could be left alone with one of them.
pub fn map_longest_first<T: Send + Sync, R: Send>(
    items: Vec<T>,
    length: impl Fn(&T) -> u64 + Sync,
    each: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let lengths = map(&items, length);
    let mut waiting: Vec<((usize, T), u64)> = items.into_iter().enumerate().zip(lengths).collect();
    waiting.sort_by_key(|(_, length)| Reverse(*length));
    // A thread takes the next item, regardless of its turn.
    let turns = vec![(); waiting.len()];
    let waiting = Mutex::new(waiting.into_iter());
    let take = |(): &()| {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        next.map(|((at, item), _)| (at, each(item)))
    };
    let mut made: Vec<(usize, R)> = map(&turns, take).into_iter().flatten().collect();
    made.sort_unstable_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}

/// Maps the items with `each`, and passes the results to `consume` in the order of the items while later ones are
/// computed. The work ends when `consume` returns.
pub fn stream<'t, T: Sync, R: Send, C>(
    items: &'t [T],
    each: impl Fn(&'t T) -> R + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = R>) -> C,
) -> C {
    #[cfg(feature = "threads")]
    if rayon::current_thread_index().is_some() {
        return stream::stream(items, each, consume);
    }
    consume(&mut items.iter().map(each))
}

/// Runs both closures, in parallel if a thread is idle.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "threads")]
    if rayon::current_thread_index().is_some() {
        return rayon::join(a, b);
    }
    (a(), b())
}

#[cfg(test)]
#[cfg(feature = "threads")]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    pub(super) const THREADS: [usize; 4] = [1, 2, 3, 100];

    /// Runs the work in a pool with this number of threads.
    pub(super) fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
        assert_eq!(map(&items, |item| item * 2), doubled);
        for threads in THREADS {
            assert_eq!(in_pool(threads, || map(&items, |item| item * 2)), doubled, "{threads} threads");
        }
        assert_eq!((join(|| 1, || 2), in_pool(2, || join(|| 1, || 2))), ((1, 2), (1, 2)));
    }

    #[test]
    fn the_longest_item_begins_first() {
        for threads in THREADS {
            let begun = AtomicUsize::new(0);
            let begin = |item: u64| (item, begun.fetch_add(1, Ordering::SeqCst));
            let made = in_pool(threads, || map_longest_first(vec![1, 3, 2, 3], |item| *item, begin));
            assert_eq!(made.iter().map(|(item, _)| *item).collect::<Vec<_>>(), [1, 3, 2, 3], "{threads} threads");
            if threads == 1 {
                assert_eq!(made.iter().map(|(_, begun)| *begun).collect::<Vec<_>>(), [3, 0, 2, 1]);
            }
        }
    }
}
