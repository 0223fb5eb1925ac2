//! The threads of a run.

use std::num::NonZero;
use std::sync::RwLock;
use std::thread::{self, available_parallelism};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::engine::RunError;
use crate::engine::memory::STACK_BYTES;

/// How many threads a run has at most. More of them than processors only wait for each other, and thousands of them do
/// nothing else.
pub(crate) const MAX_THREADS: usize = 256;

/// The threads that work on a run and its reports. Evaluation and parsing need their stack.
#[derive(Debug)]
pub(crate) struct Threads(ThreadPool);

impl Threads {
    /// Starts `count` of them, or [`MAX_THREADS`] if that is fewer. For 0, that is one for each processor, or as many as the operating system starts: a
    /// container may limit threads and memory to less than its processors could use.
    ///
    /// # Errors
    ///
    /// Fails if the operating system starts none, or not as many as were asked for.
    pub(crate) fn start(count: usize) -> Result<Self, RunError> {
        let start = |count| ThreadPoolBuilder::new().num_threads(count).stack_size(STACK_BYTES).build();
        let count = count.min(MAX_THREADS);
        let mut threads = start(count);
        let mut fewer = if count == 0 { available_parallelism().map_or(1, NonZero::get) } else { 1 };
        while threads.is_err() && fewer > 1 {
            fewer /= 2;
            threads = start(fewer);
        }
        Ok(Self(threads?))
    }

    /// Does the work on these threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }
}

/// Whether the operating system starts so many threads beside those of the run. A library may panic where one does not
/// start, or wait for it.
pub(crate) fn can_start(count: usize) -> bool {
    let gate = RwLock::new(());
    thread::scope(|scope| {
        // Until all have started, none ends.
        let closed = gate.write();
        let pass = || drop(gate.read());
        let can = (0..count).all(|_| thread::Builder::new().spawn_scoped(scope, pass).is_ok());
        drop(closed);
        can
    })
}
