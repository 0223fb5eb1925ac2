//! Findings that a Bicep file and a template that was built from it share.
//!
//! Such a template may be older than its Bicep file, or lie elsewhere. Both are checked, because either may be the one that
//! is deployed, and what both say of a resource is reported for the Bicep file, which its author edits.

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Finding, Outcome};
use crate::engine::inputs::Job;

/// The name of the Bicep file of each template that was built from one, by the name of the template.
pub(super) type Twins = HashMap<String, String>;

/// Parts by which two findings are about the same thing: rule, type and name of the resource, and path without indexes; the
/// message of a finding that is about no resource.
type Subject = (String, String, String, String);

/// Returns the Bicep files of templates.
pub(super) fn twins(jobs: &[Job]) -> Twins {
    let twin = |job: &Job| Some((job.template.input.name.clone(), job.twin.clone()?));
    jobs.iter().filter_map(twin).collect()
}

/// Removes findings on templates that their Bicep files have, too.
pub(super) fn leave_out(findings: &mut Vec<Finding>, twins: &Twins) {
    if twins.is_empty() {
        return;
    }
    let sources: HashSet<&str> = twins.values().map(String::as_str).collect();
    let mut known: HashSet<(String, Subject)> = HashSet::default();
    for finding in findings.iter().filter(|finding| is_reported(finding)) {
        let names = std::iter::once(&finding.template).chain(&finding.other_templates);
        let names = names.filter(|name| sources.contains(&***name));
        known.extend(names.map(|name| (name.to_string(), subject(finding))));
    }
    findings.retain(|finding| {
        let is_only_here = finding.other_templates.is_empty();
        let twin = twins.get(&*finding.template).filter(|_| is_reported(finding) && is_only_here);
        twin.is_none_or(|twin| !known.contains(&(twin.clone(), subject(finding))))
    });
}

fn is_reported(finding: &Finding) -> bool {
    matches!(finding.outcome, Outcome::Failed | Outcome::Unknown)
}

fn subject(finding: &Finding) -> Subject {
    let rule = finding.rule.id.clone();
    match &finding.resource {
        Some(resource) => {
            let path = without_indexes(&finding.path);
            (rule, resource.type_name.clone(), resource.name.clone(), path)
        }
        None => (rule, String::new(), String::new(), finding.message.clone()),
    }
}

/// Returns a path without the numbers in brackets.
fn without_indexes(path: &str) -> String {
    let mut result = String::with_capacity(path.len());
    let mut is_in_brackets = false;
    for char in path.chars() {
        is_in_brackets = char == '[' || is_in_brackets && char != ']';
        if char == '[' || !(is_in_brackets && char.is_ascii_digit()) {
            result.push(char);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::without_indexes;

    #[test]
    fn paths_lose_only_their_numbers() {
        assert_eq!(without_indexes("resources[10].properties.a2[3]['x1']"), "resources[].properties.a2[]['x']");
        assert_eq!(without_indexes("outputs.x1"), "outputs.x1");
    }
}
