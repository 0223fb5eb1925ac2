//! Short forms of CloudFormation's functions: `!Ref a` for `{"Ref": "a"}`.
//!
//! See <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html>.

use saphyr_parser::Tag;

use crate::syntax::offset;
use crate::text::{FileId, Span};
use crate::value::{Member, Str, Value};

/// A tag that calls a function on the value behind it.
#[derive(Debug)]
pub(super) struct ShortForm {
    /// The name in the long form.
    name: Str,
    /// Where the tag stands.
    span: Span,
}

impl ShortForm {
    /// The call of a tag. `start` is where the properties of its value begin. Tags of YAML itself call nothing.
    pub(super) fn new(tag: &Tag, file: FileId, text: &str, start: usize) -> Option<Self> {
        if tag.handle != "!" || tag.suffix.is_empty() {
            return None;
        }
        let name = match tag.suffix.as_str() {
            plain @ ("Ref" | "Condition") => Str::from(plain),
            // Other tools have directives of their own: `!Rain::Embed`.
            long if long.contains("::") => Str::from(long),
            short => Str::from(format!("Fn::{short}")),
        };
        Some(Self { name, span: tag_span(file, text, start) })
    }

    /// The long form around `value`.
    pub(super) fn on(self, value: Value) -> Value {
        let span = value.span.map_or(self.span, |span| self.span.to(span));
        Value::object(vec![Member { key: self.name, key_span: Some(self.span), value }]).at(span)
    }

    /// The long form around a text. That of `!GetAtt a.b` has the name and the attribute apart.
    pub(super) fn on_text(self, value: &Value) -> Value {
        let parts = value.as_str().filter(|_| *self.name == *"Fn::GetAtt").and_then(|it| it.split_once('.'));
        let Some((name, attribute)) = parts else { return self.on(value.clone()) };
        let part = |text: &str| Value { span: value.span, ..Value::from(text) };
        let parts = Value { span: value.span, ..Value::array(vec![part(name), part(attribute)]) };
        self.on(parts)
    }
}

/// Where the tag is among the properties that begin at `start`.
fn tag_span(file: FileId, text: &str, start: usize) -> Span {
    let mut rest = &text[start..];
    while let Some((property, behind)) = property(rest) {
        if property.starts_with('!') {
            let at = text.len() - rest.len();
            return Span::new(file, offset(at), offset(at + property.len()));
        }
        rest = behind;
    }
    Span::new(file, offset(start), offset(start))
}

/// The anchor or the tag that a text begins with, and what stands behind it and the blanks.
pub(super) fn property(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(['&', '!']) {
        return None;
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (property, behind) = text.split_at(end);
    Some((property, behind.trim_start()))
}
