//! Checks the same files in memory again and again.

use crate::api::files::reported;
use crate::api::{Files, Report, Rules};
use crate::engine::ParseCache;

/// Checks sets of [`Files`] as an editor does: again after each change. Only files whose text has changed are parsed again.
///
/// ```
/// use formwork::{Checker, Files, Rules};
///
/// let rules = Rules::builtin();
/// let mut checker = Checker::new(&rules);
/// let site = |secure| format!("resource app 'Microsoft.Web/sites@2022-09-01' = {{
///   name: 'app'
///   properties: {{ httpsOnly: {secure} }}
/// }}");
/// let mut files = Files::new().with("main.bicep", &site(false)).with("other.bicep", "param name string");
/// let is_reported = |files: &Files, checker: &mut Checker<'_>| {
///     checker.check(files).findings().any(|finding| finding.rule == "AZ-APPSERVICE-001")
/// };
/// assert!(is_reported(&files, &mut checker));
///
/// files = files.with("main.bicep", &site(true));
/// assert!(!is_reported(&files, &mut checker));
/// ```
#[derive(Debug)]
pub struct Checker<'r> {
    rules: &'r Rules,
    cache: ParseCache,
}

impl<'r> Checker<'r> {
    /// Creates a checker that has not parsed anything.
    pub fn new(rules: &'r Rules) -> Self {
        Self { rules, cache: rules.compiled.cache() }
    }

    /// Checks the files, with the same result as [`Files::check`].
    pub fn check(&mut self, files: &Files) -> Report {
        reported(files.input(self.rules).check_again(&self.rules.compiled, &mut self.cache), self.rules)
    }
}
