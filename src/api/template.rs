//! Checks of templates in memory.

use std::sync::Arc;

use crate::api::{Report, Rules};
use crate::engine::{InMemory, NamedText, Status};
use crate::model::{Assumptions, Limits};

/// A template that is held in memory: JSON or YAML, for Azure Resource Manager or CloudFormation, or a list of resources
/// that were exported from Azure.
///
/// Checking it reads no file, so nested templates that it links to are [problems](crate::Problem) of the report. Bicep has
/// to be compiled first.
#[derive(Clone, Debug)]
pub struct Template {
    text: NamedText,
    parameters: Vec<NamedText>,
    keeps_passed: bool,
}

impl Template {
    /// A template with this text. Reports call it `name`; its extension tells JSON from YAML where the text does not.
    pub fn new(name: &str, text: &str) -> Self {
        Self { text: named(name, text), parameters: Vec::new(), keeps_passed: false }
    }

    /// Adds the text of a parameter file. Of several, later ones override earlier ones.
    #[must_use]
    pub fn with_parameters(mut self, name: &str, text: &str) -> Self {
        self.parameters.push(named(name, text));
        self
    }

    /// Keeps what passed among the findings of the report, with [`Outcome::Passed`](crate::Outcome::Passed).
    #[must_use]
    pub fn keep_passed(mut self) -> Self {
        self.keeps_passed = true;
        self
    }

    /// Expands the template and runs the rules over its resources.
    ///
    /// # Panics
    ///
    /// Panics if the operating system starts no thread: evaluation takes a stack deeper than that of most threads.
    pub fn check(&self, rules: &Rules) -> Report {
        let template = InMemory {
            template: &self.text,
            parameters: &self.parameters,
            assumptions: &Assumptions::default(),
            keep_passed: self.keeps_passed,
            limits: &Limits::default(),
        };
        let run = template.check(&rules.book);
        let status = Status::of(&run, |_| true);
        Report::new(run, status)
    }
}

fn named(name: &str, text: &str) -> NamedText {
    NamedText { name: Arc::from(name), text: Arc::from(text) }
}
