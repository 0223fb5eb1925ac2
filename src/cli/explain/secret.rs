//! Parts of source files that contain secrets. Lines with secrets are never shown.

use std::collections::BTreeMap;

use crate::model::Document;
use crate::text::{FileId, Sources, Span};
use crate::value::{Data, Traits, Value};

/// The lines with secrets, by file: the values and the defaults of secure parameters.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    /// The first line of each secret, in order, and the last line of it and of all before it.
    lines: BTreeMap<FileId, Vec<(u32, u32)>>,
}

impl Secrets {
    /// Collects the secrets of a document and its nested deployments.
    pub(super) fn from_document(document: &Document, sources: &Sources) -> Self {
        let mut spans = document.hidden.spans().to_vec();
        for deployment in &document.deployments {
            add_leaves(&deployment.parameters, &mut spans);
        }
        let mut lines: BTreeMap<FileId, Vec<(u32, u32)>> = BTreeMap::default();
        for span in spans {
            lines.entry(span.file).or_default().push(lines_of(span, sources));
        }
        for lines in lines.values_mut() {
            lines.sort_unstable();
            let mut end = 0;
            for (_, last) in lines {
                end = end.max(*last);
                *last = end;
            }
        }
        Self { lines }
    }

    /// Returns whether the lines of `span` contain a secret.
    pub(super) fn stand_in_lines_of(&self, span: Span, sources: &Sources) -> bool {
        let Some(lines) = self.lines.get(&span.file) else { return false };
        let (first, last) = lines_of(span, sources);
        let before = lines.partition_point(|(from, _)| *from <= last);
        before.checked_sub(1).and_then(|at| lines.get(at)).is_some_and(|(_, to)| first <= *to)
    }
}

/// The first and the last line of a span.
fn lines_of(span: Span, sources: &Sources) -> (u32, u32) {
    let source = sources.get(span.file);
    (source.position(span.start).line, source.position(span.end).line)
}

fn add_leaves(value: &Value, spans: &mut Vec<Span>) {
    if !value.traits.has(Traits::SECRET) {
        return;
    }
    match &value.data {
        Data::Array(array) => array.iter().for_each(|item| add_leaves(item, spans)),
        Data::Object(object) => object.iter().for_each(|member| add_leaves(&member.value, spans)),
        _ => spans.extend(value.span),
    }
}
