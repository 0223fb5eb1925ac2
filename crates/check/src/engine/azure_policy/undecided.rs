//! Verdicts that cannot be decided: one finding for each assignment and reason, since initiatives have hundreds of
//! definitions that cannot be decided for the same reason.

use std::collections::BTreeMap;

use foldhash::HashSet;

use crate::checks::AZURE_POLICY_UNDECIDED;
use crate::engine::azure_policy::Governance;
use crate::model::{Issue, Resource, ResourceId};
use crate::policy::Verdict;
use crate::text::Span;

/// Maximum number of definitions that a finding names.
const MAX_NAMED: usize = 3;

/// Verdicts of a document that cannot be decided, by assignment and reason.
#[derive(Default)]
pub(super) struct Undecided<'v>(BTreeMap<(usize, &'v str), UndecidedVerdicts<'v>>);

struct UndecidedVerdicts<'v> {
    first: &'v Verdict,
    id: ResourceId,
    resource: &'v Resource,
    /// The references of the definitions.
    references: HashSet<&'v str>,
    /// Verdicts of the first of them.
    named: Vec<&'v Verdict>,
    /// The other resources that it is about.
    further: Vec<(String, Span)>,
    /// The resource of the last verdict.
    last: ResourceId,
}

impl<'v> Undecided<'v> {
    /// Adds a verdict on a resource. Those on one resource follow each other.
    pub(super) fn add(&mut self, verdict: &'v Verdict, id: ResourceId, resource: &'v Resource) {
        let group = self.0.entry((verdict.assignment, &verdict.why)).or_insert_with(|| UndecidedVerdicts {
            first: verdict,
            id,
            resource,
            references: HashSet::default(),
            named: Vec::new(),
            further: Vec::new(),
            last: id,
        });
        if group.last != id {
            group.last = id;
            group.further.push((resource.path.clone(), resource.span));
        }
        if group.references.insert(&verdict.reference) && group.named.len() < MAX_NAMED {
            group.named.push(verdict);
        }
    }

    /// Returns the findings, in the order of the assignments.
    pub(super) fn into_issues(self, governance: &Governance<'_>) -> impl Iterator<Item = Issue> {
        self.0.into_iter().map(|((_, why), group)| {
            let title = governance.title_of_all(group.first, &group.named, group.references.len());
            let message = format!("{title} cannot be decided: {why}");
            let UndecidedVerdicts { id, resource, further, .. } = group;
            let issue = Issue::new(AZURE_POLICY_UNDECIDED, resource.path.clone(), resource.span, message);
            Issue { further, ..issue.of_resource(id).unknown() }
        })
    }
}
