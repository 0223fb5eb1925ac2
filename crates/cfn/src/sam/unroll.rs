//! Unrolls loops around SAM resources, since the transform sees what `Fn::ForEach` declares.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-foreach.html>.

use crate::evaluator::Evaluator;
use crate::loops::{Entry, Loops, PREFIX};
use crate::sam::intrinsics::ref_of;
use crate::stack::Stack;
use crate::value::{Member, Object, Str, Value};

/// The resources of a template without loops, and the paths of those that were in one.
pub(super) struct Unrolled {
    pub(super) resources: Vec<Member>,
    pub(super) paths: Vec<(Str, Str)>,
}

/// Returns the resources of a stack with its loops unrolled; `None` if there are none, or not all of them are known.
pub(super) fn unrolled(stack: &Stack<'_>, resources: &Object) -> Option<Unrolled> {
    if !stack.has_extensions || !resources.iter().any(|member| member.key.starts_with(PREFIX)) {
        return None;
    }
    let entries = Evaluator { stack }.entries(resources, "Resources");
    if entries.iter().any(|entry| entry.doubt.is_some()) {
        return None;
    }
    let member = |entry: &Entry<'_>| {
        let value = substituted(stack, &entry.loops, entry.value);
        Member { key: entry.name.clone(), key_span: entry.key_span, value }
    };
    let in_loops = entries.iter().filter(|entry| !entry.loops.is_empty());
    let paths = in_loops.map(|entry| (entry.name.clone(), Str::from(entry.path.as_str()))).collect();
    Some(Unrolled { resources: entries.iter().map(member).collect(), paths })
}

/// Returns the value with the variables of loops replaced.
fn substituted(stack: &Stack<'_>, loops: &Loops, value: &Value) -> Value {
    if loops.is_empty() || !stack.world.spend(0, value.span) {
        return value.clone();
    }
    if let Some(known) = ref_of(value).and_then(|name| loops.get(name)) {
        return known.clone();
    }
    if let Some(text) = value.as_shared_str() {
        return Value { data: Value::from(loops.substitute(text)).data, ..value.clone() };
    }
    if let Some(items) = value.as_array() {
        let items = items.iter().map(|item| substituted(stack, loops, item)).collect();
        return Value { span: value.span, ..Value::array(items) };
    }
    let Some(object) = value.as_object() else { return value.clone() };
    let member = |member: &Member| Member {
        key: loops.substitute(&member.key),
        key_span: member.key_span,
        value: substituted(stack, loops, &member.value),
    };
    Value { span: value.span, ..Value::object(object.iter().map(member).collect()) }
}
