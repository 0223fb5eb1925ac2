//! Conditions of rules, read from JSON.

use crate::language::{Comparison, Operator};
use crate::problem::Problem;
use crate::text::Span;
use crate::value::{Data, Member, Object, Str, Value};

/// A condition of a rule.
#[derive(Clone, Debug)]
pub enum Condition {
    /// All parts must hold; `true` without parts.
    All(Vec<Self>),
    /// A part must hold; `false` without parts.
    Any(Vec<Self>),
    /// The part must not hold.
    Not(Box<Self>),
    /// A comparison, such as `{"field": "location", "equals": "westeurope"}`.
    Test(Box<Test>),
    /// An invalid condition, which is among the problems of its definition.
    Invalid,
}

/// A comparison of a value with another.
#[derive(Clone, Debug)]
pub struct Test {
    /// Subject on the left side of the operator.
    pub subject: Subject,
    /// Operator of the comparison.
    pub operator: Operator,
    /// Right side, which may have expressions.
    pub right: Value,
    /// True if there are no expressions and no escapes in the right side.
    pub is_literal: bool,
    /// True if the comparison, or the condition of its count, has expressions, which can fail.
    pub may_fail: bool,
    /// Span of the condition.
    pub span: Option<Span>,
}

/// Subject of a condition.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A property of the resource, by the name of a field or an alias; may be an expression.
    Field(Value),
    /// A literal or an expression.
    Value(Value),
    /// Number of items of an array that satisfy a condition.
    Count(Count),
}

/// A count of items of an array.
#[derive(Clone, Debug)]
pub struct Count {
    /// Array whose items are counted: `field` or `value` of the `count`.
    pub counted: Counted,
    /// Condition of the items that count. `None` if all do.
    pub condition: Option<Condition>,
}

/// Array of a [`Count`].
#[derive(Clone, Debug)]
pub enum Counted {
    /// The items of an alias with `[*]`.
    Field(Value),
    /// The items of an array, and the name by which `current()` refers to one.
    Value(Value, Str),
}

/// Conditions that a definition may have.
const MAX_CONDITIONS: usize = 4_096;

/// Default name for the items of a value count.
const DEFAULT_NAME: &str = "default";

impl Condition {
    /// Reads a condition, and adds its errors to `problems`.
    pub fn read(value: &Value, problems: &mut Vec<Problem>) -> Self {
        // One more is only counted, to see that there are too many.
        let mut left = MAX_CONDITIONS + 1;
        let condition = Self::read_part(value, &mut left, problems);
        if left == 0 {
            problems.push(Problem::new(value.span, format!("the rule has more than {MAX_CONDITIONS} conditions")));
        }
        condition
    }

    /// Returns the types of resources for which it can hold, or `None` if it does not restrict the type. Most rules do,
    /// so that few conditions have to be evaluated for a resource.
    pub fn types(&self) -> Option<Vec<Str>> {
        match self {
            Self::All(parts) => parts.iter().find_map(Self::types),
            Self::Any(parts) => {
                let types: Option<Vec<Vec<Str>>> = parts.iter().map(Self::types).collect();
                types.map(|types| types.concat())
            }
            Self::Test(test) => test.types(),
            Self::Not(_) | Self::Invalid => None,
        }
    }

    /// True if it can fail, because it has expressions.
    pub fn may_fail(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::may_fail),
            Self::Not(part) => part.may_fail(),
            Self::Test(test) => test.may_fail,
            Self::Invalid => false,
        }
    }

    fn read_part(value: &Value, left: &mut usize, problems: &mut Vec<Problem>) -> Self {
        let Some(object) = value.as_object() else {
            problems.push(Problem::new(value.span, "a condition must be an object"));
            return Self::Invalid;
        };
        if *left == 0 {
            return Self::Invalid;
        }
        *left -= 1;
        if let Some(parts) = object.get("allOf") {
            return Self::All(Self::read_parts(parts, left, problems));
        }
        if let Some(parts) = object.get("anyOf") {
            return Self::Any(Self::read_parts(parts, left, problems));
        }
        if let Some(part) = object.get("not") {
            return Self::Not(Box::new(Self::read_part(part, left, problems)));
        }
        Self::read_test(value, object, left, problems)
    }

    fn read_parts(parts: &Value, left: &mut usize, problems: &mut Vec<Problem>) -> Vec<Self> {
        let Some(parts) = parts.as_array() else {
            problems.push(Problem::new(parts.span, "`allOf` and `anyOf` take an array of conditions"));
            return vec![Self::Invalid];
        };
        parts.iter().map(|part| Self::read_part(part, left, problems)).collect()
    }

    fn read_test(value: &Value, object: &Object, left: &mut usize, problems: &mut Vec<Problem>) -> Self {
        let subject = if let Some(field) = object.get("field") {
            Subject::Field(field.clone())
        } else if let Some(value) = object.get("value") {
            Subject::Value(value.clone())
        } else if let Some(count) = object.get("count") {
            Subject::Count(Count::read(count, left, problems))
        } else {
            let expected = "expected `field`, `value`, `count`, `allOf`, `anyOf` or `not`";
            problems.push(Problem::new(value.span, format!("the condition is about nothing: {expected}")));
            return Self::Invalid;
        };
        let known = |member: &Member| Some((Operator::of_name(&member.key)?, member.value.clone()));
        let mut operators = object.iter().filter_map(known);
        let Some((operator, right)) = operators.next() else {
            let other = object.iter().find(|member| !is_subject(&member.key));
            let message = match other {
                Some(member) => format!("`{}` is not an operator of a condition", member.key),
                None => "the condition has no operator, such as `equals`".to_owned(),
            };
            problems.push(Problem::new(other.and_then(|member| member.key_span).or(value.span), message));
            return Self::Invalid;
        };
        if operators.next().is_some() {
            problems.push(Problem::new(value.span, "the condition has several operators; only one is allowed"));
            return Self::Invalid;
        }
        if let Some(message) = refused(operator, &right) {
            problems.push(Problem::new(right.span.or(value.span), message));
        }
        let is_literal = is_literal(&right);
        let may_fail = !is_literal || subject.may_fail();
        Self::Test(Box::new(Test { subject, operator, right, is_literal, may_fail, span: value.span }))
    }
}

impl Subject {
    /// True if it has expressions.
    fn may_fail(&self) -> bool {
        match self {
            Self::Field(value) | Self::Value(value) => !is_literal(value),
            Self::Count(Count { counted, condition }) => {
                let (Counted::Field(array) | Counted::Value(array, _)) = counted;
                !is_literal(array) || condition.as_ref().is_some_and(Condition::may_fail)
            }
        }
    }
}

impl Test {
    fn types(&self) -> Option<Vec<Str>> {
        let is_of_type = matches!(&self.subject, Subject::Field(field)
            if field.as_str().is_some_and(|name| name.eq_ignore_ascii_case("type")));
        if !is_of_type || self.operator.is_negated {
            return None;
        }
        // An expression may be anything, and beyond ASCII it is not certain what is the same.
        let literal =
            |value: &Value| value.as_shared_str().filter(|text| text.is_ascii() && !text.starts_with('[')).cloned();
        match self.operator.comparison {
            Comparison::Equals => literal(&self.right).map(|one| vec![one]),
            Comparison::In => self.right.as_array()?.iter().map(literal).collect(),
            _ => None,
        }
    }
}

/// True if a value does not change when its expressions are evaluated.
fn is_literal(value: &Value) -> bool {
    match &value.data {
        Data::String(text) => !text.starts_with('['),
        Data::Array(items) => items.iter().all(is_literal),
        Data::Object(object) => object.iter().all(|member| is_literal(&member.value)),
        _ => true,
    }
}

fn is_subject(name: &str) -> bool {
    ["field", "value", "count"].iter().any(|subject| subject.eq_ignore_ascii_case(name))
}

/// Returns the reason for which an operator does not accept a literal on its right side.
fn refused(operator: Operator, right: &Value) -> Option<String> {
    let name = operator.name;
    match operator.comparison {
        Comparison::In => {
            let is_possible = right.as_array().is_some() || right.as_str().is_some() || right.as_unknown().is_some();
            (!is_possible).then(|| format!("`{name}` takes an array"))
        }
        Comparison::Equals if right.as_array().is_some() => {
            Some(format!("`{name}` does not take an array; use `in` or `notIn`"))
        }
        Comparison::Like
            if right.as_str().is_some_and(|text| !text.starts_with('[') && text.matches('*').count() > 1) =>
        {
            Some(format!("a pattern of `{name}` has at most one `*`"))
        }
        _ => None,
    }
}

impl Count {
    fn read(value: &Value, left: &mut usize, problems: &mut Vec<Problem>) -> Self {
        let counted = match (value.get("field"), value.get("value")) {
            (Some(field), None) => Counted::Field(field.clone()),
            (None, Some(array)) => {
                let name = value.get("name").and_then(Value::as_shared_str).cloned();
                Counted::Value(array.clone(), name.unwrap_or_else(|| Str::from(DEFAULT_NAME)))
            }
            _ => {
                problems.push(Problem::new(value.span, "`count` needs either `field` or `value`"));
                Counted::Field(Value::NULL)
            }
        };
        let condition = value.get("where").map(|part| Condition::read_part(part, left, problems));
        Self { counted, condition }
    }
}
