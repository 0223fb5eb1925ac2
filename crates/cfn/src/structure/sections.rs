//! The sections of a template.

use crate::FORMAT_VERSION;
use crate::diagnostic::common_checks::TEMPLATE_PROPERTY;
use crate::diagnostic::{Code, Diagnostic};
use crate::functions::is_directive;
use crate::stack::{SERVERLESS, Stack, is_transform};
use crate::structure::{call, is_macro, is_text, kind};
use crate::value::Object;

/// The sections that CloudFormation knows.
const SECTIONS: [&str; 11] = [
    FORMAT_VERSION,
    "Conditions",
    "Description",
    "Hooks",
    "Mappings",
    "Metadata",
    "Outputs",
    "Parameters",
    "Resources",
    "Rules",
    "Transform",
];

/// The section that only the transform of SAM knows.
const GLOBALS: &str = "Globals";

/// The only version of the format.
const VERSION: &str = "2010-09-09";

/// The greatest length of a description, in bytes.
const MAX_DESCRIPTION: usize = 1024;

pub(super) fn check_sections(stack: &Stack<'_>, template: &Object) {
    let known: Vec<&str> = SECTIONS.into_iter().chain(stack.is_serverless.then_some(GLOBALS)).collect();
    let sections = template.iter().filter(|member| !is_directive(&member.key) && *member.key != *"Rain");
    for member in sections.filter(|member| !known.contains(&&*member.key) && !is_macro(member)) {
        let message = if *member.key == *GLOBALS {
            format!("`{GLOBALS}` needs the transform `{SERVERLESS}`")
        } else {
            let hint = stack.world.suggestions.did_you_mean(&member.key, known.iter().copied());
            format!("a template has no section `{}`{hint}", member.key)
        };
        stack.breach(TEMPLATE_PROPERTY, member.key.to_string(), message, member.span());
    }
    version(stack, template);
    description(stack, template);
}

/// Reports transforms that are not named.
pub(super) fn transform(stack: &Stack<'_>, template: &Object) {
    let Some(transform) = template.get_exact("Transform") else { return };
    let items = transform.as_array().unwrap_or(std::slice::from_ref(transform));
    for item in items.iter().filter(|item| !is_transform(item)) {
        // It is refused whatever other transforms there are.
        if let Some(span) = item.span {
            let message = "a transform must be a name, or an object with a `Name`";
            stack.world.report(Diagnostic::new(Code::TemplateShape, span, message));
        }
    }
}

fn version(stack: &Stack<'_>, template: &Object) {
    let Some(version) = template.get_exact(FORMAT_VERSION).filter(|version| !version.is_null()) else { return };
    if version.as_str() != Some(VERSION) {
        stack.refuse(version, format!("`{FORMAT_VERSION}` must be `{VERSION}`, which is the only version"));
    }
}

fn description(stack: &Stack<'_>, template: &Object) {
    let Some(description) = template.get_exact("Description").filter(|description| !description.is_null()) else {
        return;
    };
    if call(description).is_some() || !is_text(description) {
        stack.refuse(description, format!("`Description` must be a string, found {}", kind(description)));
    } else if description.as_str().is_some_and(|text| text.len() > MAX_DESCRIPTION) {
        let message =
            format!("`Description` is longer than {MAX_DESCRIPTION} bytes, the most that CloudFormation takes");
        stack.refuse(description, message);
    }
}
