//! Evaluates conditions.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html>.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::evaluator::{At, Evaluator};
use crate::functions::text_of;
use crate::text::Span;
use crate::value::{Data, Kind, Object, Str, Unknown, Value};

/// Result of a condition.
#[derive(Clone, Debug)]
pub(super) enum Truth {
    True,
    False,
    Unknown(Arc<Unknown>),
}

impl Truth {
    pub(super) fn of(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }

    fn unknown(why: impl Into<Str>) -> Self {
        Self::Unknown(Arc::new(Unknown::new(Kind::Bool, why)))
    }

    fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown(why) => Self::Unknown(why),
        }
    }

    /// Returns the result, if it is known.
    pub(super) fn decided(&self) -> Option<bool> {
        match self {
            Self::True => Some(true),
            Self::False => Some(false),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the truth as a Boolean or an unknown value.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::True => Value::from(true),
            Self::False => Value::from(false),
            Self::Unknown(unknown) => Value::new(Data::Unknown(unknown)),
        }
    }
}

impl Evaluator<'_, '_> {
    /// Returns `true` if the template declares a condition of this name, or a macro may declare it.
    pub(super) fn may_declare(&self, name: &str) -> bool {
        self.stack.has_macros || self.declared_conditions().contains_key(name)
    }

    /// Evaluates a declared condition. A condition that is missing or depends on itself is reported, and unknown.
    pub(super) fn condition_named(&self, name: &str, span: Option<Span>, at: At<'_>) -> Truth {
        if let Some(known) = self.stack.conditions.borrow().get(name) {
            let unfinished = || {
                let message = format!("the condition `{name}` depends on itself");
                if let Some(span) = span {
                    self.stack.world.report(Diagnostic::new(Code::ExpressionRecursion, span, message.clone()));
                }
                Truth::unknown(message)
            };
            return known.clone().unwrap_or_else(unfinished);
        }
        let declared = self.declared_conditions();
        let Some(entry) = declared.get(name) else {
            self.stack.report_no_condition(span, name, declared.keys().map(|name| &**name));
            return Truth::unknown(format!("there is no condition `{name}`"));
        };
        self.stack.conditions.borrow_mut().insert(entry.name.clone(), None);
        let at = At { loops: &entry.loops, depth: at.depth + 1 };
        let truth = self.truth(entry.value, at);
        self.stack.conditions.borrow_mut().insert(entry.name.clone(), Some(truth.clone()));
        truth
    }

    /// Evaluates the definition of a condition.
    pub(super) fn truth(&self, value: &Value, at: At<'_>) -> Truth {
        if !self.may_go_deeper(at, value.span) {
            return Truth::unknown("a limit was reached");
        }
        let at = At { depth: at.depth + 1, ..at };
        let call = value.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
        let Some(call) = call else { return self.literal(value, at) };
        let parts = || call.value.as_array().unwrap_or_default().iter();
        match &*call.key {
            "Condition" => match call.value.as_shared_str() {
                Some(name) => self.condition_named(&at.loops.substitute(name), call.value.span, at),
                None => self.reject(value, "`Condition` takes the name of a condition"),
            },
            "Fn::And" => combine(parts().map(|part| self.truth(part, at)), true),
            "Fn::Or" => combine(parts().map(|part| self.truth(part, at)), false),
            "Fn::Not" => match call.value.as_array() {
                Some([inner]) => self.truth(inner, at).negated(),
                _ => self.reject(value, "`Fn::Not` takes a list of one condition"),
            },
            "Fn::Equals" => match call.value.as_array() {
                Some([left, right]) => {
                    let assumed = self.stack.scenario.zip(value.span);
                    let assumed = assumed.and_then(|(scenario, span)| scenario.comparisons.get(&span));
                    assumed.map_or_else(|| self.equals(left, right, at), |&truth| Truth::of(truth))
                }
                _ => self.reject(value, "`Fn::Equals` takes a list of two values"),
            },
            _ => self.literal(value, at),
        }
    }

    /// Evaluates an operand that is not a condition function, such as a parameter or a literal.
    fn literal(&self, value: &Value, at: At<'_>) -> Truth {
        let Some(result) = self.value(value, at) else { return Truth::False };
        match &result.data {
            Data::Unknown(unknown) => Truth::Unknown(Arc::clone(unknown)),
            Data::Bool(value) => Truth::of(*value),
            Data::String(text) if text.eq_ignore_ascii_case("true") => Truth::True,
            Data::String(text) if text.eq_ignore_ascii_case("false") => Truth::False,
            _ => self.reject(value, "expected a condition"),
        }
    }

    fn reject(&self, value: &Value, message: &str) -> Truth {
        self.stack.report_shape(value.span, message.to_owned());
        Truth::unknown(message)
    }

    pub(super) fn equals(&self, left: &Value, right: &Value, at: At<'_>) -> Truth {
        let (Some(left), Some(right)) = (self.value(left, at), self.value(right, at)) else {
            return Truth::unknown("`AWS::NoValue` cannot be compared");
        };
        if let Some(unknown) = left.first_unknown().or_else(|| right.first_unknown()) {
            return Truth::Unknown(Arc::clone(unknown));
        }
        // Strings, numbers and Booleans are strings to CloudFormation.
        let by_text = text_of(&left).zip(text_of(&right)).map(|(left, right)| left == right);
        Truth::of(by_text.unwrap_or_else(|| left.same(&right)))
    }

    /// Returns the declared conditions by name, loops unrolled.
    pub(super) fn declared_conditions(&self) -> &foldhash::HashMap<Str, crate::loops::Entry<'_>> {
        self.stack.declared_conditions.get_or_init(|| {
            let section: Option<&Object> = self.stack.section("Conditions");
            let entries = section.map_or_else(Vec::new, |section| self.entries(section, "Conditions"));
            entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect()
        })
    }
}

/// Evaluates `Fn::And` (`all`) or `Fn::Or`. One operand may decide even if others are unknown.
fn combine(operands: impl Iterator<Item = Truth>, all: bool) -> Truth {
    let mut doubt = None;
    for truth in operands {
        match truth {
            Truth::True if !all => return Truth::True,
            Truth::False if all => return Truth::False,
            Truth::Unknown(unknown) => doubt = doubt.or(Some(unknown)),
            Truth::True | Truth::False => {}
        }
    }
    doubt.map_or_else(|| Truth::of(all), Truth::Unknown)
}
