//! The table of intrinsic functions.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html>. The
//! functions of conditions are in [`conditions`](super::conditions), `Fn::ForEach` is in [`loops`].

mod choice;
pub(crate) mod expected;
mod list;
mod reference;
mod text;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::evaluator::{At, Evaluator, limit_reached};
use crate::loops;
use crate::text::{Span, cut, did_you_mean, digest};
use crate::value::{Data, Ends, JsonStyle, Kind, Member, Object, SECRET, Step, Str, Traits, Unknown, Value, Via};

pub(super) use self::reference::{is_parameter, may_be_resource, report_no_mapping, report_no_name};
pub(super) use self::text::sub_names;

/// Reason for which the result of a macro is unknown.
const MACRO: &str = "only a deployment runs macros";

/// Reason for which the result of another tool's directive is unknown.
const DIRECTIVE: &str = "another tool inserts this before a deployment";

/// The result of a function. `None` is `AWS::NoValue`.
type Outcome = Result<Option<Value>, CallError>;

type Function = fn(&Evaluator<'_, '_>, Call<'_>) -> Outcome;

/// A call of a function.
#[derive(Clone, Copy, Debug)]
struct Call<'a> {
    name: &'a str,
    argument: &'a Value,
    at: At<'a>,
}

/// Error of a call.
#[derive(Debug)]
struct CallError {
    code: Code,
    message: String,
    span: Option<Span>,
}

/// Every function by name, sorted.
const FUNCTIONS: &[(&str, Function)] = &[
    ("Condition", choice::condition),
    ("Fn::And", choice::condition),
    ("Fn::Base64", text::base64),
    ("Fn::Cidr", list::cidr),
    ("Fn::Contains", unknown_bool),
    ("Fn::EachMemberEquals", unknown_bool),
    ("Fn::EachMemberIn", unknown_bool),
    ("Fn::Equals", choice::condition),
    ("Fn::FindInMap", reference::find_in_map),
    ("Fn::GetAZs", list::get_azs),
    ("Fn::GetAtt", reference::get_att),
    ("Fn::GetStackOutput", reference::import_value),
    ("Fn::If", choice::if_),
    ("Fn::ImportValue", reference::import_value),
    ("Fn::Join", text::join),
    ("Fn::Length", list::length),
    ("Fn::Not", choice::condition),
    ("Fn::Or", choice::condition),
    ("Fn::RefAll", unknown_list),
    ("Fn::Select", list::select),
    ("Fn::Split", list::split),
    ("Fn::Sub", text::sub),
    ("Fn::ToJsonString", text::to_json_string),
    ("Fn::Transform", transform),
    ("Fn::ValueOf", unknown_list),
    ("Fn::ValueOfAll", unknown_list),
    ("Ref", reference::ref_),
];

/// Reads an object as a call: its only member must be a function. `Condition` is one only in conditions, which
/// look it up themselves; elsewhere it is a key like any other.
pub(super) fn called(object: &Object) -> Option<&Member> {
    let member = object.iter().next().filter(|_| object.len() == 1)?;
    let is_function = *member.key == *"Ref" || member.key.starts_with("Fn::") || is_directive(&member.key);
    (is_function && !member.key.starts_with(loops::PREFIX)).then_some(member)
}

/// Returns `true` if a key is a directive of Rain, a tool that assembles templates before CloudFormation reads them.
/// Reference: <https://github.com/aws-cloudformation/rain>.
pub(super) fn is_directive(key: &str) -> bool {
    key.starts_with("Rain::")
}

impl Evaluator<'_, '_> {
    /// Returns the result of a call that was written at `span`; `None` for `AWS::NoValue`. A call that fails is
    /// reported, and its value is unknown.
    pub(super) fn call(&self, call: &Member, span: Option<Span>, at: At<'_>) -> Option<Value> {
        let found =
            FUNCTIONS.binary_search_by(|(name, _)| (*name).cmp(&*call.key)).ok().and_then(|at| FUNCTIONS.get(at));
        let result = match found {
            Some((_, function)) => function(self, Call { name: &call.key, argument: &call.value, at }),
            None if is_directive(&call.key) => Ok(Some(Value::unknown(Unknown::new(Kind::Any, DIRECTIVE)))),
            None => Err(no_function(call)),
        };
        if let Ok(Some(value)) = &result {
            self.stack.world.secret_texts.note(value);
        }
        match result {
            Ok(Some(value)) if value.span.is_none() => Some(Value { span, ..value }),
            Ok(value) => value,
            Err(fault) => {
                let unknown = Unknown::new(Kind::Any, fault.message.clone());
                let is_meant = fault.code != Code::ExpressionFailed || !self.takes_default_of_branch(&call.value);
                if let Some(span) = fault.span.or(span).filter(|_| is_meant) {
                    self.report(fault.code, span, fault.message);
                }
                Some(Value { span, ..Value::unknown(unknown) })
            }
        }
    }

    /// Returns `true` if a value refers to the default of a parameter, in a scenario that nobody gave values for.
    fn takes_default_of_branch(&self, value: &Value) -> bool {
        let is_default = |name: &str| {
            let via = self.stack.parameter(name).and_then(|value| value.via);
            via.is_some_and(|via| matches!(via.step, Step::Default(_)))
        };
        self.stack.scenario.is_some()
            && match &value.data {
                Data::Array(items) => items.iter().any(|item| self.takes_default_of_branch(item)),
                Data::Object(object) => object.iter().any(|member| match (&*member.key, member.value.as_str()) {
                    ("Ref", Some(name)) => is_default(name),
                    _ => self.takes_default_of_branch(&member.value),
                }),
                _ => false,
            }
    }

    /// Reports a failed call. It is only a note if a macro may still change it.
    fn report(&self, code: Code, span: Span, message: String) {
        let diagnostic = Diagnostic::new(code, span, message);
        let level = if self.stack.has_macros { Level::Note } else { diagnostic.level };
        self.stack.world.report(diagnostic.with_level(level));
    }
}

/// Returns the problem of a call of a function that does not exist.
pub(super) fn undefined(call: &Member) -> Option<Diagnostic> {
    let is_known = FUNCTIONS.binary_search_by(|(name, _)| (*name).cmp(&*call.key)).is_ok() || is_directive(&call.key);
    if is_known {
        return None;
    }
    let CallError { code, message, span } = no_function(call);
    Some(Diagnostic::new(code, span?, message))
}

fn no_function(call: &Member) -> CallError {
    let names = FUNCTIONS.iter().map(|(name, _)| *name);
    let message = format!("there is no function `{}`{}", call.key, did_you_mean(&call.key, names));
    CallError { code: Code::ExpressionUnknownFunction, message, span: call.key_span }
}

impl<'a> Call<'a> {
    fn fault(&self, message: &str) -> CallError {
        let message = format!("`{}` {message}", self.name);
        CallError { code: Code::ExpressionArguments, message, span: self.argument.span }
    }

    /// Returns the items of the argument, which must be a list.
    fn parts(&self, expected: &str) -> Result<&'a [Value], CallError> {
        self.argument.as_array().ok_or_else(|| self.fault(expected))
    }

    /// Returns the evaluated item of the argument at `index`.
    fn part(&self, evaluator: &Evaluator<'_, '_>, index: usize, expected: &str) -> Result<Value, CallError> {
        let part = self.parts(expected)?.get(index).ok_or_else(|| self.fault(expected))?;
        Ok(evaluator.value(part, self.at).unwrap_or(Value::NULL))
    }
}

/// Returns the string that CloudFormation makes of a string, a number or a Boolean; `None` for any other value.
pub(super) fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match &value.data {
        Data::String(text) => Some(Cow::Borrowed(text)),
        Data::Bool(true) => Some(Cow::Borrowed("true")),
        Data::Bool(false) => Some(Cow::Borrowed("false")),
        Data::Int(number) => Some(Cow::Owned(number.to_string())),
        Data::BigInt(digits) => Some(Cow::Borrowed(digits)),
        Data::Float(_) => Some(Cow::Owned(Value::new(value.data.clone()).to_json())),
        Data::Null | Data::Array(_) | Data::Object(_) | Data::Unknown(_) => None,
    }
}

/// Returns the text of a string, a number or a Boolean for a message. Secrets are replaced.
fn quoted(value: &Value) -> Cow<'_, str> {
    if value.traits.has(Traits::SECRET) { Cow::Borrowed(SECRET) } else { text_of(value).unwrap_or_default() }
}

/// A string that is composed of known and unknown parts.
#[derive(Debug, Default)]
struct Pieces {
    text: String,
    /// The first unknown part.
    unknown: Option<Arc<Unknown>>,
    /// Certain ends: all before the first unknown part, and all after the last one.
    ends: Ends,
    traits: Option<Traits>,
    chains: Vec<Arc<Via>>,
}

impl Pieces {
    /// Maximum number of parts that are kept as the origin of a string.
    const MAX_CHAINS: usize = 4;

    /// Adds text that is certain.
    fn literal(&mut self, text: &str) {
        self.text.push_str(text);
        if self.unknown.is_some() {
            self.ends.end.push_str(text);
        }
    }

    /// Adds a part; `false` if it is not a string.
    fn push(&mut self, value: &Value) -> bool {
        match value.as_unknown() {
            Some(unknown) => self.push_unknown(unknown),
            None => match text_of(value) {
                Some(text) => self.literal(&text),
                None => return false,
            },
        }
        if value.traits.has(Traits::SECRET) {
            self.traits = Some(Traits::SECRET);
        }
        if self.chains.len() < Self::MAX_CHAINS {
            self.chains.extend(value.via.clone());
        }
        true
    }

    fn push_unknown(&mut self, unknown: &Arc<Unknown>) {
        let own = unknown.ends.as_deref().cloned().unwrap_or_default();
        if self.unknown.is_none() {
            self.ends = Ends { start: format!("{}{}", self.text, own.start), ..own };
        } else {
            self.ends.end.push_str(&own.start);
            self.ends.append(&own);
        }
        self.unknown.get_or_insert_with(|| Arc::clone(unknown));
        self.text.push_str(&text_of(&unknown.approximation).unwrap_or_default());
    }

    /// Returns the composed string. It is unknown if any part is.
    fn finish(self, evaluator: &Evaluator<'_, '_>) -> Value {
        let world = evaluator.stack.world;
        if self.text.len() > world.limits.text_bytes || !world.spend(self.text.len(), None) {
            return limit_reached(None);
        }
        let text = Value::from(self.text);
        let value = match self.unknown {
            Some(unknown) => Value::unknown(Unknown::like(Kind::String, unknown.why.clone(), text).between(self.ends)),
            None => text,
        };
        value.with_traits(self.traits.unwrap_or(Traits::NONE)).through(combined(self.chains))
    }
}

/// Returns the provenance of a value that is made from several others.
fn combined(mut chains: Vec<Arc<Via>>) -> Option<Arc<Via>> {
    match chains.len() {
        0 | 1 => chains.pop(),
        _ => Some(Via::new(Step::Combined, None, chains)),
    }
}

/// Returns an unknown result, for the same reason as an unknown argument.
fn unknown_like(kind: Kind, argument: &Value) -> Value {
    let why =
        argument.first_unknown().map_or_else(|| Str::from("an argument is unknown"), |unknown| unknown.why.clone());
    Value::unknown(Unknown::new(kind, why)).through(argument.via.clone())
}

fn transform(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let why = macro_reason(evaluator, call.argument, call.at);
    Ok(Some(Value::unknown(Unknown::new(Kind::Any, why))))
}

/// Returns the reason for which the result of a macro is unknown, for the argument of `Fn::Transform`. Other macros and
/// other parameters have different reasons.
pub(super) fn macro_reason(evaluator: &Evaluator<'_, '_>, argument: &Value, at: At<'_>) -> Str {
    /// Maximum length of quoted parameters, in bytes.
    const MAX_QUOTED: usize = 200;
    let argument = evaluator.value(argument, at).unwrap_or(Value::NULL);
    let argument = evaluator.affordable(argument, None);
    let text = argument.to_json_as(JsonStyle::SORTED);
    let mut why = format!("{MACRO}: `{}`", cut(&text, MAX_QUOTED));
    if text.len() > MAX_QUOTED {
        let _ = write!(why, " ({})", digest(&[&text]));
    }
    why.into()
}

fn unknown_bool(_: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    Ok(Some(Value::unknown(Unknown::new(Kind::Bool, format!("`{}` only works in rules of parameters", call.name)))))
}

fn unknown_list(_: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    Ok(Some(Value::unknown(Unknown::new(Kind::Array, format!("`{}` only works in rules of parameters", call.name)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_for_the_search() {
        assert!(FUNCTIONS.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
