//! Finds the resource around a place in a template.

use foldhash::HashMap;

use crate::model::{Document, ResourceId};
use crate::text::{FileId, Span};

/// The texts of the resources of a document. Texts of one file are parts of each other, or have nothing in common.
#[derive(Debug)]
pub(super) struct Enclosing {
    /// Texts by file, ordered by start; an enclosing text comes before those in it.
    texts: HashMap<FileId, Vec<Text>>,
}

/// The text of a resource.
#[derive(Debug)]
struct Text {
    span: Span,
    resource: ResourceId,
    /// The index of the nearest text around this one.
    outer: Option<usize>,
}

impl Enclosing {
    pub(super) fn new(document: &Document) -> Self {
        Self::from_spans(document.resources.iter().map(|resource| resource.span))
    }

    /// Returns the texts of resources in the order of the document, or other texts, by their indexes.
    pub(super) fn from_spans(spans: impl Iterator<Item = Span>) -> Self {
        let mut texts: HashMap<FileId, Vec<Text>> = HashMap::default();
        for (index, span) in spans.enumerate() {
            if span != Span::whole_file(span.file) {
                texts.entry(span.file).or_default().push(Text { span, resource: ResourceId(index), outer: None });
            }
        }
        for texts in texts.values_mut() {
            arrange(texts);
        }
        Self { texts }
    }

    /// Returns the innermost resource whose text contains `span`, and of several that have the same text, such as the
    /// iterations of a loop, the first.
    pub(super) fn innermost(&self, span: Span) -> Option<ResourceId> {
        let texts = self.texts.get(&span.file)?;
        let last = texts.partition_point(|text| text.span.start <= span.start).checked_sub(1)?;
        let mut next = texts.get(last);
        while let Some(text) = next.filter(|text| !text.span.contains(span)) {
            next = text.outer.and_then(|outer| texts.get(outer));
        }
        next.map(|text| text.resource)
    }
}

/// Puts the texts of a file in order, and finds those around them.
fn arrange(texts: &mut Vec<Text>) {
    texts.sort_by_key(|text| (text.span.start, std::cmp::Reverse(text.span.end)));
    // The sort is stable, so the first resource of a text stays.
    texts.dedup_by_key(|text| text.span);
    let mut open: Vec<(usize, u32)> = Vec::new();
    for (index, text) in texts.iter_mut().enumerate() {
        while open.pop_if(|(_, end)| *end <= text.span.start).is_some() {}
        text.outer = open.last().map(|(outer, _)| *outer);
        open.push((index, text.span.end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    #[test]
    fn the_innermost_resource_is_found() {
        let sources = Sources::new();
        let [main, linked] = ["main.json", "linked.json"].map(|name| sources.add(name, ""));
        let resources = [(5, 30), (10, 20), (10, 20), (22, 24), (40, 50), (0, 0), (60, 90), (61, 70), (62, 65)];
        let spans = resources.map(|(start, end)| Span::new(main, start, end));
        let enclosing = Enclosing::from_spans(spans.into_iter().chain([Span::new(linked, 0, 100)]));
        let found = |start, end| enclosing.innermost(Span::new(main, start, end)).map(|id| id.0);
        assert_eq!(found(10, 20), Some(1));
        assert_eq!(found(12, 13), Some(1));
        assert_eq!(found(23, 24), Some(3));
        assert_eq!(found(25, 26), Some(0));
        assert_eq!(found(12, 26), Some(0));
        assert_eq!(found(31, 32), None);
        assert_eq!(found(12, 45), None);
        assert_eq!(found(0, 0), None);
        assert_eq!(found(63, 64), Some(8));
        assert_eq!(found(66, 67), Some(7));
        assert_eq!(found(80, 81), Some(6));
        assert_eq!(found(90, 91), None);
        assert_eq!(enclosing.innermost(Span::new(linked, 63, 64)), Some(ResourceId(9)));
    }
}
