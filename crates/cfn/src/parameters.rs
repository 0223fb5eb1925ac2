//! Evaluates parameters: the given value, else the default, else unknown.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html>.

use std::borrow::Cow;
use std::rc::Rc;

use foldhash::HashSet;

use crate::Breach;
use crate::diagnostic::common_checks::PARAMETER_CONSTRAINT;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dynamic;
use crate::functions::{is_parameter, text_of};
use crate::model::join_key;
use crate::pattern::{Dialect, LimitReached, Pattern, PatternError};
use crate::stack::{MACRO, Stack};
use crate::syntax::yaml;
use crate::text::{Span, placeholders};
use crate::value::{Data, Kind, Member, Step, Str, Traits, Unknown, Value, Via};

/// The steps that it takes to compile a pattern that may be large. A template may have thousands of them.
const STEPS_OF_LARGE_PATTERN: usize = 16_000;

/// The memory of a compiled pattern that takes one step, in bytes.
const PATTERN_BYTES_IN_STEP: usize = 512;

/// The problem of a value that `AllowedValues` does not list.
const DISALLOWED: &str = "is not one of `AllowedValues`";

/// Types with this prefix take the name of a value in the Parameter Store.
const STORED: &str = "AWS::SSM::Parameter::Value<";

impl Stack<'_> {
    /// Returns the value of a declared parameter; `None` for any other name.
    pub(super) fn parameter(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.parameters.borrow().get(name) {
            return Some(value.clone());
        }
        let declaration = &self.section("Parameters")?.member(name).filter(|member| *member.key == *name)?;
        let value = self.resolve(&declaration.key, &declaration.value);
        self.parameters.borrow_mut().insert(declaration.key.clone(), value.clone());
        Some(value)
    }

    fn resolve(&self, name: &Str, declaration: &Value) -> Value {
        let type_name = declaration.get("Type").and_then(Value::as_str).unwrap_or("String");
        let (source, step) = match (self.arguments.get(name), declaration.get("Default")) {
            (Some(given), _) => (given, Step::Parameter(name.clone())),
            (None, Some(default)) => (default, Step::Default(name.clone())),
            (None, None) => return masked(missing(name, type_name, declaration.span), declaration),
        };
        let via = Via::new(step, source.span, source.via.clone());
        let unknown = |why: String| {
            let unknown = Unknown::like(kind_of(type_name), why, Value::from(format!("${{{name}}}")));
            Value { span: source.span, ..Value::unknown(unknown) }
        };
        let value = if type_name.starts_with(STORED) {
            unknown(format!("only a deployment looks up parameter `{name}` in the Parameter Store"))
        } else if matches!(via.step, Step::Parameter(_)) && has_placeholder(source) {
            unknown(format!("a tool replaces the placeholder in the value of parameter `{name}`"))
        } else if is_list(type_name) {
            let list = split(source, self.world.limits.value_weight as usize);
            if !is_listed(source, declaration) {
                self.check_items(name, &list, declaration);
            }
            list
        } else {
            self.check_constraints(name, source, declaration, &|text| broken_constraint(text, declaration));
            if text_of(source).is_some_and(|text| is_wrong_number(&text, declaration)) {
                unknown(format!("the value of parameter `{name}` is not a number"))
            } else {
                source.clone()
            }
        };
        let value = masked(value.through(Some(via)), declaration);
        if value.traits.has(Traits::SECRET) {
            // A list is checked as it is written, and a value that another one overrides is a secret, too.
            let written = self.arguments.all(name).chain(declaration.get("Default"));
            written.for_each(|written| self.note_secret(written));
        }
        self.world.secret_texts.note_all(&value);
        value
    }

    /// Notes the texts of a value that was written for a secret parameter.
    fn note_secret(&self, written: &Value) {
        match &written.data {
            Data::Array(items) => items.iter().for_each(|item| self.note_secret(item)),
            // Half of all secrets would be one of these words.
            Data::Bool(_) => {}
            _ => {
                if let Some(text) = text_of(written) {
                    self.world.secret_texts.note(&Value::from(&*text).into_secret());
                }
            }
        }
    }

    /// Returns the literals of `NoEcho` parameters: defaults and given values, also those that are overridden. The
    /// value of a parameter that is not declared may be that of a secret one with a misspelled name.
    pub(super) fn secret_literals(&self) -> Vec<Span> {
        let declared = self.section("Parameters");
        let secret: Vec<&Member> = declared.into_iter().flatten().filter(|member| is_secret(&member.value)).collect();
        let defaults = secret.iter().filter_map(|member| member.value.get("Default"));
        let is_open = |name: &str| match declared.and_then(|declared| declared.get_exact(name)) {
            Some(declaration) => is_secret(declaration),
            None => !secret.is_empty() && !is_parameter(self, name),
        };
        let given = self.arguments.iter().filter(|(name, _)| is_open(name)).map(|(_, value)| value);
        defaults.chain(given).filter_map(|value| value.span).collect()
    }

    /// Returns `true` if a parameter is declared with `NoEcho`.
    pub(super) fn is_secret(&self, name: &str) -> bool {
        self.section("Parameters").and_then(|section| section.get_exact(name)).is_some_and(is_secret)
    }

    /// Reports given values of undeclared parameters.
    pub(super) fn report_undeclared(&self) {
        let names = || self.section("Parameters").into_iter().flatten().map(|member| &*member.key);
        for (name, value) in self.arguments.iter().filter(|(name, _)| !is_parameter(self, name)) {
            if let Some(span) = value.span {
                let message =
                    format!("there is no parameter `{name}`{}", self.world.suggestions.did_you_mean(name, names()));
                self.world.report(Diagnostic::new(Code::ParameterUndefined, span, message));
            }
        }
    }

    /// Reports the parameters that need a value, and get none from the stack that nests this one as `name`. `written`
    /// are its `Parameters`.
    pub(super) fn report_unset(&self, name: &str, written: Option<&Value>, span: Span) {
        let is_open = written.is_some_and(|written| written.as_object().is_none());
        if self.has_macros || is_open {
            return;
        }
        let declared = self.section("Parameters").into_iter().flatten();
        let is_unset = |member: &&Member| {
            member.value.as_object().is_some_and(|declared| declared.get_exact("Default").is_none())
                && *member.key != *MACRO
                && self.arguments.get(&member.key).is_none()
        };
        for member in declared.filter(is_unset) {
            let message = format!(
                "the nested stack `{name}` does not set parameter `{}`, which has no default value",
                member.key
            );
            self.world.report(Diagnostic::new(Code::ParameterRequired, span, message));
        }
    }

    /// Evaluates the parameters that nothing has used, because their values are checked too.
    pub(super) fn visit_parameters(&self) {
        for parameter in self.section("Parameters").into_iter().flatten() {
            self.parameter(&parameter.key);
        }
    }

    /// Reports each `AllowedPattern` that cannot be checked, whether or not the template uses its parameter.
    pub(super) fn report_patterns(&self) {
        for parameter in self.section("Parameters").into_iter().flatten() {
            self.allowed_pattern(&parameter.key, &parameter.value);
        }
    }

    /// Returns the `AllowedPattern` of a parameter. `None` if there is none, or it cannot be used; that is reported
    /// once.
    fn allowed_pattern(&self, name: &Str, declaration: &Value) -> Option<Rc<Pattern>> {
        if let Some(known) = self.patterns.borrow().get(name) {
            return known.clone();
        }
        let written = declaration.get("AllowedPattern")?;
        let text = text_of(written)?;
        if !self.world.spend(text.len(), written.span) {
            return None;
        }
        let pattern = match self.compiled(&text, written.span) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let message = format!(
                    "`AllowedPattern` of parameter `{name}` is not a regular expression that can be checked: {}",
                    error.message
                );
                self.report_pattern(written.span, message);
                None
            }
        };
        self.patterns.borrow_mut().insert(name.clone(), pattern.clone());
        pattern
    }

    /// Returns the pattern with this text, which is compiled once for all parameters that have it.
    fn compiled(&self, text: &str, span: Option<Span>) -> Result<Rc<Pattern>, PatternError> {
        if let Some(known) = self.compiled.borrow().get(text) {
            return known.clone();
        }
        let pattern = Pattern::new(Dialect::Java, text).map(Rc::new);
        // One that is too large fails only after it was compiled for the most part.
        let size = pattern.as_ref().ok().and_then(|pattern| pattern.size());
        self.world.spend_steps(size.map_or(STEPS_OF_LARGE_PATTERN, |size| size / PATTERN_BYTES_IN_STEP), span);
        self.compiled.borrow_mut().insert(text.to_owned(), pattern.clone());
        pattern
    }

    /// Reports a warning about a pattern, since formwork does not know all of Java's regular expressions.
    fn report_pattern(&self, span: Option<Span>, message: String) {
        if let Some(span) = span {
            self.world.report(Diagnostic::new(Code::TemplateShape, span, message).with_level(Level::Warning));
        }
    }

    /// Returns `true` if the constraints of a parameter allow a string, as far as they can be checked.
    pub(super) fn allows(&self, name: &Str, value: &Value, declaration: &Value) -> bool {
        text_of(value).is_some_and(|text| {
            broken_constraint(&text, declaration).is_none() && self.matches_pattern(name, &text, declaration)
        })
    }

    /// Returns `true` if a value matches the `AllowedPattern` of its parameter, or if that cannot be checked.
    fn matches_pattern(&self, name: &Str, text: &str, declaration: &Value) -> bool {
        let Some(pattern) = self.allowed_pattern(name, declaration) else { return true };
        if !self.world.spend(text.len(), None) {
            return true;
        }
        pattern.is_match(text).unwrap_or_else(|LimitReached| {
            let span = declaration.get("AllowedPattern").and_then(|pattern| pattern.span);
            let message = format!(
                "matching parameter `{name}` against its `AllowedPattern` takes too long, so the value is not checked"
            );
            self.report_pattern(span, message);
            true
        })
    }

    /// Checks each item of a list. Lengths and bounds are those of strings and numbers. All items have the same span,
    /// so the first problem is enough.
    fn check_items(&self, name: &Str, list: &Value, declaration: &Value) {
        let allowed = declaration.get("AllowedValues").and_then(Value::as_array);
        let allowed: Option<HashSet<Cow<'_, str>>> = allowed.map(|values| values.iter().filter_map(text_of).collect());
        let broken = |text: &str| match &allowed {
            Some(allowed) if !allowed.contains(text) => Some(DISALLOWED.to_owned()),
            _ => None,
        };
        for item in list.as_array().unwrap_or_default() {
            if self.check_constraints(name, item, declaration, &broken) {
                return;
            }
        }
    }

    /// Reports a value that breaks the constraints of its declaration, and returns whether it does. `broken` finds
    /// those besides `AllowedPattern`.
    fn check_constraints(
        &self,
        name: &Str,
        value: &Value,
        declaration: &Value,
        broken: &dyn Fn(&str) -> Option<String>,
    ) -> bool {
        let (Some(text), Some(span)) = (text_of(value), value.span) else { return false };
        let problem = broken(&text).or_else(|| {
            let pattern = declaration.get("AllowedPattern").and_then(text_of)?;
            let is_broken = !self.matches_pattern(name, &text, declaration);
            is_broken.then(|| format!("does not match `{pattern}`"))
        });
        let Some(problem) = problem else { return false };
        let shown = if is_secret(declaration) { "the value".to_owned() } else { format!("`{text}`") };
        let message = format!("{shown} of parameter `{name}` {problem}");
        self.world.report_breach(Breach {
            check: PARAMETER_CONSTRAINT,
            path: join_key("Parameters", name),
            message,
            span,
            is_pedantic: false,
            severity: None,
            further: Vec::new(),
        });
        true
    }
}

/// Returns `true` if a given value has a placeholder, which is not a dynamic reference.
fn has_placeholder(given: &Value) -> bool {
    given.as_str().is_some_and(|text| !text.contains(dynamic::OPEN) && !placeholders(text).is_empty())
}

/// Returns `true` if `AllowedValues` has the text of a whole list.
fn is_listed(list: &Value, declaration: &Value) -> bool {
    let allowed = declaration.get("AllowedValues").and_then(Value::as_array).unwrap_or_default();
    list.as_str().is_some_and(|list| allowed.iter().any(|value| value.as_str() == Some(list)))
}

/// Returns a description of the constraint that a value breaks, apart from `AllowedPattern`.
fn broken_constraint(text: &str, declaration: &Value) -> Option<String> {
    let constraint = |name: &str| declaration.get(name).and_then(text_of);
    let allowed = declaration.get("AllowedValues").and_then(Value::as_array);
    if allowed.is_some_and(|all| !all.iter().any(|value| text_of(value).is_some_and(|allowed| allowed == text))) {
        return Some(DISALLOWED.to_owned());
    }
    let number = |name: &str| constraint(name).and_then(|bound| number_of(&bound));
    #[expect(clippy::cast_precision_loss, reason = "strings are far shorter than 2^52")]
    let length = text.chars().count() as f64;
    let measured = number_of(text);
    if is_wrong_number(text, declaration) {
        return Some("is not a number".to_owned());
    }
    let below = |name: &str, value: f64| number(name).filter(|least| value < *least).map(|least| (least, "less"));
    let above = |name: &str, value: f64| number(name).filter(|most| value > *most).map(|most| (most, "more"));
    if let Some((bound, word)) = below("MinLength", length).or_else(|| above("MaxLength", length)) {
        return Some(format!("has {length} characters, {word} than {bound}"));
    }
    let (bound, word) = measured.and_then(|value| below("MinValue", value).or_else(|| above("MaxValue", value)))?;
    Some(format!("is {word} than {bound}"))
}

/// Returns `true` if a parameter takes numbers, and a text is neither one nor a dynamic reference to one.
fn is_wrong_number(text: &str, declaration: &Value) -> bool {
    let takes_numbers = declaration.get("Type").and_then(Value::as_str) == Some("Number");
    takes_numbers && number_of(text).is_none() && !text.contains("{{")
}

/// Returns the number that a string stands for, in any notation of YAML.
fn number_of(text: &str) -> Option<f64> {
    Value::new(yaml::number(text.trim())?).as_f64()
}

/// Returns the unknown value of a parameter without a given value or a default.
fn missing(name: &str, type_name: &str, span: Option<Span>) -> Value {
    let kind = kind_of(type_name);
    let why = format!("parameter `{name}` has no value");
    let unknown = match kind {
        Kind::String => Unknown::like(kind, why, Value::from(format!("${{{name}}}"))),
        _ => Unknown::new(kind, why),
    };
    let via = Via::new(Step::Parameter(Str::from(name)), span, None);
    Value { span, ..Value::unknown(unknown) }.through(Some(via))
}

fn kind_of(type_name: &str) -> Kind {
    if is_list(type_name) { Kind::Array } else { Kind::String }
}

fn is_list(type_name: &str) -> bool {
    let inner = type_name.strip_prefix(STORED).unwrap_or(type_name);
    inner.starts_with("List<") || inner.starts_with("CommaDelimitedList")
}

/// Returns the items of a list that is written as one string, at most `most` of them. Each has the span of the string.
fn split(value: &Value, most: usize) -> Value {
    // A stack that nests this one passes a string, of which the items are not known either.
    if let Some(string) = value.as_unknown().filter(|unknown| unknown.kind == Kind::String) {
        let list = Value::unknown(Unknown::new(Kind::Array, string.why.clone()));
        return Value { span: value.span, ..list.with_traits(value.traits) };
    }
    let Some(text) = text_of(value) else { return value.clone() };
    let item = |item: &str| Value { span: value.span, ..Value::from(item.trim()) };
    // Of an empty string, a list has one empty item.
    let items = text.split(',').take(most).map(item).collect();
    Value { span: value.span, ..Value::array(items) }
}

/// Returns the kind of the values that a parameter may have; `None` if a deployment looks them up.
pub(super) fn open_kind(declaration: &Value) -> Option<Kind> {
    let type_name = declaration.get("Type").and_then(Value::as_str).unwrap_or("String");
    (!type_name.starts_with(STORED)).then(|| kind_of(type_name))
}

/// Returns `true` if a parameter is declared with `NoEcho`.
pub(super) fn is_secret(declaration: &Value) -> bool {
    match declaration.get("NoEcho").map(|value| &value.data) {
        Some(Data::Bool(value)) => *value,
        Some(Data::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

fn masked(value: Value, declaration: &Value) -> Value {
    if is_secret(declaration) { value.into_secret() } else { value }
}
