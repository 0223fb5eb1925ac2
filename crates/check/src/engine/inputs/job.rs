//! A template with its parameter files.

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::bicep::{Compiled, Gaps, Origins};
use crate::engine::frontend::Subject;
use crate::engine::inputs::built::Stale;
use crate::engine::inputs::fragments::Frame;
use crate::engine::inputs::load::Loaded;
use crate::engine::inputs::store::Store;
use crate::model::Issue;
use crate::text::Span;
use crate::value::Value;

/// A template or an export, and the parameter files that it is expanded with, one after the other. Without parameter
/// files, it is expanded once.
#[derive(Debug)]
pub(in crate::engine) struct Job {
    pub(in crate::engine) template: Loaded,
    /// The real path of the template.
    pub(super) identity: PathBuf,
    pub(in crate::engine) parameters: Vec<Arc<Loaded>>,
    /// True if the template cannot be deployed without parameter files.
    pub(super) needs_parameters: bool,
    /// True if a parameter file replaces the check of the defaults.
    has_replacement: bool,
    /// True if a parameter file is unreviewed.
    pub(super) has_unreviewed: bool,
    /// The template that it is put together with before a deployment.
    pub(super) frame: Option<Arc<Frame>>,
    /// Maps positions in compiled JSON to those in Bicep files.
    pub(in crate::engine) origins: Origins,
    /// First difference between the template and the output of the Bicep file beside it, if there is any.
    pub(in crate::engine) stale: Option<Stale>,
    /// Name of the Bicep file that the template was built from, if that is checked, too.
    pub(in crate::engine) twin: Option<String>,
    /// Unknown parts of the template, if Bicep built it.
    pub(in crate::engine) gaps: Option<Gaps>,
    /// Issues that the linter reports in its Bicep files.
    pub(in crate::engine) issues: Vec<Issue>,
}

impl Job {
    pub(super) fn new(template: Loaded, store: &Store<'_>) -> Self {
        let identity = store.identity(&template.input.path);
        Self {
            template,
            identity,
            parameters: Vec::new(),
            needs_parameters: false,
            has_replacement: false,
            has_unreviewed: false,
            frame: None,
            origins: Origins::default(),
            stale: None,
            twin: None,
            gaps: None,
            issues: Vec::new(),
        }
    }

    /// Creates the job of a template that was built from a Bicep file.
    pub(super) fn of_compiled(compiled: Compiled, store: &Store<'_>) -> Self {
        let Compiled { loaded, origins, gaps, issues } = compiled;
        Self { origins, gaps, issues, ..Self::new(loaded, store) }
    }

    /// Returns the template, of which this is the value, in the form that front ends take.
    pub(in crate::engine) fn subject<'a>(&'a self, value: &'a Value) -> Subject<'a> {
        let Loaded { input, file, kind, .. } = &self.template;
        Subject { file: *file, name: &input.name, kind: *kind, value, has_unknowns: self.gaps.is_some() }
    }

    /// Returns the parameter files of each deployment of the template; none for that with its defaults. If `merges`,
    /// all are those of one, in which later ones override earlier ones.
    pub(in crate::engine) fn deployments(&self, merges: bool) -> impl Iterator<Item = &[Arc<Loaded>]> {
        let size = if merges { self.parameters.len() } else { 1 };
        let with_defaults = self.has_defaults().then_some(&[][..]);
        with_defaults.into_iter().chain(self.parameters.chunks(size.max(1)))
    }

    /// Returns `true` if the template may be deployed with its defaults: nothing sets its parameters, or only
    /// environments that it is not always deployed in, or unreviewed files.
    pub(in crate::engine) fn has_defaults(&self) -> bool {
        !self.needs_parameters && !self.has_replacement
    }

    /// Returns `true` unless the span is in the frame of a fragment, which has a job of its own.
    pub(in crate::engine) fn owns(&self, place: Span) -> bool {
        self.frame.as_ref().is_none_or(|frame| frame.file != place.file)
    }

    /// Adds a parameter file.
    pub(super) fn take(&mut self, file: Arc<Loaded>, origins: &Origins, is_unreviewed: bool) {
        let leaves_defaults = file.environment.as_ref().is_some_and(|of| of.leaves_defaults);
        self.has_replacement |= !leaves_defaults && !is_unreviewed;
        self.has_unreviewed |= is_unreviewed;
        self.parameters.push(file);
        self.origins = self.origins.and(origins);
    }
}
