//! From what decided to verdicts with places in the text.

use std::sync::Arc;

use crate::diagnostic::{Label, Outcome};
use crate::model::{Document, ResourceId};
use crate::rules::guard::eval::{Leaf as Decider, LeafKind, State, leaves};
use crate::rules::guard::message::message;
use crate::rules::guard::path::{Root, Step};
use crate::rules::guard::rule::Rule;
use crate::rules::guard::select::properties;
use crate::rules::lookup::{Link, Place, TypeIndex, locate};
use crate::rules::verdict::{Leaf, Verdict};
use crate::text::Span;
use crate::value::ValueExcerpt;

/// A document under the rules, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) document: &'a Document,
    pub(super) types: &'a TypeIndex<'a>,
    /// Whether every property must be there.
    pub(super) strict: bool,
}

impl Surroundings<'_> {
    /// What a branch says of a resource that is not as it wants it, or may not be: one verdict for each place.
    pub(super) fn verdicts(&self, rule: &Rule, branch: usize, id: ResourceId, state: State) -> Vec<Verdict> {
        let resource = self.document.resource(id);
        let node = &rule.branches[branch];
        let info = rule.info_of(branch);
        let doubt = self.types.doubt(id);
        let verdict = |decider: Decider| {
            let mut leaf = place(self.document, id, &decider);
            leaf.related.extend(info.definition.map(|span| Label { span, message: "the rule is here".to_owned() }));
            let text = message(&resource.name, node, &decider);
            let (outcome, message) = match (state, doubt) {
                (State::Failed, None) => (Outcome::Failed, text),
                (State::Failed, Some(why)) => (Outcome::Unknown, format!("{text}, if it is deployed: {why}")),
                _ => (Outcome::Unknown, text),
            };
            Verdict {
                rule: Arc::clone(info),
                outcome,
                message,
                resource: Some(id),
                path: leaf.path.clone(),
                span: leaf.span,
                leaves: vec![leaf],
                remedies: Vec::new(),
            }
        };
        leaves(node, resource, self.strict, state).into_iter().map(verdict).collect()
    }

    /// That a rule holds for these resources, and is broken by none.
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
            path: resource.map_or_else(String::new, |it| it.path.clone()),
            span: resource.map_or_else(|| Span::whole_file(self.document.file), |it| it.span),
            leaves: Vec::new(),
            remedies: Vec::new(),
        }
    }
}

fn place(document: &Document, id: ResourceId, decider: &Decider) -> Leaf {
    let mut place = Place::resource(document, id);
    if decider.root == Root::Properties {
        place.trail.push(Link::Key(properties(document.resource(id))));
    }
    place.trail.extend(decider.trail.iter().map(|step| match step {
        Step::Key(key) => Link::Key(key),
        Step::Index(index) => Link::Index(*index),
    }));
    let actual = match &decider.kind {
        LeafKind::Missing(name) => {
            place.trail.extend(name.as_ref().map(|it| Link::Key(it)));
            None
        }
        LeafKind::Wrong(value) => Some(ValueExcerpt::of(value)),
        LeafKind::Unknown(_) => None,
    };
    let located = locate(document, &place);
    Leaf { path: located.path, span: located.span, extent: located.extent, related: located.related, actual }
}
