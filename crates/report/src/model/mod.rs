//! The result of a run as everything outside of it knows it: owned, with places as lines and columns.
//!
//! Every format writes a [`Report`], and nothing else. It comes from the run of the engine ([`Report::of`]), or from the
//! JSON reports that were written before.

mod change;
mod fault;
mod file;
mod finding;
mod fix;
mod head;
mod line_hash;
mod part;
mod place;
mod problem;
mod resolve;
mod tree;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::{Level, Summary};

pub use self::change::Change;
pub use self::fault::FaultId;
pub use self::file::File;
pub use self::finding::{AddedSuppression, Finding, Label, Origin, Rule, Suppressed};
pub use self::fix::{Edit, Fix, ReplacedLines};
pub use self::head::Head;
pub use self::part::{Part, StaleEntry};
pub use self::place::{Place, Point};
pub use self::problem::Problem;
pub use self::resolve::Resolver;
pub use self::tree::{ResourceNode, ResourceTree};

/// What a run found. Findings and problems are in their final order.
#[derive(Debug, Default)]
pub struct Report {
    /// The results of rules, ordered by template, place, and rule.
    pub findings: Vec<Finding>,
    /// Problems of the run itself, ordered by file and place.
    pub problems: Vec<Problem>,
    /// The rules that ran, ordered by ID.
    pub rules: Vec<Arc<Rule>>,
    /// How many of each there are.
    pub summary: Summary,
    /// The change that the run is for, where an event told it.
    pub change: Option<Change>,
    /// What else everyone who reads a report should know of the run, a sentence each.
    pub notices: Vec<String>,
    /// The suppressions that the change adds, ordered by file, place, and rule. Empty where no change is known.
    pub added_suppressions: Vec<AddedSuppression>,
    /// What the deployments would create. Empty unless a report shows it.
    pub trees: Vec<ResourceTree>,
    /// The part that it is of, if others check the rest.
    pub part: Option<Part>,
    /// What the change deploys, as `formwork diff` prints it in JSON. Pages about a difference read it.
    pub difference: Option<serde_json::Value>,
    /// Whether reports list the results that could not be decided.
    pub lists_unknown: bool,
    /// True if reports for people count findings of low severity in one line instead of listing them.
    pub hides_low: bool,
    /// Whether findings that the base of a change has were left out.
    pub has_only_new: bool,
}

impl Report {
    /// What says that something is not checked, with the kind of each, in the order of files and places.
    pub fn not_checked(&self) -> impl Iterator<Item = (&str, &Problem)> {
        self.problems.iter().filter_map(|problem| Some((problem.not_checked.as_deref()?, problem)))
    }

    /// The names of the files in which something is.
    pub fn files(&self) -> BTreeSet<Arc<str>> {
        let findings = self.findings.iter().flat_map(Finding::named_places);
        let problems = self.problems.iter().flat_map(Problem::places);
        findings.chain(problems).map(|place| Arc::clone(place.file.name())).collect()
    }

    /// Turns what is not checked into errors.
    pub fn refuse_not_checked(&mut self) {
        for problem in self.problems.iter_mut().filter(|problem| problem.not_checked.is_some()) {
            if problem.level != Level::Error {
                problem.level = Level::Error;
                self.summary.errors += 1;
            }
        }
    }

    /// Turns the errors of the run into warnings.
    pub fn allow_unreadable(&mut self) {
        for problem in self.problems.iter_mut().filter(|problem| problem.level == Level::Error) {
            problem.level = Level::Warning;
        }
        self.summary.unreadable += std::mem::take(&mut self.summary.errors);
    }
}
