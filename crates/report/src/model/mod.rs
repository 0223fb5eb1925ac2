//! Results of a run for all readers outside of the engine: owned, with places as lines and columns.
//!
//! Every format writes a [`Report`]. It is made from a run of the engine ([`Report::from_run`]), or read from JSON reports.

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

pub use crate::diagnostic::NoLongerDeployed;

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

/// Results of a run. Findings and problems are in their final order.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the run, independent of the others")]
#[derive(Debug, Default)]
pub struct Report {
    /// Results of rules, ordered by template, place, and rule.
    pub findings: Vec<Finding>,
    /// Problems of the run itself, ordered by file and place.
    pub problems: Vec<Problem>,
    /// Rules that ran, ordered by ID.
    pub rules: Vec<Arc<Rule>>,
    /// Counts.
    pub summary: Summary,
    /// Change that the run is for, if an event describes it.
    pub change: Option<Change>,
    /// Further notices about the run, a sentence each.
    pub notices: Vec<String>,
    /// Suppressions that the change adds, ordered by file, place, and rule. Empty without a known change.
    pub added_suppressions: Vec<AddedSuppression>,
    /// Resources that the base of the change deploys and the change does not, sorted. Empty unless a report lists them.
    pub no_longer_deployed: Vec<NoLongerDeployed>,
    /// Resources that the deployments would create. Empty unless a report shows them.
    pub trees: Vec<ResourceTree>,
    /// Part of the run, if other runs check the rest.
    pub part: Option<Part>,
    /// Difference that the change makes, as `formwork diff` prints it in JSON. Pages about a difference read it.
    pub difference: Option<serde_json::Value>,
    /// True if reports list undecided results.
    pub lists_unknown: bool,
    /// True if reports for people count findings of low severity in one line instead of listing them.
    pub hides_low: bool,
    /// True if findings that the base of a change has were left out.
    pub has_only_new: bool,
    /// True if a text of the run may put a backtick into a message, so that its names cannot be told from its words.
    pub may_have_backticks: bool,
}

impl Report {
    /// Returns the problems about unchecked inputs, each with its kind, in the order of files and places.
    pub fn not_checked(&self) -> impl Iterator<Item = (&str, &Problem)> {
        self.problems.iter().filter_map(|problem| Some((problem.not_checked.as_deref()?, problem)))
    }

    /// Returns the names of the files in findings and problems.
    pub fn files(&self) -> BTreeSet<Arc<str>> {
        let findings = self.findings.iter().flat_map(Finding::named_places);
        let problems = self.problems.iter().flat_map(Problem::places);
        findings.chain(problems).map(|place| Arc::clone(place.file.name())).collect()
    }

    /// Turns the problems about unchecked inputs into errors.
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
