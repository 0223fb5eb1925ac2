//! Settings of resources, and which of their values are secrets that a template contains.

use foldhash::HashSet;

use crate::engine::written_secrets::known;
use crate::engine::written_secrets::table::{Row, Shape, rows};
use crate::model::{Document, Resource, ResourceId, join_index, join_key};
use crate::secret_names::{Hint, setting_hint};
use crate::text::{Span, is_stand_in, placeholders};
use crate::value::{Data, Step, Traits, Value};

/// A setting of a resource with a known value.
pub(super) struct Setting<'a> {
    pub(super) name: &'a str,
    /// Noun for messages: `environment variable`.
    pub(super) noun: &'static str,
    pub(super) value: &'a Value,
    /// The value.
    pub(super) text: &'a str,
    pub(super) resource: ResourceId,
    /// Path of the value in the template.
    pub(super) path: String,
}

/// The evidence that a setting is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A value with a token or key of this format.
    Known(&'static str),
    /// A name of a secret.
    ByName,
}

impl Setting<'_> {
    /// Returns the texts that the value is written in: its own, and those of the variables and parameters it comes from.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        let mut spans: Vec<Span> = self.value.span.into_iter().collect();
        let mut via = self.value.via.as_ref();
        while let Some(step) = via {
            spans.extend(step.span);
            via = step.earlier.first().filter(|_| step.earlier.len() == 1);
        }
        spans.into_iter()
    }
}

/// Visits the settings of all resources whose values are known strings.
pub(super) fn visit(document: &Document, visitor: &mut dyn FnMut(&Setting<'_>)) {
    for (resource, id) in document.resources.iter().zip((0..).map(ResourceId)) {
        for row in rows(&resource.type_name) {
            visit_row(resource, id, row, visitor);
        }
    }
}

fn visit_row(resource: &Resource, id: ResourceId, row: &Row, visitor: &mut dyn FnMut(&Setting<'_>)) {
    let (_, required, path, shape, noun) = *row;
    let own = resource.name.rsplit('/').next().unwrap_or_default();
    if required.is_some_and(|required| !own.eq_ignore_ascii_case(required)) {
        return;
    }
    let mut add = |name: &str, value: &Value, path: String| {
        if let Data::String(text) = &value.data {
            visitor(&Setting { name, noun, value, text, resource: id, path });
        }
    };
    inside(&resource.body, resource.path.clone(), path, &mut |value, path| match shape {
        Shape::Single => add(single_name(resource, own), value, path),
        Shape::Map(member) => {
            for setting in value.as_object().into_iter().flatten() {
                let path = join_key(&path, &setting.key);
                match member {
                    None => add(&setting.key, &setting.value, path),
                    Some(member) => {
                        if let Some(value) = setting.value.get(member) {
                            add(&setting.key, value, join_key(&path, member));
                        }
                    }
                }
            }
        }
        Shape::Pairs(name, value_name) => {
            for (at, item) in value.as_array().unwrap_or_default().iter().enumerate() {
                let name = item.get(name).and_then(Value::as_str);
                // The value of a variable of CodeBuild may be the name of a secret.
                let is_reference = item.get("Type").and_then(Value::as_str).is_some_and(|kind| kind != "PLAINTEXT");
                if let (Some(name), Some(value), false) = (name, item.get(value_name), is_reference) {
                    add(name, value, join_key(&join_index(&path, at), value_name));
                }
            }
        }
    });
}

/// Returns the name of what a resource sets: the last segment of its own name, without a label.
fn single_name<'a>(resource: &'a Resource, own: &'a str) -> &'a str {
    let named = resource.body.get("Properties").and_then(|properties| properties.get("Name")).and_then(Value::as_str);
    let name = named.map_or(own, |name| name.rsplit('/').next().unwrap_or_default());
    name.split('$').next().unwrap_or_default()
}

/// Calls `visitor` with each value at a path such as `containers.*.env`, and with its own path.
fn inside(value: &Value, own: String, path: &str, visitor: &mut dyn FnMut(&Value, String)) {
    if path.is_empty() {
        return visitor(value, own);
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    if name == "*" {
        for (at, item) in value.as_array().unwrap_or_default().iter().enumerate() {
            inside(item, join_index(&own, at), rest, visitor);
        }
    } else if let Some(member) = value.get(name) {
        inside(member, join_key(&own, name), rest, visitor);
    }
}

/// Returns the evidence that a setting is a secret whose value is written in a file.
pub(super) fn verdict(setting: &Setting<'_>) -> Option<Verdict> {
    if setting.value.traits.has(Traits::SECRET) || is_reference(setting.text) {
        return None;
    }
    if let Some(what) = known(setting.text) {
        return Some(Verdict::Known(what));
    }
    let hint = setting_hint(setting.name)?;
    (is_literal(setting.value) && is_meant(setting, hint)).then_some(Verdict::ByName)
}

/// Returns `true` if a value is a reference to a secret that is elsewhere.
fn is_reference(text: &str) -> bool {
    text.contains("{{resolve:") || text.trim_start().starts_with("@Microsoft.KeyVault(")
}

/// Returns `true` if somebody wrote the whole value: it is not combined of others, nor read from a resource.
fn is_literal(value: &Value) -> bool {
    let mut via = value.via.as_ref();
    while let Some(step) = via {
        let is_passed_on = matches!(
            step.step,
            Step::Parameter(_) | Step::Default(_) | Step::Variable(_) | Step::Mapping(_) | Step::Condition
        );
        if !is_passed_on || step.earlier.len() > 1 {
            return false;
        }
        via = step.earlier.first();
    }
    true
}

/// Values of settings that are not secrets, in lower case.
const SWITCHES: &[&str] =
    &["true", "false", "yes", "no", "on", "off", "enabled", "disabled", "managed", "auto", "default", "plaintext"];

/// Beginnings of values that say where a secret is.
const PLACES: &[&str] = &["/", "./", "../", "~", "arn:", "http:", "https:", "file:", "projects/", "$", "%", "@"];

/// Minimum length of a value that is a secret if its name may have another meaning.
const MIN_RANDOM: usize = 16;

/// Maximum length of a number that is not a secret.
const MAX_NUMBER: usize = 4;

/// Returns `true` if the value of a setting may be a secret: it is not a placeholder, a switch, or the place of a secret.
fn is_meant(setting: &Setting<'_>, hint: Hint) -> bool {
    let text = setting.text.trim();
    let lower = text.to_ascii_lowercase();
    let letters: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    if matches!(letters.as_str(), "changeme" | "changeit") {
        return hint == Hint::Strong;
    }
    let is_blank = text.chars().all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-' | '_' | '?' | '0'));
    let is_number = text.len() <= MAX_NUMBER && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_place = PLACES.iter().any(|start| lower.starts_with(start)) || is_name(setting.name, text);
    if is_blank || is_number || is_place || is_stand_in(text) || !placeholders(text).is_empty() {
        return false;
    }
    let is_open = text.contains(['<', '>']) || text.contains("${") || text.contains("{{") || text.contains("...");
    let is_request = lower.starts_with("your") || (text.contains(' ') && lower.contains("your"));
    if SWITCHES.contains(&lower.as_str()) || is_open || is_request {
        return false;
    }
    hint == Hint::Strong || is_random(text)
}

/// Returns `true` if a text is the name of a secret, such as `prod/db-password`, or of a setting, such as `DB_PASSWORD`.
fn is_name(setting: &str, text: &str) -> bool {
    let lower = setting.to_ascii_lowercase();
    // A password may have hyphens between its words.
    let separators: &[char] =
        if lower.contains("pass") || lower.contains("pwd") { &['/', ':'] } else { &['/', ':', '-', '_', '.'] };
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | ':' | '-' | '_' | '.');
    let mut words = text.split(['/', ':', '-', '_', '.']).filter(|part| !part.is_empty());
    let is_named = text.contains(separators) && text.chars().all(is_of_name) && words.all(is_word);
    is_named || text.eq_ignore_ascii_case(setting)
}

/// Returns `true` if a part of a name is a word or a short number.
fn is_word(part: &str) -> bool {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_cased =
        letters.chars().skip(1).all(|c| c.is_ascii_lowercase()) || letters.chars().all(|c| c.is_ascii_uppercase());
    part.len() - letters.len() <= MAX_NUMBER && letters.chars().all(|c| c.is_ascii_alphabetic()) && is_cased
}

/// Returns `true` if a text looks as if it were drawn at random: long, with letters and digits, and without a UUID's
/// shape, which IDs have.
fn is_random(text: &str) -> bool {
    let characters: HashSet<char> = text.chars().collect();
    let has = |is: fn(&char) -> bool| characters.iter().any(is);
    let is_uuid = text.len() == 36 && text.chars().filter(|c| *c == '-').count() == 4;
    text.len() >= MIN_RANDOM
        && characters.len() >= 10
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
        && !is_uuid
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: Option<Verdict>) {
        let value = Value::from(text);
        let (resource, path) = (ResourceId(0), String::new());
        let setting = Setting { name, noun: "setting", value: &value, text, resource, path };
        assert_eq!(verdict(&setting), expected, "{name}: {text}");
    }

    #[test]
    fn a_value_is_a_secret_by_the_name_of_its_setting() {
        for (name, text) in [
            ("DB_PASSWORD", "changeme"),
            ("DB_PASSWORD", "hunter2"),
            ("DB_PASS", "my-secret-pw"),
            ("CLIENT_SECRET", "0f8fad5bd9cb469fa165"),
            ("DJANGO_SECRET_KEY", "django-insecure-4k2!x"),
            ("API_KEY", "a1b2c3d4e5f60718293a"),
            ("DB_PASSWORD", "123456"),
        ] {
            check(name, text, Some(Verdict::ByName));
        }
    }

    #[test]
    fn a_placeholder_or_the_place_of_a_secret_is_none() {
        for (name, text) in [
            ("DB_PASSWORD", ""),
            ("DB_PASSWORD", "xxxx"),
            ("DB_PASSWORD", "<your-password>"),
            ("DB_PASSWORD", "${DB_PASSWORD}"),
            ("DB_PASSWORD", "#{password}#"),
            ("DB_PASSWORD", "your password"),
            ("DB_PASSWORD", "n/a"),
            ("DB_PASSWORD", "prod/db/password"),
            ("DB_PASSWORD", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:a"),
            ("DB_PASSWORD", "{{resolve:secretsmanager:a}}"),
            ("DB_PASSWORD", "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/s)"),
            ("DB_PASSWORD", "db_password"),
            ("DB_PASSWORD", "true"),
            ("CLIENT_SECRET", "client-secret"),
            ("API_KEY", "changeme"),
            ("API_KEY", "orders-table"),
            ("API_KEY", "0f8fad5b-d9cb-469f-a165-70867728950e"),
            ("TOKEN", "3600"),
            ("TABLE", "a1b2c3d4e5f60718293a"),
        ] {
            check(name, text, None);
        }
    }

    #[test]
    fn a_secret_parameter_or_a_combined_value_is_none() {
        use crate::value::Via;

        let text = "hunter2";
        let with = |value: &Value| {
            let (resource, path) = (ResourceId(0), String::new());
            verdict(&Setting { name: "DB_PASSWORD", noun: "setting", value, text, resource, path })
        };
        let value = Value::from(text);
        let through = |step| Value::from(text).through(Some(Via::new(step, None, None)));
        assert_eq!(with(&value), Some(Verdict::ByName));
        assert_eq!(with(&value.into_secret()), None);
        assert_eq!(with(&through(Step::Default("p".into()))), Some(Verdict::ByName));
        assert_eq!(with(&through(Step::Combined)), None);
        assert_eq!(with(&through(Step::Reference("r".into()))), None);
    }
}
