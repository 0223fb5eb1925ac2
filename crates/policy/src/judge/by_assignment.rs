//! Indexes exemptions and enrollments by assignment.

use foldhash::{HashMap, HashSet};
use formwork_arm::is_assumed;

use crate::documents::{Assignment, Policies};
use crate::ids::{has_placeholder, last_segment};
use crate::judge::request::Request;
use crate::judge::scopes::Scopes;

/// Exemptions and enrollments of each assignment, by the index of the assignment.
#[derive(Debug)]
pub(super) struct ByAssignment {
    exemptions: Vec<Vec<usize>>,
    /// Exemptions by scope.
    scopes: Vec<Scopes>,
    enrollments: Vec<Vec<usize>>,
}

impl ByAssignment {
    pub(super) fn new(policies: &Policies) -> Self {
        let exemptions = policies.exemptions.iter().map(|exemption| &*exemption.assignment);
        let exemptions = grouped(&policies.assignments, exemptions);
        let enrollments = policies.enrollments.iter().map(|enrollment| &*enrollment.assignment);
        let by_scope = |all: &Vec<usize>| {
            let mut scopes = Scopes::new();
            for &at in all {
                scopes.add(policies.exemptions.get(at).and_then(|exemption| exemption.scope.as_deref()), at);
            }
            scopes
        };
        Self {
            scopes: exemptions.iter().map(by_scope).collect(),
            exemptions,
            enrollments: grouped(&policies.assignments, enrollments),
        }
    }

    /// Returns the exemptions from an assignment that may apply to a resource, as indexes in order.
    pub(super) fn exemptions(&self, assignment: usize, request: &Request) -> Vec<usize> {
        self.scopes.get(assignment).map_or_else(Vec::new, |scopes| scopes.around(request))
    }

    /// Returns all exemptions from an assignment.
    pub(super) fn all_exemptions(&self, assignment: usize) -> &[usize] {
        self.exemptions.get(assignment).map_or(&[], Vec::as_slice)
    }

    /// Returns the indexes below `exemptions` that match no assignment.
    pub(super) fn without_assignment(&self, exemptions: usize) -> Vec<usize> {
        let known: HashSet<usize> = self.exemptions.iter().flatten().copied().collect();
        (0..exemptions).filter(|at| !known.contains(at)).collect()
    }

    pub(super) fn enrollments(&self, assignment: usize) -> &[usize] {
        self.enrollments.get(assignment).map_or(&[], Vec::as_slice)
    }
}

/// Returns, for each assignment, the indexes in `named` of the IDs that reference it.
fn grouped<'p>(assignments: &[Assignment], named: impl Iterator<Item = &'p str>) -> Vec<Vec<usize>> {
    let mut by_name: HashMap<String, Vec<(usize, &str)>> = HashMap::default();
    for (at, id) in named.enumerate() {
        by_name.entry(last_segment(id).to_ascii_lowercase()).or_default().push((at, id));
    }
    let of = |assignment: &Assignment| {
        let mut names = vec![last_segment(&assignment.id).to_ascii_lowercase(), assignment.name.to_ascii_lowercase()];
        names.dedup();
        let all = names.iter().filter_map(|name| by_name.get(name)).flatten();
        let mut all: Vec<usize> = all.filter(|(_, id)| is_of(id, assignment)).map(|(at, _)| *at).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assignments.iter().map(of).collect()
}

/// True if an ID references an assignment. If one of the IDs is incomplete, only the names are compared.
fn is_of(id: &str, assignment: &Assignment) -> bool {
    if id.eq_ignore_ascii_case(&assignment.id) {
        return true;
    }
    let last = last_segment(id);
    (is_vague(id) || is_vague(&assignment.id)) && !last.is_empty() && last.eq_ignore_ascii_case(&assignment.name)
}

/// True if an ID is incomplete: it has no scope, or a part of the scope is not known.
pub(super) fn is_vague(id: &str) -> bool {
    !id.starts_with('/') || has_placeholder(id) || id.split('/').any(is_assumed)
}
