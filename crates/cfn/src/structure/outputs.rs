//! The declarations of outputs.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/outputs-section-structure.html>.

use crate::diagnostic::common_checks::TEMPLATE_PROPERTY;
use crate::loops::Declaration;
use crate::model::join_key;
use crate::stack::Stack;
use crate::structure::{call, is_text, kind, names};
use crate::text::Span;
use crate::value::{Member, Object};

/// The most outputs of a template.
const MAX: usize = 200;

const ATTRIBUTES: [&str; 4] = ["Condition", "Description", "Export", "Value"];

pub(super) fn check(stack: &Stack<'_>) {
    let Some((outputs, span)) = stack.declared("Outputs") else { return };
    stack.refuse_more(("outputs", "Outputs"), outputs.len(), MAX, span);
    for Declaration { member, path, variables } in stack.declarations("Outputs") {
        if variables.is_empty() {
            check_name(stack, &member.key, member.key_span.or(member.value.span));
        }
        match member.value.as_object() {
            Some(output) => declaration(stack, (member, &path), output),
            None if member.value.is_null() => {}
            None => stack.refuse_name(member, format!("output `{}` must be an object with a `Value`", member.key)),
        }
    }
}

/// Reports the name of an output that CloudFormation refuses.
pub(super) fn check_name(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    names::check_name(stack, name, span, ("an output", ""));
}

fn declaration(stack: &Stack<'_>, (member, path): (&Member, &str), output: &Object) {
    stack.refuse_unknown(TEMPLATE_PROPERTY, output, ("an output", path), &ATTRIBUTES);
    if output.get_exact("Value").is_none() {
        stack.refuse_name(member, format!("output `{}` has no `Value`", member.key));
    }
    for attribute in output.iter().filter(|attribute| !attribute.value.is_null()) {
        let value = &attribute.value;
        match &*attribute.key {
            "Value" => {
                let is_list = value.as_array().is_some();
                if is_list || (value.as_object().is_some() && call(value).is_none()) {
                    stack.refuse(value, format!("the value of an output must be a string, found {}", kind(value)));
                }
            }
            "Description" if !is_text(value) => {
                stack.refuse(value, format!("`Description` of an output must be a string, found {}", kind(value)));
            }
            // Where outputs are read, only the conditions of others are.
            "Condition" => match value.as_str() {
                Some(name) => names::condition(stack, name, value.span),
                None => {
                    stack.refuse(value, format!("`Condition` must be the name of a condition, found {}", kind(value)));
                }
            },
            "Export" => export(stack, path, attribute),
            _ => {}
        }
    }
}

fn export(stack: &Stack<'_>, path: &str, Member { value, .. }: &Member) {
    match value.as_object() {
        Some(export) if call(value).is_none() => {
            stack.refuse_unknown(TEMPLATE_PROPERTY, export, ("an export", &join_key(path, "Export")), &["Name"]);
            match export.get_exact("Name") {
                None => stack.refuse(value, "an export must have a `Name`".to_owned()),
                Some(name) if !name.is_null() && call(name).is_none() && !is_text(name) => {
                    stack.refuse(name, format!("the name of an export must be a string, found {}", kind(name)));
                }
                Some(_) => {}
            }
        }
        _ => stack.refuse(value, "`Export` must be an object with a `Name`".to_owned()),
    }
}
