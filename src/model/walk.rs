//! Walks into the values of a resource, which keep in mind what the author wrote and where values came from.

use std::sync::Arc;

use crate::model::{join_index, join_key};
use crate::text::Span;
use crate::value::{Data, Member, Object, Step, Value, Via};

/// A walk from a resource or a template into its values.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
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

/// One step of how a value came to where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cause<'a> {
    /// What led here. `None` where all that is known is the text of the value.
    pub step: Option<&'a Step>,
    /// The text of the step. `None` for what was given by no text, such as an environment variable.
    pub span: Option<Span>,
}

impl Cause<'_> {
    /// Whether the other would only repeat this one. A step is told once, at a place if it has one.
    fn covers(&self, other: Self) -> bool {
        self.step == other.step && (self.span.is_some() || other.span.is_none())
    }
}

impl<'a> Walk<'a> {
    /// A walk that begins at `value`, which has this path and was written at `span`.
    pub(crate) fn new(path: impl Into<String>, value: &'a Value, span: Span) -> Self {
        let path = path.into();
        Self { path, value: Some(value), anchor: span, shown: span, elsewhere: None, history: Vec::new() }
    }

    /// Into the member of this name, in any spelling.
    pub(crate) fn member(&mut self, key: &str) {
        // As rules address a member without a name.
        self.path = if key.is_empty() { format!("{}.", self.path) } else { join_key(&self.path, key) };
        match self.members().and_then(|it| it.member(key)) {
            Some(member) => self.enter(&member.value, Some(member)),
            None => self.lose(),
        }
    }

    /// Into an item.
    pub(crate) fn item(&mut self, index: usize) {
        self.path = join_index(&self.path, index);
        match self.value.and_then(|it| it.as_array()?.get(index)) {
            Some(item) => self.enter(item, None),
            None => self.lose(),
        }
    }

    /// Into the items of an array that is not known.
    pub(crate) fn unseen_items(&mut self) {
        self.path.push_str("[*]");
        self.lose();
    }

    /// Where the walk is, with the names that it was told.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// What is here. `None` where there is nothing.
    pub(crate) fn value(&self) -> Option<&'a Value> {
        self.value
    }

    /// The members of what is here: those of an object, or what is certain of one.
    pub(crate) fn members(&self) -> Option<&'a Object> {
        match &self.value?.data {
            Data::Object(object) => Some(object),
            Data::Unknown(unknown) if unknown.open => unknown.approximation.as_object(),
            _ => None,
        }
    }

    /// The text of the place; for something missing that of its deepest ancestor.
    pub(crate) fn span(&self) -> Span {
        self.shown
    }

    /// The whole text of what is here, wherever it was written; for something missing that of the deepest ancestor, which
    /// it is missing in.
    pub(crate) fn extent(&self) -> Span {
        self.elsewhere.unwrap_or(self.anchor)
    }

    /// Whether everything on the way was written where it is: nothing came from a parameter, a variable or another file.
    pub(crate) fn is_in_place(&self) -> bool {
        self.history.is_empty() && self.elsewhere.is_none()
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

    /// The history of the value, nearest first: what at most `limit` steps say. How an object came here is nearer than
    /// how its member came into the object.
    pub(crate) fn causes(&self, limit: usize) -> Vec<Cause<'a>> {
        let mut causes: Vec<Cause<'a>> = Vec::new();
        let mut steps: Vec<&'a Arc<Via>> = self.history.iter().rev().copied().collect();
        for _ in 0..limit {
            let Some(via) = steps.pop() else { break };
            steps.extend(via.behind.iter().take(limit).rev());
            let cause = Cause { step: Some(&via.step), span: via.span };
            let says_something = via.step != Step::Combined || via.span.is_some();
            if says_something && !causes.iter().any(|it| it.covers(cause)) {
                causes.push(cause);
            }
        }
        self.point_closer(&mut causes);
        causes
    }

    /// The exact text of a value that stands elsewhere: it is within one of the steps, or a place of its own.
    fn point_closer(&self, causes: &mut Vec<Cause<'a>>) {
        let Some(span) = self.elsewhere.filter(|&span| span != self.anchor) else { return };
        match causes.iter_mut().find(|it| it.span.is_some_and(|it| it.contains(span))) {
            Some(cause) => cause.span = Some(span),
            None => causes.insert(0, Cause { step: None, span: Some(span) }),
        }
    }
}

/// Name and value where they stand in one line, else the value. Between the two there is a colon; with at most one
/// byte beside it, no line can have ended that does not begin with the value.
fn shown(member: &Member, value: Span) -> Span {
    let near = |key: &Span| key.file == value.file && key.end < value.start && value.start - key.end <= 2;
    member.key_span.filter(near).map_or(value, |key| key.to(value))
}
