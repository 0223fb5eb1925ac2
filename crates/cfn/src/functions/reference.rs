//! The functions that refer to something: a parameter, a resource, a mapping, an export.

use std::borrow::Cow;

use crate::evaluator::{At, Evaluator};
use crate::functions::{Call, Outcome, expected, quoted, text_of, unknown_like};
use crate::pseudo;
use crate::stack::Stack;
use crate::text::Span;
use crate::value::{Data, Ends, Kind, Step, Str, Traits, Unknown, Value, Via};

/// Evaluates `Ref`: the value of a parameter, or the ID of a resource. With language extensions, the name may be
/// computed.
pub(super) fn ref_(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let computed = match &call.argument.data {
        Data::Object(_) if evaluator.stack.has_extensions => evaluator.value(call.argument, call.at),
        _ => None,
    };
    if let Some(unknown) = computed.as_ref().filter(|name| name.as_unknown().is_some()) {
        return Ok(Some(unknown_like(Kind::Any, unknown)));
    }
    let name = text_of(computed.as_ref().unwrap_or(call.argument)).ok_or_else(|| call.fault(expected::REF))?;
    let name = call.at.loops.substitute(&Str::from(&*name));
    let value = named(evaluator, &name, call.argument.span, call.at);
    if computed.is_some_and(|name| name.traits.has(Traits::SECRET)) {
        // Where nothing has this name, the name stands in for the value.
        return Ok(value.map(|value| if value.as_unknown().is_some() { secretly_named() } else { value.into_secret() }));
    }
    Ok(value)
}

/// Returns the unknown result of a reference whose name is a secret.
pub(super) fn secretly_named() -> Value {
    Value::unknown(Unknown::new(Kind::Any, "a secret says what is referred to")).into_secret()
}

/// Returns the value that `Ref` returns for a name; `None` for `AWS::NoValue`.
pub(super) fn named(evaluator: &Evaluator<'_, '_>, name: &str, span: Option<Span>, at: At<'_>) -> Option<Value> {
    let stack = evaluator.stack;
    if name == pseudo::NO_VALUE {
        return None;
    }
    stack.note_value(name);
    let known = at.loops.get(name).cloned().or_else(|| stack.tried(name));
    let known = known.or_else(|| pseudo::value(name, &stack.arguments)).or_else(|| stack.parameter(name));
    if let Some(known) = known {
        return Some(stack.in_branch(known));
    }
    if is_resource(evaluator, name) {
        let why = format!("only a deployment knows the ID of `{name}`");
        let likely = Value::from(format!("${{{name}}}"));
        return Some(Value::unknown(Unknown::like(Kind::String, why, likely).between(an_id())));
    }
    report_no_name(stack, name, span);
    let why = format!("there is no parameter and no resource `{name}`");
    Some(Value::unknown(Unknown::like(Kind::String, why, Value::from(format!("${{{name}}}")))))
}

/// Evaluates `Fn::GetAtt`. The attribute may be computed, the resource only by a loop or with language extensions.
pub(super) fn get_att(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let argument = evaluator.value(call.argument, call.at).ok_or_else(|| call.fault(expected::GET_ATT))?;
    if argument.first_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::Any, &argument)));
    }
    let parts: Vec<String> = match &argument.data {
        Data::String(text) => text.splitn(2, '.').map(str::to_owned).collect(),
        Data::Array(items) => items.iter().filter_map(text_of).map(Into::into).collect(),
        _ => Vec::new(),
    };
    match parts.as_slice() {
        [resource, attributes @ ..] if !attributes.is_empty() => {
            let value = attribute(evaluator, resource, &attributes.join("."), call.argument.span);
            Ok(Some(if argument.traits.has(Traits::SECRET) { secretly_named() } else { value }))
        }
        _ => Err(call.fault(expected::GET_ATT)),
    }
}

/// Returns an attribute of a resource.
pub(super) fn attribute(evaluator: &Evaluator<'_, '_>, resource: &str, attribute: &str, span: Option<Span>) -> Value {
    if !is_resource(evaluator, resource) {
        evaluator.stack.report_no_resource(span, resource);
    }
    let why = format!("only a deployment knows `{attribute}` of `{resource}`");
    let unknown = Unknown::like(Kind::Any, why, Value::from(format!("${{{resource}.{attribute}}}")));
    Value::unknown(if is_free(evaluator, resource) { unknown } else { unknown.between(an_id()) })
}

/// Returns the certain ends of an ID, an ARN or a name that AWS assigns: it is not empty.
fn an_id() -> Ends {
    Ends { is_filled: true, ..Ends::default() }
}

/// Returns `true` if a resource is a custom resource or a nested stack, whose author decides which attributes exist.
fn is_free(evaluator: &Evaluator<'_, '_>, resource: &str) -> bool {
    let declared = evaluator.stack.section("Resources").and_then(|resources| resources.get_exact(resource));
    let type_name = declared.and_then(|declared| declared.as_object()?.get_exact("Type")?.as_str());
    type_name.is_some_and(|name| name.starts_with("Custom::") || name.starts_with("AWS::CloudFormation::"))
}

/// Returns `true` if the template declares a resource of this name, or if it may be added to the template. A declared resource is
/// recorded as a reference.
fn is_resource(evaluator: &Evaluator<'_, '_>, name: &str) -> bool {
    let stack = evaluator.stack;
    // Names are not known before loops are unrolled; a loop over a resource is over something unknown in any case.
    if stack.may_be_added(name) {
        return true;
    }
    let Some(ids) = stack.logical_ids.get() else {
        return stack.section("Resources").is_some_and(|resources| resources.get_exact(name).is_some());
    };
    let found = ids.get(name);
    if let Some(id) = found {
        stack.references.borrow_mut().insert(id.clone());
    }
    found.is_some()
}

/// Returns `true` if a name is that of a parameter or a pseudo parameter.
pub(crate) fn is_parameter(stack: &Stack<'_>, name: &str) -> bool {
    let is_declared = || stack.section("Parameters").is_some_and(|section| section.get_exact(name).is_some());
    name == pseudo::NO_VALUE || pseudo::NAMES.contains(&name) || is_declared()
}

/// Returns `true` if a name is that of a resource, or possibly of one that is added to the template.
pub(crate) fn may_be_resource(stack: &Stack<'_>, name: &str) -> bool {
    stack.logical_ids.get().is_none_or(|ids| ids.contains(name)) || stack.may_be_added(name)
}

/// Reports a name that `Ref` does not know.
pub(crate) fn report_no_name(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    stack.report_undefined(span, || {
        let hint = stack.world.suggestions.did_you_mean(name, names(stack).iter().map(|name| &**name));
        format!("there is no parameter and no resource `{name}`{hint}")
    });
}

/// Reports a mapping that is not declared.
pub(crate) fn report_no_mapping(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    let mappings = stack.section("Mappings");
    if mappings.is_none_or(|mappings| mappings.get_exact(name).is_none()) {
        stack.report_undefined(span, || {
            let names = mappings.into_iter().flatten().map(|member| &*member.key);
            format!("there is no mapping `{name}`{}", stack.world.suggestions.did_you_mean(name, names))
        });
    }
}

/// Returns all names that `Ref` accepts, sorted. They are kept from when the logical IDs are known: many references may
/// be wrong.
fn names<'s>(stack: &'s Stack<'_>) -> Cow<'s, [Str]> {
    let make = || {
        let parameters = stack.section("Parameters").into_iter().flatten().map(|member| member.key.clone());
        let made = stack.made.into_iter().flat_map(|made| made.ids.iter().cloned());
        let resources = stack.logical_ids.get().into_iter().flatten().cloned().chain(made);
        let mut names: Vec<Str> = parameters.chain(resources).chain(pseudo::NAMES.map(Str::from)).collect();
        names.sort();
        names
    };
    match stack.logical_ids.get() {
        Some(_) => Cow::Borrowed(stack.names.get_or_init(make)),
        None => Cow::Owned(make()),
    }
}

/// Evaluates `Fn::FindInMap`, with the default of the language extensions.
pub(super) fn find_in_map(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let [name, first, second, options @ ..] = call.parts(expected::FIND_IN_MAP)? else {
        return Err(call.fault(expected::FIND_IN_MAP));
    };
    let key = |part: &Value| evaluator.value(part, call.at).ok_or_else(|| call.fault(expected::FIND_IN_MAP));
    let keys = [key(name)?, key(first)?, key(second)?];
    if let Some(unknown) = keys.iter().find(|key| key.as_unknown().is_some()) {
        return Ok(Some(unknown_like(Kind::Any, unknown)));
    }
    let text = |key: &Value| text_of(key).map(Cow::into_owned).ok_or_else(|| call.fault(expected::FIND_IN_MAP));
    let [name, first, second] = keys.each_ref().map(text);
    let (name, first, second) = (name?, first?, second?);
    let mapping = evaluator.stack.section("Mappings").and_then(|mappings| mappings.get_exact(&name));
    let found = mapping.and_then(|mapping| {
        let row = mapping.as_object()?.get_exact(&first)?;
        row.as_object()?.get_exact(&second)
    });
    if let Some(found) = found {
        let via = Via::new(Step::Mapping(Str::from(name.as_str())), found.span, None);
        return Ok(Some(found.clone().through(Some(via))));
    }
    let default = options.first().and_then(|options| options.get("DefaultValue"));
    if let Some(default) = default {
        return Ok(evaluator.value(default, call.at));
    }
    let [shown_name, shown_first, shown_second] = keys.each_ref().map(quoted);
    let message = format!("there is no `{shown_second}` under `{shown_first}` in a mapping `{shown_name}`");
    match mapping {
        Some(_) => evaluator.stack.report_undefined(call.argument.span, || message.clone()),
        None => report_no_mapping(evaluator.stack, &name, call.argument.span),
    }
    Ok(Some(Value::unknown(Unknown::new(Kind::Any, message))))
}

/// Evaluates `Fn::ImportValue`. The result is unknown, since another stack has the value.
pub(super) fn import_value(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    // Only to report problems in the name of the export.
    evaluator.value(call.argument, call.at);
    let unknown = Unknown::new(Kind::String, "only a deployment knows what another stack exports");
    Ok(Some(Value::unknown(unknown.between(an_id()))))
}
