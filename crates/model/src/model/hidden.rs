//! Secrets of a document that reports must not show: texts in its source, and parts of names.

use std::borrow::Cow;
use std::sync::Arc;

use crate::model::Mask;
use crate::text::Span;
use crate::value::{Data, Member, SECRET, Step, Str, Traits, Unknown, Value};

/// The secrets of a document that are not in its values. Secret values have the trait [`Traits::SECRET`].
#[derive(Clone, Debug, Default)]
pub struct Hidden {
    /// Literals in source texts, sorted by [`Span`].
    spans: Vec<Span>,
    /// Segments of names and IDs, in lower case.
    names: Vec<Str>,
    /// Texts that are secret wherever they are.
    texts: Option<Arc<Mask>>,
}

impl Hidden {
    /// Creates a list of secret literals, and of secret segments of names and IDs.
    pub fn new(spans: Vec<Span>, names: impl IntoIterator<Item = Str>) -> Self {
        Self { spans: sorted(spans), names: names.into_iter().collect(), texts: None }
    }

    /// Adds secret literals, and texts that are secret wherever they are.
    pub fn extend(&mut self, spans: Vec<Span>, texts: Option<Arc<Mask>>) {
        if !spans.is_empty() {
            self.spans = sorted(self.spans.iter().copied().chain(spans).collect());
        }
        self.texts = texts.or(self.texts.take());
    }

    /// Returns the secret literals in source texts.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Masks the secret segments of a name or ID.
    pub fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        masked(text, |segment| {
            self.names.iter().any(|name| name.eq_ignore_ascii_case(segment)) || self.has_text(segment)
        })
    }

    /// Returns a name or ID as a value, which is a secret if one of its segments is.
    pub fn named(&self, text: &str) -> Value {
        let is_secret = matches!(self.masked(text), Cow::Owned(_));
        Value::from(text).with_traits(if is_secret { Traits::SECRET } else { Traits::NONE })
    }

    /// Marks the parts of a value that are at one of the secret literals as secrets.
    pub fn marked(&self, value: &Value) -> Value {
        let is_empty = self.spans.is_empty() && self.texts.is_none();
        let marked = if is_empty { None } else { self.changed(value) };
        marked.unwrap_or_else(|| value.clone())
    }

    /// Returns the marked value. `None` if nothing in it is secret, so that it remains shared.
    fn changed(&self, value: &Value) -> Option<Value> {
        let marked = match &value.data {
            Data::Array(items) => changed_parts(items.iter(), |item| self.changed(item)).map(Value::array),
            Data::Object(object) => changed_parts(object.iter(), |member| {
                self.changed(&member.value).map(|value| Member { value, ..member.clone() })
            })
            .map(Value::object),
            // The approximation is also in the hidden literal.
            Data::Unknown(_)
                if !value.traits.has(Traits::SECRET) && value.span.is_some_and(|span| self.covers(span)) =>
            {
                return Some(value.clone().into_secret());
            }
            Data::Unknown(unknown) => self
                .changed(&unknown.approximation)
                .map(|approximation| Value::unknown(Unknown { approximation, ..(**unknown).clone() })),
            // Only leaves are masked, so arrays and objects are marked through their leaves.
            _ if value.traits.has(Traits::SECRET) => None,
            data => {
                let is_secret = value.span.is_some_and(|span| self.covers(span))
                    || matches!(data, Data::String(text) if self.has_text(text));
                return is_secret.then(|| value.clone().with_traits(Traits::SECRET));
            }
        }?;
        Some(Value { span: value.span, via: value.via.clone(), ..marked.with_traits(value.traits) })
    }

    fn has_text(&self, text: &str) -> bool {
        self.texts.as_ref().is_some_and(|texts| texts.is_in(text))
    }

    fn covers(&self, span: Span) -> bool {
        // Hidden literals do not overlap, so only the last one that begins before the span can contain it.
        let after = self.spans.partition_point(|hidden| (hidden.file, hidden.start) <= (span.file, span.start));
        let nearest = after.checked_sub(1).and_then(|at| self.spans.get(at));
        nearest.is_some_and(|hidden| hidden.contains(span))
    }
}

fn sorted(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.file, span.start, span.end));
    spans.dedup();
    spans
}

/// Applies `change` to the parts of an array or object. `None` if it changes none of them. Nothing is copied before
/// the first change, because most templates have few secrets.
fn changed_parts<'a, T: Clone + 'a>(
    parts: impl Iterator<Item = &'a T> + Clone,
    change: impl Fn(&T) -> Option<T>,
) -> Option<Vec<T>> {
    let (first, changed) = parts.clone().enumerate().find_map(|(at, part)| Some((at, change(part)?)))?;
    let mut all: Vec<T> = parts.clone().take(first).cloned().collect();
    all.push(changed);
    all.extend(parts.skip(first + 1).map(|part| change(part).unwrap_or_else(|| part.clone())));
    Some(all)
}

/// Masks each secret segment between the slashes of `text`.
pub fn masked(text: &str, is_secret: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if !text.split('/').any(&is_secret) {
        return Cow::Borrowed(text);
    }
    let segments: Vec<&str> =
        text.split('/').map(|segment| if is_secret(segment) { SECRET } else { segment }).collect();
    Cow::Owned(segments.join("/"))
}

/// Adds the literals of a secret value to `spans`. Computed values are not literals.
pub fn add_literals(value: &Value, spans: &mut Vec<Span>) {
    if !value.traits.has(Traits::SECRET) {
        return;
    }
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| add_literals(item, spans)),
        Data::Object(object) => object.iter().for_each(|member| add_literals(&member.value, spans)),
        Data::Unknown(_) => {}
        _ => {
            let is_given = value.via.as_ref().is_none_or(|via| {
                let is_parameter = matches!(via.step, Step::Parameter(_) | Step::Default(_));
                is_parameter && via.earlier.is_empty() && via.span == value.span
            });
            spans.extend(value.span.filter(|_| is_given));
        }
    }
}

/// Adds the spans of all secrets in a value to `spans`, including computed ones.
pub fn add_secrets(value: &Value, spans: &mut Vec<Span>) {
    if !value.traits.has(Traits::SECRET) {
        return;
    }
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| add_secrets(item, spans)),
        Data::Object(object) => object.iter().for_each(|member| add_secrets(&member.value, spans)),
        _ => spans.extend(value.span),
    }
}
