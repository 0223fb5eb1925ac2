//! When checks begin, and when they look at the disk again.

use std::time::{Duration, Instant};

/// A check that took longer than this lets the next one wait for as long, so that not every key starts one.
const QUICK: Duration = Duration::from_millis(80);

/// The longest that a check waits for the next key.
const MAX_WAIT: Duration = Duration::from_millis(300);

/// How often files are looked for again, at most, and only before a check.
const LOOK: Duration = Duration::from_secs(2);

/// The same where the client watches its folders. It does not tell of everything: not of what is outside of them, nor of
/// the files in a folder that is deleted, nor of a `.gitignore`.
const LOOK_WATCHED: Duration = Duration::from_secs(10);

/// If somebody types for so long without a pause, a check begins all the same, and if nothing was found for so long because
/// checks were cancelled, it may come to its end.
const STARVED: Duration = Duration::from_secs(1);

/// For how long it may, at least. It may take twice as long as the last one that came to its end.
const SPARED: Duration = Duration::from_secs(3);

/// What has happened when.
#[derive(Debug)]
pub(crate) struct Pace {
    /// When a key was pressed last, and whether it followed another one closely.
    edited: Instant,
    is_burst: bool,
    /// When the first key was pressed since a check began.
    waiting: Option<Instant>,
    /// How long the last check took that came to its end.
    took: Duration,
    /// When the first check was cancelled since one came to its end.
    cancelled: Option<Instant>,
    /// When the disk was looked at last.
    looked: Instant,
}

impl Pace {
    pub(crate) fn new(now: Instant) -> Self {
        Self { edited: now, is_burst: false, waiting: None, took: Duration::ZERO, cancelled: None, looked: now }
    }

    /// Notes that a key was pressed.
    pub(crate) fn edit(&mut self, now: Instant) {
        self.is_burst = now.saturating_duration_since(self.edited) < self.took;
        self.edited = now;
        self.waiting.get_or_insert(now);
    }

    /// Notes a check that begins.
    pub(crate) fn begin(&mut self) {
        self.waiting = None;
    }

    /// Notes a check that came to its end.
    pub(crate) fn finish(&mut self, took: Duration) {
        (self.took, self.cancelled) = (took, None);
    }

    /// Notes a check that is cancelled.
    pub(crate) fn cancel(&mut self, now: Instant) {
        self.cancelled.get_or_insert(now);
    }

    /// Until when a check is not cancelled that began at `began`, although there is something newer: who types without a pause
    /// is to see something as well. `None` if that is over, or nobody has waited.
    pub(crate) fn spared_until(&self, began: Instant, now: Instant) -> Option<Instant> {
        let is_starved = self.cancelled.is_some_and(|first| now.saturating_duration_since(first) > STARVED);
        is_starved.then(|| began + SPARED.max(2 * self.took)).filter(|until| *until > now)
    }

    /// Notes that the next check looks at the disk.
    pub(crate) fn look(&mut self, now: Instant) {
        self.looked = now;
    }

    /// When the last key was pressed.
    pub(crate) fn edited(&self) -> Instant {
        self.edited
    }

    /// When the next check may begin. The first key after a pause counts at once, and the keys of a second count then.
    pub(crate) fn begins(&self) -> Instant {
        let is_awaited = self.took > QUICK && self.is_burst;
        let rest = self.edited + if is_awaited { self.took.min(MAX_WAIT) } else { Duration::ZERO };
        self.waiting.map_or(rest, |first| rest.min(first + STARVED))
    }

    /// Whether the next check is to look at the disk, which takes longer than a check of known files.
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
