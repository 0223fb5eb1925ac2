//! The baseline of a check: read before the run, applied to its findings, and written if the options say so.

use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, Severity};
use crate::engine::baseline::{Baseline, Renewal};
use crate::engine::run::{AcceptedRun, StaleSearch};
use crate::engine::session::change::ChangeScope;
use crate::engine::session::policy::Policy;
use crate::engine::session::{CheckOptions, Error};
use crate::files::{Destination, Disk, NotWritten, display_name, read_bytes};
use crate::model::Limits;
use crate::path::normalize;
use crate::text::{Sources, Span};

/// The baseline of a check, if there is one.
#[derive(Debug)]
pub(super) struct RunBaseline {
    baseline: Option<Baseline>,
    /// The baseline file, if there is one to read.
    path: Option<PathBuf>,
    /// The name of the baseline file in messages.
    name: String,
    /// The file to write, if the options name one.
    target: Option<Destination>,
    /// The current folder of the run, which may be in the copy of the staged files.
    working: PathBuf,
    /// True if entries that are no longer found are reported: not entries of the base, which a change cannot remove
    /// there.
    reports_stale: bool,
    /// True if the settings name the baseline file.
    is_in_settings: bool,
}

/// A baseline that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The name of its file.
    pub name: String,
    /// Differences from the previous baseline.
    pub renewal: Renewal,
    /// True if the settings name the file, so that later checks use it.
    pub is_in_settings: bool,
}

impl RunBaseline {
    /// Reads the baseline that the options or the settings name. It is usable only if no diagnostic is an error.
    ///
    /// # Errors
    ///
    /// Fails if the baseline must not be written where the options say.
    pub(super) fn open(
        options: &CheckOptions,
        (change, policy): (&ChangeScope, &Policy),
        of_settings: Option<(PathBuf, Span)>,
        limits: &Limits,
        sources: &Sources,
    ) -> Result<(Self, Vec<Diagnostic>), Error> {
        let (own, working) = (options.working.as_path(), change.working().to_path_buf());
        let destination = options.write_baseline.as_deref().map(|path| Destination::new(own, path));
        if let (Some(destination), Some(path)) = (&destination, &options.write_baseline) {
            destination.real().map_err(|why| Error::Write { path: path.clone(), why })?;
        }
        // The file is written to the working tree, so its previous content is read from there too.
        let target = options.write_baseline.as_deref().map(|path| normalize(own, path));
        let is_in_settings = of_settings.as_ref().is_some_and(|(path, _)| target.as_ref() == Some(path));
        let named = options.given.baseline.as_deref().map(|path| normalize(own, &change.locate(path)));
        let named = named.map(|path| (path, None));
        let file = match &target {
            Some(path) => path.exists().then(|| (path.clone(), None)),
            None => named.or_else(|| of_settings.map(|(path, span)| (path, Some(span)))),
        };
        let name = match (&target, &file) {
            (Some(path), _) => display_name(own, path),
            (None, Some((path, _))) => change.with_own_names(&display_name(&working, path)),
            (None, None) => String::new(),
        };
        let path = file.as_ref().map(|(path, _)| path.clone());
        let (baseline, problems) = match file {
            Some((path, span)) => {
                let tree = if target.is_some() { &Disk } else { policy.tree() };
                Baseline::open(&path, span, (tree, &working), limits, sources)
            }
            None => (target.is_some().then(Baseline::default), Vec::new()),
        };
        let reports_stale = !policy.is_of_base();
        Ok((Self { baseline, path, name, target: destination, working, reports_stale, is_in_settings }, problems))
    }

    /// Returns the name of the baseline in messages, if there is one.
    pub(super) fn name(&self) -> Option<String> {
        self.baseline.as_ref().map(|_| self.name.clone())
    }

    /// Returns the file of the baseline that is used, if there is one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.path.clone().filter(|_| self.baseline.is_some())
    }

    /// Returns the baseline that accepts findings of a run as it is. One that is written accepts all of them itself, so
    /// its previous content counts only where findings are fixed: those that it accepts are not.
    pub(super) fn previous(&self, fixes: bool) -> Option<&Baseline> {
        self.baseline.as_ref().filter(|_| fixes || self.target.is_none())
    }

    /// Writes a baseline that accepts the findings of a run whose severity is `least` or higher, if the options ask for
    /// one, and suppresses these findings. If it cannot be written, the run is that of a check without it.
    pub(super) fn renew(&self, run: AcceptedRun, least: Severity) -> (AcceptedRun, Result<Option<Written>, Error>) {
        let (Some(baseline), Some(target)) = (&self.baseline, &self.target) else { return (run, Ok(None)) };
        let (renewed, renewal) = baseline.renewed(run.run(), (&self.working, &Disk), least);
        match write(target, &renewed.text()) {
            Ok(()) => {
                let is_in_settings = self.is_in_settings;
                let written = Written { name: self.name.clone(), renewal, is_in_settings };
                (run.accept_also(Some(&renewed)), Ok(Some(written)))
            }
            Err(why) => (run, Err(Error::Write { path: PathBuf::from(&self.name), why })),
        }
    }

    /// Returns the search for stale entries. A change cannot remove those of the base there, and one that is written has
    /// none.
    pub(super) fn stale_search(&self) -> Option<StaleSearch<'_>> {
        let baseline = self.baseline.as_ref().filter(|_| self.reports_stale && self.target.is_none())?;
        Some(StaleSearch { baseline, name: &self.name, working: &self.working, host: &Disk })
    }
}

/// Writes the file unless it already has this content.
fn write(target: &Destination, text: &str) -> Result<(), NotWritten> {
    // A longer file has another content, and need not be read.
    if read_bytes(&target.real()?, text.len() as u64).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    target.write(&|out| out.write_all(text.as_bytes()))
}
