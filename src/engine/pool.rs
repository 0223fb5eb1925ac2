//! The thread pool of a run.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::engine::RunError;
use crate::engine::memory::STACK_BYTES;

/// Starts the threads: `threads` of them, or as many as there are processors for 0.
pub(super) fn start(threads: usize) -> Result<ThreadPool, RunError> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES);
    Ok(builder.build()?)
}
