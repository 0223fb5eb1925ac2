//! Checks one template in memory.

use std::path::PathBuf;

use crate::api::files::reported;
use crate::api::{Report, Rules};
use crate::engine::InMemory;
use crate::files::Memory;

/// A template in memory: Bicep, a JSON or YAML template for Azure Resource Manager or CloudFormation, or a list of resources
/// that was exported from Azure.
///
/// A check of it reads no other files, so links to other templates are [problems](crate::Problem) of the report. To check a
/// template with its modules or linked templates, use [`Files`](crate::Files).
#[derive(Clone, Debug)]
pub struct Template {
    files: Memory,
    path: PathBuf,
    parameters: Vec<PathBuf>,
    keeps_passed: bool,
}

impl Template {
    /// Creates a template from its source text. `name` is the file name in reports.
    ///
    /// A name that ends in `.bicep` means Bicep. If the text does not show whether it is JSON or YAML, the extension of
    /// `name` decides.
    pub fn new(name: &str, text: &str) -> Self {
        let mut files = Memory::default();
        files.insert(name, text);
        Self { files, path: Memory::path(name), parameters: Vec::new(), keeps_passed: false }
    }

    /// Adds a parameter file with this source text. Later files override earlier ones.
    #[must_use]
    pub fn with_parameters(mut self, name: &str, text: &str) -> Self {
        self.files.insert(name, text);
        self.parameters.push(Memory::path(name));
        self
    }

    /// Also reports passed checks, as findings with [`Outcome::Passed`](crate::Outcome::Passed).
    #[must_use]
    pub fn keep_passed(mut self) -> Self {
        self.keeps_passed = true;
        self
    }

    /// Expands the template and runs the rules on its resources.
    pub fn check(&self, rules: &Rules) -> Report {
        let check = InMemory {
            files: &self.files,
            template: Some(&self.path),
            parameters: &self.parameters,
            keep_passed: self.keeps_passed,
            threads: 1,
            limits: rules.compiled.limits(),
        };
        reported(check.check(&rules.compiled), rules)
    }
}
