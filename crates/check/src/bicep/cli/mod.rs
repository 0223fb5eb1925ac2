//! Builds Bicep files with the Bicep CLI.
//!
//! Results of earlier runs come from the [`cache`] if nothing has changed since. All other files are built by one
//! process that serves the whole run ([`batch`]). The Azure CLI, and old versions of the Bicep CLI, need a process for
//! each file ([`single`]). Only [`process`] starts processes.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod answer;
mod batch;
mod cache;
mod locate;
mod mirror;
mod passed;
mod probe;
mod process;
mod rpc;
mod search;
mod single;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;
use serde_json::json;

use crate::bicep::{Built, Compiler, Failure, Options, Version};

use self::batch::Batch;
use self::cache::Cache;
use self::locate::{PATH_VARIABLE, Tool, locate};
use self::mirror::Mirror;
use self::rpc::{RpcResponse, Session, Silence};

pub use self::locate::NotFound;
pub use self::probe::{is_asked_for, probe};

/// Number of files that may time out. If there are more, the CLI is the problem rather than the files.
const MAX_LATE: usize = 3;

/// A file to build.
#[derive(Clone, Debug)]
pub struct Request {
    /// The absolute path of the file.
    pub path: PathBuf,
    /// True if the file is a parameter file.
    pub is_parameters: bool,
    /// True if the file depends on modules from a registry.
    pub needs_restore: bool,
    /// The local files that it depends on, including itself, as far as formwork can tell without the CLI.
    pub references: Vec<PathBuf>,
}

/// Reason why the CLI cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The CLI is not installed.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The operating system cannot start the program.
    #[error("cannot start the Bicep CLI `{}`: {source}", .program.display())]
    Start {
        /// The path of the program.
        program: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The files cannot be copied to where the settings of the base are.
    #[error("cannot copy the Bicep files, to build them with the `bicepconfig.json` of the base: {source}")]
    Copy {
        /// The operating system's error.
        source: io::Error,
    },
    /// The CLI ends without an answer.
    #[error("the Bicep CLI `{}` failed: it {how}", .program.display())]
    Broken {
        /// The path of the program.
        program: PathBuf,
        /// The way it ended, a phrase with "it" as the subject.
        how: String,
    },
    /// The CLI does not answer in time.
    #[error("the Bicep CLI `{}` did not answer within {} s", .program.display(), .timeout.as_secs())]
    Silent {
        /// The path of the program.
        program: PathBuf,
        /// The time limit.
        timeout: Duration,
    },
    /// The CLI is older than the settings allow.
    #[error("the Bicep CLI `{}` has version {found}; expected at least {minimum}", .program.display())]
    TooOld {
        /// The path of the program.
        program: PathBuf,
        /// The version of the program.
        found: Version,
        /// The oldest version that the settings allow.
        minimum: Version,
    },
}

/// The results of all requests.
#[derive(Debug, Default)]
pub struct Results {
    /// The results in the order of the requests. `None` for a file that was not built for a reason that is not its own.
    pub files: Vec<Option<Result<Built, Failure>>>,
    /// Reason why the CLI cannot be used.
    pub error: Option<Error>,
}

/// Returns `true` if the CLI builds the files, and not the built-in compiler. A CLI that the user names is used even if
/// it does not exist, which is an error then.
pub fn is_used(options: &Options) -> bool {
    match options.compiler {
        Compiler::Builtin => false,
        _ if options.programs.is_none() => false,
        Compiler::Cli => true,
        Compiler::Auto => options.variable(PATH_VARIABLE).is_some() || locate(options).is_ok(),
    }
}

/// Builds files. Starts no process if the cache has the results of all of them.
pub fn build(options: &Options, requests: &[Request]) -> Results {
    match Mirror::create(options, requests) {
        Ok(None) => build_in_place(options, requests),
        Ok(Some(mirror)) => {
            let requests: Vec<Request> = requests.iter().map(|request| mirror.request(request)).collect();
            // The cache knows files by their paths, and these are new ones each time.
            let options = Options { cache: None, ..options.clone() };
            let mut results = build_in_place(&options, &requests);
            results.files.iter_mut().flatten().for_each(|result| mirror.restore(result));
            results
        }
        Err(source) => Results { files: requests.iter().map(|_| None).collect(), error: Some(Error::Copy { source }) },
    }
}

fn build_in_place(options: &Options, requests: &[Request]) -> Results {
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

/// Builds the requests of one run with a CLI.
struct Builder<'a> {
    options: &'a Options,
    tool: &'a Tool,
    cache: Cache,
    requests: &'a [Request],
}

/// Way in which the CLI builds files.
enum Service {
    /// A single process serves the whole run.
    Session(Session),
    /// Each file has its own process.
    Single,
}

/// A file that was built.
struct Finished {
    /// The position of its request.
    at: usize,
    result: Result<Built, Failure>,
    /// All files that the result depends on.
    references: Vec<PathBuf>,
}

impl Builder<'_> {
    /// Fills in the results of all requests, from the cache or from a build.
    fn run(&self, files: &mut [Option<Result<Built, Failure>>]) -> Result<(), Error> {
        let (mut service, mut version) = (None, self.cache.version(self.tool));
        if version.is_none() {
            let (started, found) = self.start()?;
            (service, version) = (Some(started), found);
        }
        self.check_version(version)?;
        let keys: Vec<Option<String>> = self.requests.iter().map(|request| self.key(version, request)).collect();
        let known = self.requests.par_iter().zip(&keys).map(|(_, key)| self.cache.get(key.as_ref()?));
        for (file, built) in files.iter_mut().zip(known.collect::<Vec<_>>()) {
            *file = built.map(Ok);
        }
        let missing = files.iter().enumerate().filter(|(_, built)| built.is_none());
        let missing: Vec<usize> = missing.map(|(at, _)| at).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let service = match service {
            Some(service) => service,
            None => self.start()?.0,
        };
        for &at in &missing {
            self.request(at).references.iter().for_each(|file| self.cache.look_at(file));
        }
        for Finished { at, result, references } in self.build(service, &missing) {
            if let (Ok(built), Some(Some(key))) = (&result, keys.get(at))
                && built.is_lasting()
            {
                self.cache.put(key, &references, built.clone());
            }
            if let Some(file) = files.get_mut(at) {
                *file = Some(result);
            }
        }
        Ok(())
    }

    #[expect(clippy::indexing_slicing, reason = "positions are those of the requests themselves")]
    fn request(&self, at: usize) -> &Request {
        &self.requests[at]
    }

    /// Returns the cache key of a request. `None` if the version is unknown: results of different versions must not be
    /// mixed up.
    fn key(&self, version: Option<Version>, request: &Request) -> Option<String> {
        version.map(|version| cache::key(self.options, self.tool, version, request))
    }

    fn check_version(&self, version: Option<Version>) -> Result<(), Error> {
        match (version, self.options.minimum) {
            (Some(found), Some(minimum)) if found < minimum => {
                Err(Error::TooOld { program: self.tool.program.clone(), found, minimum })
            }
            _ => Ok(()),
        }
    }

    /// Starts a session, and asks it for its version. Falls back to a process for each file if the CLI has no sessions.
    fn start(&self) -> Result<(Service, Option<Version>), Error> {
        let program = || self.tool.program.clone();
        // The user's arguments are for `bicep build`. A session does not accept them.
        if !self.tool.is_azure_cli && self.options.arguments().is_empty() {
            let mut session = self.session().map_err(|source| Error::Start { program: program(), source })?;
            session.ask("bicep/version", &json!({}));
            match session.listen() {
                Ok(RpcResponse { result, .. }) => {
                    let version = result.ok().and_then(|result| result.get("version")?.as_str()?.parse().ok());
                    self.remember(version);
                    return Ok((Service::Session(session), version));
                }
                Err(Silence::TimedOut) => {
                    return Err(Error::Silent { program: program(), timeout: self.options.timeout });
                }
                // An old CLI ends at once, because it does not know the command. A broken one ends again below.
                Err(Silence::Ended(_)) => {}
            }
        }
        self.version_alone().map(|version| (Service::Single, version))
    }

    /// Asks for the version with a process of its own. `None` if the answer is not a version.
    fn version_alone(&self) -> Result<Option<Version>, Error> {
        let program = self.tool.program.clone();
        match single::version(self.tool, self.options) {
            Err(source) => Err(Error::Start { program, source }),
            Ok(None) => Err(Error::Silent { program, timeout: self.options.timeout }),
            Ok(Some(output)) if !output.status.is_some_and(|status| status.success()) => {
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
        Session::start(&self.tool.program, self.options)
    }

    /// Builds the requests at these positions.
    fn build(&self, service: Service, missing: &[usize]) -> Vec<Finished> {
        // A session always restores modules, so an offline run builds files that need them with `--no-restore`.
        let is_single = |at: usize| match service {
            Service::Session(_) => self.options.is_offline() && self.request(at).needs_restore,
            Service::Single => true,
        };
        let (mut singles, shared): (Vec<usize>, Vec<usize>) = missing.iter().partition(|at| is_single(**at));
        let mut built = Vec::with_capacity(missing.len());
        if let Service::Session(session) = service {
            for finished in self.build_in_session(session, &shared) {
                match finished.result {
                    Err(Failure::Unsupported) => singles.push(finished.at),
                    _ => built.push(finished),
                }
            }
        }
        built.extend(self.build_alone(singles));
        built
    }

    /// Builds files with a process that serves all of them.
    fn build_in_session(&self, session: Session, positions: &[usize]) -> Vec<Finished> {
        let requests: Vec<&Request> = positions.iter().map(|&at| self.request(at)).collect();
        let batch = Batch::new(&requests, self.options.overrides());
        let outcomes = batch.run(session, || self.session().ok());
        let finished = positions.iter().zip(requests.iter().zip(outcomes)).map(|(&at, (request, outcome))| {
            // Our own list has files that do not exist yet. The CLI's list has files in its module cache.
            let mut references = request.references.clone();
            references.extend(outcome.references.unwrap_or_default());
            references.sort();
            references.dedup();
            Finished { at, result: outcome.built.unwrap_or(Err(Failure::Abandoned)), references }
        });
        finished.collect()
    }

    /// Builds files with a process for each, in parallel.
    fn build_alone(&self, positions: Vec<usize>) -> Vec<Finished> {
        let late = AtomicUsize::new(0);
        let build = |at: usize| {
            let request = self.request(at);
            let result = if late.load(Ordering::Relaxed) < MAX_LATE {
                single::build(self.tool, self.options, request)
            } else {
                Err(Failure::Abandoned)
            };
            late.fetch_add(usize::from(result == Err(Failure::TimedOut)), Ordering::Relaxed);
            Finished { at, result, references: request.references.clone() }
        };
        positions.into_par_iter().map(build).collect()
    }
}
