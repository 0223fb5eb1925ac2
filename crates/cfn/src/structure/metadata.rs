//! Checks of the members of `Metadata` that CloudFormation reads.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-interface.html>.

use formwork_model::declare_checks;

use crate::model::{join_index, join_key};
use crate::stack::Stack;
use crate::structure::kind;
use crate::value::{Object, Value};

declare_checks! {
    pub(crate) const CHECKS;

    TEMPLATE_METADATA = Template Low "template/metadata" "Template.Metadata"
        "The interface in the metadata should be one that the console can show"
        "The console of AWS CloudFormation ignores groups and labels that it cannot read, and shows the parameters without them. Of a parameter that the template does not declare, it shows nothing. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Write groups as a list with `Label: {default: …}` and `Parameters`, and name declared parameters."
        .aws("AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-interface");
}

/// Metadata key that configures the display of parameters in the console.
const INTERFACE: &str = "AWS::CloudFormation::Interface";

/// Path of the configuration.
const PATH: &str = "Metadata['AWS::CloudFormation::Interface']";

pub(super) fn check_metadata(stack: &Stack<'_>) {
    let Some((metadata, _)) = stack.declared("Metadata") else { return };
    let Some(interface) = metadata.get_exact(INTERFACE).filter(|interface| !interface.is_null()) else { return };
    let Some(object) = interface.as_object() else {
        let message = format!("`{INTERFACE}` must be an object, found {}", kind(interface));
        return stack.remark(TEMPLATE_METADATA, PATH.to_owned(), message, interface.span);
    };
    let known = ["ParameterGroups", "ParameterLabels"];
    stack.report_ignored(object, (&format!("`{INTERFACE}`"), PATH), &known);
    let path = join_key(PATH, "ParameterGroups");
    for (at, group) in list(stack, object, "ParameterGroups", PATH).iter().enumerate() {
        let path = join_index(&path, at);
        let Some(group) = member_object(stack, group, "a group of parameters", &path) else { continue };
        stack.report_ignored(group, ("a group of parameters", &path), &["Label", "Parameters"]);
        if let Some(label) = group.get_exact("Label") {
            check_label(stack, label, &join_key(&path, "Label"));
        }
        let of_parameters = join_key(&path, "Parameters");
        for (at, name) in list(stack, group, "Parameters", &path).iter().enumerate() {
            check_name(stack, name, &join_index(&of_parameters, at));
        }
    }
    let path = join_key(PATH, "ParameterLabels");
    let labels =
        object.get_exact("ParameterLabels").and_then(|labels| member_object(stack, labels, "`ParameterLabels`", &path));
    for member in labels.into_iter().flatten() {
        let path = join_key(&path, &member.key);
        check_label(stack, &member.value, &path);
        if !is_declared(stack, &member.key) {
            let message = format!("the template has no parameter `{}`, which the console would label", member.key);
            stack.remark(TEMPLATE_METADATA, path, message, member.key_span);
        }
    }
}

/// Returns the items of a member that must be a list.
fn list<'v>(stack: &Stack<'_>, object: &'v Object, name: &str, path: &str) -> &'v [Value] {
    let Some(value) = object.get_exact(name).filter(|value| !value.is_null()) else { return &[] };
    value.as_array().unwrap_or_else(|| {
        let message = format!("`{name}` must be a list, found {}", kind(value));
        stack.remark(TEMPLATE_METADATA, join_key(path, name), message, value.span);
        &[]
    })
}

/// Returns a value that must be an object.
fn member_object<'v>(stack: &Stack<'_>, value: &'v Value, what: &str, path: &str) -> Option<&'v Object> {
    let object = value.as_object();
    if object.is_none() && !value.is_null() {
        let message = format!("{what} must be an object, found {}", kind(value));
        stack.remark(TEMPLATE_METADATA, path.to_owned(), message, value.span);
    }
    object
}

fn check_label(stack: &Stack<'_>, label: &Value, path: &str) {
    let Some(object) = member_object(stack, label, "a label", path) else { return };
    stack.report_ignored(object, ("a label", path), &["default"]);
    if let Some(text) =
        object.get_exact("default").filter(|text| text.as_object().is_some() || text.as_array().is_some())
    {
        let message = format!("the text of a label must be a string, found {}", kind(text));
        stack.remark(TEMPLATE_METADATA, join_key(path, "default"), message, text.span);
    }
}

fn check_name(stack: &Stack<'_>, name: &Value, path: &str) {
    match name.as_str() {
        Some(text) if !is_declared(stack, text) => {
            let message = format!("the template has no parameter `{text}`, which the console would show");
            stack.remark(TEMPLATE_METADATA, path.to_owned(), message, name.span);
        }
        None if !name.is_null() => {
            let message = format!("a group lists names of parameters, found {}", kind(name));
            stack.remark(TEMPLATE_METADATA, path.to_owned(), message, name.span);
        }
        _ => {}
    }
}

/// Returns `true` if a parameter has this name, or a transform may declare it.
fn is_declared(stack: &Stack<'_>, name: &str) -> bool {
    let is_known = stack.section("Parameters").is_some_and(|parameters| parameters.get_exact(name).is_some());
    is_known || stack.may_include_names()
}
