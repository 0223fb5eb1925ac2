//! Definitions that services judge themselves, of which a run says how many it does not evaluate.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Shard};
use crate::engine::Governance;
use crate::report::counted;

impl Governance<'_> {
    /// How many assigned definitions are not evaluated, because services judge their modes, such as `Microsoft.Kubernetes.Data`.
    /// `None` if there is none. Of the parts of a run, the first says it.
    pub(in crate::engine) fn not_judged(&self, shard: Option<Shard>) -> Option<Diagnostic> {
        if shard.is_some_and(|shard| shard.index > 1) {
            return None;
        }
        let mut modes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut place = None;
        for (assignment, mode) in self.in_force.of_provider_modes() {
            *modes.entry(mode).or_default() += 1;
            place = place.or_else(|| self.assignment(assignment)?.span);
        }
        let count = modes.values().sum();
        let listed: Vec<String> = modes.iter().map(|(mode, count)| format!("`{mode}` ({count})")).collect();
        let (definitions, listed) = (counted(count, "assigned definition"), listed.join(", "));
        let message = format!("{definitions} not evaluated, because services judge these modes themselves: {listed}");
        Some(Diagnostic::new(Code::AzurePolicyNotJudged, place?, message))
    }
}
