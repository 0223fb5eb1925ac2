//! How far a run is, for somebody who waits.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::Observer;

/// A run that is shorter needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on standard error, once the run takes long enough.
#[derive(Debug)]
pub(super) struct Progress {
    shown: bool,
    started: Instant,
    total: AtomicUsize,
    done: AtomicUsize,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Without `wanted`, or where standard error is no terminal, nothing is ever shown.
    pub(super) fn new(wanted: bool) -> Self {
        Self {
            shown: wanted && io::stderr().is_terminal(),
            started: Instant::now(),
            total: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            bar: OnceLock::new(),
        }
    }

    /// Takes the bar away, before something else is printed.
    pub(super) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    fn bar(&self) -> ProgressBar {
        let total = self.total.load(Ordering::Relaxed) as u64;
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        match ProgressStyle::with_template("{bar:30} {pos}/{len} templates") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

impl Observer for Progress {
    fn begin(&self, templates: usize) {
        self.total.store(templates, Ordering::Relaxed);
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown && self.started.elapsed() > PATIENCE {
            self.bar.get_or_init(|| self.bar()).set_position(done as u64);
        }
    }
}
