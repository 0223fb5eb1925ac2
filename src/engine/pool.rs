//! The thread pool of a run.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::engine::memory::STACK_BYTES;

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The operating system starts no threads.
    #[error("the threads of the run cannot be started")]
    Threads(#[from] ThreadPoolBuildError),
}

/// Starts the threads: `threads` of them, or as many as there are processors for 0.
pub(super) fn start(threads: usize) -> Result<ThreadPool, Error> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES);
    Ok(builder.build()?)
}
