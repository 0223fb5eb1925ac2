//! Short forms of CloudFormation's functions: `!Ref a` for `{"Ref": "a"}`.
//!
//! See <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html>.

use saphyr_parser::Tag;

use crate::offset;
use crate::text::{FileId, Span};
use crate::value::{Member, Str, Value};

/// Short forms that cfn-guard knows for scalars.
pub(super) const ON_SCALARS: [&str; 8] =
    ["Ref", "Base64", "Sub", "GetAZs", "ImportValue", "GetAtt", "Condition", "RefAll"];

/// Short forms that cfn-guard knows for lists.
pub(super) const ON_LISTS: [&str; 15] = [
    "GetAtt",
    "Sub",
    "Select",
    "Split",
    "Join",
    "FindInMap",
    "And",
    "Equals",
    "Contains",
    "EachMemberIn",
    "EachMemberEquals",
    "ValueOf",
    "If",
    "Not",
    "Or",
];

/// A tag that calls a function on the value after it.
#[derive(Debug)]
pub(super) struct ShortForm {
    /// Name in the long form.
    name: Str,
    /// Span of the tag.
    span: Span,
}

impl ShortForm {
    /// Reads the function call of a tag, or returns `None` for tags of YAML itself. `start` is the beginning of the
    /// value's properties.
    pub(super) fn new(tag: &Tag, file: FileId, text: &str, start: usize) -> Option<Self> {
        if tag.handle != "!" || tag.suffix.is_empty() {
            return None;
        }
        let name = match tag.suffix.as_str() {
            plain @ ("Ref" | "Condition") => Str::from(plain),
            // Other tools have directives of their own, such as `!Rain::Embed`.
            long if long.contains("::") => Str::from(long),
            short => Str::from(format!("Fn::{short}")),
        };
        Some(Self { name, span: tag_span(file, text, start) })
    }

    /// Returns the long form around `value`.
    pub(super) fn on(self, value: Value) -> Value {
        let span = value.span.map_or(self.span, |span| self.span.to(span));
        Value::object(vec![Member { key: self.name, key_span: Some(self.span), value }]).at(span)
    }

    /// Returns the long form with a scalar argument. `!GetAtt a.b` becomes a list of the name and the attribute.
    pub(super) fn on_text(self, value: &Value) -> Value {
        let parts = value.as_str().filter(|_| *self.name == *"Fn::GetAtt").and_then(|text| text.split_once('.'));
        let Some((name, attribute)) = parts else { return self.on(value.clone()) };
        let parts = [name, attribute].map(|part| Value { span: value.span, ..Value::from(part) });
        let parts = Value { span: value.span, ..Value::array(parts.into()) };
        self.on(parts)
    }
}

/// Returns the span of the tag among the properties that begin at `start`, or an empty span if there is no tag.
fn tag_span(file: FileId, text: &str, start: usize) -> Span {
    let mut rest = text.get(start..).unwrap_or_default();
    while let Some((property, after)) = property(rest) {
        if property.starts_with('!') {
            let at = text.len() - rest.len();
            return Span::new(file, offset(at), offset(at + property.len()));
        }
        rest = after;
    }
    Span::new(file, offset(start), offset(start))
}

/// True if a character separates tokens in YAML. Other white space of Unicode may be part of an anchor or a scalar.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Splits off the anchor or the tag at the beginning of a text. Returns it, and the rest after blanks and comments.
pub(super) fn property(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(['&', '!']) {
        return None;
    }
    let end = text.find(is_blank).unwrap_or(text.len());
    let (property, after) = text.split_at_checked(end)?;
    let mut after = after.trim_start_matches(is_blank);
    while after.starts_with('#') {
        let line = after.find('\n').unwrap_or(after.len());
        after = after.get(line..).unwrap_or_default().trim_start_matches(is_blank);
    }
    Some((property, after))
}
