//! From places in a document to paths and spans in the text that the author wrote.

use std::sync::Arc;

use crate::diagnostic::Label;
use crate::model::{Document, join_index, join_key};
use crate::rules::json::place::{Link, Origin, Place};
use crate::text::Span;
use crate::value::{Data, Member, Object, Value, Via};

/// How many steps of a value's history are told.
const MAX_RELATED: usize = 8;

/// Where a place is in the text.
#[derive(Debug)]
pub(in crate::rules) struct Located {
    /// With the names of the text.
    pub(in crate::rules) path: String,
    /// The text of the place; for something missing that of its deepest ancestor.
    pub(in crate::rules) span: Span,
    /// Where the value came from, nearest first.
    pub(in crate::rules) related: Vec<Label>,
}

/// Finds a place in the text.
pub(in crate::rules) fn locate(document: &Document, place: &Place<'_>) -> Located {
    let (path, value, span) = match place.origin {
        Origin::Resource(id) => {
            let resource = document.resource(id);
            (resource.path.clone(), &resource.body, resource.span)
        }
        Origin::Deployment(id) => {
            let deployment = document.deployment(id);
            let span = deployment.template.span.unwrap_or_else(|| Span::whole_file(document.file));
            (deployment.path.clone(), &deployment.template, span)
        }
    };
    let mut walk = Walk { path, value: Some(value), anchor: span, shown: span, elsewhere: None, history: Vec::new() };
    place.trail.iter().for_each(|link| walk.follow(*link));
    Located { related: walk.related(), span: walk.shown, path: walk.path }
}

/// A walk from a resource into its values.
struct Walk<'a> {
    path: String,
    /// What is here; `None` behind the last value that exists.
    value: Option<&'a Value>,
    /// The innermost text around this place that the author wrote for the resource.
    anchor: Span,
    /// What to point at.
    shown: Span,
    /// The text of the value, where it was computed from another part of the template or another file.
    elsewhere: Option<Span>,
    /// How the values on the way came here, outermost first.
    history: Vec<&'a Arc<Via>>,
}

impl<'a> Walk<'a> {
    fn follow(&mut self, link: Link<'_>) {
        self.path = match link {
            // As rules address a member without a name.
            Link::Key("") => format!("{}.", self.path),
            Link::Key(key) => join_key(&self.path, key),
            Link::Index(index) => join_index(&self.path, index),
            Link::Items => format!("{}[*]", self.path),
        };
        match (link, self.value.map(|value| &value.data)) {
            (Link::Key(key), Some(data)) => match members(data).and_then(|it| it.member(key)) {
                Some(member) => self.enter(&member.value, Some(member)),
                None => self.lose(),
            },
            (Link::Index(index), Some(Data::Array(array))) => match array.get(index) {
                Some(item) => self.enter(item, None),
                None => self.lose(),
            },
            _ => self.lose(),
        }
    }

    /// Into a value that exists.
    fn enter(&mut self, value: &'a Value, member: Option<&Member>) {
        self.value = Some(value);
        self.history.extend(&value.via);
        match value.span {
            Some(span) if self.elsewhere.is_none() && self.anchor.contains(span) => {
                self.anchor = span;
                self.shown = member.map_or(span, |member| shown(member, span));
            }
            span => {
                let key = member.and_then(|it| it.key_span);
                if let Some(key) = key.filter(|&key| self.elsewhere.is_none() && self.anchor.contains(key)) {
                    self.anchor = key;
                }
                self.shown = self.anchor;
                self.elsewhere = span.or(self.elsewhere).or(Some(self.anchor));
            }
        }
    }

    /// Behind the last value that exists: its first byte shows where the missing one belongs.
    fn lose(&mut self) {
        if self.value.take().is_some() && self.elsewhere.is_none() {
            let start = self.anchor.start;
            self.shown = Span { end: self.anchor.end.min(start + 1), ..self.anchor };
        }
    }

    /// The history of the value, nearest first.
    fn related(&self) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        let mut steps: Vec<&Arc<Via>> = self.history.clone();
        for _ in 0..MAX_RELATED {
            let Some(via) = steps.pop() else { break };
            steps.extend(via.behind.iter().take(MAX_RELATED).rev());
            if let Some(span) = via.span {
                let message = format!("value comes from {}", via.step.describe());
                if labels.iter().all(|label| label.message != message) {
                    labels.push(Label { span, message });
                }
            }
        }
        self.point_closer(&mut labels);
        labels
    }

    /// The exact text of a value that stands elsewhere: it is within one of the steps, or a place of its own.
    fn point_closer(&self, labels: &mut Vec<Label>) {
        let Some(span) = self.elsewhere.filter(|&span| span != self.anchor) else { return };
        match labels.iter_mut().find(|label| label.span.contains(span)) {
            Some(label) => label.span = span,
            None => labels.insert(0, Label { span, message: "value is written here".to_owned() }),
        }
    }
}

/// The members of an object, or of what is certain of one.
fn members(data: &Data) -> Option<&Object> {
    match data {
        Data::Object(object) => Some(object),
        Data::Unknown(unknown) if unknown.open => unknown.approximation.as_object(),
        _ => None,
    }
}

/// Name and value where they stand in one line, else the value. Between the two there is a colon; with at most one
/// byte beside it, no line can have ended that does not begin with the value.
fn shown(member: &Member, value: Span) -> Span {
    let near = |key: &Span| key.file == value.file && key.end < value.start && value.start - key.end <= 2;
    member.key_span.filter(near).map_or(value, |key| key.to(value))
}
