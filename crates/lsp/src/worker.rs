//! Thread that checks, so that the message loop never waits.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::RequestId;

use crate::checks::{Checks, Deployment, Extent, Job};
use crate::client::Client;
use crate::results::Results;
use crate::text::Text;

/// A task of the thread.
#[derive(Debug)]
pub(crate) enum WorkerTask {
    Check(Work),
    /// Expands a deployment for a request.
    Expand(Expand),
    /// Drops the caches of a folder.
    Forget(PathBuf),
}

/// A request for the expansion of a deployment.
#[derive(Debug)]
pub(crate) struct Expand {
    pub(crate) request: RequestId,
    pub(crate) job: Job,
    pub(crate) deployment: Deployment,
    /// True if the answer is an object with the text, instead of the text alone.
    pub(crate) is_document: bool,
}

/// The outcome of a task.
#[derive(Debug)]
pub(crate) enum WorkerOutcome {
    Checked(Box<Done>),
    Expanded(Expand, Option<String>),
}

/// A check, and the state of the documents when it was requested.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) job: Job,
    /// Versions of the open documents.
    pub(crate) versions: BTreeMap<PathBuf, i32>,
    /// Number of the last edit.
    pub(crate) clock: u64,
    /// Settings of the client.
    pub(crate) client: Arc<Client>,
}

/// Result of a check.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) work: Work,
    pub(crate) end: CheckEnd,
    pub(crate) took: Duration,
}

/// The end of a check.
#[derive(Debug)]
pub(crate) enum CheckEnd {
    Found(Box<Results>),
    /// The check was cancelled before it was complete.
    Cancelled,
    /// The check panicked, which is a defect.
    Panicked,
}

/// Channels for tasks and outcomes. The thread ends when the channel of tasks is closed.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) work: Sender<WorkerTask>,
    pub(crate) done: Receiver<WorkerOutcome>,
}

impl Worker {
    pub(crate) fn start(mut checks: Box<dyn Checks>) -> io::Result<Self> {
        let (work, tasks) = unbounded::<WorkerTask>();
        let (results, done) = unbounded();
        let builder = thread::Builder::new().name("check".to_owned());
        builder.spawn(move || {
            let mut texts: BTreeMap<PathBuf, BTreeMap<PathBuf, Text>> = BTreeMap::new();
            for task in tasks {
                let outcome = match task {
                    WorkerTask::Check(work) => {
                        let began = Instant::now();
                        let known = texts.entry(work.job.folder.clone()).or_default();
                        let mut all;
                        let known = match work.job.extent {
                            // Keeps the cache of open files, because their next check reads fewer texts.
                            Extent::Everything => {
                                all = known.clone();
                                &mut all
                            }
                            _ => known,
                        };
                        let options = &work.client.options;
                        let end = match catch_unwind(AssertUnwindSafe(|| {
                            Some(Results::from_checked(checks.check_job(&work.job)?, options, known))
                        })) {
                            Ok(Some(results)) => CheckEnd::Found(Box::new(results)),
                            Ok(None) => CheckEnd::Cancelled,
                            Err(_) => CheckEnd::Panicked,
                        };
                        WorkerOutcome::Checked(Box::new(Done { work, end, took: began.elapsed() }))
                    }
                    WorkerTask::Expand(expand) => {
                        let text = AssertUnwindSafe(|| checks.expand(&expand.job, &expand.deployment));
                        let is_wanted = !expand.job.cancellation.is_cancelled();
                        let text = if is_wanted { catch_unwind(text).ok().flatten() } else { None };
                        WorkerOutcome::Expanded(expand, text)
                    }
                    WorkerTask::Forget(folder) => {
                        texts.remove(&folder);
                        checks.forget(&folder);
                        continue;
                    }
                };
                if results.send(outcome).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { work, done })
    }
}
