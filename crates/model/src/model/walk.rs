//! Walks into the values of a resource. A walk records the text and the origin of each value.

use std::sync::Arc;

use crate::diagnostic::Label;
use crate::model::join_index;
use crate::model::path::push_key;
use crate::text::Span;
use crate::value::{Data, Member, Object, Step, Value, Via};

/// A walk from a resource or a template into its values.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    path: String,
    /// The current value. `None` after the last existing value.
    value: Option<&'a Value>,
    /// The innermost text around the current value in the resource itself.
    anchor: Span,
    /// The text to show in a report.
    shown: Span,
    /// The name of the current value, if it is on a line before the value.
    name: Option<Span>,
    /// The text of the value, if it is in another part of the template or another file.
    elsewhere: Option<Span>,
    /// The origins of the values on the path, outermost first.
    history: Vec<&'a Arc<Via>>,
}

/// A step in the origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause<'a> {
    /// The kind of step. `None` if only the text of the value is known.
    pub step: Option<&'a Step>,
    /// The text of the step. `None` for a step without text, such as an environment variable.
    pub span: Option<Span>,
}

impl Cause<'_> {
    fn label(self) -> Option<Label> {
        let span = self.span?;
        Some(match self.step {
            Some(step) => Label::origin(span, step.describe()),
            None => Label::new(span, "value is written here"),
        })
    }

    /// Returns whether `other` repeats this step. A report shows each step once, with its span if it has one.
    fn covers(&self, other: Self) -> bool {
        self.step == other.step && (self.span.is_some() || other.span.is_none())
    }
}

impl<'a> Walk<'a> {
    /// Creates a walk that begins at `value`, with its path and span.
    pub fn new(path: impl Into<String>, value: &'a Value, span: Span) -> Self {
        let path = path.into();
        Self { path, value: Some(value), anchor: span, shown: span, name: None, elsewhere: None, history: Vec::new() }
    }

    /// Walks into the member with this name, ignoring case.
    pub fn member(&mut self, key: &str) {
        // Paths of rules end with a dot for a member with an empty name.
        match key {
            "" => self.path.push('.'),
            key => push_key(&mut self.path, key),
        }
        let members = self.members();
        if let Some(member) = members.and_then(|members| members.member(key)) {
            return self.enter(&member.value, Some(member));
        }
        match members.and_then(|members| members.dropped(key)) {
            // The member is missing, but the expression that removes it has a text and an origin.
            Some(member) => {
                self.enter(&member.value, Some(member));
                self.value = None;
            }
            None => self.lose(),
        }
    }

    /// Walks into an item of an array.
    pub fn item(&mut self, index: usize) {
        self.path = join_index(&self.path, index);
        match self.value.and_then(|array| array.as_array()?.get(index)) {
            Some(item) => self.enter(item, None),
            None => self.lose(),
        }
    }

    /// Continues with one of the possible values of the current unknown value.
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

    /// Walks into the items of an unknown array.
    pub fn unseen_items(&mut self) {
        self.path.push_str("[*]");
        self.lose();
    }

    /// Returns the current path, with the names as passed to the walk.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the current value. `None` if it does not exist.
    pub fn value(&self) -> Option<&'a Value> {
        self.value
    }

    /// Returns the members of the current object, or the known members of an unknown object.
    pub fn members(&self) -> Option<&'a Object> {
        match &self.value?.data {
            Data::Object(object) => Some(object),
            Data::Unknown(unknown) if unknown.open => unknown.approximation.as_object(),
            _ => None,
        }
    }

    /// Returns the text to show. For a missing value, it is in the text of the deepest ancestor.
    pub fn span(&self) -> Span {
        self.shown
    }

    /// Returns the text to show if the name of the current value is wrong.
    pub fn name_span(&self) -> Span {
        self.name.unwrap_or(self.shown)
    }

    /// Returns the complete text of the current value, in any file. For a missing value, returns that of the deepest
    /// ancestor.
    pub fn extent(&self) -> Span {
        self.elsewhere.unwrap_or(self.anchor)
    }

    /// Returns whether all values on the path are in the resource, not in a parameter, a variable, or another file.
    pub fn is_in_place(&self) -> bool {
        self.history.is_empty() && self.elsewhere.is_none()
    }

    /// Moves to an existing value.
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

    /// Returns whether a member is completely in another location, for example in `Globals`, in a mapping that `<<`
    /// merges, or in an included file. The author would change the text there.
    fn is_moved(&self, value: &Value, member: Option<&Member>) -> bool {
        let key = member.and_then(|member| member.key_span);
        key.is_some_and(|key| !self.anchor.contains(key) && value.span.is_some_and(|span| span.file == key.file))
            && self.history.is_empty()
    }

    /// Moves past the last existing value. Its name, or its first character, shows where the missing value belongs.
    fn lose(&mut self) {
        if let Some(value) = self.value.take()
            && self.elsewhere.is_none()
        {
            self.shown = self.name.unwrap_or_else(|| value.head(self.anchor));
        }
    }

    /// Returns the origins of the current value, at most `limit` steps, nearest first. The origin of an object is
    /// nearer than the earlier origin of its member.
    pub fn causes(&self, limit: usize) -> Vec<Cause<'a>> {
        let mut causes: Vec<Cause<'a>> = Vec::new();
        let mut steps: Vec<&'a Arc<Via>> = self.history.iter().rev().copied().collect();
        for _ in 0..limit {
            let Some(via) = steps.pop() else { break };
            steps.extend(via.earlier.iter().take(limit).rev());
            let cause = Cause { step: Some(&via.step), span: via.span };
            let is_informative = !matches!(via.step, Step::Combined | Step::Condition) || via.span.is_some();
            if is_informative && !causes.iter().any(|known| known.covers(cause)) {
                causes.push(cause);
            }
        }
        self.point_closer(&mut causes);
        causes
    }

    /// Returns the origins as texts that explain the current value, nearest first.
    pub fn related(&self, limit: usize) -> Vec<Label> {
        self.causes(limit).into_iter().filter_map(Cause::label).collect()
    }

    /// Adds the exact text of a value in another location. If a step contains this text, narrows the step to it.
    fn point_closer(&self, causes: &mut Vec<Cause<'a>>) {
        let Some(span) = self.elsewhere.filter(|&span| span != self.anchor) else { return };
        match causes.iter_mut().find(|cause| cause.span.is_some_and(|outer| outer.contains(span))) {
            Some(cause) => cause.span = Some(span),
            None => causes.insert(0, Cause { step: None, span: Some(span) }),
        }
    }
}

/// Returns the text of the key and the value if they are on one line, otherwise that of the value. There is at most
/// one byte besides the colon between them, so a line break can only be directly before the value.
fn shown(member: &Member, value: Span) -> Span {
    let near = |key: &Span| key.file == value.file && key.end < value.start && value.start - key.end <= 2;
    member.key_span.filter(near).map_or(value, |key| key.to(value))
}
