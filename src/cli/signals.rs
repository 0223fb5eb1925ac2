//! Signals that end the program: it ends at once, like any other program, but cleans up first.

#![cfg(unix)]

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::cleanup;

/// Signals that a terminal, a runner, or a shell sends to end a program.
const ENDING: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];

/// Makes signals clean up before they end this process. While a process that [`Relay::start`] started is running,
/// they are passed on to it instead.
pub(super) fn watch() -> Relay {
    let relay = Relay::default();
    let passed = relay.clone();
    on_signal(move |signal| {
        let mut passed = passed.locked();
        passed.signal = Some(signal);
        match passed.to {
            // It may have ended by now.
            Some(process) => drop(kill_process(process, signal)),
            None => end_by(signal),
        }
    });
    // Without this, writing a file above the size limit would end the process instead of failing.
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::new(AtomicBool::new(false)));
    relay
}

/// Passes signals on to another process, and remembers the last one.
#[derive(Clone, Debug, Default)]
pub(super) struct Relay(Arc<Mutex<Passed>>);

#[derive(Debug, Default)]
struct Passed {
    to: Option<Pid>,
    signal: Option<Signal>,
}

impl Relay {
    /// Starts a process to which signals are passed from now on. Returns `None` if it cannot be started, or a signal
    /// was passed on already.
    pub(super) fn start<T>(&self, start: impl FnOnce() -> Option<(T, Pid)>) -> Option<(T, Pid)> {
        // A signal waits until the process has started, so that it does not miss it.
        let mut passed = self.locked();
        if passed.signal.is_some() {
            return None;
        }
        let (process, id) = start()?;
        passed.to = Some(id);
        Some((process, id))
    }

    /// Stops passing signals on: a signal ends this process again.
    pub(super) fn stop(&self) {
        self.locked().to = None;
    }

    /// Ends this process by the signal that was passed on, if there was one.
    pub(super) fn end_if_signaled(&self) {
        let signal = self.locked().signal;
        if let Some(signal) = signal {
            end_by(signal);
        }
    }

    fn locked(&self) -> MutexGuard<'_, Passed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end_by(signal: Signal) {
    cleanup::end();
    let _ = emulate_default_handler(signal.as_raw());
}

/// Calls `act` for each signal that would end the process. If no thread can be started, signals have their default
/// effect.
fn on_signal(mut act: impl FnMut(Signal) + Send + 'static) {
    let ignored = ignored();
    let watched = ENDING.iter().filter(|signal| ignored & (1_u64 << (signal.as_raw() - 1)) == 0);
    let Ok(mut signals) = Signals::new(watched.map(|signal| signal.as_raw())) else { return };
    let builder = thread::Builder::new().name("signals".to_owned());
    let _ = builder.spawn(move || {
        for raw in signals.forever() {
            if let Some(signal) = ENDING.iter().find(|signal| signal.as_raw() == raw) {
                act(*signal);
            }
        }
    });
}

/// Returns a bit mask of the signals that this process was started to ignore, for example by `nohup`. Known only on
/// Linux.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
