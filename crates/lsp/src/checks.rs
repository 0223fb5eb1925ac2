//! What the server asks of the program, and what it is told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arcstr::ArcStr;
use formwork_model::diagnostic::ResourceRef;
use formwork_model::model::Cancellation;
use formwork_model::value::Few;
use formwork_report::Report;

/// Checks folders. A check never depends on an earlier one.
pub trait Checks: Send {
    /// Checks the deployments that read an open file, or all of the folder. Where the settings cannot be used, the report has only their problems.
    /// `None` if the job was cancelled before everything was checked.
    fn check(&mut self, job: &Job) -> Option<Checked>;

    /// Forgets what is known of a folder in which nothing is open any more.
    fn forget(&mut self, folder: &Path);

    /// What a deployment would create, as JSON with comments. `None` if it cannot be expanded.
    fn expand(&mut self, job: &Job, deployment: &Deployment) -> Option<String>;
}

/// A template with one parameter file or none, by their names in a report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deployment {
    pub template: Arc<str>,
    pub parameters: Option<Arc<str>>,
}

/// A folder that is to be checked, with its unsaved texts.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Where settings are looked for, and below which templates are.
    pub folder: PathBuf,
    /// The texts of open documents, by the absolute paths of their files: those in all folders, since a template may read
    /// a file in another one.
    pub texts: Arc<BTreeMap<PathBuf, ArcStr>>,
    /// The files that are open in it.
    pub open: BTreeSet<PathBuf>,
    pub extent: Extent,
    /// Whether results are wanted that only a deployment can decide.
    pub lists_undecided: bool,
    /// How far the check is.
    pub progress: Arc<Progress>,
    /// Counts what may have changed other files. While it is the same, they are as the last check of the folder has read them.
    pub disk: u64,
    /// Once it is cancelled, nobody wants the result.
    pub cancellation: Cancellation,
}

/// What is checked of a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    Nothing,
    /// The deployments that read an open file.
    #[default]
    Open,
    Everything,
}

/// How many of the templates of a check are done.
#[derive(Debug, Default)]
pub struct Progress {
    total: AtomicUsize,
    done: AtomicUsize,
}

impl Progress {
    /// Notes that so many templates will be checked.
    pub fn begin(&self, templates: usize) {
        self.total.store(templates, Ordering::Relaxed);
    }

    /// Notes that one more is checked.
    pub fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// How much is done, of a hundred.
    pub(crate) fn percentage(&self) -> usize {
        let [total, done] = [&self.total, &self.done].map(|number| number.load(Ordering::Relaxed));
        (100 * done).checked_div(total).unwrap_or(0).min(100)
    }
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// What was found. Its names are relative to the folder.
    pub report: Report,
    /// The texts that it is about, by their names in the report.
    pub texts: BTreeMap<Arc<str>, FileText>,
    /// The names of the templates that could be read and expanded.
    pub analysed: BTreeSet<Arc<str>>,
    /// Whether the settings, the rules, and the baseline could be used.
    pub is_usable: bool,
    /// The baseline that the settings name.
    pub baseline: Option<Baseline>,
    /// What the deployments make of what is written in the open files.
    pub values: Vec<Shown>,
}

/// Where findings are accepted.
#[derive(Clone, Debug)]
pub struct Baseline {
    pub path: PathBuf,
    /// What to write into it to accept a finding of a folder: a JSON object that begins without indentation.
    pub entry: fn(&Accepted, &Path) -> String,
}

/// A finding as it is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub template: Arc<str>,
    /// The ID of its rule.
    pub rule: String,
    pub resource: Option<Arc<ResourceRef>>,
    pub parameters: Few<Arc<str>>,
    pub fingerprint: String,
}

/// A file as a check has read it.
#[derive(Clone, Debug)]
pub struct FileText {
    pub path: PathBuf,
    pub text: ArcStr,
}

/// The value of a text in one environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The name of the file.
    pub file: Arc<str>,
    pub of: Written,
    /// The name of the template.
    pub template: Arc<str>,
    /// The name of the parameter file, where there is one.
    pub parameters: Option<Arc<str>>,
    /// The value as JSON, without secrets; for one that is not known, the reason.
    pub value: String,
    /// Whether it is known before the deployment.
    pub is_known: bool,
    /// The file and the line (from 1) that it comes from.
    pub from: Option<(Arc<str>, u32)>,
}

impl Shown {
    /// The value as people write it: without quotes, and only if it is known and not secret.
    pub(crate) fn text(&self) -> Option<&str> {
        (self.is_known && !self.value.starts_with('<')).then(|| self.value.trim_matches('"'))
    }
}

/// What has a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Written {
    /// A parameter, a variable, or an output, wherever its name stands in the file.
    Name(String),
    /// A property, by the bytes of its name; in Bicep, by those of the name and the value.
    Property { start: usize, end: usize },
}

impl Written {
    /// The name in a text.
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
