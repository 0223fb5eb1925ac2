//! The structure of a template: its sections, and the properties of its declarations.
//!
//! Resource Manager rejects a template with a property that it does not know, or without one that it requires. The
//! reference is <https://learn.microsoft.com/azure/azure-resource-manager/templates/syntax>.

mod declarations;
mod deployments;
mod properties;
mod resources;
#[cfg(test)]
mod tests;
mod versions;

use crate::checks::{ProcessedTemplate, ambiguous};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{TextKind, text_kind};
use crate::functions::article;
use crate::text::{Span, placeholders};
use crate::value::Value;

/// Reports problems in the structure of a template that Resource Manager rejects.
pub(super) fn check_structure(subject: &ProcessedTemplate<'_>) {
    check_schema(subject);
    versions::check_versions(subject);
    check_sections(subject);
    properties::check_properties(subject, &properties::TEMPLATE, subject.template);
    declarations::check_declarations(subject);
    resources::check_resources(subject);
}

/// The versions of the schema of templates that Resource Manager supports.
const SCHEMA_VERSIONS: &[&str] = &["2014-04-01-preview", "2015-01-01", "2018-05-01", "2019-04-01", "2019-08-01"];

/// The names of the schemas of templates, one for each scope, in lower case.
const SCHEMAS: &[&str] = &[
    "deploymenttemplate.json",
    "subscriptiondeploymenttemplate.json",
    "managementgroupdeploymenttemplate.json",
    "tenantdeploymenttemplate.json",
];

/// The sections that declare something by name.
const BY_NAME: &[&str] = &["definitions", "outputs", "parameters", "variables"];

fn check_sections(subject: &ProcessedTemplate<'_>) {
    for name in BY_NAME {
        let section = subject.template.get(name).filter(|section| !section.is_null());
        let Some(section) = section else { continue };
        if let Some(object) = section.as_object() {
            ambiguous::report(subject.world(), object, section.span);
        } else {
            let found = article(section.kind());
            report(subject, section.span, format!("`{name}` must be an object, found {found}"));
        }
    }
    let functions = subject.template.get("functions").filter(|functions| !functions.is_null());
    if let Some(functions) = functions.filter(|functions| functions.as_array().is_none()) {
        let found = article(functions.kind());
        report(subject, functions.span, format!("`functions` must be an array of namespaces, found {found}"));
    }
}

/// Reports a `$schema` that is not a template schema.
fn check_schema(subject: &ProcessedTemplate<'_>) {
    let Some((schema, text)) = subject.template.get("$schema").and_then(|schema| Some((schema, schema.as_str()?)))
    else {
        return;
    };
    let Some(span) = schema.span.filter(|_| !is_schema(text, subject.path.is_empty())) else { return };
    let message = format!("`{text}` is not the schema of a template");
    let help = "write `https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#`";
    subject.world().report(Diagnostic::new(Code::TemplateSchema, span, message).with_help(help));
}

/// Returns `true` if Resource Manager supports the schema with this URL. With `names_scope`, also checks the name of
/// the schema, which sets the scope of a template in a file. The name does not matter for a nested template.
fn is_schema(url: &str, names_scope: bool) -> bool {
    let url = url.to_ascii_lowercase();
    let path = url.split(['#', '?']).next().unwrap_or_default();
    let Some((_, rest)) = path.split_once("schema.management.azure.com/schemas/") else { return false };
    let Some((version, name)) = rest.split_once('/') else { return false };
    SCHEMA_VERSIONS.contains(&version) && (!names_scope || SCHEMAS.contains(&name))
}

fn report(subject: &ProcessedTemplate<'_>, span: Option<Span>, message: String) {
    if let Some(span) = span {
        subject.world().report(Diagnostic::new(Code::TemplateShape, span, message));
    }
}

/// Returns `true` if a string is a literal that nothing replaces.
fn is_plain(text: &str) -> bool {
    text_kind(text) == TextKind::Literal && placeholders(text).is_empty()
}

/// Returns the span of the opening bracket of an object. The whole object is too long to underline.
fn header(value: &Value) -> Option<Span> {
    value.span.map(|span| Span::new(span.file, span.start, span.end.min(span.start + 1)))
}
