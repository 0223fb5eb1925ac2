//! The options of a check.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use arcstr::ArcStr;
use chrono::NaiveDate;

use crate::bicep::Registry;
use crate::config::Given;
use crate::diagnostic::Shard;
use crate::engine::changes;
use crate::engine::session::Error;
use crate::engine::session::change_lines::ChangeFilter;
use crate::engine::{Deleted, Detail, Isolation, ParseCache, Query};
use crate::files::{Host, Overlay, Programs};
use crate::model::Limits;
use crate::syntax;
use crate::text::{Sources, Span};
use crate::value::{Str, Value};

/// The options of a check. `None` stands for the value from the settings. Paths are relative to `working`.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct CheckOptions {
    /// The current folder, absolute.
    pub working: PathBuf,
    /// The environment variables that settings, rulesets and the Bicep CLI read.
    pub variables: BTreeMap<String, String>,
    /// Checked-out files, with the texts that an editor has not saved.
    pub files: Arc<Overlay>,
    /// Cache of earlier runs in `working`, for checks without a change.
    pub cache: Option<Arc<ParseCache>>,
    /// Templates, parameter files and folders.
    pub paths: Vec<PathBuf>,
    /// Deleted files that count as further `paths`.
    pub deleted: Option<Deleted>,
    /// True if the dependents of `paths` are checked too. The paths are then hints, as with `force_exclude`.
    pub dependents: bool,
    /// True if the filter also applies to `paths`. Paths that do not exist are skipped then.
    pub force_exclude: bool,
    /// Parameter files that replace those that would be found.
    pub parameters: Vec<PathBuf>,
    /// Values of single parameters, which override all files.
    pub overrides: Vec<Override>,
    /// The settings file. `None` to look for one.
    pub config: Option<PathBuf>,
    /// Source of the settings, the rules and the baseline.
    pub config_from: ConfigFrom,
    /// Values that override the settings or add to them.
    pub given: Given,
    /// True if Guard rules require every property that they name to exist.
    pub guard_strict: bool,
    /// True if CloudFormation templates are compared without evaluating functions, conditions and loops.
    pub as_written: bool,
    /// The folder of the cache for compiled Bicep; `None` for no cache.
    pub bicep_cache: Option<PathBuf>,
    /// The folder of the cache for modules; `None` for no cache.
    pub module_cache: Option<PathBuf>,
    /// Permission to use module registries.
    pub registry: Registry,
    /// The change that the check is about, if it is about one.
    pub change: Option<ChangeOptions>,
    /// State that findings are compared with, if only new ones are reported.
    pub new_only: Option<NewOnly>,
    /// The part of the files that is checked, if others check the rest.
    pub shard: Option<Shard>,
    /// True if reports list the undecided verdicts.
    pub list_unknown: bool,
    /// True if a check without a template fails.
    pub require_inputs: bool,
    /// The file for a new baseline that accepts the findings of this check.
    pub write_baseline: Option<PathBuf>,
    /// The current date, after which suppressions may have expired. `None` if none expires.
    pub today: Option<NaiveDate>,
    /// True if fixes are applied to the files.
    pub fix: bool,
    /// True if fixes are applied even if they are only likely to be what the author wants.
    pub unsafe_fixes: bool,
    /// True if the run keeps the verdicts that passed.
    pub keep_passed: bool,
    /// True if the run lists the resources of the deployments as trees.
    pub keep_trees: bool,
    /// True if the run lists the resources that the base of the change deploys and the change does not.
    pub lists_no_longer_deployed: bool,
    /// True if a report describes all rules that ran, and not only those with findings.
    pub describes_rules: bool,
    /// Number of threads; 0 for one per processor.
    pub threads: usize,
    /// Isolation of failures on single files.
    pub isolation: Arc<Isolation>,
}

/// State that findings are compared with to find new ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewOnly {
    /// The base of the change; without a change, the last commit.
    OfChange,
    /// The commit at which the current branch left this one.
    Since(String),
}

impl CheckOptions {
    /// Returns the right to start programs.
    ///
    /// # Errors
    ///
    /// Fails in an editor, which has none.
    pub(crate) fn programs(&self) -> Result<Programs, changes::Error> {
        let why = || io::Error::other("this server starts no other program");
        self.files.programs().ok_or_else(|| changes::Error::Start(why()))
    }

    /// Checks everything in the folder `working` with the embedded rules.
    pub fn new(working: PathBuf) -> Self {
        Self {
            working,
            variables: BTreeMap::new(),
            files: Arc::default(),
            cache: None,
            paths: Vec::new(),
            deleted: None,
            dependents: false,
            force_exclude: false,
            parameters: Vec::new(),
            overrides: Vec::new(),
            config: None,
            config_from: ConfigFrom::Head,
            given: Given::default(),
            guard_strict: false,
            as_written: false,
            bicep_cache: None,
            module_cache: None,
            registry: Registry::Used,
            change: None,
            new_only: None,
            shard: None,
            list_unknown: false,
            require_inputs: false,
            write_baseline: None,
            today: None,
            fix: false,
            unsafe_fixes: false,
            keep_passed: false,
            keep_trees: true,
            lists_no_longer_deployed: false,
            describes_rules: true,
            threads: 0,
            isolation: Arc::default(),
        }
    }
}

/// Source of the settings, the rules and the baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigFrom {
    /// The files that are checked out.
    Head,
    /// The base of the change. If the check is about no change, the query determines the base.
    Base(Query),
}

/// The change that a check is about.
#[derive(Clone, Debug)]
pub struct ChangeOptions {
    /// Query that determines the change.
    pub query: Query,
    /// Detail of the changed files to determine.
    pub detail: Detail,
    /// True if templates that the change does not affect are checked too.
    pub checks_all: bool,
    /// Filter of the reported findings.
    pub filter: ChangeFilter,
    /// True if only findings of the change count towards the status.
    pub counts_changed_only: bool,
    /// True if a comparison with the findings of the base decides which findings are of the change, and not only the
    /// lines that the change touches.
    pub compares: bool,
    /// The event that the check runs for, if it runs in a workflow.
    pub event: Option<WorkflowEvent>,
    /// The commit that the workflow runs for.
    pub commit: Option<String>,
}

/// The data of the event of a workflow that reports include.
#[derive(Clone, Debug)]
pub struct WorkflowEvent {
    /// Name of the event, such as `pull_request`.
    pub name: String,
    /// The number of the pull request, if the event is about one.
    pub pull_request: Option<u64>,
    /// The newest commit of the pull request.
    pub head: Option<String>,
}

/// A value for one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Name of the parameter.
    pub name: String,
    /// The value as JSON. A string needs no quotes unless it looks like JSON.
    pub json: String,
}

impl Override {
    /// Parses the value. It is added to `sources`, so that findings can point at it.
    pub fn value(&self, sources: &Sources, limits: &Limits) -> Result<(Str, Value), Error> {
        let json = ArcStr::from(self.json.as_str());
        let file = sources.add(format!("--set {}", self.name), json.clone());
        let value = match syntax::json::parse(file, &json, limits.nesting).value {
            Some(value) => value,
            // `--set location=westeurope` needs no quotes inside the quotes of the shell.
            None if !json.starts_with(['{', '[', '"', '\'']) => {
                let end = u32::try_from(json.len()).unwrap_or(u32::MAX);
                Value::from(&*json).at(Span::new(file, 0, end))
            }
            None => return Err(Error::Override(self.clone())),
        };
        Ok((Str::from(self.name.as_str()), value))
    }
}
