//! The declarations of outputs.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/outputs-section-structure.html>.

use foldhash::HashMap;

use crate::diagnostic::common_checks::TEMPLATE_PROPERTY;
use crate::loops::Declaration;
use crate::model::join_key;
use crate::stack::Stack;
use crate::structure::policies::written_text;
use crate::structure::{call, is_text, kind, names};
use crate::text::Span;
use crate::value::{Member, Object, Value};

/// The most outputs of a template.
const MAX: usize = 200;

const ATTRIBUTES: [&str; 4] = ["Condition", "Description", "Export", "Value"];

pub(super) fn check_outputs(stack: &Stack<'_>) {
    let Some((outputs, span)) = stack.declared("Outputs") else { return };
    stack.refuse_more(("outputs", "Outputs"), outputs.len(), MAX, span);
    let mut exported: HashMap<String, &str> = HashMap::default();
    for Declaration { member, path, variables } in stack.declarations("Outputs") {
        let export =
            member.value.as_object().and_then(|output| output.get_exact("Export")?.as_object()?.get_exact("Name"));
        let is_certain = variables.is_empty() && member.value.get("Condition").is_none();
        if let Some((name, text)) = export.filter(|_| is_certain).and_then(|name| Some((name, written_text(name)?)))
            && let Some(other) = exported.insert(text, &member.key)
        {
            stack.refuse(name, format!("output `{other}` has the same name of its export"));
        }
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
                } else if let Some(what) = listed(stack, value) {
                    stack.refuse(value, format!("the value of an output must be a string, and {what} is a list"));
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

/// Returns the call that certainly returns a list, for a message.
fn listed(stack: &Stack<'_>, value: &Value) -> Option<String> {
    let call = call(value)?;
    match &*call.key {
        "Fn::Split" | "Fn::GetAZs" | "Fn::Cidr" => Some(format!("the result of `{}`", call.key)),
        "Ref" => {
            let name = call.value.as_str()?;
            let declared = stack.section("Parameters")?.get_exact(name)?.as_object()?;
            let type_name = declared.get_exact("Type")?.as_str()?;
            let stored = type_name.strip_prefix("AWS::SSM::Parameter::Value<").and_then(|rest| rest.strip_suffix('>'));
            let inner = stored.unwrap_or(type_name);
            let is_list = inner == "CommaDelimitedList" || inner.starts_with("List<");
            is_list.then(|| format!("the parameter `{name}`"))
        }
        _ => None,
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
