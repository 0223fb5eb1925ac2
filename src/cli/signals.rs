//! Signals that end the program: it ends at once, as any other program would, but cleans up first.

#![cfg(unix)]

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::leftovers;

/// What a terminal, a runner or a shell sends to end a program.
const ENDING: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];

/// Ends this process by a signal as if nobody watched, after it has cleaned up.
pub(super) fn watch() {
    on_signal(end_by);
    // Otherwise a file that is larger than is allowed ends the process, instead of an error of the write.
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::new(AtomicBool::new(false)));
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
    /// Passes on what comes from now on.
    pub(super) fn start() -> Self {
        let relay = Self::default();
        let passed = Arc::clone(&relay.0);
        on_signal(move |signal| {
            let mut passed = passed.lock().unwrap_or_else(PoisonError::into_inner);
            passed.signal = Some(signal);
            match passed.to {
                // It may have ended by now.
                Some(process) => drop(kill_process(process, signal)),
                None => end_by(signal),
            }
        });
        relay
    }

    /// To whom signals are passed. With nobody, a signal ends this process.
    pub(super) fn set(&self, process: Option<Pid>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).to = process;
    }

    /// Ends this process by the signal that was passed on, if there was one.
    pub(super) fn end_if_signaled(&self) {
        let signal = self.0.lock().unwrap_or_else(PoisonError::into_inner).signal;
        if let Some(signal) = signal {
            end_by(signal);
        }
    }
}

fn end_by(signal: Signal) {
    leftovers::end();
    let _ = emulate_default_handler(signal.as_raw());
}

/// Calls a function for each signal that would end the process. If no thread can be started, it ends without.
fn on_signal(mut act: impl FnMut(Signal) + Send + 'static) {
    let ignored = ignored();
    let watched = ENDING.iter().filter(|signal| ignored & (1_u64 << (signal.as_raw() - 1)) == 0);
    let Ok(mut signals) = Signals::new(watched.map(|signal| signal.as_raw())) else { return };
    let watching = move || {
        for raw in signals.forever() {
            if let Some(signal) = ENDING.iter().find(|signal| signal.as_raw() == raw) {
                act(*signal);
            }
        }
    };
    let _ = thread::Builder::new().name("signals".to_owned()).spawn(watching);
}

/// The signals that this process was started to ignore, as by `nohup`: a bit for each. Elsewhere than on Linux, none is
/// known.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
