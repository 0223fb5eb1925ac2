//! Turns results into verdicts with spans.

use std::sync::Arc;

use crate::diagnostic::{Label, Outcome};
use crate::guard::eval::{Leaf as Decider, LeafKind, leaves};
use crate::guard::message::{message, of_embedded};
use crate::guard::path::{Root, TrailStep};
use crate::guard::rule::{Branch, Rule};
use crate::guard::select::properties;
use crate::lookup::{PathStep, Position, locate};
use crate::model::{Document, ResourceId};
use crate::outcomes::Outcomes;
use crate::rule_fix::{self, Failure};
use crate::text::Span;
use crate::value::ValueExcerpt;
use crate::verdict::{Leaf, Verdict};

/// A document and the settings of its check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) document: &'a Document,
    /// True if a missing property fails.
    pub(super) strict: bool,
}

impl Surroundings<'_> {
    /// Returns the verdicts on a resource that violates a branch, or may violate it: one per deciding value.
    pub(super) fn verdicts(&self, rule: &Rule, branch: &Branch, id: ResourceId, outcomes: Outcomes) -> Vec<Verdict> {
        let resource = self.document.resource(id);
        let info = rule.info_of(branch);
        let verdict = |decider: Decider| {
            let mut leaf = leaf(self.document, id, &decider);
            leaf.related.extend(info.definition.map(|span| Label::new(span, "the rule is here")));
            let is_embedded = info.definition.is_none();
            let text = of_embedded(branch, &decider)
                .filter(|_| is_embedded)
                .unwrap_or_else(|| message(&self.document.hidden.masked(&resource.name), branch, &decider));
            let outcome = if outcomes == Outcomes::FALSE { Outcome::Failed } else { Outcome::Unknown };
            let failures = [Failure { path: leaf.path.clone(), is_alternative: false }];
            let value_fixes = match outcome {
                Outcome::Failed => rule_fix::value_fixes(self.document, &[id], &rule.fixes, &failures),
                _ => Vec::new(),
            };
            Verdict {
                rule: Arc::clone(info),
                outcome,
                message: text,
                resource: Some(id),
                alike: Vec::new(),
                path: leaf.path.clone(),
                span: leaf.span,
                leaves: vec![leaf],
                value_fixes,
            }
        };
        leaves(branch, resource, self.strict, outcomes).into_iter().map(verdict).collect()
    }

    /// Returns the verdict that a rule holds for these resources and no other resource violates it.
    pub(super) fn passed(&self, rule: &Rule, held: &[ResourceId]) -> Verdict {
        let only = match held {
            [id] => Some(*id),
            _ => None,
        };
        let resource = only.map(|id| self.document.resource(id));
        Verdict {
            rule: Arc::clone(rule.info()),
            outcome: Outcome::Passed,
            message: rule.info().short_description.clone(),
            resource: only,
            alike: Vec::new(),
            path: resource.map_or_else(String::new, |resource| resource.path.clone()),
            span: resource.map_or_else(|| Span::whole_file(self.document.file), |resource| resource.span),
            leaves: Vec::new(),
            value_fixes: Vec::new(),
        }
    }
}

/// Locates a deciding value.
fn leaf(document: &Document, id: ResourceId, decider: &Decider) -> Leaf {
    let mut position = Position::resource(document, id);
    if decider.root == Root::Properties {
        position.steps.push(PathStep::Key(properties(document.resource(id))));
    }
    position.steps.extend(decider.trail.iter().map(|step| match step {
        TrailStep::Key(key) => PathStep::Key(key),
        TrailStep::Index(index) => PathStep::Index(*index),
    }));
    let actual = match &decider.kind {
        LeafKind::Missing(name) => {
            position.steps.extend(name.as_ref().map(|key| PathStep::Key(key)));
            None
        }
        LeafKind::Wrong(value) => Some(ValueExcerpt::new(value)),
        LeafKind::Unknown(_) => None,
    };
    let located = locate(document, &position);
    Leaf { path: located.path, span: located.span, extent: located.extent, related: located.related, actual }
}
