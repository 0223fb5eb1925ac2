//! References to the outputs of nested stacks whose templates are known.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-stack.html>.

use foldhash::HashMap;

use crate::functions::sub_names;
use crate::stack::Stack;
use crate::text::Span;
use crate::value::{Member, Str, Value};

/// What the attribute begins with that is an output.
const OUTPUTS: &str = "Outputs.";

/// The names of the outputs of nested stacks, by the logical IDs of these.
pub(crate) type Outputs = HashMap<Str, Vec<Str>>;

/// The names of the outputs of a stack. `None` if a loop or a macro may declare others.
pub(crate) fn outputs(stack: &Stack<'_>) -> Option<Vec<Str>> {
    let declared = stack.section("Outputs").into_iter().flatten();
    let names: Vec<Str> = declared.map(|member| member.key.clone()).collect();
    (!stack.has_macros && !names.iter().any(|name| name.starts_with("Fn::"))).then_some(names)
}

/// Reports references to outputs that nested stacks do not have, in all branches.
pub(crate) fn check(stack: &Stack<'_>, known: &Outputs) {
    if known.is_empty() {
        return;
    }
    for section in ["Resources", "Outputs"] {
        for member in stack.section(section).into_iter().flatten() {
            within(stack, known, &member.value);
        }
    }
}

/// Checks the references in a value, which is not deeper than the limit on nesting.
fn within(stack: &Stack<'_>, known: &Outputs, value: &Value) {
    for member in value.as_object().into_iter().flatten() {
        call(stack, known, member);
        within(stack, known, &member.value);
    }
    value.as_array().into_iter().flatten().for_each(|item| within(stack, known, item));
}

fn call(stack: &Stack<'_>, known: &Outputs, Member { key, value, .. }: &Member) {
    let check = |name: &str, attribute: &str| reference(stack, known, (name, attribute), value.span);
    match &**key {
        "Fn::GetAtt" => match (value.as_str(), value.as_array()) {
            (Some(text), _) => text.split_once('.').into_iter().for_each(|(name, attribute)| check(name, attribute)),
            (None, Some([name, attribute])) => {
                name.as_str().zip(attribute.as_str()).into_iter().for_each(|(name, attribute)| check(name, attribute));
            }
            _ => {}
        },
        "Fn::Sub" => {
            let text = value.as_array().and_then(|parts| parts.first()).unwrap_or(value);
            for (name, attribute) in
                text.as_str().into_iter().flat_map(sub_names).filter_map(|name| name.split_once('.'))
            {
                check(name, attribute);
            }
        }
        _ => {}
    }
}

fn reference(stack: &Stack<'_>, known: &Outputs, (name, attribute): (&str, &str), span: Option<Span>) {
    let Some((outputs, output)) = known.get(name).zip(attribute.strip_prefix(OUTPUTS)) else { return };
    let is_computed = output.contains(['$', '&']);
    if !is_computed && !outputs.iter().any(|known| **known == *output) {
        stack.report_undefined(span, || {
            let hint = stack.world.suggestions.did_you_mean(output, outputs.iter().map(|known| &**known));
            format!("the template of the nested stack `{name}` has no output `{output}`{hint}")
        });
    }
}
