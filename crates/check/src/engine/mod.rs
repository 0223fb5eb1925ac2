//! The pipeline: from paths to a finished [`Run`](crate::diagnostic::Run).
//!
//! A run finds files, loads and links them, expands each template once per parameter file, runs the rules, and merges
//! their findings. A file that cannot be used becomes a diagnostic and never stops the others. A [`Host`] provides the
//! files: [`Session`] is a whole check of the disk from options to verdict, and [`InMemory`] one of files in memory.
//!
//! [`Host`]: crate::files::Host

// Without the feature `cli`, what needs an operating system falls away: git, processes, and writing.
mod azure_policy;
mod azure_stack;
mod baseline;
mod bicep;
mod bicep_codes;
#[cfg(feature = "system")]
mod changes;
mod checker;
mod compiled;
mod counterparts;
mod deployments;
mod detect;
mod doubts;
mod drained;
mod enclosing;
mod error;
mod expand;
mod findings;
mod fix;
mod flood;
mod frontend;
mod given;
mod inputs;
#[cfg(any(test, feature = "fuzzing"))]
pub mod invariants;
mod isolation;
mod keys;
mod linked;
mod loaded_once;
mod memory;
mod merge;
#[cfg_attr(not(feature = "system"), path = "without_narrowing.rs")]
mod narrowing;
mod observer;
mod overrides;
mod parse;
mod parse_cache;
mod places;
mod planned;
mod problems;
mod redacted;
mod repeated;
mod rules;
mod run;
mod scenarios;
#[cfg(feature = "system")]
mod session;
mod shares;
mod sorted_set;
mod stable_paths;
mod stand_ins;
mod status;
mod suppress;
mod threads;
mod tree;
mod twins;
mod unreviewed;
mod upgrade;
mod written_secrets;

pub use self::bicep::BicepFiles;
pub use self::bicep_codes::bicep_rule;
pub use self::status::Status;
pub use self::{
    azure_policy::{Governance, PolicyAnswer, PolicySource, load_policies, tried},
    bicep::{Origins, compile_file, json},
    checker::Checker,
    deployments::{Closed, Deployed, Deployment, Deployments},
    error::RunError,
    expand::{Expanded, expand},
    findings::{Checks, Selected},
    given::{Inputs, Piped},
    isolation::{Failure, Isolation, Item, Mode, Orders, Work},
    memory::{InMemory, MemoryRules},
    narrowing::Narrowing,
    observer::{Observer, Sight, Warning},
    parse_cache::ParseCache,
    rules::{Linted, LoadedRules, RuleSource, lint_rules, load_rules},
    run::check_inputs,
    suppress::{Extent, Suppressing},
    threads::{MAX_THREADS, Threads},
    unreviewed::Unreviewed,
    upgrade::{Collected, Disproof, UpgradeOptions, UpgradeOutcome, UpgradePlan, UpgradeTarget, VersionUpgrade, prove},
};

#[cfg(feature = "system")]
pub use self::{
    baseline::{Acceptable, Baseline, Renewal, entry_text},
    changes::{
        Auto, Deleted, Detail, Error as ChangesError, Event, NewState, Notice, Query, Relocated, Remote, Repository,
        Revisions, Snapshot, Wanted,
    },
    inputs::system::{OneSide, affected},
    narrowing::Cause,
    session::{
        ChangeFilter, ChangeOptions, CheckOptions, ConfigFrom, DeployedResources, Error, Finished, FixPlan, Journal,
        NewOnly, NotFixed, Override, Policy, ReplacedLines, RewrittenFile, SelectedFiles, Session, WorkflowEvent,
        proposed_fixes, write_upgrades,
    },
};
