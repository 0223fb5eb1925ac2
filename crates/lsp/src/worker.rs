//! The thread that checks, so that the loop of messages never waits.

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

/// What the thread does.
#[derive(Debug)]
pub(crate) enum Task {
    Check(Work),
    /// Makes the text of an expansion, for a request.
    Expand(Expand),
    /// Forgets what is known of a folder.
    Forget(PathBuf),
}

/// A deployment whose expansion a request asks for.
#[derive(Debug)]
pub(crate) struct Expand {
    pub(crate) request: RequestId,
    pub(crate) job: Job,
    pub(crate) deployment: Deployment,
    /// Whether the answer is an object with the text, and not the text alone.
    pub(crate) is_document: bool,
}

/// What comes of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    Checked(Box<Done>),
    Expanded(Expand, Option<String>),
}

/// A check, and what the documents were when it was asked for.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) job: Job,
    /// The versions of the open documents.
    pub(crate) versions: BTreeMap<PathBuf, i32>,
    /// The number of the last edit.
    pub(crate) clock: u64,
    /// What the client wanted to see.
    pub(crate) client: Arc<Client>,
}

/// The result of a check.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) work: Work,
    pub(crate) end: End,
    pub(crate) took: Duration,
}

/// How a check ended.
#[derive(Debug)]
pub(crate) enum End {
    Found(Box<Results>),
    /// It was cancelled before everything was checked.
    Cancelled,
    /// It panicked, which is a defect.
    Panicked,
}

/// Where to send work, and where results come from. The thread ends when the work does.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) work: Sender<Task>,
    pub(crate) done: Receiver<Outcome>,
}

impl Worker {
    pub(crate) fn start(mut checks: Box<dyn Checks>) -> io::Result<Self> {
        let (work, tasks) = unbounded::<Task>();
        let (results, done) = unbounded();
        let serve = move || {
            let mut texts: BTreeMap<PathBuf, BTreeMap<PathBuf, Text>> = BTreeMap::new();
            for task in tasks {
                let outcome = match task {
                    Task::Check(work) => {
                        let began = Instant::now();
                        let known = texts.entry(work.job.folder.clone()).or_default();
                        let mut all;
                        let known = match work.job.extent {
                            // The next check of the open files reads fewer texts.
                            Extent::Everything => {
                                all = known.clone();
                                &mut all
                            }
                            _ => known,
                        };
                        let options = &work.client.options;
                        let check = || Some(Results::of(checks.check(&work.job)?, options, known));
                        let end = match catch_unwind(AssertUnwindSafe(check)) {
                            Ok(Some(results)) => End::Found(Box::new(results)),
                            Ok(None) => End::Cancelled,
                            Err(_) => End::Panicked,
                        };
                        Outcome::Checked(Box::new(Done { work, end, took: began.elapsed() }))
                    }
                    Task::Expand(expand) => {
                        let text = AssertUnwindSafe(|| checks.expand(&expand.job, &expand.deployment));
                        let is_wanted = !expand.job.cancellation.is_cancelled();
                        let text = if is_wanted { catch_unwind(text).ok().flatten() } else { None };
                        Outcome::Expanded(expand, text)
                    }
                    Task::Forget(folder) => {
                        texts.remove(&folder);
                        checks.forget(&folder);
                        continue;
                    }
                };
                if results.send(outcome).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("check".to_owned()).spawn(serve)?;
        Ok(Self { work, done })
    }
}
