//! Checks of the section `Rules`, which constrains the values of parameters.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html>.

use crate::diagnostic::common_checks::EXPRESSION_UNDEFINED;
use crate::pseudo;
use crate::stack::Stack;
use crate::structure::{call, conditions, is_macro, is_text, kind, names};
use crate::value::{Data, Member, Value};

pub(super) fn check_rules(stack: &Stack<'_>) {
    let Some((rules, _)) = stack.declared("Rules") else { return };
    for member in rules.iter().filter(|member| !is_macro(member)) {
        // Templates of AWS that are deployed have rules such as `X86_64Instance`.
        names::check_declared_name(stack, member, ("a rule", "_"));
        let Some(rule) = member.value.as_object() else {
            if !member.value.is_null() {
                stack.refuse_name(member, format!("rule `{}` must be an object with `Assertions`", member.key));
            }
            continue;
        };
        if let Some(condition) = rule.get_exact("RuleCondition").filter(|condition| !condition.is_null()) {
            conditions::of_rule(stack, condition);
            references(stack, condition);
        }
        match rule.get_exact("Assertions") {
            Some(assertions) => self::assertions(stack, assertions),
            None => stack.refuse_name(member, format!("rule `{}` has no `Assertions`", member.key)),
        }
    }
}

fn assertions(stack: &Stack<'_>, value: &Value) {
    let Some(items) = value.as_array() else {
        if !value.is_null() {
            stack.refuse(value, format!("`Assertions` must be a list, found {}", kind(value)));
        }
        return;
    };
    for item in items.iter().filter(|item| !item.is_null()) {
        let Some(assertion) = item.as_object() else {
            stack.refuse(item, format!("an assertion must be an object with `Assert`, found {}", kind(item)));
            continue;
        };
        match assertion.get_exact("Assert") {
            Some(assert) => {
                conditions::of_rule(stack, assert);
                references(stack, assert);
            }
            None => stack.refuse(item, "an assertion must have `Assert`".to_owned()),
        }
        let description = assertion.iter().find(|member| *member.key == *"AssertDescription");
        if let Some(Member { value, .. }) =
            description.filter(|member| !member.value.is_null() && !is_text(&member.value))
        {
            stack.refuse(value, format!("`AssertDescription` must be a string, found {}", kind(value)));
        }
    }
}

/// Reports references to what is not a parameter. It is not deeper than the limit on nesting.
fn references(stack: &Stack<'_>, value: &Value) {
    if let Some(name) = call(value).filter(|call| *call.key == *"Ref").and_then(|call| call.value.as_str()) {
        let parameters = stack.section("Parameters");
        let is_declared = parameters.is_some_and(|all| all.get_exact(name).is_some() || all.iter().any(is_macro));
        if !is_declared && !pseudo::NAMES.contains(&name) && !stack.has_extensions {
            let known = parameters.into_iter().flatten().map(|member| &*member.key).chain(pseudo::NAMES);
            let hint = stack.world.suggestions.did_you_mean(name, known);
            let message = format!("a rule refers to `{name}`, which is not a parameter{hint}");
            stack.breach(EXPRESSION_UNDEFINED, "Rules".to_owned(), message, value.span);
        }
        return;
    }
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| references(stack, item)),
        Data::Object(object) => object.iter().for_each(|member| references(stack, &member.value)),
        _ => {}
    }
}
