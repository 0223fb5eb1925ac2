//! The declarations of resources.

use crate::checks::structure::{deployments, header, is_plain, properties, report, versions};
use crate::checks::{ProcessedTemplate, ambiguous};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{TextKind, text_kind};
use crate::functions::article;
use crate::scope::cleaned_type;
use crate::text::placeholders;
use crate::value::{Data, Value};

pub(super) fn check_resources(subject: &ProcessedTemplate<'_>) {
    each_list(subject, subject.template);
}

/// Checks the resources of a template or of a resource, under every spelling of the name.
fn each_list(subject: &ProcessedTemplate<'_>, parent: &Value) {
    let members = parent.as_object().into_iter().flatten();
    for member in members.filter(|member| member.key.eq_ignore_ascii_case("resources")) {
        each(subject, &member.value);
    }
}

/// Checks the resources in an array, or in an object by symbolic name.
fn each(subject: &ProcessedTemplate<'_>, resources: &Value) {
    match &resources.data {
        Data::Array(items) => items.iter().for_each(|item| resource(subject, item)),
        Data::Object(object) => {
            ambiguous::report(subject.world(), object, resources.span);
            object.iter().for_each(|member| resource(subject, &member.value));
        }
        _ => {}
    }
}

fn resource(subject: &ProcessedTemplate<'_>, value: &Value) {
    // Declaring the resource has reported a value of another kind.
    if value.as_object().is_none() {
        return;
    }
    properties::check_properties(subject, &properties::RESOURCE, value);
    check_required(subject, value);
    check_identity(subject, value);
    check_type(subject, value);
    check_dependencies(subject, value);
    if let Some(copy) = value.get("copy") {
        check_loop(subject, copy);
    }
    let type_name = value.get("type").and_then(Value::as_str).unwrap_or_default();
    if type_name.eq_ignore_ascii_case("Microsoft.Resources/deployments") {
        deployments::check_deployment(subject, value);
    }
    check_children(subject, value);
    each_list(subject, value);
}

/// Reports the loop of a resource that is declared in another one.
fn check_children(subject: &ProcessedTemplate<'_>, value: &Value) {
    for child in value.get("resources").and_then(Value::as_array).into_iter().flatten() {
        let copy = child.as_object().and_then(|child| child.member("copy"));
        if let Some(copy) = copy.filter(|copy| copy.value.as_object().is_some()) {
            let message = "a resource in another one cannot have a loop; declare it at the top level";
            report(subject, copy.key_span.or(copy.value.span), message.to_owned());
        }
    }
}

/// Reports dependencies that are not an array: Resource Manager rejects a single name.
fn check_dependencies(subject: &ProcessedTemplate<'_>, value: &Value) {
    let Some(list) = value.get("dependsOn") else { return };
    let is_computed = list.as_str().is_some_and(|text| text_kind(text) == TextKind::Expression);
    if list.as_array().is_none() && !list.is_null() && !is_computed {
        let found = article(list.kind());
        report(subject, list.span, format!("`dependsOn` must be an array, found {found}"));
    }
    for entry in list.as_array().into_iter().flatten() {
        if entry.as_str().is_none() && !entry.is_null() {
            let found = article(entry.kind());
            report(subject, entry.span, format!("an entry of `dependsOn` must be a string, found {found}"));
        }
    }
}

fn check_loop(subject: &ProcessedTemplate<'_>, copy: &Value) {
    properties::check_properties(subject, &properties::LOOP, copy);
    if copy.as_object().is_none() {
        let found = article(copy.kind());
        report(subject, copy.span, format!("`copy` of a resource must be an object, found {found}"));
    } else if copy.get("name").is_none() {
        report(subject, header(copy), "the loop of a resource has no `name`".to_owned());
    }
    deployments::check_word(subject, copy.get("mode"), "`mode` of a loop", &["parallel", "serial"]);
    if let Some(size) = copy.get("batchSize").filter(|size| !size.is_null()) {
        check_batch_size(subject, size);
    }
}

fn check_batch_size(subject: &ProcessedTemplate<'_>, size: &Value) {
    let is_text = size.as_str().is_some();
    let is_number = size.as_int().or_else(|| size.as_str().and_then(|text| text.trim().parse().ok()));
    match is_number {
        Some(1..) => {}
        Some(number) => {
            let message = format!("`batchSize` is {number}; expected 1 or more");
            report(subject, size.span, message);
        }
        None if is_text && !size.as_str().is_some_and(is_plain) => {}
        None => {
            let found = article(size.kind());
            report(subject, size.span, format!("`batchSize` must be an integer, found {found}"));
        }
    }
}

/// Reports a name that is empty, and a version that is none.
fn check_identity(subject: &ProcessedTemplate<'_>, value: &Value) {
    if value.get("import").is_some() || value.get("extension").is_some() {
        return;
    }
    if let Some(name) = value.get("name").filter(|name| name.as_str() == Some("")) {
        report(subject, name.span, "the `name` of the resource is empty".to_owned());
    }
    let version = value.get("apiVersion").and_then(|version| Some((version, version.as_str()?)));
    if let Some((version, text)) = version.filter(|(_, text)| is_plain(text) && !versions::is_api_version(text)) {
        let message = format!("`{}` is not an API version; expected a date such as `2024-01-01`", text.escape_debug());
        report(subject, version.span, message);
    }
}

fn check_required(subject: &ProcessedTemplate<'_>, value: &Value) {
    let lacks = |name: &str| value.get(name).is_none_or(Value::is_null);
    // Resources of an extension have neither a name nor a version.
    let is_extensible = value.get("import").is_some() || value.get("extension").is_some();
    let has_profile = subject.template.get("apiProfile").is_some();
    let required = [("type", true), ("name", !is_extensible), ("apiVersion", !is_extensible && !has_profile)];
    let missing: Vec<String> = required
        .iter()
        .filter(|(name, is_required)| *is_required && lacks(name))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    if !missing.is_empty() {
        report(subject, header(value), format!("the resource has no {}", missing.join(" and no ")));
    }
}

fn check_type(subject: &ProcessedTemplate<'_>, value: &Value) {
    let Some(declared) = value.get("type").filter(|declared| !declared.is_null()) else { return };
    let Some(name) = declared.as_str() else {
        let found = article(declared.kind());
        report(subject, declared.span, format!("`type` must be a string, found {found}"));
        return;
    };
    if text_kind(name) == TextKind::Expression {
        let message = "the `type` of a resource must be a literal, found an expression".to_owned();
        report(subject, declared.span, message);
        return;
    }
    let is_extensible = value.get("import").is_some() || value.get("extension").is_some();
    // A tool replaces a placeholder before the deployment.
    let is_checked = !is_extensible && placeholders(name).is_empty();
    let (Some(meant), Some(span)) = (cleaned_type(name).filter(|_| is_checked), declared.span) else { return };
    let message = format!("`{}` is not the type of a resource", name.escape_debug());
    subject.world().report(Diagnostic::new(Code::TemplateType, span, message).with_help(format!("write `{meant}`")));
}
