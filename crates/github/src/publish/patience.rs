//! Waiting times and limits.

use std::time::Duration;

/// Maximum number of attempts of a read, and of new plans after an unclear write.
pub(super) const TRIES: u32 = 3;

/// Remaining waiting time for GitHub's limits, and the delays between requests.
#[derive(Debug)]
pub(super) struct Patience {
    left: Duration,
    pace: Duration,
    has_written: bool,
}

impl Patience {
    /// Creates the limits. `total` is the waiting time for GitHub's limits, `pace` the delay between two writes.
    /// GitHub asks for one second. See
    /// <https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api>.
    pub(super) const fn new(total: Duration, pace: Duration) -> Self {
        Self { left: total, pace, has_written: false }
    }

    /// Returns `true` if there is time for this wait, and subtracts it from the remaining time.
    pub(super) fn allows(&mut self, wait: Duration) -> bool {
        match self.left.checked_sub(wait) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Returns the delay before the next write.
    pub(super) fn before_write(&mut self) -> Duration {
        let wait = if self.has_written { self.pace } else { Duration::ZERO };
        self.has_written = true;
        wait
    }

    /// Returns the delay before a failed read is repeated. The first failure is number zero.
    pub(super) fn after_read(&self, number: u32) -> Duration {
        self.pace * 2_u32.saturating_pow(number)
    }

    /// Returns the delay before checking whether an unclear write had an effect. It is longer, because GitHub may
    /// still be working on it.
    pub(super) fn after_write(&self, number: u32) -> Duration {
        self.after_read(number) * 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_for_limits_is_spent_once() {
        let mut patience = Patience::new(Duration::from_secs(10), Duration::ZERO);
        assert!(patience.allows(Duration::from_secs(7)));
        assert!(!patience.allows(Duration::from_secs(7)));
        assert!(patience.allows(Duration::from_secs(3)));
        assert!(!patience.allows(Duration::from_secs(1)));
    }

    #[test]
    fn the_first_write_goes_at_once_and_the_others_keep_a_distance() {
        let mut patience = Patience::new(Duration::ZERO, Duration::from_secs(1));
        let waits: Vec<_> = (0..3).map(|_| patience.before_write().as_secs()).collect();
        assert_eq!(waits, [0, 1, 1]);
    }

    #[test]
    fn failures_are_waited_for_longer_each_time() {
        let patience = Patience::new(Duration::ZERO, Duration::from_secs(1));
        let waits =
            |after: fn(&Patience, u32) -> Duration| [0, 1, 2].map(|attempt| after(&patience, attempt).as_secs());
        assert_eq!(waits(Patience::after_read), [1, 2, 4]);
        assert_eq!(waits(Patience::after_write), [3, 6, 12]);
    }
}
