//! `--changed` and `--staged`: from what the user typed to the change that is checked.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Environment;
use crate::cli::args::{ChangeArguments, CheckArguments, FailOnScope, FilterMode};
use crate::cli::exit::Error;
use crate::cli::settings::Session;
use crate::cli::workflow::Workflow;
use crate::config::settings_places;
use crate::diagnostic::{self, Finding, Run};
use crate::engine::{Basis, Cause, Changes, Detail, Filter, Narrowing, Query, Scope, Snapshot};
use crate::files::normalize;
use crate::github::Event;
use crate::model::Limits;
use crate::text::Sources;
use crate::text::escape;

/// The change that a run is about, if it is about one.
#[derive(Debug)]
pub(super) struct Change {
    changes: Option<Changes>,
    /// Whether templates are checked that it has nothing to do with.
    checks_all: bool,
    /// What the event of the workflow says, with `--changed=auto`.
    workflow: Option<Workflow>,
    /// The staged files, where the working tree has others.
    snapshot: Option<Snapshot>,
    /// The world in which files are looked for: the current folder is that of the snapshot.
    environment: Environment,
    /// The current folder of the user.
    working: PathBuf,
}

impl Change {
    /// Asks git, if the arguments want it. What the user should know of the answer is printed to standard error.
    pub(super) fn open(arguments: &ChangeArguments, environment: &Environment) -> Result<Self, Error> {
        let workflow = (arguments.changed.as_deref() == Some("auto")).then(|| Workflow::of(environment));
        let mut change = Self {
            changes: None,
            checks_all: arguments.all,
            workflow,
            snapshot: None,
            environment: environment.clone(),
            working: environment.working.clone(),
        };
        let Some(query) = change.query(arguments) else {
            return if arguments.all || wants_lines(arguments) {
                let message = "`--all`, `--filter-mode` and `--fail-on-scope` are about a change: `--changed` or `--staged` is wanted";
                Err(Error::Usage(message.to_owned()))
            } else {
                Ok(change)
            };
        };
        let mut changes = Changes::find(&change.working, query, detail(arguments))?;
        if let Some(notice) = &changes.notice {
            // A notice that cannot be written changes nothing.
            let _ = writeln!(io::stderr(), "warning: {}", escape::line(&notice.to_string()));
        }
        if query == Query::Staged {
            // The settings, which say how large a file may be, are in the snapshot.
            change.snapshot = Snapshot::take(&changes, Limits::MAX_FILE_BYTES)?;
        }
        if let Some(snapshot) = &change.snapshot {
            change.environment.working = snapshot.folder(&change.working)?;
            changes = changes.moved_to(snapshot.root());
        }
        change.changes = Some(changes);
        Ok(change)
    }

    fn query<'a>(&'a self, arguments: &'a ChangeArguments) -> Option<Query<'a>> {
        match (arguments.changed.as_deref(), &self.workflow) {
            _ if arguments.staged => Some(Query::Staged),
            (_, Some(workflow)) => Some(Query::Auto(&workflow.auto)),
            // In a repository without a commit there is none to compare with, and that is fine.
            (Some("HEAD"), _) => Some(Query::Uncommitted),
            (Some(base), _) => Some(Query::Since(base)),
            (None, _) => None,
        }
    }

    /// The world in which the files of the run are.
    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The current folder of the user.
    pub(super) fn own_folder(&self) -> &Path {
        &self.working
    }

    /// Whether only templates are checked that a change has to do with.
    pub(super) fn narrows(&self) -> bool {
        self.changes.as_ref().is_some_and(|it| it.files.is_some()) && !self.checks_all
    }

    /// The file that a path of the command line means.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        match &self.snapshot {
            Some(snapshot) => snapshot.place(&normalize(&self.working, path)),
            None => path.to_owned(),
        }
    }

    /// As [`Change::place`], for several.
    pub(super) fn places(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|it| self.place(it)).collect()
    }

    /// What narrows a run to a part of its files, if anything does.
    pub(super) fn narrowing(&self, arguments: &CheckArguments, session: &Session<'_>) -> Option<Narrowing<'_>> {
        let working = &session.environment.working;
        let cause = if arguments.dependents {
            Cause::Named(arguments.paths.iter().filter(|path| path.as_os_str() != "-").cloned().collect())
        } else {
            Cause::Changes(self.changes.as_ref().filter(|_| !self.checks_all)?)
        };
        let absolute = |path: &PathBuf| normalize(working, &self.place(path));
        let rules = session.settings.rules.paths.iter().map(|(path, _)| path.clone());
        let rules = rules.chain(arguments.rules.rules.iter().map(absolute)).map(Basis::Rules);
        let settings = settings_places(working).into_iter();
        let settings = settings.chain(arguments.inputs.config.iter().map(absolute)).map(Basis::Settings);
        let parameters = arguments.inputs.parameters.iter().map(absolute).map(Basis::Parameters);
        Some(Narrowing { cause, basis: rules.chain(settings).chain(parameters).collect() })
    }

    /// Says of a run what is known of its change: which findings are on lines that it wrote, and what the event tells.
    pub(super) fn mark(&self, run: &mut Run) {
        let Some(scope) = self.scope() else { return };
        scope.mark(run);
        let Some(Workflow { event: Some(event), commit, .. }) = &self.workflow else { return };
        let Some(commit) = scope.changes.commit.as_ref().or(commit.as_ref()) else { return };
        let head = match event {
            Event::PullRequest(it) => Some(it.head.sha.clone()),
            _ => None,
        };
        run.change = Some(diagnostic::EventChange {
            event: event.name().to_owned(),
            pull_request: event.pull_request(),
            base: scope.changes.base.clone(),
            head: scope.changes.head.as_ref().map(|it| it.commit.clone()).or(head),
            commit: commit.clone(),
            files: scope.in_head(&run.sources),
        });
    }

    /// Whether a finding weighs.
    pub(super) fn weighs(&self, finding: &Finding, sources: &Sources, arguments: &ChangeArguments) -> bool {
        let is_limited = arguments.fail_on_scope == FailOnScope::Changed;
        self.scope().filter(|_| is_limited).is_none_or(|it| it.covers(finding, sources, Filter::Added))
    }

    /// Whether a finding is asked for.
    pub(super) fn asks_for(&self, finding: &Finding, sources: &Sources, arguments: &ChangeArguments) -> bool {
        self.scope().is_none_or(|it| it.covers(finding, sources, arguments.filter_mode.filter()))
    }

    /// Leaves out the findings that are not asked for, and says how many these are.
    pub(super) fn filter(&self, run: &mut Run, arguments: &ChangeArguments) -> usize {
        self.scope().map_or(0, |it| it.apply(run, arguments.filter_mode.filter()))
    }

    /// The names of the files that the change touches, without the first `skipped` texts.
    pub(super) fn touched(&self, sources: &Sources, skipped: usize) -> Vec<String> {
        let Some(changes) = &self.changes else { return Vec::new() };
        let names = sources.ids().skip(skipped).map(|it| Arc::clone(sources.get(it).name()));
        let path = |name: &str| normalize(&self.environment.working, Path::new(name));
        let touched: BTreeSet<Arc<str>> = names.filter(|it| changes.lines(&path(it)).is_some()).collect();
        touched.iter().map(ToString::to_string).collect()
    }

    /// A text with the absolute names that the user knows files by.
    pub(super) fn own_names(&self, text: &str) -> String {
        self.snapshot.as_ref().map_or_else(|| text.to_owned(), |it| it.with_original_names(text))
    }

    /// Gives files that lie above the current folder, and so have absolute names, those that the user knows.
    pub(super) fn restore_names(&self, run: &mut Run) {
        let Some(snapshot) = &self.snapshot else { return };
        let own = |name: &str| Path::new(name).starts_with(snapshot.root()).then(|| self.own_names(name).into());
        run.sources.rename(own);
        for finding in &mut run.findings {
            for name in std::iter::once(&mut finding.template).chain(&mut finding.parameters) {
                if let Some(own) = own(name) {
                    *name = own;
                }
            }
        }
    }

    fn scope(&self) -> Option<Scope<'_>> {
        let changes = self.changes.as_ref()?;
        Some(Scope { changes, working: &self.environment.working })
    }
}

fn detail(arguments: &ChangeArguments) -> Detail {
    match wants_lines(arguments) {
        _ if arguments.show_files => Detail::Files,
        true => Detail::Lines,
        false => Detail::LinesIfThere,
    }
}

fn wants_lines(arguments: &ChangeArguments) -> bool {
    arguments.filter_mode != FilterMode::None || arguments.fail_on_scope == FailOnScope::Changed
}
