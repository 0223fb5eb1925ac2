//! Digests: strings that are equal exactly if two values mean the same to a deployment.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::model::Document;
use crate::value::{Data, Member, Step, Unknown, Value};

/// Rules for comparing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// True if names of members are case-insensitive, as in Resource Manager.
    pub(super) ignores_case: bool,
}

impl Rules {
    /// Returns the comparison rules of the documents' cloud.
    pub(super) fn for_documents(old: Option<&Document>, new: Option<&Document>) -> Self {
        let mut resources = old.into_iter().chain(new).flat_map(|document| &document.resources);
        Self { ignores_case: !resources.any(|resource| resource.type_name.contains("::")) }
    }

    /// Returns the key by which names are compared.
    pub(super) fn key(self, key: &str) -> String {
        self.folded(key).into_owned()
    }

    fn folded(self, key: &str) -> Cow<'_, str> {
        let is_folded = !self.ignores_case || !key.contains(|char: char| char.is_ascii_uppercase());
        if is_folded { Cow::Borrowed(key) } else { Cow::Owned(key.to_ascii_lowercase()) }
    }

    /// Returns the members that are sent, by their keys. Members that are `null` are not sent, and of members with the
    /// same key the last counts.
    pub(super) fn members(self, value: &Value) -> std::collections::BTreeMap<String, &Member> {
        let members = value.as_object().into_iter().flatten();
        members.map(|member| (self.key(&member.key), member)).filter(|(_, member)| !member.value.is_null()).collect()
    }

    /// Returns the members like [`Self::members`], in the order of their keys.
    fn sorted_members(self, value: &Value) -> Vec<(Cow<'_, str>, &Member)> {
        let members = value.as_object().into_iter().flatten().filter(|member| !member.value.is_null());
        let mut members: Vec<(Cow<'_, str>, &Member)> =
            members.map(|member| (self.folded(&member.key), member)).collect();
        members.sort_by(|(key, _), (other, _)| other.cmp(key));
        members.reverse();
        members.dedup_by(|(key, _), (other, _)| key == other);
        members
    }

    /// Returns the digest of a value. It contains secrets and must not be shown.
    pub(super) fn digest(self, value: &Value) -> String {
        let mut digest = String::new();
        self.push(value, &mut digest);
        digest
    }

    /// Returns the digest of an unknown value without its possible results.
    pub(super) fn digest_without_choices(self, value: &Value) -> String {
        let mut digest = String::new();
        match value.as_unknown() {
            Some(unknown) => self.push_unknown(unknown, false, &mut digest),
            None => self.push(value, &mut digest),
        }
        digest
    }

    fn push(self, value: &Value, into: &mut String) {
        match &value.data {
            Data::Null => into.push_str("null"),
            Data::Bool(boolean) => self.push_word(if *boolean { "true" } else { "false" }, into),
            Data::BigInt(digits) => self.push_word(digits, into),
            Data::Int(_) | Data::Float(_) => self.push_word(&number(value), into),
            Data::String(text) => push_text(text, into),
            Data::Array(items) => {
                into.push('[');
                for item in items.iter() {
                    self.push(item, into);
                    into.push(',');
                }
                into.push(']');
            }
            Data::Object(_) => {
                into.push('{');
                for (key, member) in self.sorted_members(value) {
                    push_text(&key, into);
                    into.push(':');
                    self.push(&member.value, into);
                    into.push(',');
                }
                into.push('}');
            }
            Data::Unknown(unknown) => self.push_unknown(unknown, !is_parameter(value, unknown), into),
        }
    }

    /// Pushes a scalar. CloudFormation accepts `"443"` for 443 and `"true"` for `true`; Resource Manager does not.
    fn push_word(self, word: &str, into: &mut String) {
        if self.ignores_case { into.push_str(word) } else { push_text(word, into) }
    }

    /// Pushes an unknown value. Unknown values are equal if their reasons and their known parts are. The allowed values
    /// of a parameter do not count: another list deploys nothing else.
    fn push_unknown(self, unknown: &Unknown, has_choices: bool, into: &mut String) {
        into.push_str("?(");
        into.push_str(unknown.kind.as_str());
        push_text(&unknown.why, into);
        self.push(&unknown.approximation, into);
        for choice in unknown.choices.iter().filter(|_| has_choices) {
            into.push('|');
            self.push(choice, into);
        }
        if let Some(ends) = &unknown.ends {
            push_text(&ends.start, into);
            push_text(&ends.end, into);
        }
        let _ = write!(into, "{}{})", unknown.open, unknown.is_optional);
    }
}

/// True if a value is only a parameter without a value.
pub(super) fn is_parameter(value: &Value, unknown: &Unknown) -> bool {
    value.via.as_ref().is_some_and(|via| match &via.step {
        Step::Parameter(name) => via.earlier.is_empty() && *unknown.why == *format!("parameter `{name}` has no value"),
        _ => false,
    })
}

/// Pushes a string after its length, so that no other sequence of values has the same digest.
fn push_text(text: &str, into: &mut String) {
    push_digits(text.len(), into);
    into.push('"');
    into.push_str(text);
}

/// Pushes a number in decimal digits.
fn push_digits(number: usize, into: &mut String) {
    const DIGITS: [char; 10] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    if number >= DIGITS.len() {
        push_digits(number / DIGITS.len(), into);
    }
    into.extend(DIGITS.get(number % DIGITS.len()));
}

/// Returns the digest of a number. Numbers are compared by value, like in [`Value::same`].
fn number(value: &Value) -> String {
    /// Greatest integer up to which all integers are exact as floats.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match (&value.data, value.as_f64()) {
        (Data::Int(integer), _) => integer.to_string(),
        (_, Some(float)) if float.fract() == 0.0 && float.abs() < EXACT => format!("{float:.0}"),
        (_, Some(float)) => float.to_string(),
        (_, None) => String::new(),
    }
}
