//! An amount that several pieces of work share, so that none of them can take what the others need.
//!
//! # Invariant
//!
//! A work that exceeds its part of the steps is an error, and costs no other work a verdict.

use std::cell::Cell;

/// The part of the amount that belongs to all: one in so many. The rest is divided into equal parts.
const COMMON: u64 = 2;

/// The most that one piece of work takes of what belongs to all: one in so many.
const MOST_OF_COMMON: u64 = 4;

/// Divides an amount, such as steps or findings that are kept, among pieces of work that take it one after the other.
///
/// Each has a part of its own. Beyond it, each takes from what belongs to all, but never more than a part of that. So a
/// piece of work that never ends costs no other its own part, and one that takes more than an equal part is not refused
/// while there is enough.
///
/// # Examples
///
/// ```
/// # use formwork_model::model::Quotas;
/// let quotas = Quotas::new(800, 4);
/// assert_eq!(quotas.most(), 200);
/// assert!(quotas.take(0, 200));
/// assert!(!quotas.take(0, 1));
/// // Others have what was meant for them.
/// assert!(quotas.take(1, 200));
/// assert_eq!(quotas.exceeded().collect::<Vec<_>>(), [0]);
/// ```
#[derive(Debug)]
pub struct Quotas {
    /// Remaining steps of the part that all share.
    common: Cell<u64>,
    parts: Vec<Quota>,
    most: u64,
}

#[derive(Clone, Debug, Default)]
struct Quota {
    own: Cell<u64>,
    /// Number of steps that the work may still take of the part that all share.
    of_common: Cell<u64>,
    is_exceeded: Cell<bool>,
}

impl Quotas {
    /// Divides `all` among `count` pieces of work.
    pub fn new(all: u64, count: usize) -> Self {
        let common = all / COMMON;
        let own = (all - common) / (count as u64).max(1);
        let of_common = if count > 1 { common / MOST_OF_COMMON } else { common };
        let quota = || Quota { own: Cell::new(own), of_common: Cell::new(of_common), is_exceeded: Cell::new(false) };
        let parts = std::iter::repeat_with(quota).take(count).collect();
        Self { common: Cell::new(common), parts, most: own.saturating_add(of_common) }
    }

    /// Returns the most that one piece of work may take. Others may have taken a part of it already.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Takes an amount for a piece of work. Once there is not enough, the work gets nothing more. True if there was
    /// enough.
    pub fn take(&self, work: usize, amount: u64) -> bool {
        let Some(quota) = self.parts.get(work) else { return false };
        if quota.is_exceeded.get() {
            return false;
        }
        let own = quota.own.get();
        if amount <= own {
            quota.own.set(own - amount);
            return true;
        }
        let (more, common) = (amount - own, self.common.get());
        if more > common.min(quota.of_common.get()) {
            quota.is_exceeded.set(true);
            return false;
        }
        quota.own.set(0);
        quota.of_common.set(quota.of_common.get() - more);
        self.common.set(common - more);
        true
    }

    /// Returns the pieces of work that would have taken more than there was for them, in order.
    pub fn exceeded(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().enumerate().filter(|(_, quota)| quota.is_exceeded.get()).map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_work_takes_everything() {
        let quotas = Quotas::new(10, 1);
        assert!(quotas.take(0, 10) && quotas.take(0, 0) && !quotas.take(0, 1));
        // It gets nothing more, not even nothing.
        assert!(!quotas.take(0, 0));
    }

    #[test]
    fn works_that_take_too_much_leave_the_others_their_parts() {
        let quotas = Quotas::new(1_600, 8);
        for greedy in 0..6 {
            while quotas.take(greedy, 1) {}
        }
        assert_eq!(quotas.exceeded().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert!(quotas.take(6, 100) && quotas.take(7, 100));
        assert!(!quotas.take(7, 1));
    }

    #[test]
    fn nobody_takes_for_work_that_is_not_there() {
        assert!(!Quotas::new(10, 1).take(1, 1));
        assert!(!Quotas::new(10, 0).take(0, 0));
    }
}
