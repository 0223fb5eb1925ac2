//! The change that a check is about: which files are checked because of it, and which findings belong to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{self, Finding, Run};
use crate::engine::changes::{Changes, Detail, Notice, Query, Snapshot};
use crate::engine::inputs::system::Taken;
use crate::engine::session::change_lines::{ChangeFilter, Scope};
use crate::engine::session::{ChangeOptions, CheckOptions, Error};
use crate::files::PathFilter;
use crate::model::Limits;
use crate::path::normalize;
use crate::text::Sources;

/// The change that a check is about, if it is about one.
#[derive(Debug)]
pub(super) struct ChangeScope {
    options: Option<ChangeOptions>,
    changes: Option<Changes>,
    /// The copy of the files that are checked: the staged ones, if they differ from the working tree, or those of a
    /// base.
    snapshot: Option<Snapshot>,
    /// The current folder, or its copy in the snapshot.
    working: PathBuf,
    /// The current folder, absolute. `working` differs from it if there is a snapshot.
    own_folder: PathBuf,
}

impl ChangeScope {
    /// Determines the change with git, if the options name one.
    pub(super) fn find(options: &CheckOptions) -> Result<Self, Error> {
        let mut scope = Self {
            options: options.change.clone(),
            changes: None,
            snapshot: None,
            working: options.working.clone(),
            own_folder: options.working.clone(),
        };
        let Some(ChangeOptions { query, detail, .. }) = &options.change else { return Ok(scope) };
        let mut changes = Changes::find(&options.working, query, *detail, options.programs()?)?;
        if *query == Query::Staged {
            // The configured limit is not known yet, since the settings are read from the snapshot.
            scope.snapshot = Snapshot::take(&changes, Limits::MAX_FILE_BYTES, options.programs()?)?;
        }
        if let Some(snapshot) = &scope.snapshot {
            scope.working = snapshot.folder(&options.working)?;
            changes = changes.moved_to(snapshot.root());
        }
        scope.changes = Some(changes);
        Ok(scope)
    }

    /// Creates a scope without a change, in a copy of another state of the repository. `own_folder` is the current
    /// folder, and `working` its copy.
    pub(super) fn of_copy(own_folder: &Path, working: &Path, copy: Snapshot) -> Self {
        let (working, own_folder) = (working.to_owned(), own_folder.to_owned());
        Self { options: None, changes: None, snapshot: Some(copy), working, own_folder }
    }

    /// Returns the notice to the user about how the change was determined.
    pub(super) fn notice(&self) -> Option<&Notice> {
        self.changes.as_ref()?.notice.as_ref()
    }

    /// Counts renamed files that are new to the check as changed with all of their lines.
    pub(super) fn renew(&mut self, paths: &[PathBuf], filter: &PathFilter) {
        let taken = Taken { working: &self.working, paths, filter };
        if let Some(changes) = &mut self.changes {
            changes.renew(|old, new| taken.is_new(old, new));
        }
    }

    /// Returns the change, if the check is about one.
    pub(super) fn changes(&self) -> Option<&Changes> {
        self.changes.as_ref()
    }

    /// Returns `true` if a comparison with the findings of the base decides which findings are of the change.
    pub(super) fn compares(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.compares)
    }

    /// Returns `true` if the change restricts the findings that are reported.
    pub(super) fn filters(&self) -> bool {
        self.filter() != ChangeFilter::None
    }

    /// Returns `true` if the change consists of the staged edits.
    pub(super) fn is_staged(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.query == Query::Staged)
    }

    /// Returns `true` if the run reads a copy of the staged files, or of another state.
    pub(super) fn is_copy(&self) -> bool {
        self.snapshot.is_some()
    }

    /// Returns the current folder of the run, absolute.
    pub(super) fn working(&self) -> &Path {
        &self.working
    }

    /// Returns `true` if only the templates that the change affects are checked.
    pub(super) fn narrows(&self) -> bool {
        self.narrowing().is_some_and(|changes| changes.files.is_some())
    }

    /// Returns the file to read for a path of the options: with a snapshot, its staged copy.
    pub(super) fn locate(&self, path: &Path) -> PathBuf {
        match &self.snapshot {
            Some(snapshot) => snapshot.place(&normalize(&self.own_folder, path)),
            None => path.to_owned(),
        }
    }

    /// Calls [`ChangeScope::locate`] for several paths.
    pub(super) fn locate_all(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|path| self.locate(path)).collect()
    }

    /// Marks the findings whose lines the change touches, and adds the data of the event to the run.
    pub(super) fn mark(&self, run: &mut Run) {
        let Some(scope) = self.scope() else { return };
        scope.mark(run);
        let Some(ChangeOptions { event: Some(event), commit, .. }) = &self.options else { return };
        let Some(commit) = scope.changes.commit.as_ref().or(commit.as_ref()) else { return };
        run.change = Some(diagnostic::EventChange {
            event: event.name.clone(),
            pull_request: event.pull_request,
            base: scope.changes.base.clone(),
            head: scope.changes.head.as_ref().map(|merged| merged.commit.clone()).or_else(|| event.head.clone()),
            commit: commit.clone(),
            files: scope.in_head(&run.sources),
        });
    }

    /// Records the suppressions that the change adds. `reads_settings` is true if the settings and the baseline are
    /// those of the change.
    pub(super) fn note_suppressions(&self, run: &mut Run, reads_settings: bool) {
        let has_lines = self.options.as_ref().is_some_and(|options| options.detail != Detail::Files);
        let scope = self.scope().filter(|scope| has_lines && scope.changes.files.is_some());
        run.added_suppressions = scope.map_or_else(Vec::new, |scope| scope.added_suppressions(run, reads_settings));
    }

    /// Returns `true` if a finding that was marked counts towards the status.
    pub(super) fn counts(&self, finding: &Finding) -> bool {
        let is_limited = self.options.as_ref().is_some_and(|options| options.counts_changed_only);
        !is_limited || finding.in_change != Some(false)
    }

    /// Returns `true` if a finding is reported.
    pub(super) fn shows(&self, finding: &Finding, sources: &Sources) -> bool {
        self.scope().is_none_or(|scope| scope.shows(finding, sources, self.filter()))
    }

    /// Drops the findings that are not reported, and returns their number.
    pub(super) fn hide_outside(&self, run: &mut Run) -> usize {
        self.scope().map_or(0, |scope| scope.apply(run, self.filter()))
    }

    /// Returns the names of the changed files among the sources, without the first `skipped` sources.
    pub(super) fn touched(&self, sources: &Sources, skipped: usize) -> Vec<String> {
        let Some(changes) = &self.changes else { return Vec::new() };
        let names = sources.ids().skip(skipped).map(|file| Arc::clone(sources.get(file).name()));
        let path = |name: &str| normalize(&self.working, Path::new(name));
        let touched: BTreeSet<Arc<str>> = names.filter(|name| changes.lines(&path(name)).is_some()).collect();
        touched.iter().map(ToString::to_string).collect()
    }

    /// Replaces the absolute paths of staged copies in `text` with those of the original files.
    pub(super) fn with_own_names(&self, text: &str) -> String {
        self.snapshot.as_ref().map_or_else(|| text.to_owned(), |snapshot| snapshot.with_original_names(text))
    }

    /// Gives staged copies in a run the names of the original files. Only files outside the current folder need it,
    /// since their names are absolute.
    pub(super) fn restore_names(&self, run: &mut Run) {
        let Some(snapshot) = &self.snapshot else { return };
        let own = |name: &str| Path::new(name).starts_with(snapshot.root()).then(|| self.with_own_names(name).into());
        run.sources.rename(own);
        for finding in &mut run.findings {
            for name in std::iter::once(&mut finding.template).chain(&mut finding.parameters) {
                if let Some(own) = own(name) {
                    *name = own;
                }
            }
        }
        for name in run.trees.iter_mut().filter_map(|tree| tree.parameters.as_mut()) {
            if let Some(own) = own(name) {
                *name = own;
            }
        }
    }

    /// Returns the change that narrows the check; `None` if everything is checked.
    pub(super) fn narrowing(&self) -> Option<&Changes> {
        let checks_all = self.options.as_ref().is_some_and(|options| options.checks_all);
        self.changes.as_ref().filter(|_| !checks_all)
    }

    fn filter(&self) -> ChangeFilter {
        self.options.as_ref().map_or(ChangeFilter::None, |options| options.filter)
    }

    fn scope(&self) -> Option<Scope<'_>> {
        let changes = self.changes.as_ref()?;
        Some(Scope { changes, working: &self.working })
    }
}
