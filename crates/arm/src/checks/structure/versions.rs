//! The sections and versions that a template must have.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/syntax>.

use crate::checks::ProcessedTemplate;
use crate::checks::structure::{is_plain, report};
use crate::functions::article;
use crate::text::Span;
use crate::value::Value;

/// Number of parts of `contentVersion`.
const PARTS: usize = 4;

pub(super) fn check_versions(subject: &ProcessedTemplate<'_>) {
    let template = subject.template;
    // Fragments of templates and examples have no schema.
    if let Some(schema) = template.as_object().and_then(|template| template.member("$schema")) {
        let span = schema.key_span.or(schema.value.span);
        for (name, help) in
            [("contentVersion", "add `\"contentVersion\": \"1.0.0.0\"`"), ("resources", "add `\"resources\": []`")]
        {
            if template.get(name).is_none_or(Value::is_null) {
                report(subject, span, format!("the template has no `{name}`; {help}"));
            }
        }
    }
    if let Some(version) = template.get("contentVersion") {
        check_text(subject, version, "contentVersion", is_content_version, "four numbers with dots, such as `1.0.0.0`");
    }
    if let Some(version) = template.get("languageVersion") {
        check_text(
            subject,
            version,
            "languageVersion",
            is_language_version,
            "`1.0`, `2.0`, or an experimental version",
        );
    }
    // Azure takes an empty object, which the telemetry of many templates has.
    let resources = template.get("resources").and_then(Value::as_object);
    let is_symbolic = resources.is_some_and(|resources| !resources.is_empty());
    if is_symbolic && template.get("languageVersion").is_none_or(Value::is_null) {
        let member = template.as_object().and_then(|template| template.member("resources"));
        let message = "`resources` with symbolic names needs a language version; add `\"languageVersion\": \"2.0\"`";
        report(subject, member.and_then(|member| member.key_span), message.to_owned());
    }
}

fn check_text(subject: &ProcessedTemplate<'_>, value: &Value, name: &str, is_right: fn(&str) -> bool, expected: &str) {
    let span: Option<Span> = value.span;
    match value.as_str() {
        _ if value.is_null() => {}
        Some(text) if !is_plain(text) || is_right(text) => {}
        Some(text) => report(subject, span, format!("`{name}` is `{}`; expected {expected}", text.escape_debug())),
        None => {
            report(subject, span, format!("`{name}` must be a string, found {}", article(value.kind())));
        }
    }
}

fn is_content_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == PARTS && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

fn is_language_version(text: &str) -> bool {
    let (number, suffix) = text.split_once('-').unwrap_or((text, "experimental"));
    let Some((major, minor)) = number.split_once('.') else { return false };
    let is_suffix = !suffix.is_empty() && suffix.bytes().all(|byte| byte.is_ascii_alphabetic());
    matches!(major, "1" | "2") && minor.parse::<u8>().is_ok() && is_suffix
}

/// Returns `true` if a literal is a version of an API: `2024-01-01`, perhaps with a suffix.
pub(super) fn is_api_version(text: &str) -> bool {
    let digits = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.splitn(4, '-');
    let mut is_number = |length: usize| parts.next().is_some_and(|part| digits(part, length));
    let is_date = is_number(4) && is_number(2) && is_number(2);
    is_date && parts.next().is_none_or(|suffix| !suffix.is_empty() && !suffix.contains(char::is_whitespace))
}
