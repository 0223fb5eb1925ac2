//! The declarations of parameters.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html>.

use crate::diagnostic::common_checks::TEMPLATE_PROPERTY;
use crate::model::join_key;
use crate::stack::Stack;
use crate::structure::{MAX_SHOWN, is_scalar, is_text, kind, names};
use crate::text::cut;
use crate::value::{Data, Object, Value};

/// The most parameters of a template.
const MAX: usize = 200;

const ATTRIBUTES: [&str; 11] = [
    "AllowedPattern",
    "AllowedValues",
    "ConstraintDescription",
    "Default",
    "Description",
    "MaxLength",
    "MaxValue",
    "MinLength",
    "MinValue",
    "NoEcho",
    "Type",
];

/// The types of which there are no lists.
const PLAIN: [&str; 3] = ["String", "Number", "CommaDelimitedList"];

/// The types of existing resources.
const RESOURCES: [&str; 11] = [
    "AWS::EC2::AvailabilityZone::Name",
    "AWS::EC2::Image::Id",
    "AWS::EC2::Instance::Id",
    "AWS::EC2::KeyPair::KeyName",
    "AWS::EC2::SecurityGroup::GroupName",
    "AWS::EC2::SecurityGroup::Id",
    "AWS::EC2::Subnet::Id",
    "AWS::EC2::VPC::Id",
    "AWS::EC2::Volume::Id",
    "AWS::Route53::HostedZone::Id",
    "AWS::SSM::Parameter::Name",
];

pub(super) fn check_parameters(stack: &Stack<'_>) {
    let Some((parameters, span)) = stack.declared("Parameters") else { return };
    stack.refuse_more(("parameters", "Parameters"), parameters.len(), MAX, span);
    for member in parameters.iter().filter(|member| !super::is_macro(member)) {
        names::check_declared_name(stack, member, ("a parameter", ""));
        let Some(declaration) = member.value.as_object() else {
            if !member.value.is_null() {
                let message = format!("parameter `{}` must be an object with a `Type`", member.key);
                stack.refuse_name(member, message);
            }
            continue;
        };
        let path = join_key("Parameters", &member.key);
        stack.refuse_unknown(TEMPLATE_PROPERTY, declaration, ("a parameter", &path), &ATTRIBUTES);
        if declaration.get_exact("Type").is_none() {
            stack.refuse_name(member, format!("parameter `{}` has no `Type`", member.key));
        }
        attributes(stack, declaration);
    }
}

fn attributes(stack: &Stack<'_>, declaration: &Object) {
    let type_name = declaration.get_exact("Type").and_then(Value::as_str);
    for member in declaration.iter().filter(|member| !member.value.is_null()) {
        let (key, value) = (&*member.key, &member.value);
        let expected = match key {
            "Type" if value.as_str().is_none() => "a string",
            "Type" => {
                if let Some(name) = value.as_str().filter(|name| !is_type(name)) {
                    let known = PLAIN.into_iter().chain(RESOURCES);
                    let hint = stack.world.suggestions.did_you_mean(name, known);
                    stack.refuse(value, format!("there is no type `{}` of parameters{hint}", cut(name, MAX_SHOWN)));
                }
                continue;
            }
            "Default" if !is_scalar(value) => "a string or a number",
            "AllowedValues" if value.as_array().is_none() => "a list",
            "AllowedValues" => {
                for item in value.as_array().into_iter().flatten().filter(|item| !item.is_null() && !is_scalar(item)) {
                    stack.refuse(item, format!("an allowed value must be a string or a number, found {}", kind(item)));
                }
                continue;
            }
            "MaxLength" | "MinLength" | "MaxValue" | "MinValue" if !is_number(value) => "a number",
            "MaxLength" | "MinLength" if type_name == Some("Number") => {
                stack.refuse_name(
                    member,
                    format!("a parameter of type `Number` has no `{key}`; use `{}`", value_of(key)),
                );
                continue;
            }
            "MaxValue" | "MinValue" if type_name == Some("String") => {
                stack.refuse_name(
                    member,
                    format!("a parameter of type `String` has no `{key}`; use `{}`", length_of(key)),
                );
                continue;
            }
            "NoEcho" if !is_boolean(value) => "`true` or `false`",
            "Description" | "ConstraintDescription" | "AllowedPattern" if !is_text(value) => "a string",
            _ => continue,
        };
        stack.refuse(value, format!("`{key}` of a parameter must be {expected}, found {}", kind(value)));
    }
}

fn value_of(key: &str) -> &'static str {
    if key == "MaxLength" { "MaxValue" } else { "MinValue" }
}

fn length_of(key: &str) -> &'static str {
    if key == "MaxValue" { "MaxLength" } else { "MinLength" }
}

/// Returns `true` if CloudFormation has this type of parameters.
fn is_type(name: &str) -> bool {
    let inner = |prefix: &str| name.strip_prefix(prefix)?.strip_suffix('>');
    if let Some(stored) = inner("AWS::SSM::Parameter::Value<") {
        let item = stored.strip_prefix("List<").and_then(|item| item.strip_suffix('>')).unwrap_or(stored);
        return item == "String" || stored == "CommaDelimitedList" || RESOURCES.contains(&item);
    }
    if let Some(item) = inner("List<") {
        return matches!(item, "Number" | "String") || RESOURCES.contains(&item);
    }
    PLAIN.contains(&name) || RESOURCES.contains(&name)
}

/// Returns `true` if a value is a number, or a string of one.
fn is_number(value: &Value) -> bool {
    match &value.data {
        Data::Int(_) | Data::BigInt(_) | Data::Float(_) => true,
        Data::String(text) => text.trim().parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    }
}

/// Returns `true` if a value is a Boolean, or a string of one.
fn is_boolean(value: &Value) -> bool {
    let is_word = |text: &str| ["true", "false", "yes", "no"].iter().any(|word| text.eq_ignore_ascii_case(word));
    value.as_bool().is_some() || value.as_str().is_some_and(is_word)
}
