//! Finds the definitions in force that can be about a type, and what else there is for an assignment.

use foldhash::HashMap;

use crate::documents::{Assignment, Policies};
use crate::judge::bind::Bound;

/// Rules that name more types than this are looked at for every resource.
const MAX_TYPES: usize = 64;

/// The definitions in force by the types that their rules name, as indexes in their order.
#[derive(Debug)]
pub(super) struct ByType {
    named: HashMap<String, Vec<usize>>,
    others: Vec<usize>,
}

impl ByType {
    pub(super) fn new(bound: &[Bound]) -> Self {
        let mut this = Self { named: HashMap::default(), others: Vec::new() };
        for (at, bound) in bound.iter().enumerate() {
            match bound.types().filter(|types| types.len() <= MAX_TYPES) {
                None => this.others.push(at),
                Some(types) => {
                    for name in types {
                        let all = this.named.entry(name.to_ascii_lowercase()).or_default();
                        if all.last() != Some(&at) {
                            all.push(at);
                        }
                    }
                }
            }
        }
        this
    }

    /// The definitions whose rules can be about a type, in their order.
    pub(super) fn of(&self, resource_type: &str) -> Vec<usize> {
        let named = self.named.get(&resource_type.to_ascii_lowercase()).into_iter().flatten();
        let mut all: Vec<usize> = named.chain(&self.others).copied().collect();
        all.sort_unstable();
        all
    }
}

/// The exemptions from each assignment and the enrollments in it, as indexes, by the index of the assignment.
#[derive(Debug)]
pub(super) struct ByAssignment {
    exemptions: Vec<Vec<usize>>,
    enrollments: Vec<Vec<usize>>,
}

impl ByAssignment {
    pub(super) fn new(policies: &Policies) -> Self {
        let exemptions = policies.exemptions.iter().map(|exemption| &*exemption.assignment);
        let enrollments = policies.enrollments.iter().map(|enrollment| &*enrollment.assignment);
        Self {
            exemptions: grouped(&policies.assignments, exemptions),
            enrollments: grouped(&policies.assignments, enrollments),
        }
    }

    pub(super) fn exemptions(&self, assignment: usize) -> &[usize] {
        self.exemptions.get(assignment).map_or(&[], Vec::as_slice)
    }

    pub(super) fn enrollments(&self, assignment: usize) -> &[usize] {
        self.enrollments.get(assignment).map_or(&[], Vec::as_slice)
    }
}

/// What names each assignment by the ID in `named`.
fn grouped<'p>(assignments: &[Assignment], named: impl Iterator<Item = &'p str>) -> Vec<Vec<usize>> {
    let mut by_name: HashMap<String, Vec<(usize, &str)>> = HashMap::default();
    for (at, id) in named.enumerate() {
        by_name.entry(last(id)).or_default().push((at, id));
    }
    let of = |assignment: &Assignment| {
        let mut names = vec![last(&assignment.id), assignment.name.to_ascii_lowercase()];
        names.dedup();
        let all = names.iter().filter_map(|name| by_name.get(name)).flatten();
        let mut all: Vec<usize> = all.filter(|(_, id)| is_of(id, assignment)).map(|(at, _)| *at).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assignments.iter().map(of).collect()
}

/// The last segment of an ID in lower case.
fn last(id: &str) -> String {
    id.rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
}

/// Whether an ID is that of an assignment. Where one has no scope, or a placeholder for it, the names decide.
fn is_of(id: &str, assignment: &Assignment) -> bool {
    if id.eq_ignore_ascii_case(&assignment.id) {
        return true;
    }
    let is_open = |id: &str| id.is_empty() || !id.starts_with('/') || id.contains(['$', '{', '<']);
    let last = id.rsplit('/').next().unwrap_or_default();
    (is_open(id) || is_open(&assignment.id)) && !last.is_empty() && last.eq_ignore_ascii_case(&assignment.name)
}
