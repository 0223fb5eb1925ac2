//! Texts that are equal exactly if two values are the same to a deployment.

use std::fmt::Write as _;

use crate::model::Document;
use crate::value::{Data, Member, Step, Unknown, Value};

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// Whether names of members are the same in any case, as for Resource Manager.
    pub(super) ignores_case: bool,
}

impl Rules {
    /// Those of the cloud that the documents are for.
    pub(super) fn of(old: Option<&Document>, new: Option<&Document>) -> Self {
        let mut resources = old.into_iter().chain(new).flat_map(|document| &document.resources);
        Self { ignores_case: !resources.any(|resource| resource.type_name.contains("::")) }
    }

    /// The name of a member, for comparing it.
    pub(super) fn key(self, key: &str) -> String {
        if self.ignores_case { key.to_ascii_lowercase() } else { key.to_owned() }
    }

    /// The members that are sent, by their names for comparing. Members that are `null` are not sent, and of members
    /// with the same name the last counts.
    pub(super) fn members(self, value: &Value) -> std::collections::BTreeMap<String, &Member> {
        let members = value.as_object().into_iter().flatten();
        members.map(|member| (self.key(&member.key), member)).filter(|(_, member)| !member.value.is_null()).collect()
    }

    /// The digest of a value. It holds secrets and must not be shown.
    pub(super) fn digest(self, value: &Value) -> String {
        let mut digest = String::new();
        self.push(value, &mut digest);
        digest
    }

    /// The digest of an unknown value, without what it can be.
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
                for (key, member) in self.members(value) {
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

    /// CloudFormation takes `"443"` for 443 and `"true"` for `true`; Resource Manager does not.
    fn push_word(self, word: &str, into: &mut String) {
        if self.ignores_case { into.push_str(word) } else { push_text(word, into) }
    }

    /// Unknown values are the same if they are unknown for the same reason, and what is known of them is the same. What the
    /// declaration of a parameter allows does not count: another list of it deploys nothing else.
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

/// Whether a value is just that of a parameter which has none.
pub(super) fn is_parameter(value: &Value, unknown: &Unknown) -> bool {
    value.via.as_ref().is_some_and(|via| match &via.step {
        Step::Parameter(name) => via.earlier.is_empty() && *unknown.why == *format!("parameter `{name}` has no value"),
        _ => false,
    })
}

/// The length makes it impossible that a text looks like something else.
fn push_text(text: &str, into: &mut String) {
    let _ = write!(into, "{}\"{text}", text.len());
}

/// Numbers are the same by value, as in [`Value::same`].
fn number(value: &Value) -> String {
    /// All integers up to this one are floats, too.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match (&value.data, value.as_f64()) {
        (Data::Int(integer), _) => integer.to_string(),
        (_, Some(float)) if float.fract() == 0.0 && float.abs() < EXACT => format!("{float:.0}"),
        (_, Some(float)) => float.to_string(),
        (_, None) => String::new(),
    }
}
