//! Work on several items at a time.

use std::panic::resume_unwind;
use std::thread;

/// What `each` makes of the items, in their order, by up to `threads` threads.
pub(super) fn map<T: Sync, R: Send>(items: &[T], threads: usize, each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let share = items.len().div_ceil(threads.max(1)).max(1);
    let of_share = |items: &[T]| items.iter().map(&each).collect::<Vec<R>>();
    let mut shares = items.chunks(share);
    let Some(first) = shares.next() else { return Vec::new() };
    thread::scope(|scope| {
        let of_share = &of_share;
        let begin = |share| (share, thread::Builder::new().spawn_scoped(scope, move || of_share(share)));
        let others: Vec<_> = shares.map(begin).collect();
        let mut all = of_share(first);
        for (share, other) in others {
            match other.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(done)) => all.extend(done),
                Ok(Err(panic)) => resume_unwind(panic),
                // There are no more threads to have.
                Err(_) => all.extend(of_share(share)),
            }
        }
        all
    })
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
