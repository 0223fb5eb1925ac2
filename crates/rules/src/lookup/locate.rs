//! Converts positions in a document to paths and spans in the authored text.

use crate::diagnostic::Label;
use crate::lookup::position::{Owner, PathStep, Position};
use crate::model::{Document, Walk};
use crate::text::Span;

/// Steps of a value's provenance that a finding shows.
const MAX_RELATED: usize = 8;

/// Path and spans of a position.
#[derive(Debug)]
pub(crate) struct Located {
    /// Path, with names spelled as in the template.
    pub(crate) path: String,
    /// Span of the position, or of its deepest ancestor if nothing is there.
    pub(crate) span: Span,
    /// Span of the whole value, or of the value that it is missing from.
    pub(crate) extent: Span,
    /// Provenance of the value, nearest first.
    pub(crate) related: Vec<Label>,
}

/// Finds a position in the text.
pub(crate) fn locate(document: &Document, position: &Position<'_>) -> Located {
    let mut walk = walk_from(document, position.owner);
    for step in &position.steps {
        walk_along(&mut walk, *step);
    }
    let related = walk.related(MAX_RELATED);
    Located { related, span: walk.span(), extent: walk.extent(), path: walk.path().to_owned() }
}

/// Starts a walk at the body of a resource or the template of a deployment.
pub(crate) fn walk_from(document: &Document, owner: Owner) -> Walk<'_> {
    match owner {
        Owner::Resource(id) => {
            let resource = document.resource(id);
            Walk::new(resource.path.as_str(), &resource.body, resource.span)
        }
        Owner::Deployment(id) => {
            let deployment = document.deployment(id);
            let span = deployment.template.span.unwrap_or_else(|| Span::whole_file(document.file));
            Walk::new(deployment.path.as_str(), &deployment.template, span)
        }
    }
}

/// Continues a walk by one step of a position.
pub(crate) fn walk_along(walk: &mut Walk<'_>, step: PathStep<'_>) {
    match step {
        PathStep::Key(key) => walk.member(key),
        PathStep::Index(index) => walk.item(index),
        PathStep::Items => walk.unseen_items(),
    }
}
