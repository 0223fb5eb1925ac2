//! Checks templates in memory.

use std::sync::Arc;

use arcstr::ArcStr;

use crate::api::{Report, Rules};
use crate::engine::{InMemory, NamedText, Status};
use crate::model::{Assumptions, Limits};

/// A template in memory: a JSON or YAML template for Azure Resource Manager or CloudFormation, or a list of resources
/// that was exported from Azure.
///
/// A check of it reads no files. Links to other templates are therefore [problems](crate::Problem) of the report, and
/// Bicep must be compiled first.
#[derive(Clone, Debug)]
pub struct Template {
    text: NamedText,
    parameters: Vec<NamedText>,
    keeps_passed: bool,
}

impl Template {
    /// Creates a template from its source text. `name` is the file name in reports.
    ///
    /// If the text does not show whether it is JSON or YAML, the extension of `name` decides.
    pub fn new(name: &str, text: &str) -> Self {
        Self { text: named(name, text), parameters: Vec::new(), keeps_passed: false }
    }

    /// Adds a parameter file with this source text. Later files override earlier ones.
    #[must_use]
    pub fn with_parameters(mut self, name: &str, text: &str) -> Self {
        self.parameters.push(named(name, text));
        self
    }

    /// Also reports passed checks, as findings with [`Outcome::Passed`](crate::Outcome::Passed).
    #[must_use]
    pub fn keep_passed(mut self) -> Self {
        self.keeps_passed = true;
        self
    }

    /// Expands the template and runs the rules on its resources.
    ///
    /// # Panics
    ///
    /// Panics if the operating system cannot start a thread. Evaluation needs a larger stack than most threads have.
    pub fn check(&self, rules: &Rules) -> Report {
        let template = InMemory {
            template: &self.text,
            parameters: &self.parameters,
            assumptions: &Assumptions::default(),
            keep_passed: self.keeps_passed,
            limits: &Limits::default(),
        };
        let run = template.check(&rules.book);
        let status = Status::of(&run, false, |_| true);
        Report::new(run, status)
    }
}

fn named(name: &str, text: &str) -> NamedText {
    NamedText { name: Arc::from(name), text: ArcStr::from(text) }
}
