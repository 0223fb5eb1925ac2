//! Evaluates the conditions of rules.

use std::cell::OnceCell;
use std::sync::Arc;

use formwork_arm::Fault;
use formwork_arm::eval::{Evaluator, decisive};
use formwork_arm::expr::{TextKind, text_kind};

use crate::judge::fields::{Many, Property};
use crate::judge::lists::Lists;
use crate::judge::scene::{Binding, Functions};
use crate::judge::trace::{Evaluated, Seen, Trace};
use crate::judge::truth::Truth;
use crate::judge::{compare, trace};
use crate::language::{Comparison, Condition, Count, Counted, Operator, Subject, Test};
use crate::value::{Data, Member, Str, Value};

/// Evaluator of policy conditions on the requests of one deployment.
#[derive(Debug)]
pub(super) struct Judge<'j, 'd> {
    pub(super) evaluator: Evaluator<'j>,
    pub(super) functions: &'j Functions<'d>,
    /// Record of evaluated conditions, for explanations.
    pub(super) trace: Trace,
    /// The long lists of `in`, so that looking for a value in one takes one step.
    pub(super) lists: Lists,
}

/// Number of items that satisfy the condition of a count.
#[derive(Clone, Debug, Default)]
struct Interval {
    least: i64,
    /// Greatest possible number; `None` without a bound.
    most: Option<i64>,
    /// Reason for which the condition may fail for an item.
    can_fail: Option<Str>,
    /// True if it certainly fails for an item.
    fails: bool,
    why: Option<Str>,
}

/// Possible values of a count that are compared one by one.
const MAX_SPREAD: i64 = 1_000;

impl Judge<'_, '_> {
    /// Evaluates a condition in the current scene.
    pub(super) fn condition(&self, condition: &Condition) -> Truth {
        self.part(condition, false)
    }

    /// True if the conditions on the type, the name and the kind allow the rule to apply, or fail. All other conditions
    /// count as unknown.
    pub(super) fn may_apply(&self, condition: &Condition) -> bool {
        let truth = self.part(condition, true);
        truth.can_hold() || truth.can_fail()
    }

    fn part(&self, condition: &Condition, only_applicability: bool) -> Truth {
        if let Err(fault) = self.evaluator.world.step(1) {
            return Truth::unknown(fault.message());
        }
        self.trace.part(|| Evaluated::from_condition(condition), || self.evaluate(condition, only_applicability))
    }

    fn evaluate(&self, condition: &Condition, only_applicability: bool) -> Truth {
        match condition {
            Condition::All(parts) => parts.iter().fold(Truth::from(true), |truth, part| {
                let is_decided = truth.is_false() && self.is_without_effect(part);
                if is_decided { truth } else { truth.and(self.part(part, only_applicability)) }
            }),
            Condition::Any(parts) => parts.iter().fold(Truth::from(false), |truth, part| {
                let is_decided = truth.holds() && self.is_without_effect(part);
                if is_decided { truth } else { truth.or(self.part(part, only_applicability)) }
            }),
            Condition::Not(part) => self.part(part, only_applicability).not(),
            Condition::Test(test) if only_applicability && !test.is_about_applicability() => Truth::unknown(""),
            Condition::Test(test) => self.test(test),
            Condition::Invalid => Truth::unknown("the condition is not valid"),
        }
    }

    /// True if a condition can be skipped after one that decides the enclosing ones: it cannot fail, and no explanation
    /// is recorded.
    fn is_without_effect(&self, condition: &Condition) -> bool {
        !self.trace.is_recording() && !condition.may_fail()
    }

    fn test(&self, test: &Test) -> Truth {
        let right = if test.is_literal { Ok(test.right.clone()) } else { self.value(&test.right) };
        let right = match right {
            Ok(right) => right,
            Err(fault) => return self.failed(&fault),
        };
        if !test.is_literal {
            self.trace.note(|part| part.right = Some(trace::shown(&right)));
        }
        match &test.subject {
            Subject::Value(value) => match self.value(value) {
                Ok(left) => {
                    self.trace.note(|part| part.left = Some(Seen::new(String::new(), Some(&left))));
                    self.holds(test.operator, Some(&left), &right)
                }
                Err(fault) => self.failed(&fault),
            },
            Subject::Field(field) => self.field_test(test, field, &right),
            Subject::Count(count) => {
                let interval = self.count(count);
                self.trace.note(|part| part.left = Some(Seen::of_count(interval.least, interval.most)));
                interval.holds(|number| self.holds(test.operator, Some(number), &right), &right)
            }
        }
    }

    /// Evaluates `in` or `notIn` for a string and a long list. Returns `None` for other operators and sides.
    fn is_listed(&self, operator: Operator, left: Option<&Value>, right: &Value, is_location: bool) -> Option<Truth> {
        let text = left?.as_str().filter(|_| operator.comparison == Comparison::In)?;
        let is_in = self.lists.contain(right, is_location, text, |size| self.evaluator.world.step(size))?;
        Some(match is_in {
            Ok(is_in) => Truth::from(is_in != operator.is_negated),
            Err(fault) => Truth::unknown(fault.message()),
        })
    }

    /// Evaluates an operator, within the limit on steps.
    fn holds(&self, operator: Operator, left: Option<&Value>, right: &Value) -> Truth {
        if let Some(truth) = self.is_listed(operator, left, right, false) {
            return truth;
        }
        match self.evaluator.world.step(compare::cost(operator, left, right)) {
            Ok(()) => compare::holds(operator, left, right),
            Err(fault) => Truth::unknown(fault.message()),
        }
    }

    fn field_test(&self, test: &Test, field: &Value, right: &Value) -> Truth {
        let field = match self.value(field) {
            Ok(field) => field,
            Err(fault) => return self.failed(&fault),
        };
        let Some(name) = field.as_str() else {
            let why = field.as_unknown().map(|unknown| unknown.why.clone());
            return Truth::unknown(why.unwrap_or_else(|| Str::from("the name of a field is not a string")));
        };
        let is_location = name.eq_ignore_ascii_case("location");
        let normal_right = OnceCell::new();
        let holds = |left: Option<&Value>| {
            let left = left.map(|left| decisive(if is_location { normal(left) } else { left.clone() }));
            if !is_location {
                return self.holds(test.operator, left.as_ref(), right);
            }
            let listed = self.is_listed(test.operator, left.as_ref(), right, true);
            listed
                .unwrap_or_else(|| self.holds(test.operator, left.as_ref(), normal_right.get_or_init(|| normal(right))))
        };
        match self.functions.property(name) {
            Err(why) => Truth::unknown(why),
            Ok(Property::One(left)) => {
                self.trace.note(|part| part.left = Some(Seen::new(name.to_owned(), left.as_ref())));
                holds(left.as_ref())
            }
            Ok(Property::Many(many)) => match self.evaluator.world.step(many.visited) {
                Ok(()) => self.of_all(name, &many, &holds),
                Err(fault) => Truth::unknown(fault.message()),
            },
        }
    }

    /// Evaluates a condition on a collection, which must hold for all items. For a missing array, the result is only
    /// certain if the condition holds for null: the documentation states that such a condition holds, other sources
    /// that it does not.
    fn of_all(&self, name: &str, many: &Many, holds: &dyn Fn(Option<&Value>) -> Truth) -> Truth {
        self.trace.note(|part| part.left = Some(Seen::of_many(name.to_owned(), many)));
        // One by itself is in the line of the condition.
        let is_only = many.items.len() == 1;
        let of_item = |item: Option<&Value>| {
            if is_only { holds(item) } else { self.trace.part(|| Evaluated::item(item), || holds(item)) }
        };
        let mut truth = many.items.iter().map(|item| of_item(item.as_ref())).fold(Truth::from(true), Truth::and);
        if many.lacks_array && !holds(None).holds() {
            truth = truth.and(Truth::unknown("what holds for an array that is missing is not documented"));
        }
        match &many.unknown {
            Some(why) => truth.and(Truth::unknown(why.clone())),
            None => truth,
        }
    }

    /// Returns the value of a condition whose expression fails: it denies, unless a limit of this program was exceeded.
    fn failed(&self, fault: &Fault) -> Truth {
        if self.evaluator.world.is_spent() {
            return Truth::unknown(fault.message());
        }
        Truth::failed(fault.message())
    }

    /// Evaluates the expressions in a value.
    pub(super) fn value(&self, value: &Value) -> Result<Value, Fault> {
        Ok(match &value.data {
            Data::String(text) => match text_kind(text) {
                TextKind::Expression => decisive(self.evaluator.eval_text(value, text, &None)?),
                TextKind::Escaped => {
                    Value { data: Value::from(text.get(1..).unwrap_or_default()).data, ..value.clone() }
                }
                TextKind::Literal => value.clone(),
            },
            Data::Array(items) => Value::array(items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?),
            Data::Object(object) => {
                let member = |member: &Member| Ok(Member { value: self.value(&member.value)?, ..member.clone() });
                Value::object(object.iter().map(member).collect::<Result<_, Fault>>()?)
            }
            _ => value.clone(),
        })
    }

    fn count(&self, count: &Count) -> Interval {
        match &count.counted {
            Counted::Field(field) => self.count_field(field, count.condition.as_ref()),
            Counted::Value(array, name) => self.count_value(array, name, count.condition.as_ref()),
        }
    }

    fn count_field(&self, field: &Value, condition: Option<&Condition>) -> Interval {
        let field = match self.value(field) {
            Ok(field) => field,
            Err(fault) => return Interval::failed(&self.failed(&fault)),
        };
        let Some(alias) = field.as_str() else { return Interval::open("the name of a field is not a string") };
        let many = match self.functions.property(alias) {
            Err(why) => return Interval::open(why),
            Ok(Property::One(None)) => Many::default(),
            Ok(Property::One(Some(_))) => return Interval::open("a field that is counted needs `[*]`"),
            Ok(Property::Many(many)) => many,
        };
        if let Err(fault) = self.evaluator.world.step(many.visited) {
            return Interval::open(fault.message());
        }
        let kind = self.functions.scene().map(|scene| scene.request.judged_type().to_owned()).unwrap_or_default();
        let Ok(Some(path)) = self.functions.lookups.path_of(&kind, alias) else { return Interval::default().exact() };
        let alias = Str::from(alias);
        let bind = |value: &Value| Binding::Field(alias.clone(), Arc::clone(&path), value.clone());
        let mut interval = Interval::default().exact();
        if let Some(why) = &many.unknown {
            interval = Interval::open(why.clone());
        }
        for item in &many.items {
            let item = item.clone().unwrap_or(Value::NULL);
            let truth = self.of_item(&item, bind(&item), condition);
            interval.add(&truth);
        }
        interval
    }

    /// Evaluates whether an item counts.
    fn of_item(&self, item: &Value, binding: Binding, condition: Option<&Condition>) -> Truth {
        let Some(condition) = condition else { return Truth::from(true) };
        let is_so = || self.functions.binding(binding, || self.condition(condition));
        self.trace.part(|| Evaluated::item(Some(item)), is_so)
    }

    fn count_value(&self, array: &Value, name: &Str, condition: Option<&Condition>) -> Interval {
        let array = match self.value(array) {
            Ok(array) => array,
            Err(fault) => return Interval::failed(&self.failed(&fault)),
        };
        if let Some(unknown) = array.as_unknown() {
            return Interval::open(unknown.why.clone());
        }
        let items = array.as_array().unwrap_or_default();
        if let Err(fault) = self.evaluator.world.step(items.len()) {
            return Interval::open(fault.message());
        }
        let mut interval = Interval::default().exact();
        for item in items {
            let binding = Binding::Named(name.clone(), item.clone());
            let truth = self.of_item(item, binding, condition);
            interval.add(&truth);
        }
        interval
    }
}

impl Test {
    /// True if it decides alone whether the rule is made for a resource.
    fn is_about_applicability(&self) -> bool {
        let Subject::Field(field) = &self.subject else { return false };
        let is_plain = self.right.as_str().is_none_or(|text| !text.starts_with('['));
        let about = |name: &str| field.as_str().is_some_and(|field| field.eq_ignore_ascii_case(name));
        is_plain && ["type", "name", "kind"].iter().any(|name| about(name))
    }
}

/// Returns a location in the form in which locations are compared: in lower case and without spaces, also in an array.
pub(super) fn normal(value: &Value) -> Value {
    match &value.data {
        Data::String(text) => {
            let text: String = text.chars().filter(|character| *character != ' ').collect();
            Value { data: Value::from(text.to_lowercase()).data, ..value.clone() }
        }
        Data::Array(items) => Value { span: value.span, ..Value::array(items.iter().map(normal).collect()) },
        _ => value.clone(),
    }
}

impl Interval {
    fn exact(self) -> Self {
        Self { most: Some(self.least), ..self }
    }

    fn open(why: impl Into<Str>) -> Self {
        Self { why: Some(why.into()), ..Self::default() }
    }

    fn failed(truth: &Truth) -> Self {
        let why = truth.why().cloned();
        if truth.can_hold() {
            Self { why, ..Self::default() }
        } else {
            Self { can_fail: why, fails: true, ..Self::default().exact() }
        }
    }

    fn add(&mut self, truth: &Truth) {
        if truth.can_fail() {
            self.can_fail = self.can_fail.take().or_else(|| truth.why().cloned());
            self.fails |= !truth.can_hold() && !truth.can_be_false();
        }
        if truth.can_hold() {
            self.most = self.most.map(|most| most.saturating_add(1));
            if truth.can_be_false() || truth.can_fail() {
                self.why = self.why.take().or_else(|| truth.why().cloned());
            } else {
                self.least = self.least.saturating_add(1);
            }
        }
    }

    /// Evaluates a comparison on each possible number.
    fn holds(&self, compare: impl Fn(&Value) -> Truth, right: &Value) -> Truth {
        let most = self.most.unwrap_or(i64::MAX);
        let numbers: Vec<i64> = if most.saturating_sub(self.least) <= MAX_SPREAD {
            (self.least..=most).collect()
        } else {
            // What is compared with, and its neighbors, stand for all between.
            let near = right.as_int().or_else(|| right.as_str()?.parse().ok()).unwrap_or(self.least);
            let all = [self.least, near.saturating_sub(1), near, near.saturating_add(1), most];
            all.into_iter().map(|number| number.clamp(self.least, most)).collect()
        };
        let truth =
            numbers.into_iter().map(|number| compare(&Value::from(number))).reduce(Truth::union).unwrap_or_default();
        let truth = truth.because(self.why.as_deref().unwrap_or("the number of items is unknown"));
        match &self.can_fail {
            Some(why) if self.fails => Truth::failed(why.clone()),
            Some(why) => truth.union(Truth::failed(why.clone())),
            None => truth,
        }
    }
}
