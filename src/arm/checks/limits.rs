//! The limits of Resource Manager on what a template may hold.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices#template-limits>.

use crate::arm::checks::{Subject, declared_section};
use crate::arm::expr::{TextKind, text_kind};
use crate::diagnostic::Check;
use crate::model::Issue;
use crate::model::join_key;
use crate::value::{Data, Traits, Value};

/// Characters of an expression.
const MAX_EXPRESSION: usize = 24_576;

/// Resources of one template, those of its loops included.
const MAX_RESOURCES: usize = 800;

/// Sections and how many members each may have.
const MAX_MEMBERS: &[(&str, usize)] = &[("parameters", 256), ("variables", 512), ("outputs", 64)];

/// Reports sections with too many members, and too many resources.
pub(super) fn check_counts(subject: &Subject<'_>) {
    for &(name, limit) in MAX_MEMBERS {
        let count = subject.section(name).count();
        report(subject, name, count, limit);
    }
    report(subject, "resources", subject.resources, MAX_RESOURCES);
}

fn report(subject: &Subject<'_>, section: &str, count: usize, limit: usize) {
    let Some(span) = declared_section(subject, section).filter(|_| count > limit) else { return };
    let message = format!("the template has {count} {section}, and Azure takes {limit}");
    let path = join_key(subject.path, section);
    subject.world().issue(Issue::new(Check::TemplateLimits, path, span, message));
}

/// Reports expressions that are too long.
pub(super) fn check_expressions(subject: &Subject<'_>) {
    check_expression(subject, subject.template);
}

fn check_expression(subject: &Subject<'_>, value: &Value) {
    if !value.traits.has(Traits::DYNAMIC) {
        return;
    }
    match &value.data {
        Data::Array(items) => items.iter().for_each(|it| check_expression(subject, it)),
        Data::Object(object) => object.iter().for_each(|it| check_expression(subject, &it.value)),
        Data::String(text) if text.len() > MAX_EXPRESSION && text_kind(text) == TextKind::Expression => {
            let count = text.chars().count();
            let Some(span) = value.span.filter(|_| count > MAX_EXPRESSION) else { return };
            let message = format!("the expression has {count} characters, and Azure takes {MAX_EXPRESSION}");
            subject.world().issue(Issue::new(Check::TemplateLimits, subject.path, span, message));
        }
        _ => {}
    }
}
