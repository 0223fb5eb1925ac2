//! Progress bar of long runs.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::Observer;

/// Duration after which the bar is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// Progress bar on standard error, shown after some time. Can be used for several runs in a row.
#[derive(Debug)]
pub(super) struct Progress {
    shown: bool,
    started: Instant,
    total: AtomicUsize,
    done: AtomicUsize,
    bar: Mutex<Option<ProgressBar>>,
}

impl Progress {
    /// Creates a bar. It is never shown if `wanted` is `false`, or if standard error is not a terminal.
    pub(super) fn new(wanted: bool) -> Self {
        Self {
            shown: wanted && io::stderr().is_terminal(),
            started: Instant::now(),
            total: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            bar: Mutex::new(None),
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
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown
            && self.started.elapsed() > PATIENCE
            && let Ok(mut bar) = self.bar.lock()
        {
            bar.get_or_insert_with(|| self.bar()).set_position(done as u64);
        }
    }

    fn end(&self) {
        // The bar is removed before other output is printed.
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}
