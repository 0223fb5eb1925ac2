//! The structure of a template: its sections, and the properties of what it declares.
//!
//! Resource Manager rejects a template with a property that it does not know, or without one that it requires. The
//! reference is <https://learn.microsoft.com/azure/azure-resource-manager/templates/syntax>.

mod declarations;
mod properties;
mod resources;

use crate::arm::checks::ProcessedTemplate;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::Value;

/// Reports what Resource Manager does not accept in the structure of a template.
pub(super) fn check(subject: &ProcessedTemplate<'_>) {
    properties::check(subject, &properties::TEMPLATE, subject.template);
    declarations::check(subject);
    resources::check(subject);
}

fn report(subject: &ProcessedTemplate<'_>, span: Option<Span>, message: String) {
    if let Some(span) = span {
        subject.world().report(Diagnostic::new(Code::TemplateShape, span, message));
    }
}

/// The opening bracket of an object. The whole of it is too long to underline.
fn header(value: &Value) -> Option<Span> {
    value.span.map(|span| Span::new(span.file, span.start, span.end.min(span.start + 1)))
}
