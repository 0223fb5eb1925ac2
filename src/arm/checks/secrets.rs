//! Secrets that are written down, or that go where everybody who may read a deployment sees them.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices#security-recommendations-for-parameters>.

use std::sync::LazyLock;

use regex::Regex;

use crate::arm::checks::expressions::each_call;
use crate::arm::checks::{Subject, name_span};
use crate::arm::types::{Type, without_secrets};
use crate::diagnostic::Check;
use crate::model::Issue;
use crate::value::{Data, Kind, Member, Traits, Value};

/// Functions whose results are not the same for every reader of the template.
const VARIABLE: &[&str] = &["newGuid", "parameters", "variables", "reference"];

/// The name of a parameter that holds a secret.
static SECRET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)password|secret|token|keys?$").expect("the pattern is valid"));

/// The name of a parameter that only says something about a secret, or is about a key that everybody may know.
static ABOUT_A_SECRET: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?ix)
        ^(?: allow | deploy | disable | enable | generate | has | is | require | use ) (?-i: [A-Z_] )
        | customermanagedkey | keyvault | passwordless | publickey | secretname | sshkey
        | (?: audience | count | days | enabled | endpoint | expir(?:ation|y) | ids? | interval | issuer | label | length
            | lifetime | location | names? | options | path | permissions | policy | reference | resourcegroup | rotation
            | size | type | ur[il] | vault | versions? | (?: partition | primary | row | size ) key )$";
    Regex::new(pattern).expect("the pattern is valid")
});

/// Reports defaults of secure parameters that are written in the template.
pub(super) fn check_defaults(subject: &Subject<'_>) {
    let types = &subject.evaluator.level.types;
    for member in subject.section("parameters").filter(|it| types.of(&it.value).is_secure) {
        let Some(default) = member.value.get("defaultValue").filter(|it| is_written_down(subject, it)) else {
            continue;
        };
        let Some(span) = default.span else { continue };
        let name = &member.key;
        let message = format!("secure parameter `{name}` has a default that everybody knows who reads the template");
        let path = subject.path_of("parameters", name);
        subject.world().issue(Issue::new(Check::SecretDefault, path, span, message));
    }
}

fn is_written_down(subject: &Subject<'_>, default: &Value) -> bool {
    let mut varies = false;
    each_call(subject.world(), default, &|_, _| true, &mut |call| {
        varies |= VARIABLE.contains(&call.function) || call.function.starts_with("list");
    });
    let is_empty = match &default.data {
        Data::String(text) => text.is_empty(),
        Data::Object(object) => object.is_empty(),
        _ => true,
    };
    !varies && !is_empty
}

/// Reports parameters that are secrets by their name, and not by their type.
pub(super) fn check_parameter_names(subject: &Subject<'_>) {
    let exempt = &subject.world().context.nonsensitive_parameters;
    let types = &subject.evaluator.level.types;
    for member in subject.section("parameters") {
        let is_exempt = exempt.iter().any(|it| it.eq_ignore_ascii_case(&member.key));
        let sounds_secret = || sounds_secret(member, &types.of(&member.value));
        let Some(span) = name_span(member).filter(|_| !is_exempt && sounds_secret()) else { continue };
        let name = &member.key;
        let message = format!("parameter `{name}` sounds like a secret, and is not of a secure type");
        let path = subject.path_of("parameters", name);
        subject.world().issue(Issue::new(Check::SecretName, path, span, message));
    }
}

/// Whether a parameter takes any text and has a name like a secret. An object whose type is defined elsewhere has
/// properties, and these have names and types of their own.
fn sounds_secret(parameter: &Member, declared: &Type) -> bool {
    let is_free = match declared.kind {
        Kind::String => true,
        Kind::Object => parameter.value.get("$ref").is_none(),
        _ => false,
    };
    if !is_free || declared.is_secure || declared.has_allowed_values() {
        return false;
    }
    SECRET.is_match(&parameter.key) && !ABOUT_A_SECRET.is_match(&parameter.key)
}

/// Reports secrets that are given to parameters without a secure type.
pub(super) fn check_arguments(subject: &Subject<'_>) {
    let types = &subject.evaluator.level.types;
    for member in subject.section("parameters") {
        let Ok(value) = subject.evaluator.parameter(&member.key) else { continue };
        let Some(span) = value.span else { continue };
        if !gives_away(&without_secrets(subject.evaluator, types, &types.of(&member.value), value)) {
            continue;
        }
        let name = &member.key;
        let message = format!("a secret is given to parameter `{name}`, which is not of a secure type");
        let issue = Issue::new(Check::SecretArgument, subject.path_of("parameters", name), span, message);
        subject.world().issue(match name_span(member) {
            Some(declared) => issue.with_label(declared, "the parameter is declared here"),
            None => issue,
        });
    }
}

/// Reports outputs without a secure type that hold secrets.
pub(super) fn check_outputs(subject: &Subject<'_>) {
    let types = subject.world().types(subject.template);
    for member in subject.section("outputs") {
        let output = subject.outputs.get(&member.key).and_then(|it| it.get("value"));
        let Some((value, span)) = output.and_then(|it| Some((it.clone(), it.span?))) else { continue };
        if !gives_away(&without_secrets(subject.evaluator, &types, &types.of(&member.value), value)) {
            continue;
        }
        let name = &member.key;
        let message = format!("output `{name}` holds a secret, and everybody reads it who may read the deployment");
        subject.world().issue(Issue::new(Check::SecretOutput, subject.path_of("outputs", name), span, message));
    }
}

/// Reports secrets in a nested template whose expressions are evaluated in the template around it: what is deployed is
/// the template with the secrets in it.
pub(super) fn check_outer_scope(subject: &Subject<'_>) {
    each_call(subject.world(), subject.template, &|_, _| true, &mut |call| {
        let is_secret = match (call.function, call.name()) {
            ("parameters", Some(name)) => {
                subject.evaluator.parameter(name).is_ok_and(|it| it.traits.has(Traits::SECRET))
            }
            (function, _) => function.starts_with("list"),
        };
        let Some(span) = call.span.filter(|_| is_secret) else { return };
        let message = "the nested template is deployed with this secret written into it";
        subject.world().issue(Issue::new(Check::SecretInNestedTemplate, subject.path, span, message));
    });
}

/// Whether somebody who reads a value learns of a secret. A number or a truth that was made from one says little.
fn gives_away(value: &Value) -> bool {
    let kind = value.as_unknown().map_or_else(|| value.kind(), |it| it.kind);
    value.traits.has(Traits::SECRET) && !matches!(kind, Kind::Bool | Kind::Int | Kind::Float | Kind::Null)
}
