//! The rules that a suppression may name.

use std::sync::{Arc, OnceLock};

use foldhash::HashSet;

use crate::diagnostic::{RuleInfo, RulePattern};

/// All rules that a suppression may name, whether or not they run.
#[derive(Clone, Debug, Default)]
pub struct KnownRules {
    rules: Vec<Arc<RuleInfo>>,
    /// Their IDs and names in lower case. Templates may name hundreds, most of which are other tools'.
    names: OnceLock<HashSet<String>>,
}

impl KnownRules {
    /// Returns the rules of a run. They are indexed when the first name is looked up.
    pub fn new(rules: Vec<Arc<RuleInfo>>) -> Self {
        Self { rules, names: OnceLock::new() }
    }

    pub(super) fn rules(&self) -> &[Arc<RuleInfo>] {
        &self.rules
    }

    /// Returns `true` if a pattern means one of the rules.
    pub(super) fn has(&self, pattern: &RulePattern) -> bool {
        if pattern.is_wildcard() {
            return self.rules.iter().any(|rule| pattern.matches(rule));
        }
        let names = || self.rules.iter().flat_map(|rule| [rule.id.to_lowercase(), rule.name.to_lowercase()]).collect();
        self.names.get_or_init(names).contains(&pattern.text.to_lowercase())
    }
}
