//! Resource Manager's limits on the size of a template.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices#template-limits>.

use crate::checks::{ProcessedTemplate, declared_section};
use crate::diagnostic::common_checks::TEMPLATE_LIMITS;
use crate::expr::{TextKind, text_kind};
use crate::model::{Issue, join_key};
use crate::value::{Data, Traits, Value};

/// The longest expression, in characters.
const MAX_EXPRESSION: usize = 24_576;

/// Maximum number of resources that one template may deploy. Each iteration of a loop counts.
const MAX_RESOURCES: usize = 800;

/// Maximum number of members of each section.
const MAX_MEMBERS: &[(&str, usize)] = &[("parameters", 256), ("variables", 512), ("outputs", 64)];

/// Reports sections with too many members, and templates that deploy too many resources.
pub(super) fn check_counts(subject: &ProcessedTemplate<'_>) {
    for &(name, limit) in MAX_MEMBERS {
        let count = subject.section(name).count();
        report(subject, name, count, limit);
    }
    report(subject, "resources", subject.resources, MAX_RESOURCES);
}

fn report(subject: &ProcessedTemplate<'_>, section: &str, count: usize, limit: usize) {
    let Some(span) = declared_section(subject, section).filter(|_| count > limit) else { return };
    let message = format!("the template has {count} {section}; Azure allows at most {limit}");
    let path = join_key(subject.path, section);
    subject.world().issue(Issue::new(TEMPLATE_LIMITS, path, span, message));
}

/// Reports expressions in the template that are too long.
pub(super) fn check_expressions(subject: &ProcessedTemplate<'_>) {
    check_expression(subject, subject.template);
}

fn check_expression(subject: &ProcessedTemplate<'_>, value: &Value) {
    if !value.traits.has(Traits::DYNAMIC) {
        return;
    }
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| check_expression(subject, item)),
        Data::Object(object) => object.iter().for_each(|member| check_expression(subject, &member.value)),
        // The length in bytes is a cheap upper bound of the number of characters.
        Data::String(text) if text.len() > MAX_EXPRESSION && text_kind(text) == TextKind::Expression => {
            let count = text.chars().count();
            let Some(span) = value.span.filter(|_| count > MAX_EXPRESSION) else { return };
            let message = format!("the expression has {count} characters; Azure allows at most {MAX_EXPRESSION}");
            subject.world().issue(Issue::new(TEMPLATE_LIMITS, subject.path, span, message));
        }
        _ => {}
    }
}
