//! From places in a document to paths and spans in the text that the author wrote.

use crate::diagnostic::Label;
use crate::model::{Cause, Document, Walk};
use crate::rules::lookup::place::{Link, Origin, Place};
use crate::text::Span;

/// How many steps of a value's history are told.
const MAX_RELATED: usize = 8;

/// Where a place is in the text.
#[derive(Debug)]
pub(in crate::rules) struct Located {
    /// With the names of the text.
    pub(in crate::rules) path: String,
    /// The text of the place; for something missing that of its deepest ancestor.
    pub(in crate::rules) span: Span,
    /// The whole text of the value; for something missing that of the value that it is missing in.
    pub(in crate::rules) extent: Span,
    /// Where the value came from, nearest first.
    pub(in crate::rules) related: Vec<Label>,
}

/// Finds a place in the text.
pub(in crate::rules) fn locate(document: &Document, place: &Place<'_>) -> Located {
    let mut walk = start(document, place.origin);
    for link in &place.trail {
        step(&mut walk, *link);
    }
    let related = walk.causes(MAX_RELATED).into_iter().filter_map(label).collect();
    Located { related, span: walk.span(), extent: walk.extent(), path: walk.path().to_owned() }
}

/// A walk that is at the origin.
pub(in crate::rules) fn start(document: &Document, origin: Origin) -> Walk<'_> {
    match origin {
        Origin::Resource(id) => {
            let resource = document.resource(id);
            Walk::new(resource.path.as_str(), &resource.body, resource.span)
        }
        Origin::Deployment(id) => {
            let deployment = document.deployment(id);
            let span = deployment.template.span.unwrap_or_else(|| Span::whole_file(document.file));
            Walk::new(deployment.path.as_str(), &deployment.template, span)
        }
    }
}

/// Goes on along one link of a trail.
pub(in crate::rules) fn step(walk: &mut Walk<'_>, link: Link<'_>) {
    match link {
        Link::Key(key) => walk.member(key),
        Link::Index(index) => walk.item(index),
        Link::Items => walk.unseen_items(),
    }
}

fn label(cause: Cause<'_>) -> Option<Label> {
    let message = match cause.step {
        Some(step) => format!("value comes from {}", step.describe()),
        None => "value is written here".to_owned(),
    };
    Some(Label { span: cause.span?, message })
}
