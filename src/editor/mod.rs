//! Checks for the language server. They are those of [`Session`], on the unsaved texts of an editor.
//!
//! The protocol is in the crate `lsp`, which depends only on reports. Editors open untrusted repositories, so nothing
//! here starts a process or uses the network, regardless of the settings.

mod expansion;
#[cfg(feature = "mcp")]
mod paths;
#[cfg(test)]
mod tests;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arcstr::ArcStr;
use formwork_lsp::{Accepted, Baseline, Checked, Checks, Deployment, Extent, FileText, Job, Shown};

use crate::bicep::Registry;
use crate::diagnostic::Run;
use crate::engine::{Acceptable, CheckOptions, Finished, Isolation, Observer, ParseCache, Session, Sight, entry_text};
use crate::files::{Disk, Overlay, Tree};
use crate::model::Limits;
use crate::path::normalize;
use crate::report::Report;
use crate::text::Sources;

#[cfg(feature = "mcp")]
pub(crate) use self::paths::PathCheck;

/// Checks folders like `formwork check`, and keeps the parsed files.
#[derive(Debug)]
pub(crate) struct Analyst {
    /// Options for all folders.
    options: CheckOptions,
    /// The parsed files of each folder, by its path.
    caches: BTreeMap<PathBuf, FolderCache>,
    /// Number of checks of paths.
    #[cfg(feature = "mcp")]
    calls: u64,
}

/// The parsed files of a folder, and the state in which they were parsed.
#[derive(Debug)]
struct FolderCache {
    cache: Arc<ParseCache>,
    /// [`Job::disk`] of the last check.
    disk: u64,
    /// [`Job::texts`] of the last check.
    texts: Arc<BTreeMap<PathBuf, ArcStr>>,
}

impl FolderCache {
    /// Returns the open files whose text differs from the last check. `None` if other files may differ too.
    fn changed(&self, job: &Job) -> Option<Vec<PathBuf>> {
        if self.disk != job.disk || !self.texts.keys().eq(job.texts.keys()) {
            return None;
        }
        let both = job.texts.iter().zip(self.texts.values());
        Some(both.filter(|((_, text), before)| text != before).map(|((path, _), _)| path.clone()).collect())
    }
}

impl Analyst {
    /// Creates a checker with these options. Their paths are ignored.
    pub(crate) fn new(mut options: CheckOptions) -> Self {
        options.given.choices.bicep = Some("builtin");
        options.registry = Registry::Skipped;
        options.dependents = true;
        options.describes_rules = false;
        Self {
            options,
            caches: BTreeMap::new(),
            #[cfg(feature = "mcp")]
            calls: 0,
        }
    }

    /// Returns the options for a job, with the parsed files of its folder.
    fn options(&mut self, job: &Job) -> CheckOptions {
        let files = Overlay::new(Arc::clone(&job.texts));
        let isolation = Arc::new(Isolation::until(&job.cancellation));
        if job.extent == Extent::Everything {
            // Parsed files that nobody edits are not worth their memory.
            let (working, files, paths) = (job.folder.clone(), Arc::new(files), vec![PathBuf::from(".")]);
            return CheckOptions { working, files, isolation, paths, dependents: false, ..self.options.clone() };
        }
        let cache = self.cache(job, &files);
        CheckOptions {
            working: job.folder.clone(),
            files: Arc::new(files),
            cache: Some(cache),
            paths: job.open.iter().cloned().collect(),
            isolation,
            ..self.options.clone()
        }
    }

    /// Returns the parsed files of the folder of a job, updated to its texts and to the disk.
    fn cache(&mut self, job: &Job, files: &Overlay) -> Arc<ParseCache> {
        let known = self.caches.remove(&job.folder);
        let changed = known.as_ref().and_then(|known| known.changed(job));
        let known = known.and_then(|known| Arc::into_inner(known.cache));
        let changed = changed.filter(|_| known.is_some());
        let mut cache = known.unwrap_or_else(|| ParseCache::new(&job.folder, &Sources::new()));
        let read = |path: PathBuf| {
            let contents = Tree::read(files, &path, Limits::MAX_FILE_BYTES).ok()?;
            Some((path, contents.decode().ok()?))
        };
        let mut paths = cache.paths();
        if changed.is_some() {
            let wanted = cache.wanted();
            paths.retain(|path| job.texts.contains_key(path) || wanted.contains(path));
        }
        let texts: Vec<(PathBuf, ArcStr)> = paths.into_iter().filter_map(read).collect();
        let texts = texts.iter().map(|(path, text)| (path.as_path(), text));
        match changed {
            Some(changed) => cache.edit(texts, changed),
            None => cache.update(texts),
        }
        let cache = Arc::new(cache);
        let known = FolderCache { cache: Arc::clone(&cache), disk: job.disk, texts: Arc::clone(&job.texts) };
        self.caches.insert(job.folder.clone(), known);
        cache
    }
}

impl Checks for Analyst {
    fn check_job(&mut self, job: &Job) -> Option<Checked> {
        let options = self.options(job);
        let listener = CheckCollector { job, values: Mutex::default(), problems: Mutex::default() };
        let finished = Session::open(&options, &listener).and_then(|session| session.check(&listener));
        if job.cancellation.is_cancelled() {
            return None;
        }
        let CheckCollector { values, problems, .. } = listener;
        let mut checked = problems.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Ok(finished) = finished {
            let about_settings = std::mem::replace(&mut checked, from_finished(finished, &job.folder));
            checked.report.problems.extend(about_settings.report.problems);
            checked.texts.extend(about_settings.texts);
        }
        checked.values = values.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Sort, because the order of threads is random.
        checked.values.sort_by(|a, b| {
            (&a.file, &a.of, &a.template, &a.parameters).cmp(&(&b.file, &b.of, &b.template, &b.parameters))
        });
        Some(checked)
    }

    fn forget(&mut self, folder: &Path) {
        self.caches.remove(folder);
    }

    fn expand(&mut self, job: &Job, deployment: &Deployment) -> Option<String> {
        let options = self.options(job);
        let reader = ExpansionReader { deployment, text: Mutex::default() };
        let _ = Session::open(&options, &reader).and_then(|session| session.check(&reader));
        reader.text.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn from_finished(finished: Finished, folder: &Path) -> Checked {
    let Finished { run, threads, baseline, .. } = finished;
    let baseline = baseline.map(|path| Baseline { path, entry: baseline_entry });
    let texts = texts(&run.sources, folder);
    let analysed: BTreeSet<Arc<str>> = run.analysed.iter().map(|one| Arc::clone(&one.template)).collect();
    let report = threads.install(|| Report::from_run(run));
    Checked { report, texts, analysed, baseline, is_usable: true, ..Checked::default() }
}

/// Returns the text to write into a baseline to accept a finding of a folder.
fn baseline_entry(accepted: &Accepted, folder: &Path) -> String {
    let Accepted { template, rule, resource, parameters, fingerprint } = accepted;
    let resource = resource.as_ref().map(|resource| &*resource.name);
    let finding = Acceptable { template, rule, resource, parameters, fingerprint };
    entry_text(finding, folder, &Disk)
}

/// Returns the texts of a run, by their names.
fn texts(sources: &Sources, folder: &Path) -> BTreeMap<Arc<str>, FileText> {
    let of_file = |file| {
        let source = sources.get(file);
        let path = normalize(folder, Path::new(&**source.name()));
        (Arc::clone(source.name()), FileText { path, text: source.text().clone() })
    };
    sources.ids().map(of_file).collect()
}

/// Collects problems of the settings, the rules, and the baseline, and values in open files.
#[derive(Debug)]
struct CheckCollector<'a> {
    job: &'a Job,
    values: Mutex<Vec<Shown>>,
    problems: Mutex<Checked>,
}

impl Observer for CheckCollector<'_> {
    fn problems(&self, run: &Run) {
        let report = Report::of_problems(Vec::new(), run.diagnostics.clone(), &run.sources);
        let mut checked = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        checked.report.problems.extend(report.problems);
        checked.texts.extend(texts(&run.sources, &self.job.folder));
    }

    fn begin(&self, templates: usize) {
        self.job.progress.begin(templates);
    }

    fn advance(&self) {
        self.job.progress.advance();
    }

    fn expanded(&self, sight: &Sight<'_>) {
        if self.job.extent == Extent::Everything {
            return;
        }
        let values =
            values::collect(sight, &|name| self.job.open.contains(&normalize(&self.job.folder, Path::new(name))));
        self.values.lock().unwrap_or_else(PoisonError::into_inner).extend(values);
    }
}

/// Waits for the expansion of one deployment.
#[derive(Debug)]
struct ExpansionReader<'a> {
    deployment: &'a Deployment,
    text: Mutex<Option<String>>,
}

impl Observer for ExpansionReader<'_> {
    fn expanded(&self, sight: &Sight<'_>) {
        let Deployment { template, parameters } = self.deployment;
        if template == sight.sources.get(sight.template).name() && *parameters == sight.parameters {
            *self.text.lock().unwrap_or_else(PoisonError::into_inner) = Some(expansion::text(sight));
        }
    }
}
