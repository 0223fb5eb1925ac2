//! Macros, which CloudFormation runs when it deploys a template. What they make is unknown here.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-macros.html>.

use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::stack::{MACRO, Stack, call_at_top, dialect, is_macro, transforms};
use crate::text::{Span, cut};
use crate::value::{Member, Value};

/// The greatest length of a name in a message, in bytes.
const MAX_NAME: usize = 100;

/// Says of each macro in the template of a stack that its result is not checked.
pub(super) fn report(stack: &Stack<'_>) {
    if let Some(version) = dialect(stack.template) {
        say(stack, version.span, "org-formation changes the whole template");
    }
    for transform in transforms(stack.template).iter().filter(|transform| is_macro(transform)) {
        let what = format!("{} changes the whole template", named(transform));
        say(stack, transform.span, &what);
    }
    if let Some(call) = call_at_top(stack.template) {
        let calls = call.value.as_array().unwrap_or(std::slice::from_ref(&call.value));
        for transform in calls {
            let what = format!("{} changes the whole template", named(transform));
            say(stack, call.key_span.or(transform.span), &what);
        }
    }
    for section in stack.template.as_object().into_iter().flatten() {
        // `Resources` with a macro of its own is reported with the resources that cannot be read.
        let is_read = *section.key == *"Resources";
        for member in section.value.as_object().into_iter().flatten() {
            if *member.key != *MACRO {
                find(stack, &member.value);
            } else if !is_read {
                report_call(stack, member);
            }
        }
    }
}

/// Reports the macros in a value. It is not deeper than the limit on nesting.
fn find(stack: &Stack<'_>, value: &Value) {
    for member in value.as_object().into_iter().flatten() {
        if *member.key == *MACRO {
            report_call(stack, member);
        }
        find(stack, &member.value);
    }
    value.as_array().into_iter().flatten().for_each(|item| find(stack, item));
}

fn report_call(stack: &Stack<'_>, call: &Member) {
    say(stack, call.key_span.or(call.value.span), &format!("{} changes this part", named(&call.value)));
}

fn say(stack: &Stack<'_>, span: Option<Span>, what: &str) {
    let message = format!("{what} in a deployment, so what it makes is not checked");
    if let Some(span) = span {
        stack.world.report(Diagnostic::new(Code::TemplateMacro, span, message).not_checked(NotChecked::Macro));
    }
}

fn named(call: &Value) -> String {
    let name = call.as_str().or_else(|| call.as_object()?.get_exact("Name")?.as_str());
    name.map_or_else(|| "a macro".to_owned(), |name| format!("the macro `{}`", cut(name, MAX_NAME)))
}
