//! Interface between the server and the program that checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arcstr::ArcStr;
use formwork_model::diagnostic::ResourceRef;
use formwork_model::model::Cancellation;
use formwork_model::value::Few;
use formwork_report::Report;

/// Checker of folders. A check never depends on an earlier one.
pub trait Checks: Send {
    /// Checks the deployments that read an open file, or the whole folder. If the settings cannot be used, the report
    /// has only their problems. Returns `None` if the job was cancelled before the check was complete.
    fn check_job(&mut self, job: &Job) -> Option<Checked>;

    /// Drops the caches of a folder without open documents.
    fn forget(&mut self, folder: &Path);

    /// Expands a deployment to JSON with comments. Returns `None` if it cannot be expanded.
    fn expand(&mut self, job: &Job, deployment: &Deployment) -> Option<String>;
}

/// A template with an optional parameter file, by their names in a report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deployment {
    pub template: Arc<str>,
    pub parameters: Option<Arc<str>>,
}

/// A check of a folder with its unsaved texts.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Folder in which settings are searched for, and below which templates are checked.
    pub folder: PathBuf,
    /// Texts of open documents by absolute path. Includes all folders, because a template may read a file in another
    /// folder.
    pub texts: Arc<BTreeMap<PathBuf, ArcStr>>,
    /// Open files in the folder.
    pub open: BTreeSet<PathBuf>,
    pub extent: Extent,
    /// True if undecided results are listed, too.
    pub lists_undecided: bool,
    /// Progress of the check.
    pub progress: Arc<Progress>,
    /// Counter that changes when files on disk may have changed. While it is the same, files do not have to be read
    /// again.
    pub disk: u64,
    /// Once cancelled, the result is not needed.
    pub cancellation: Cancellation,
}

/// Part of a folder that is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    Nothing,
    /// Deployments that read an open file.
    #[default]
    Open,
    Everything,
}

/// Number of checked templates of a check.
#[derive(Debug, Default)]
pub struct Progress {
    total: AtomicUsize,
    done: AtomicUsize,
}

impl Progress {
    /// Sets the number of templates.
    pub fn begin(&self, templates: usize) {
        self.total.store(templates, Ordering::Relaxed);
    }

    /// Counts one more checked template.
    pub fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the progress in percent.
    pub(crate) fn percentage(&self) -> usize {
        let [total, done] = [&self.total, &self.done].map(|number| number.load(Ordering::Relaxed));
        (100 * done).checked_div(total).unwrap_or(0).min(100)
    }
}

/// Result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// Findings and problems. Names are relative to the folder.
    pub report: Report,
    /// Texts of the files, by their names in the report.
    pub texts: BTreeMap<Arc<str>, FileText>,
    /// Names of the templates that were read and expanded.
    pub analysed: BTreeSet<Arc<str>>,
    /// True if the settings, the rules, and the baseline could be used.
    pub is_usable: bool,
    /// Baseline that the settings name.
    pub baseline: Option<Baseline>,
    /// Values of expressions in the open files.
    pub values: Vec<Shown>,
}

/// File with accepted findings.
#[derive(Clone, Debug)]
pub struct Baseline {
    pub path: PathBuf,
    /// Returns the entry that accepts a finding of a folder: a JSON object that starts without indentation.
    pub entry: fn(&Accepted, &Path) -> String,
}

/// A finding to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub template: Arc<str>,
    /// ID of the rule.
    pub rule: String,
    pub resource: Option<Arc<ResourceRef>>,
    pub parameters: Few<Arc<str>>,
    pub fingerprint: String,
}

/// A file as the check read it.
#[derive(Clone, Debug)]
pub struct FileText {
    pub path: PathBuf,
    pub text: ArcStr,
}

/// Value of an expression in one environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Name of the file.
    pub file: Arc<str>,
    pub of: Written,
    /// Name of the template.
    pub template: Arc<str>,
    /// Name of the parameter file, if there is one.
    pub parameters: Option<Arc<str>>,
    /// Value as JSON, without secrets. For an unknown value, the reason.
    pub value: String,
    /// True if the value is known before the deployment.
    pub is_known: bool,
    /// File and line (from 1) of its origin.
    pub from: Option<(Arc<str>, u32)>,
}

impl Shown {
    /// Returns the value without quotes, if it is known and not secret.
    pub(crate) fn text(&self) -> Option<&str> {
        (self.is_known && !self.value.starts_with('<')).then(|| self.value.trim_matches('"'))
    }
}

/// Construct that has a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Written {
    /// A parameter, variable, or output, wherever the file names it.
    Name(String),
    /// A property, by the byte range of its name, or in Bicep, of the name and the value.
    Property { start: usize, end: usize },
}

impl Written {
    /// Returns the name in a text.
    pub(crate) fn name<'t>(&'t self, text: &'t str) -> &'t str {
        match self {
            Self::Name(name) => name,
            Self::Property { start, end } => {
                let written = text.get(*start..*end).unwrap_or_default();
                let name = written.split(':').next().unwrap_or_default();
                name.trim().trim_matches(['"', '\''])
            }
        }
    }
}
