//! Secrets that are hard-coded, or that are visible to everyone who can read a deployment.
//!
//! Reference:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices#security-recommendations-for-parameters>.

use formwork_model::declare_checks;

use crate::checks::expressions::each_call;
use crate::checks::{ProcessedTemplate, credentials, flows, name_span};
use crate::diagnostic::common_checks::{SECRET_DEFAULT, SECRET_NAME};
use crate::model::Issue;
use crate::secret_names::{self, Hint};
use crate::types::Type;
use crate::value::{Data, Kind, Member, Traits, Value};

declare_checks! {
    pub(crate) const CHECKS;

    pub SECRET_IN_NESTED_TEMPLATE = Secret High "secret/outer-scope" "Deployment.SecretInNestedTemplate"
        "A nested template with outer scope should not use a secret"
        "With outer scope, the value of the secret becomes part of the nested template, which the deployment history shows."
        "Set `expressionEvaluationOptions.scope` to `inner`, and pass the secret to a parameter with a secure type."
        .azure("templates/best-practices");
}

/// Functions whose results a reader of the template cannot know. A default that calls one of them is not hard-coded.
const NOT_HARD_CODED: &[&str] = &["newGuid", "parameters", "variables", "reference"];

/// Reports secure parameters with a hard-coded default.
pub(super) fn check_defaults(subject: &ProcessedTemplate<'_>) {
    let types = &subject.evaluator.level.types;
    for member in subject.section("parameters") {
        let default = member.value.get("defaultValue").filter(|_| types.declared_type(&member.value).is_secure);
        let Some(default) = default.filter(|default| is_hard_coded(subject, default)) else { continue };
        let Some(span) = default.span else { continue };
        let name = &member.key;
        let message = format!("secure parameter `{name}` has a hard-coded default");
        let path = subject.path_of("parameters", name);
        subject.world().issue(Issue::new(SECRET_DEFAULT, path, span, message));
    }
}

/// Placeholders that authors write for an absent string.
const ABSENT: &[&str] = &["na", "none", "null"];

/// Returns `true` if a reader of the template learns a secret from `default`.
fn is_hard_coded(subject: &ProcessedTemplate<'_>, default: &Value) -> bool {
    let mut varies = false;
    each_call(subject.world(), default, &|_, _| true, &mut |call| {
        varies |= NOT_HARD_CODED.contains(&call.function) || call.function.starts_with("list");
    });
    let is_open = match &default.data {
        Data::String(text) => !is_absent(text),
        Data::Object(object) => !object.iter().all(|member| has_no_string(&member.value)),
        _ => false,
    };
    !varies && is_open
}

/// Returns `true` if `text` stands for an absent value: `?`, `{}`, `n/a`. Punctuation alone is not a secret.
fn is_absent(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    letters.is_empty() || ABSENT.iter().any(|word| letters.eq_ignore_ascii_case(word))
}

/// Reports parameters that probably hold a secret, but whose type is not secure.
pub(super) fn check_parameter_types(subject: &ProcessedTemplate<'_>) {
    let exempt = &subject.world().context.nonsensitive_parameters;
    let types = &subject.evaluator.level.types;
    let takes_secret = |member: &&Member| {
        let is_exempt = exempt.iter().any(|name| name.eq_ignore_ascii_case(&member.key));
        !is_exempt && takes_any_secret(member, &types.declared_type(&member.value))
    };
    let candidates: Vec<&Member> = subject.section("parameters").filter(takes_secret).collect();
    if candidates.is_empty() {
        return;
    }
    let flows = flows::parameter_flows(subject);
    for member in candidates {
        let (name, default) = (&member.key, member.value.get("defaultValue"));
        let flow = flows.get(name.to_ascii_lowercase().as_str()).cloned().unwrap_or_default();
        let kind = types.declared_type(&member.value).kind;
        let Some(span) = name_span(member) else { continue };
        let hint = secret_names::hint(name);
        let is_known_plain = flow.is_plain() || default.is_some_and(|default| is_plain(default, hint));
        let message = match (hint, flow.secret) {
            // The check of credentials reports a password with a known value.
            (None, Some((_, path))) if credentials::is_password(&path) && has_text(subject, name) => continue,
            (_, Some((type_name, path))) => {
                format!("parameter `{name}` sets the secret `{path}` of `{type_name}` but does not have a secure type")
            }
            // A key that finds something is often an object, is computed, or is in the name of a resource.
            (Some(Hint::Weak), None)
                if kind == Kind::Object
                    || flow.is_in_plain
                    || default.is_some_and(|default| is_public(subject, default)) =>
            {
                continue;
            }
            (Some(_), None) if !is_known_plain => {
                format!("parameter `{name}` looks like a secret but does not have a secure type")
            }
            _ => continue,
        };
        let path = subject.path_of("parameters", name);
        subject.world().issue(Issue::new(SECRET_NAME, path, span, message));
    }
}

/// Returns `true` if the parameter `name` has a known string that is not empty.
fn has_text(subject: &ProcessedTemplate<'_>, name: &str) -> bool {
    subject.evaluator.parameter(name).is_ok_and(|value| value.as_str().is_some_and(|text| !text.is_empty()))
}

/// Returns `true` if the parameter accepts arbitrary strings or objects. An object with declared properties is exempt:
/// each of them can have a secure type.
fn takes_any_secret(parameter: &Member, declared: &Type) -> bool {
    let is_open = match declared.kind {
        Kind::String => true,
        Kind::Object => {
            ["$ref", "properties", "additionalProperties"].iter().all(|key| parameter.value.get(key).is_none())
        }
        _ => false,
    };
    is_open && !declared.is_secure && !declared.has_allowed_values()
}

/// Returns `true` if `default` shows that the values of its parameter are not secrets: switches, numbers, and
/// addresses.
fn is_plain(default: &Value, hint: Option<Hint>) -> bool {
    match &default.data {
        Data::String(text) => {
            let text = text.trim();
            let is_switch = ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word));
            let is_url = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
            let has_credentials = text.contains("sig=") || text.contains('@');
            let is_id = ["/subscriptions/", "/providers/", "@Microsoft.KeyVault("]
                .iter()
                .any(|prefix| text.starts_with(prefix));
            // A password may be a number.
            let is_number = hint != Some(Hint::Strong) && text.parse::<f64>().is_ok();
            is_switch || is_number || (is_url && !has_credentials) || is_id
        }
        // An empty object tells nothing.
        Data::Object(object) => !object.is_empty() && object.iter().all(|member| has_no_string(&member.value)),
        _ => false,
    }
}

fn has_no_string(value: &Value) -> bool {
    match &value.data {
        Data::String(text) => is_absent(text) || is_plain(value, Some(Hint::Weak)),
        Data::Array(items) => items.iter().all(has_no_string),
        Data::Object(object) => object.iter().all(|member| has_no_string(&member.value)),
        _ => true,
    }
}

/// Returns `true` if `default` is computed from public values. A new GUID is a secret that nobody else knows.
fn is_public(subject: &ProcessedTemplate<'_>, default: &Value) -> bool {
    let (mut is_computed, mut is_secret) = (false, false);
    each_call(subject.world(), default, &|_, _| true, &mut |call| {
        is_computed = true;
        is_secret |= call.function == "newGuid" || call.function.starts_with("list");
    });
    is_computed && !is_secret
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
        let Some(span) = call.span().filter(|_| is_secret) else { return };
        let message = "the deployed nested template contains this secret in plain text";
        subject.world().issue(Issue::new(SECRET_IN_NESTED_TEMPLATE, subject.path, span, message));
    });
}
