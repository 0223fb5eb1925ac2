//! Shares the budget of a run between its expansions.
//!
//! A template may be small, and still take all that one deployment may take; a run may have a thousand of them. So all
//! expansions of a run together may take little more than one, and what is read. Each gets a share in advance, in
//! proportion to its texts: no thread has to know what others take, and no order of threads changes what is reported.
//! Those few that want more are expanded again, one after the other, with what is left.
//!
//! # Invariant
//!
//! No expansion knows how much another one uses at the same time, so the order of threads does not decide which file
//! exceeds the budget.

use crate::model::{Allotment, Limits};

/// The part of the budget that is shared out in advance: one in so many steps. The rest is at least what one deployment
/// may take.
const IN_ADVANCE: u64 = 4;

/// The shares of the expansions of one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// The steps of the run.
    all: u64,
    /// The size of all expansions.
    sizes: u64,
    /// True if there is no other expansion to share with.
    is_only_one: bool,
}

impl Shares {
    /// Shares the budget between expansions that read texts of these sizes. All texts together have so many bytes, if
    /// each of them is counted once.
    pub(super) fn new(limits: &Limits, sizes: impl Iterator<Item = u64>, texts: u64) -> Self {
        let (mut sum, mut count) = (0_u64, 0_usize);
        for size in sizes {
            (sum, count) = (sum.saturating_add(size), count + 1);
        }
        let all = limits.steps.saturating_add(texts);
        Self { all: all.saturating_add(all / (IN_ADVANCE - 1)), sizes: sum, is_only_one: count == 1 }
    }

    /// Returns the share of an expansion of this size.
    pub(super) fn share(&self, size: u64) -> Allotment {
        let in_advance = u128::from(self.all / IN_ADVANCE) * u128::from(size) / u128::from(self.sizes.max(1));
        let steps = if self.is_only_one { self.all } else { u64::try_from(in_advance).unwrap_or(u64::MAX) };
        Allotment { steps, run: self.all }
    }

    /// Returns the remaining budget after the expansions have taken this number of steps of their shares.
    pub(super) fn rest(&self, taken: u64) -> Allotment {
        Allotment { steps: self.all.saturating_sub(taken), run: self.all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(sizes: &[u64]) -> Shares {
        let limits = Limits { steps: 900, ..Limits::default() };
        Shares::new(&limits, sizes.iter().copied(), sizes.iter().sum())
    }

    #[test]
    fn a_share_is_in_proportion_to_what_is_read() {
        let shares = shares(&[100, 50, 150]);
        assert_eq!([100, 50, 150].map(|size| shares.share(size).steps), [133, 66, 200]);
        assert_eq!(shares.rest(0), Allotment { steps: 1_600, run: 1_600 });
    }

    #[test]
    fn what_is_left_is_enough_for_any_one_deployment() {
        for sizes in [vec![1, 1], vec![5, 900, 3], vec![10; 1_000]] {
            let shares = shares(&sizes);
            let taken = sizes.iter().map(|&size| shares.share(size).steps).sum();
            assert!(shares.rest(taken).steps >= 900 + sizes.iter().sum::<u64>(), "{sizes:?}");
        }
    }

    #[test]
    fn a_run_with_one_expansion_shares_with_nobody() {
        assert_eq!(shares(&[0]).share(0), Allotment { steps: 1_200, run: 1_200 });
        assert_eq!(shares(&[300]).share(300).steps, 1_600);
    }
}
