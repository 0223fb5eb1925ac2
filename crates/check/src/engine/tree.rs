//! Lists the resources of a document as a tree.

use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{DeploymentKey, ResourceNode, ResourceTree, Subject};
use crate::engine::findings::shown;
use crate::model::{Document, ResourceId};
use crate::rules::Verdict;
use crate::text::{FileId, Sources, Span};

/// Maximum number of resources of one deployment that are listed. More would only make a report slow.
const MAX_NODES: usize = 5_000;

/// Maximum depth of the tree. A deeper resource is listed beside the last one that is not too deep.
const MAX_DEPTH: usize = 40;

/// The tree of one document, and where its resources are in it.
#[derive(Debug)]
pub(super) struct IndexedTree {
    pub(super) tree: ResourceTree,
    positions: HashMap<ResourceId, usize>,
}

impl IndexedTree {
    /// Returns the tree of a template under at most one parameter file. `place` maps a span to the place where the
    /// author wrote the text.
    pub(super) fn from_document(
        document: &Document,
        (template, parameters): (FileId, Option<&Arc<str>>),
        place: impl Fn(Span) -> Span,
        sources: &Sources,
    ) -> Self {
        let key = DeploymentKey::new(sources.get(template).name(), parameters.map(|name| &**name), "");
        let mut inside: HashMap<Option<ResourceId>, Vec<ResourceId>> = HashMap::default();
        for id in (0..document.resources.len()).map(ResourceId) {
            inside.entry(document.around(id)).or_default().push(id);
        }
        // As the text has them; the copies of a loop stay in their order.
        let start = |id: &ResourceId| (document.resource(*id).span.file, document.resource(*id).span.start);
        for ids in inside.values_mut() {
            ids.sort_by_key(start);
        }
        let mut indexed = Self {
            tree: ResourceTree { key, template, parameters: parameters.cloned(), nodes: Vec::new(), more: 0 },
            positions: HashMap::default(),
        };
        // The resources that are still to be listed, the next one last, with what they are in and how deep that is.
        let mut waiting: Vec<(ResourceId, Option<usize>, usize)> = Vec::new();
        let below = |id, parent, depth| {
            inside.get(&id).into_iter().flatten().rev().map(move |&child| (child, parent, depth)).collect::<Vec<_>>()
        };
        waiting.extend(below(None, None, 0));
        while let Some((id, parent, depth)) = waiting.pop() {
            let at = indexed.tree.nodes.len();
            if at == MAX_NODES {
                break;
            }
            let resource = document.resource(id);
            indexed.positions.insert(id, at);
            indexed.tree.nodes.push(ResourceNode {
                type_name: shown(document, &resource.type_name),
                name: shown(document, &resource.name),
                parent,
                place: place(resource.span),
                is_uncertain: resource.presence.doubt().is_some(),
            });
            let (parent, depth) = if depth < MAX_DEPTH { (Some(at), depth + 1) } else { (parent, depth) };
            waiting.extend(below(Some(id), parent, depth));
        }
        indexed.tree.more = document.resources.len().saturating_sub(indexed.tree.nodes.len());
        indexed
    }

    /// Returns the resources that a verdict is about.
    pub(super) fn subjects(&self, verdict: &Verdict) -> Vec<Subject> {
        let nodes = verdict.resource.iter().chain(&verdict.alike).filter_map(|id| self.positions.get(id));
        nodes.map(|&node| Subject { tree: self.tree.key, node }).collect()
    }
}
