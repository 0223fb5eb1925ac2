//! Secrets that are hard-coded, or that end up where everyone who can read a deployment sees them.
//!
//! Reference:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices#security-recommendations-for-parameters>.

use std::sync::LazyLock;

use regex::Regex;

use crate::arm::checks::expressions::each_call;
use crate::arm::checks::{ProcessedTemplate, name_span};
use crate::arm::types::Type;
use crate::diagnostic::Check;
use crate::model::Issue;
use crate::value::{Data, Kind, Member, Traits, Value};

/// Functions whose results a reader of the template cannot know. A default that calls one of them is not hard-coded.
const NOT_HARD_CODED: &[&str] = &["newGuid", "parameters", "variables", "reference"];

/// Matches the name of a parameter that probably holds a secret.
static SECRET: LazyLock<Regex> = LazyLock::new(|| compiled("(?i)password|secret|token|keys?$"));

/// Matches a name that [`SECRET`] matches too, although the parameter only describes a secret (`passwordLength`) or
/// holds something public (`sshPublicKey`).
static ABOUT_A_SECRET: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?ix)
        ^(?: allow | deploy | disable | enable | generate | has | is | require | use ) (?-i: [A-Z_] )
        | customermanagedkey | keyvault | passwordless | publickey | secretname | sshkey
        | (?: audience | count | days | enabled | endpoint | expir(?:ation|y) | ids? | interval | issuer | label | length
            | lifetime | location | names? | options | path | permissions | policy | reference | resourcegroup | rotation
            | size | type | ur[il] | vault | versions? | (?: partition | primary | row | size ) key )$",
    )
});

#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests use each of them")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// Reports secure parameters with a hard-coded default.
pub(super) fn check_defaults(subject: &ProcessedTemplate<'_>) {
    let types = &subject.evaluator.level.types;
    for member in subject.section("parameters").filter(|parameter| types.of(&parameter.value).is_secure) {
        let default = member.value.get("defaultValue");
        let Some(default) = default.filter(|default| is_hard_coded(subject, default)) else { continue };
        let Some(span) = default.span else { continue };
        let name = &member.key;
        let message = format!("secure parameter `{name}` has a hard-coded default");
        let path = subject.path_of("parameters", name);
        subject.world().issue(Issue::new(Check::SecretDefault, path, span, message));
    }
}

/// Whether a reader of the template learns the default from it. An empty default holds no secret.
fn is_hard_coded(subject: &ProcessedTemplate<'_>, default: &Value) -> bool {
    let mut varies = false;
    each_call(subject.world(), default, &|_, _| true, &mut |call| {
        varies |= NOT_HARD_CODED.contains(&call.function) || call.function.starts_with("list");
    });
    let is_empty = match &default.data {
        Data::String(text) => text.is_empty(),
        Data::Object(object) => object.is_empty(),
        _ => true,
    };
    !varies && !is_empty
}

/// Reports parameters whose name looks like that of a secret, but whose type is not secure.
pub(super) fn check_parameter_names(subject: &ProcessedTemplate<'_>) {
    let exempt = &subject.world().context.nonsensitive_parameters;
    let types = &subject.evaluator.level.types;
    for member in subject.section("parameters") {
        let is_exempt = exempt.iter().any(|name| name.eq_ignore_ascii_case(&member.key));
        let looks_secret = || looks_secret(member, &types.of(&member.value));
        let Some(span) = name_span(member).filter(|_| !is_exempt && looks_secret()) else { continue };
        let name = &member.key;
        let message = format!("parameter `{name}` looks like a secret but does not have a secure type");
        let path = subject.path_of("parameters", name);
        subject.world().issue(Issue::new(Check::SecretName, path, span, message));
    }
}

/// Whether a parameter accepts arbitrary strings or objects and has a name like a secret. An object whose type is a
/// `$ref` is exempt: its properties are declared, so each of them can have a secure type.
fn looks_secret(parameter: &Member, declared: &Type) -> bool {
    let takes_any_secret = match declared.kind {
        Kind::String => true,
        Kind::Object => parameter.value.get("$ref").is_none(),
        _ => false,
    };
    if !takes_any_secret || declared.is_secure || declared.has_allowed_values() {
        return false;
    }
    SECRET.is_match(&parameter.key) && !ABOUT_A_SECRET.is_match(&parameter.key)
}

/// Reports secrets in a nested template with outer scope. Its expressions are evaluated before it is deployed, so the
/// deployed template contains the secrets in plain text.
pub(super) fn check_outer_scope(subject: &ProcessedTemplate<'_>) {
    each_call(subject.world(), subject.template, &|_, _| true, &mut |call| {
        let is_secret = match (call.function, call.name()) {
            ("parameters", Some(name)) => {
                subject.evaluator.parameter(name).is_ok_and(|value| value.traits.has(Traits::SECRET))
            }
            (function, _) => function.starts_with("list"),
        };
        let Some(span) = call.span.filter(|_| is_secret) else { return };
        let message = "the deployed nested template contains this secret in plain text";
        subject.world().issue(Issue::new(Check::SecretInNestedTemplate, subject.path, span, message));
    });
}
