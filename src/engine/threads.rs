//! The threads of a run.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::engine::RunError;
use crate::engine::memory::STACK_BYTES;

/// The threads that work on a run and its reports. Evaluation and parsing need their stack.
#[derive(Debug)]
pub(crate) struct Threads(ThreadPool);

impl Threads {
    /// Starts `count` of them, or as many as there are processors for 0.
    ///
    /// # Errors
    ///
    /// Fails if the operating system starts none.
    pub(crate) fn start(count: usize) -> Result<Self, RunError> {
        let builder = ThreadPoolBuilder::new().num_threads(count).stack_size(STACK_BYTES);
        Ok(Self(builder.build()?))
    }

    /// Does the work on these threads.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }
}
