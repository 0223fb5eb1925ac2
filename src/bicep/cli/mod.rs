//! Builds Bicep with the Bicep CLI.
//!
//! What was built before and has not changed since comes from the [`cache`]. For everything else one process is started
//! that serves the whole run ([`batch`]); a CLI that cannot do that, and the Azure CLI, build one file a process
//! ([`single`]).

mod answer;
mod batch;
mod cache;
mod locate;
mod options;
mod probe;
mod process;
mod rpc;
mod single;
mod version;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;
use serde_json::json;

use self::batch::Batch;
use self::cache::Cache;
use self::locate::{Tool, locate};
use self::rpc::{Answer, Session, Silence};

pub(crate) use self::answer::{Built, Message, Point, Weight};
pub(crate) use self::cache::configuration;
pub(crate) use self::locate::NotFound;
pub(crate) use self::options::{Options, Registry};
pub(crate) use self::probe::{is_asked_for, probe};
pub(crate) use self::version::Version;

/// How many files may be waited for in vain. Behind that it is the CLI and not the files.
const MAX_LATE: usize = 3;

/// A file to build.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The file, absolute.
    pub path: PathBuf,
    /// Whether it is a parameter file.
    pub is_parameters: bool,
    /// Whether it hangs on modules from a registry.
    pub needs_restore: bool,
    /// All local files that it hangs on, itself among them, as far as can be told without the CLI.
    pub references: Vec<PathBuf>,
}

/// Why the CLI cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is none.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The program does not start.
    #[error("the Bicep CLI `{}` does not start: {source}", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It ends before it does anything.
    #[error("the Bicep CLI `{}` failed: it {how}", .program.display())]
    Broken {
        /// The program.
        program: PathBuf,
        /// What it did.
        how: String,
    },
    /// It does not say anything.
    #[error("the Bicep CLI `{}` did not answer within {} s", .program.display(), .timeout.as_secs())]
    Silent {
        /// The program.
        program: PathBuf,
        /// How long it had.
        timeout: Duration,
    },
    /// It is too old.
    #[error("the Bicep CLI `{}` has version {found}, and at least {wanted} is wanted", .program.display())]
    TooOld {
        /// The program.
        program: PathBuf,
        /// Its version.
        found: Version,
        /// The oldest version that would do.
        wanted: Version,
    },
}

/// Why one file was not built, although the CLI can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The process ended.
    #[error("the Bicep CLI crashed while it built the file: it {0}")]
    Crashed(String),
    /// There was no answer in time.
    #[error("the Bicep CLI did not finish the file in time")]
    TimedOut,
    /// The CLI gave another reason than messages about the file.
    #[error("the Bicep CLI refused to build the file: {0}")]
    Refused(String),
    /// The CLI has no such command.
    #[error("this version of the Bicep CLI cannot build such files")]
    Unsupported,
    /// Too many other files came to a bad end.
    #[error("the file was not built, because the Bicep CLI failed with too many others")]
    Abandoned,
}

/// What became of the requests.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// In the order of the requests. `None` for one that hangs on `error`.
    pub files: Vec<Option<Result<Built, Failure>>>,
    /// Why the CLI could not be used.
    pub error: Option<Error>,
}

/// Builds files. Starts no process if all of them were built before.
pub(crate) fn build(options: &Options, requests: &[Request]) -> Results {
    let mut results = Results { files: requests.iter().map(|_| None).collect(), error: None };
    if !requests.is_empty() {
        let built = locate(options).map_err(Error::from).and_then(|tool| {
            let builder = Builder { options, tool: &tool, cache: Cache::new(options), requests };
            builder.run(&mut results.files)
        });
        results.error = built.err();
    }
    results
}

struct Builder<'a> {
    options: &'a Options,
    tool: &'a Tool,
    cache: Cache,
    requests: &'a [Request],
}

/// Who answers.
enum Service {
    /// A process that serves the run.
    Session(Session),
    /// A process a file.
    Single,
}

impl Builder<'_> {
    fn run(&self, files: &mut [Option<Result<Built, Failure>>]) -> Result<(), Error> {
        let (mut service, mut version) = (None, self.cache.version(self.tool));
        if version.is_none() {
            let (started, found) = self.start()?;
            (service, version) = (Some(started), found);
        }
        self.check_version(version)?;
        let keys: Vec<Option<String>> = self.requests.iter().map(|it| self.key(version, it)).collect();
        let known = self.requests.par_iter().zip(&keys).map(|(_, key)| self.cache.get(key.as_ref()?));
        for (file, built) in files.iter_mut().zip(known.collect::<Vec<_>>()) {
            *file = built.map(Ok);
        }
        let missing: Vec<usize> = (0..files.len()).filter(|&at| files[at].is_none()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let service = match service {
            Some(service) => service,
            None => self.start()?.0,
        };
        for at in &missing {
            self.requests[*at].references.iter().for_each(|it| self.cache.look_at(it));
        }
        for (at, built, references) in self.build(service, &missing) {
            if let (Ok(built), Some(key)) = (&built, &keys[at])
                && built.is_lasting()
            {
                self.cache.put(key, &references, built.clone());
            }
            files[at] = Some(built);
        }
        Ok(())
    }

    fn key(&self, version: Option<Version>, request: &Request) -> Option<String> {
        version.map(|it| cache::key(self.options, self.tool, it, request))
    }

    fn check_version(&self, version: Option<Version>) -> Result<(), Error> {
        match (version, self.options.minimum) {
            (Some(found), Some(wanted)) if found < wanted => {
                Err(Error::TooOld { program: self.tool.program.clone(), found, wanted })
            }
            _ => Ok(()),
        }
    }

    /// Starts what serves the run, and asks for its version.
    fn start(&self) -> Result<(Service, Option<Version>), Error> {
        let program = || self.tool.program.clone();
        // A session takes no arguments of `bicep build`.
        if !self.tool.is_azure_cli && self.options.arguments().is_empty() {
            let mut session = self.session().map_err(|source| Error::Start { program: program(), source })?;
            session.ask("bicep/version", &json!({}));
            match session.listen() {
                Ok(Answer { result, .. }) => {
                    let version = result.ok().and_then(|it| it["version"].as_str()?.parse().ok());
                    self.remember(version);
                    return Ok((Service::Session(session), version));
                }
                Err(Silence::TimedOut) => {
                    return Err(Error::Silent { program: program(), timeout: self.options.timeout });
                }
                // An old CLI ends at once, because it does not know the command; a broken one will do so again.
                Err(Silence::Ended(_)) => {}
            }
        }
        self.version_alone().map(|it| (Service::Single, it))
    }

    /// The version that a process tells which does nothing else.
    fn version_alone(&self) -> Result<Option<Version>, Error> {
        let program = self.tool.program.clone();
        match single::version(self.tool, self.options) {
            Err(source) => Err(Error::Start { program, source }),
            Ok(None) => Err(Error::Silent { program, timeout: self.options.timeout }),
            Ok(Some(output)) if !output.status.is_some_and(|it| it.success()) => {
                Err(Error::Broken { program, how: output.how() })
            }
            Ok(Some(output)) => {
                let version = String::from_utf8_lossy(&output.stdout).parse().ok();
                self.remember(version);
                Ok(version)
            }
        }
    }

    fn remember(&self, version: Option<Version>) {
        if let Some(version) = version {
            self.cache.remember_version(self.tool, version);
        }
    }

    fn session(&self) -> io::Result<Session> {
        Session::start(&self.tool.program, self.options.timeout)
    }

    /// Builds the requests at these positions. With each come the files that it hangs on.
    fn build(&self, service: Service, missing: &[usize]) -> Vec<(usize, Result<Built, Failure>, Vec<PathBuf>)> {
        // A session restores modules whether one wants it or not.
        let is_single = |at: &usize| match service {
            Service::Session(_) => self.options.is_offline() && self.requests[*at].needs_restore,
            Service::Single => true,
        };
        let (mut singles, shared): (Vec<usize>, Vec<usize>) = missing.iter().partition(|it| is_single(it));
        let mut built = Vec::with_capacity(missing.len());
        if let Service::Session(session) = service {
            let requests: Vec<&Request> = shared.iter().map(|&at| &self.requests[at]).collect();
            let batch = Batch::new(&requests, self.options.overrides());
            let outcomes = batch.run(session, || self.session().ok());
            for (at, outcome) in shared.into_iter().zip(outcomes) {
                // Ours know of files that are not there yet, and those of the CLI of files in its own cache.
                let mut references = self.requests[at].references.clone();
                references.extend(outcome.references.unwrap_or_default());
                references.sort();
                references.dedup();
                match outcome.built.unwrap_or(Err(Failure::Abandoned)) {
                    Err(Failure::Unsupported) => singles.push(at),
                    other => built.push((at, other, references)),
                }
            }
        }
        let late = AtomicUsize::new(0);
        let one = |at: usize| {
            let request = &self.requests[at];
            let result = if late.load(Ordering::Relaxed) < MAX_LATE {
                single::build(self.tool, self.options, request)
            } else {
                Err(Failure::Abandoned)
            };
            late.fetch_add(usize::from(result == Err(Failure::TimedOut)), Ordering::Relaxed);
            (at, result, request.references.clone())
        };
        built.par_extend(singles.into_par_iter().map(one));
        built
    }
}
