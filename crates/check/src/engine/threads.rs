//! The threads of a run.

#[cfg(not(target_family = "wasm"))]
use std::num::NonZero;
#[cfg(not(target_family = "wasm"))]
use std::thread;

#[cfg(not(target_family = "wasm"))]
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::engine::RunError;

/// Maximum number of threads of a run. More of them than processors only wait for each other, and thousands of them do
/// nothing else.
pub const MAX_THREADS: usize = 256;

/// Stack size in bytes of a thread that expands templates. In a build that is not optimized a level of evaluation takes
/// up to 7 KiB (`tests/bombs.rs` measures it), so there is room for twice as many as settings can allow. Only what is
/// used takes memory.
#[cfg(not(target_family = "wasm"))]
const STACK_BYTES: usize = 64 << 20;

/// The threads that work on a run and its reports. Evaluation and parsing need their stack.
#[derive(Debug)]
pub struct Threads(#[cfg(not(target_family = "wasm"))] ThreadPool);

impl Threads {
    /// Starts `count` of them, or [`MAX_THREADS`] if that is fewer. For 0, that is one for each processor, or as many
    /// as the operating system starts: a container may limit threads and memory to less than its processors could use.
    ///
    /// # Errors
    ///
    /// Fails if the operating system starts none, or not as many as were asked for.
    #[cfg(not(target_family = "wasm"))]
    pub fn start(count: usize) -> Result<Self, RunError> {
        let start = |count| ThreadPoolBuilder::new().num_threads(count).stack_size(STACK_BYTES).build();
        let count = count.min(MAX_THREADS);
        let mut threads = start(count);
        let mut fewer = if count == 0 { thread::available_parallelism().map_or(1, NonZero::get) } else { 1 };
        while threads.is_err() && fewer > 1 {
            fewer /= 2;
            threads = start(fewer);
        }
        Ok(Self(threads?))
    }

    /// Does the work on these threads.
    #[cfg(not(target_family = "wasm"))]
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }

    /// Uses only the current thread, whose stack the linker determines.
    ///
    /// # Errors
    ///
    /// Never fails.
    #[cfg(target_family = "wasm")]
    pub fn start(_: usize) -> Result<Self, RunError> {
        Ok(Self())
    }

    /// Does the work on the current thread.
    #[cfg(target_family = "wasm")]
    pub fn install<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }
}
