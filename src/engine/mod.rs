//! The pipeline: from paths to a finished [`Run`](crate::diagnostic::Run).
//!
//! A run finds files, loads and links them, expands each template once per parameter file, runs the rules, and merges what
//! they say. A file that cannot be used becomes a diagnostic and never stops the others. [`Session`] is a whole check from
//! options to verdict; [`InMemory`] checks one template without touching the system.

// These modules need no operating system: they are what is left of the engine without the feature `cli`.
mod detect;
mod enclosing;
mod findings;
mod frontend;
mod loaded_once;
mod memory;
mod merge;
mod parse;
mod places;
mod problems;
mod status;
mod suppress;
mod taken;
mod tree;

#[cfg(feature = "cli")]
mod baseline;
#[cfg(feature = "cli")]
mod bicep;
#[cfg(feature = "cli")]
mod changes;
#[cfg(feature = "cli")]
mod check;
#[cfg(feature = "cli")]
mod deployments;
#[cfg(feature = "cli")]
mod error;
#[cfg(feature = "cli")]
mod expand;
#[cfg(feature = "cli")]
mod fix;
#[cfg(feature = "cli")]
mod flood;
#[cfg(feature = "cli")]
mod given;
#[cfg(feature = "cli")]
mod inputs;
#[cfg(feature = "cli")]
mod isolation;
#[cfg(feature = "cli")]
mod linked;
#[cfg(feature = "cli")]
mod observer;
#[cfg(feature = "cli")]
mod overrides;
#[cfg(feature = "cli")]
mod rules;
#[cfg(feature = "cli")]
mod scope;
#[cfg(feature = "cli")]
mod session;
mod shares;
mod sorted_set;
#[cfg(feature = "cli")]
mod stable_paths;
#[cfg(feature = "cli")]
mod threads;
#[cfg(all(feature = "cli", any(test, fuzzing)))]
pub(crate) mod totality;
#[cfg(feature = "cli")]
mod withheld;

pub(crate) use self::findings::{Checks, Selected};
#[cfg(all(feature = "cli", any(test, fuzzing)))]
pub(crate) use self::memory::on_deep_stack;
pub(crate) use self::memory::{InMemory, NamedText, RuleBook};
pub use self::status::Status;
pub(crate) use self::suppress::{Extent, Suppressing};

#[cfg(feature = "cli")]
pub use self::bicep::BicepFiles;
#[cfg(feature = "cli")]
pub(crate) use self::bicep::{compile_file, json};
#[cfg(feature = "cli")]
pub(crate) use self::{
    baseline::{Baseline, Renewal},
    bicep::Origins,
    changes::{
        Auto, Deleted, Detail, Error as ChangesError, Event, NewState, Notice, Query, Relocated, Remote, Repository,
        Revisions, Snapshot, Wanted,
    },
    check::{Checker, check},
    deployments::{Closed, Deployed, Deployment, Deployments},
    error::RunError,
    expand::{Expanded, expand},
    fix::{FixPlan, NotFixed},
    given::{Cause, Inputs, Narrowing, Piped},
    inputs::{OneSide, affected},
    isolation::{Failure, Isolation, Item, Journal, Mode, Orders, Work},
    observer::{Observer, Warning},
    rules::{LoadedRules, RuleSource, lint_rules, load_rules},
    scope::ChangeFilter,
    session::{
        ChangeOptions, CheckOptions, ConfigFrom, Error, Finished, NewOnly, Override, Policy, SelectedFiles, Session,
        WorkflowEvent, proposed_fixes,
    },
    threads::{MAX_THREADS, Threads},
};
