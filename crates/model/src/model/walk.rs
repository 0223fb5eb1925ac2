//! Walks into the values of a resource. A walk knows what the author wrote, and where each value came from.

use std::sync::Arc;

use crate::diagnostic::{Label, ORIGIN};
use crate::model::join_index;
use crate::model::path::push_key;
use crate::text::Span;
use crate::value::{Data, Member, Object, Step, Value, Via};

/// A walk from a resource or a template into its values.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    path: String,
    /// The current value; `None` after the last value that exists.
    value: Option<&'a Value>,
    /// The innermost text around the current value that the author wrote for the resource itself.
    anchor: Span,
    /// The text to point at in a report.
    shown: Span,
    /// The name of the current value, if it is on a line before the value.
    name: Option<Span>,
    /// The text of the value, if it comes from another part of the template or another file.
    elsewhere: Option<Span>,
    /// The provenance of the values on the way, outermost first.
    history: Vec<&'a Arc<Via>>,
}

/// One step in the provenance of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause<'a> {
    /// The kind of step. `None` if only the text of the value is known.
    pub step: Option<&'a Step>,
    /// The text of the step. `None` for something without text, such as an environment variable.
    pub span: Option<Span>,
}

impl Cause<'_> {
    fn label(self) -> Option<Label> {
        let message = match self.step {
            Some(step) => format!("{ORIGIN}{}", step.describe()),
            None => "value is written here".to_owned(),
        };
        Some(Label { span: self.span?, message })
    }

    /// Whether `other` only repeats this step. A report shows a step once, with its span if it has one.
    fn covers(&self, other: Self) -> bool {
        self.step == other.step && (self.span.is_some() || other.span.is_none())
    }
}

impl<'a> Walk<'a> {
    /// A walk that begins at `value`, which has this path and was written at `span`.
    pub fn new(path: impl Into<String>, value: &'a Value, span: Span) -> Self {
        let path = path.into();
        Self { path, value: Some(value), anchor: span, shown: span, name: None, elsewhere: None, history: Vec::new() }
    }

    /// Walks into the member of this name, which is case-insensitive.
    pub fn member(&mut self, key: &str) {
        // Paths of rules end in a dot for a member with an empty name.
        match key {
            "" => self.path.push('.'),
            key => push_key(&mut self.path, key),
        }
        let members = self.members();
        if let Some(member) = members.and_then(|members| members.member(key)) {
            return self.enter(&member.value, Some(member));
        }
        match members.and_then(|members| members.dropped(key)) {
            // It is missing, but what makes it missing has a text and a provenance.
            Some(member) => {
                self.enter(&member.value, Some(member));
                self.value = None;
            }
            None => self.lose(),
        }
    }

    /// Walks into an item.
    pub fn item(&mut self, index: usize) {
        self.path = join_index(&self.path, index);
        match self.value.and_then(|array| array.as_array()?.get(index)) {
            Some(item) => self.enter(item, None),
            None => self.lose(),
        }
    }

    /// Takes one of the values that the current one, which is unknown, can have.
    pub fn choose(&mut self, value: &'a Value) {
        self.value = Some(value);
        self.name = None;
        match value.span {
            Some(span) if value.via.is_none() && span.file == self.anchor.file => {
                self.anchor = span;
                self.shown = span;
                self.elsewhere = None;
            }
            _ => self.enter(value, None),
        }
    }

    /// Walks into the items of an array that is not known.
    pub fn unseen_items(&mut self) {
        self.path.push_str("[*]");
        self.lose();
    }

    /// The current path, with the names that the walk was given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The current value. `None` if there is none.
    pub fn value(&self) -> Option<&'a Value> {
        self.value
    }

    /// The members of the current value: those of an object, or the known ones of an unknown object.
    pub fn members(&self) -> Option<&'a Object> {
        match &self.value?.data {
            Data::Object(object) => Some(object),
            Data::Unknown(unknown) if unknown.open => unknown.approximation.as_object(),
            _ => None,
        }
    }

    /// The text to point at. For a missing value it is in the text of its deepest ancestor.
    pub fn span(&self) -> Span {
        self.shown
    }

    /// The text to point at if the name of the current value is wrong.
    pub fn name_span(&self) -> Span {
        self.name.unwrap_or(self.shown)
    }

    /// The whole text of the current value, wherever it was written. For a missing value it is that of the deepest
    /// ancestor.
    pub fn extent(&self) -> Span {
        self.elsewhere.unwrap_or(self.anchor)
    }

    /// Whether everything on the way was written in the resource: nothing came from a parameter, a variable or another
    /// file.
    pub fn is_in_place(&self) -> bool {
        self.history.is_empty() && self.elsewhere.is_none()
    }

    /// Moves to a value that exists.
    fn enter(&mut self, value: &'a Value, member: Option<&Member>) {
        self.value = Some(value);
        self.name = None;
        self.history.extend(&value.via);
        match value.span {
            Some(span) if self.elsewhere.is_none() && (self.anchor.contains(span) || self.is_moved(value, member)) => {
                self.anchor = span;
                self.shown = member.map_or(span, |member| shown(member, span));
                self.name = member.and_then(|member| member.key_span).filter(|_| self.shown == span);
            }
            span => {
                let key = member.and_then(|member| member.key_span);
                if let Some(key) = key.filter(|&key| self.elsewhere.is_none() && self.anchor.contains(key)) {
                    self.anchor = key;
                }
                self.shown = self.anchor;
                self.elsewhere = span.or(self.elsewhere).or(Some(self.anchor));
            }
        }
    }

    /// Whether a member was written as a whole in another place, as one of `Globals`, of a mapping that `<<` merges, or of a
    /// file that is included. The text there is what an author would change.
    fn is_moved(&self, value: &Value, member: Option<&Member>) -> bool {
        let key = member.and_then(|member| member.key_span);
        key.is_some_and(|key| !self.anchor.contains(key) && value.span.is_some_and(|span| span.file == key.file))
            && self.history.is_empty()
    }

    /// Moves past the last value that exists. Its name, or its first character, shows where the missing one belongs.
    fn lose(&mut self) {
        if let Some(value) = self.value.take()
            && self.elsewhere.is_none()
        {
            self.shown = self.name.unwrap_or_else(|| value.head(self.anchor));
        }
    }

    /// The provenance of the current value in at most `limit` steps, nearest first. The provenance of an object is nearer
    /// than that of a member before it was put into the object.
    pub fn causes(&self, limit: usize) -> Vec<Cause<'a>> {
        let mut causes: Vec<Cause<'a>> = Vec::new();
        let mut steps: Vec<&'a Arc<Via>> = self.history.iter().rev().copied().collect();
        for _ in 0..limit {
            let Some(via) = steps.pop() else { break };
            steps.extend(via.earlier.iter().take(limit).rev());
            let cause = Cause { step: Some(&via.step), span: via.span };
            let says_something = !matches!(via.step, Step::Combined | Step::Condition) || via.span.is_some();
            if says_something && !causes.iter().any(|known| known.covers(cause)) {
                causes.push(cause);
            }
        }
        self.point_closer(&mut causes);
        causes
    }

    /// The provenance as parts of the text that explain the current value, nearest first.
    pub fn related(&self, limit: usize) -> Vec<Label> {
        self.causes(limit).into_iter().filter_map(Cause::label).collect()
    }

    /// Adds the exact text of a value that was written elsewhere, unless it narrows the text of one of the steps.
    fn point_closer(&self, causes: &mut Vec<Cause<'a>>) {
        let Some(span) = self.elsewhere.filter(|&span| span != self.anchor) else { return };
        match causes.iter_mut().find(|cause| cause.span.is_some_and(|outer| outer.contains(span))) {
            Some(cause) => cause.span = Some(span),
            None => causes.insert(0, Cause { step: None, span: Some(span) }),
        }
    }
}

/// Key and value if they are on one line, else the value. Between the two there is a colon with at most one other byte, so
/// at most one line break, right before the value.
fn shown(member: &Member, value: Span) -> Span {
    let near = |key: &Span| key.file == value.file && key.end < value.start && value.start - key.end <= 2;
    member.key_span.filter(near).map_or(value, |key| key.to(value))
}
