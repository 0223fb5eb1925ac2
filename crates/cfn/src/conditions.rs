//! Evaluates conditions.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html>.

use std::sync::Arc;

use foldhash::HashSet;

use crate::diagnostic::{Code, Diagnostic};
use crate::evaluator::{At, Evaluator};
use crate::functions::text_of;
use crate::outcomes::Outcomes;
use crate::text::Span;
use crate::value::{Data, Kind, Object, Str, Unknown, Value};

/// Maximum number of conditions of which each is an operand of the one before.
const MAX_WAY: usize = 64;

/// Outcomes of a condition: true or false, or both with the unknown value that decides.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    pub(super) outcomes: Outcomes,
    /// Unknown value on which the result depends. `None` if it is known.
    pub(super) cause: Option<Arc<Unknown>>,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        Self { outcomes: Outcomes::from(value), cause: None }
    }
}

impl From<Arc<Unknown>> for Truth {
    fn from(cause: Arc<Unknown>) -> Self {
        Self { outcomes: Outcomes::UNKNOWN, cause: Some(cause) }
    }
}

impl Truth {
    fn unknown(why: impl Into<Str>) -> Self {
        Self::from(Arc::new(Unknown::new(Kind::Bool, why)))
    }

    fn negated(self) -> Self {
        Self { outcomes: !self.outcomes, ..self }
    }

    /// Returns the conjunction. If it is unknown, the first unknown part is the cause.
    fn and(self, other: Self) -> Self {
        let outcomes = self.outcomes.and(other.outcomes);
        Self { outcomes, cause: self.cause.or(other.cause).filter(|_| outcomes.is_open()) }
    }

    /// Returns the truth as a Boolean or an unknown value.
    pub(super) fn into_value(self) -> Value {
        match self.cause {
            Some(unknown) => Value::new(Data::Unknown(unknown)),
            None => Value::from(self.outcomes == Outcomes::TRUE),
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
        let was_comparing = self.stack.is_comparing.replace(true);
        let truth = self.truth(entry.value, at);
        self.stack.is_comparing.set(was_comparing);
        self.stack.conditions.borrow_mut().insert(entry.name.clone(), Some(truth.clone()));
        truth
    }

    /// Evaluates the conditions that depend on themselves, which reports them. CloudFormation refuses these also if
    /// nothing uses them.
    pub(super) fn evaluate_circles(&self) {
        let declared = self.declared_conditions();
        let mut finished: HashSet<&str> = HashSet::default();
        let mut names: Vec<&str> = declared.keys().map(|name| &**name).collect();
        names.sort_unstable();
        for start in names {
            // The conditions on the way, and those that each still has to visit.
            let mut way: Vec<(&str, Vec<&str>)> = vec![(start, self.operands_of(start))];
            while let Some((name, open)) = way.last_mut() {
                let Some(next) = open.pop() else {
                    finished.insert(*name);
                    way.pop();
                    continue;
                };
                if way.iter().any(|(name, _)| *name == next) {
                    self.condition_named(next, None, At::START);
                } else if !finished.contains(next) && way.len() < MAX_WAY {
                    way.push((next, self.operands_of(next)));
                }
            }
        }
    }

    /// Returns the names of the conditions that a condition is made of, outside of loops.
    fn operands_of(&self, name: &str) -> Vec<&str> {
        let mut names = Vec::new();
        let mut open: Vec<&Value> = self.declared_conditions().get(name).map(|entry| entry.value).into_iter().collect();
        while let Some(value) = open.pop() {
            let call = value.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
            match call.map(|call| (&*call.key, &call.value)) {
                Some(("Condition", value)) => names.extend(value.as_str()),
                Some(("Fn::And" | "Fn::Or" | "Fn::Not", parts)) => open.extend(parts.as_array().unwrap_or_default()),
                _ => {}
            }
        }
        names
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
            "Fn::And" => all(parts().map(|part| self.truth(part, at))),
            "Fn::Or" => any(parts().map(|part| self.truth(part, at))),
            "Fn::Not" => match call.value.as_array() {
                Some([inner]) => self.truth(inner, at).negated(),
                _ => self.reject(value, "`Fn::Not` takes a list of one condition"),
            },
            "Fn::Equals" => match call.value.as_array() {
                Some([left, right]) => {
                    let assumed = self.stack.scenario.zip(value.span);
                    let assumed = assumed.and_then(|(scenario, span)| scenario.comparisons.get(&span));
                    assumed.map_or_else(|| self.equals(left, right, at), |&truth| Truth::from(truth))
                }
                _ => self.reject(value, "`Fn::Equals` takes a list of two values"),
            },
            _ => self.literal(value, at),
        }
    }

    /// Evaluates an operand that is not a condition function, such as a parameter or a literal.
    fn literal(&self, value: &Value, at: At<'_>) -> Truth {
        let Some(result) = self.value(value, at) else { return Truth::from(false) };
        match &result.data {
            Data::Unknown(unknown) => Truth::from(Arc::clone(unknown)),
            Data::Bool(value) => Truth::from(*value),
            Data::String(text) if text.eq_ignore_ascii_case("true") => Truth::from(true),
            Data::String(text) if text.eq_ignore_ascii_case("false") => Truth::from(false),
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
            return Truth::from(Arc::clone(unknown));
        }
        // Strings, numbers and Booleans are strings to CloudFormation.
        let by_text = text_of(&left).zip(text_of(&right)).map(|(left, right)| left == right);
        Truth::from(by_text.unwrap_or_else(|| left.same(&right)))
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

/// Evaluates `Fn::And`. One operand may decide even if others are unknown; those after it are not evaluated.
fn all(operands: impl Iterator<Item = Truth>) -> Truth {
    let mut result = Truth::from(true);
    for truth in operands {
        result = result.and(truth);
        if result.outcomes == Outcomes::FALSE {
            break;
        }
    }
    result
}

/// Evaluates `Fn::Or`, like [`all`].
fn any(operands: impl Iterator<Item = Truth>) -> Truth {
    all(operands.map(Truth::negated)).negated()
}
