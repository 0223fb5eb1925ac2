//! Timing of checks, and of reading the disk again.

use std::time::{Duration, Instant};

/// A check that takes longer delays the next one by its duration, so that not every key starts one.
const QUICK: Duration = Duration::from_millis(80);

/// Maximum time that a check waits for the next key.
const MAX_WAIT: Duration = Duration::from_millis(300);

/// Minimum time between two searches for files. They happen only before a check.
const LOOK: Duration = Duration::from_secs(2);

/// Minimum time between two searches for files if the client watches its folders. It does not report everything:
/// changes outside of its folders, files in a deleted folder, and changes of `.gitignore` are missing.
const LOOK_WATCHED: Duration = Duration::from_secs(10);

/// After typing for this long without a pause, a check starts anyway. After this long without a result because checks
/// were cancelled, one can complete.
const STARVED: Duration = Duration::from_secs(1);

/// Minimum time for such a check. It can take twice as long as the last completed one.
const SPARED: Duration = Duration::from_secs(3);

/// Times of the last events.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Time of the last key, and `true` if it closely followed another one.
    edited: Instant,
    is_burst: bool,
    /// Time of the first key since a check started.
    waiting: Option<Instant>,
    /// Duration of the last completed check.
    took: Duration,
    /// Time of the first cancelled check since one was completed.
    cancelled: Option<Instant>,
    /// Time of the last search for files.
    looked: Instant,
}

impl Pace {
    pub(crate) fn new(now: Instant) -> Self {
        Self { edited: now, is_burst: false, waiting: None, took: Duration::ZERO, cancelled: None, looked: now }
    }

    /// Records a key.
    pub(crate) fn edit(&mut self, now: Instant) {
        self.is_burst = now.saturating_duration_since(self.edited) < self.took;
        self.edited = now;
        self.waiting.get_or_insert(now);
    }

    /// Records the start of a check.
    pub(crate) fn begin(&mut self) {
        self.waiting = None;
    }

    /// Records a completed check.
    pub(crate) fn finish(&mut self, took: Duration) {
        (self.took, self.cancelled) = (took, None);
    }

    /// Records a cancelled check.
    pub(crate) fn cancel(&mut self, now: Instant) {
        self.cancelled.get_or_insert(now);
    }

    /// Returns the time until which a check that started at `began` is not cancelled despite newer texts, so that
    /// continuous typing gets results, too. `None` if the time is over, or if no check was cancelled for long enough.
    pub(crate) fn spared_until(&self, began: Instant, now: Instant) -> Option<Instant> {
        let is_starved = self.cancelled.is_some_and(|first| now.saturating_duration_since(first) > STARVED);
        is_starved.then(|| began + SPARED.max(2 * self.took)).filter(|until| *until > now)
    }

    /// Records that the next check searches for files.
    pub(crate) fn look(&mut self, now: Instant) {
        self.looked = now;
    }

    /// Returns the time of the last key.
    pub(crate) fn edited(&self) -> Instant {
        self.edited
    }

    /// Returns the time when the next check can start: at once after a pause, and otherwise after a delay.
    pub(crate) fn begins(&self) -> Instant {
        let is_awaited = self.took > QUICK && self.is_burst;
        let rest = self.edited + if is_awaited { self.took.min(MAX_WAIT) } else { Duration::ZERO };
        self.waiting.map_or(rest, |first| rest.min(first + STARVED))
    }

    /// True if the next check should search for files, which takes longer than a check of known files.
    pub(crate) fn is_to_look(&self, now: Instant, watches_files: bool) -> bool {
        let rest = if watches_files { LOOK_WATCHED } else { LOOK };
        now.saturating_duration_since(self.looked) > rest.max(20 * self.took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_look_at_the_disk_again_for_every_client() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let looks = |pace: &Pace, seconds| {
            [false, true].map(|watches| pace.is_to_look(start + Duration::from_secs(seconds), watches))
        };
        assert_eq!([1, 3, 11].map(|at| looks(&pace, at)), [[false, false], [true, false], [true, true]]);
        pace.finish(Duration::from_secs(1));
        assert_eq!([11, 21].map(|at| looks(&pace, at)), [[false, false], [true, true]]);
        pace.look(start + Duration::from_secs(20));
        assert_eq!(looks(&pace, 21), [false, false]);
    }

    #[test]
    fn a_check_is_spared_for_a_while_when_others_were_cancelled() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut pace = Pace::new(start);
        assert_eq!(pace.spared_until(at(0), at(2_000)), None);
        pace.cancel(at(100));
        pace.cancel(at(900));
        assert_eq!(pace.spared_until(at(900), at(1_050)), None);
        assert_eq!(pace.spared_until(at(900), at(1_200)), Some(at(3_900)));
        assert_eq!(pace.spared_until(at(900), at(3_900)), None);
        pace.finish(Duration::from_secs(2));
        assert_eq!(pace.spared_until(at(900), at(1_200)), None);
        pace.cancel(at(5_000));
        assert_eq!(pace.spared_until(at(6_000), at(6_100)), Some(at(10_000)));
    }

    #[test]
    fn a_slow_check_waits_for_the_next_key_of_a_burst() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let at = |millis| start + Duration::from_millis(millis);
        pace.finish(Duration::from_millis(200));
        pace.edit(at(1_000));
        assert_eq!(pace.begins(), at(1_000));
        pace.edit(at(1_100));
        assert_eq!(pace.begins(), at(1_300));
        (12..=20).for_each(|tenth| pace.edit(at(100 * tenth)));
        assert_eq!(pace.begins(), at(2_000));
        pace.begin();
        pace.edit(at(2_100));
        assert_eq!(pace.begins(), at(2_300));
        pace.finish(Duration::from_millis(50));
        assert_eq!(pace.begins(), at(2_100));
    }
}
