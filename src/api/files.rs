//! Checks files in memory.

use crate::api::{Error, Report, Rules};
use crate::diagnostic::Run;
use crate::engine::{InMemory, MemoryRules};
use crate::files::Memory;

/// Files in memory. They are checked like a folder with these files by `formwork check`: it finds the templates and
/// their parameter files, compiles Bicep with its modules, and follows links to templates.
///
/// Settings among the files, such as `formwork.yaml` and the baseline that it names, apply if the rules are those [of
/// the files](Files::rules). Modules of registries are [problems](crate::Problem) of the report. A check in memory
/// has no clock, so temporary acceptances do not expire.
///
/// ```
/// use formwork::{Files, Rules};
///
/// let main = "module site 'modules/site.bicep' = {\n  name: 'site'\n  params: { secure: false }\n}\n";
/// let site = "param secure bool
///
/// resource app 'Microsoft.Web/sites@2022-09-01' = {
///   name: 'app'
///   location: 'westeurope'
///   properties: { httpsOnly: secure }
/// }
/// ";
/// let files = Files::new().with("main.bicep", main).with("modules/site.bicep", site);
/// let report = files.check(&Rules::builtin());
///
/// let finding = report.findings().find(|finding| finding.rule == "AZ-APPSERVICE-001").unwrap();
/// assert_eq!((finding.file.as_str(), finding.line), ("modules/site.bicep", 6));
/// assert_eq!(report.templates(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Files {
    memory: Memory,
    keeps_passed: bool,
    threads: Option<usize>,
}

impl Files {
    /// Creates an empty set of files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file with this source text, or replaces the one with the same name.
    ///
    /// `name` is a path with `/`, relative to the folder of all files. Files refer to each other by these names.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.memory.insert(name, text);
        self
    }

    /// Also reports passed checks, as findings with [`Outcome::Passed`](crate::Outcome::Passed).
    #[must_use]
    pub fn keep_passed(mut self) -> Self {
        self.keeps_passed = true;
        self
    }

    /// Sets the number of threads, of which a check starts at most 256; 0 stands for one per processor. The default is 1.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Compiles the rules that `formwork check` runs in a folder with these files: those that the settings among them
    /// select, with their severities, limits, suppressions, Azure policies, and the baseline.
    ///
    /// ```
    /// use formwork::Files;
    ///
    /// let site = "resource app 'Microsoft.Web/sites@2022-09-01' = {
    ///   name: 'app'
    ///   properties: { httpsOnly: false }
    /// }";
    /// let settings = "rules:\n  include: [AZ-APPSERVICE-001]\n  severity: { AZ-APPSERVICE-001: low }\n";
    /// let files = Files::new().with("main.bicep", site).with("formwork.yaml", settings);
    /// let report = files.check(&files.rules()?);
    ///
    /// let found: Vec<String> = report.findings().map(|finding| format!("{} {:?}", finding.rule, finding.severity)).collect();
    /// assert_eq!(found, ["AZ-APPSERVICE-001 Low"]);
    /// # Ok::<(), formwork::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unusable`] if the settings, a rule, a policy, or the baseline is invalid.
    pub fn rules(&self) -> Result<Rules, Error> {
        Rules::usable(MemoryRules::from_files(&self.memory))
    }

    /// Finds the templates, expands them, and runs the rules on their resources.
    pub fn check(&self, rules: &Rules) -> Report {
        reported(self.input(rules).check(&rules.compiled), rules)
    }

    pub(super) fn input<'a>(&'a self, rules: &'a Rules) -> InMemory<'a> {
        InMemory {
            files: &self.memory,
            template: None,
            parameters: &[],
            keep_passed: self.keeps_passed,
            threads: self.threads.unwrap_or(1),
            limits: rules.compiled.limits(),
        }
    }
}

/// Returns the report of a run over files in memory.
pub(super) fn reported(run: Run, rules: &Rules) -> Report {
    let status = rules.compiled.status(&run);
    Report::new(run, status, rules.problems.clone())
}
