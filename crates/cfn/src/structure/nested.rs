//! References to the outputs of nested stacks whose templates are known.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-stack.html>.

use foldhash::HashMap;

use crate::stack::{MACRO, Stack};
use crate::text::Span;
use crate::value::Str;

/// Prefix of the attributes that are outputs.
const OUTPUTS: &str = "Outputs.";

/// The names of the outputs of nested stacks, by the logical IDs of these.
pub(crate) type Outputs = HashMap<Str, Vec<Str>>;

/// Returns the names of the outputs of a stack. `None` if a loop, a macro, or an include may declare others.
pub(crate) fn outputs(stack: &Stack<'_>) -> Option<Vec<Str>> {
    let declared = stack.section("Outputs").into_iter().flatten();
    let names: Vec<Str> = declared.map(|member| member.key.clone()).collect();
    let is_open = stack.has_macros || stack.template.get(MACRO).is_some();
    (!is_open && !names.iter().any(|name| name.starts_with("Fn::"))).then_some(names)
}

/// Reports a reference to an output that the nested stack `name` does not have.
pub(super) fn reference(stack: &Stack<'_>, known: &Outputs, (name, attribute): (&str, &str), span: Option<Span>) {
    let Some((outputs, output)) = known.get(name).zip(attribute.strip_prefix(OUTPUTS)) else { return };
    if !outputs.iter().any(|known| **known == *output) {
        stack.report_undefined(span, || {
            let hint = stack.world.suggestions.did_you_mean(output, outputs.iter().map(|known| &**known));
            format!("the template of the nested stack `{name}` has no output `{output}`{hint}")
        });
    }
}
