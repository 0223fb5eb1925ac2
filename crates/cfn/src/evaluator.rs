//! Evaluates values: calls functions, unrolls loops, and shares everything else with the template.

use crate::functions;
use crate::loops::{self, Loops};
use crate::stack::Stack;
use crate::text::Span;
use crate::value::{Data, Kind, Member, Object, Str, Unknown, Value};

/// Evaluates the values of one stack.
#[derive(Debug)]
pub(super) struct Evaluator<'s, 'a> {
    pub(super) stack: &'s Stack<'a>,
}

/// The context of a value in an evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'l> {
    /// The loops around it.
    pub(super) loops: &'l Loops,
    /// Number of values and names whose evaluation led to this one.
    pub(super) depth: u32,
}

impl At<'static> {
    /// Outside of all loops and values.
    pub(super) const START: Self = Self { loops: &Loops::NONE, depth: 0 };
}

/// The result of evaluating a part of a value.
#[derive(Debug)]
pub(super) enum EvaluatedPart {
    /// The part evaluates to itself, so the template can be shared.
    Same,
    /// The part evaluates to this value.
    New(Value),
    /// `AWS::NoValue`: the part is removed.
    Gone,
}

impl Evaluator<'_, '_> {
    /// Returns the evaluated value; `None` for `AWS::NoValue`.
    pub(super) fn value(&self, value: &Value, at: At<'_>) -> Option<Value> {
        match self.part(value, at) {
            EvaluatedPart::Same => Some(value.clone()),
            EvaluatedPart::New(value) => Some(value),
            EvaluatedPart::Gone => None,
        }
    }

    /// Returns `true` if the limits on nesting and steps allow another value. Otherwise, reports the limit.
    pub(super) fn may_go_deeper(&self, at: At<'_>, span: Option<Span>) -> bool {
        let world = self.stack.world;
        // Twice the nesting of the text: each short form counts as a value and an object.
        let most = world.limits.nesting.saturating_mul(2).saturating_add(world.limits.call_depth);
        if at.depth <= most {
            return world.spend(0, span);
        }
        world.exhaust(span, format!("values and conditions depend on each other more than {most} levels deep"))
    }

    /// Evaluates a part of a value.
    pub(super) fn part(&self, value: &Value, at: At<'_>) -> EvaluatedPart {
        if !self.may_go_deeper(at, value.span) {
            let is_of_text = at.loops.is_empty() && at.depth <= self.stack.world.limits.nesting;
            return EvaluatedPart::New(if is_of_text { written(value) } else { limit_reached(value.span) });
        }
        let at = At { depth: at.depth + 1, ..at };
        match self.part_within(value, at) {
            EvaluatedPart::New(result) => EvaluatedPart::New(self.shallow(result, value.span)),
            part => part,
        }
    }

    /// Returns the result of an evaluation, unless it is nested too deep. The outputs of a stack can be put into the
    /// parameters of the next.
    fn shallow(&self, result: Value, span: Option<Span>) -> Value {
        let world = self.stack.world;
        let most = world.limits.nesting.saturating_mul(2);
        if result.size().depth <= most {
            return result;
        }
        world.exhaust(span, format!("a value is nested more than {most} levels deep"));
        limit_reached(span)
    }

    fn part_within(&self, value: &Value, at: At<'_>) -> EvaluatedPart {
        match &value.data {
            Data::String(text) if !at.loops.is_empty() => {
                let substituted = at.loops.substitute(text);
                if substituted == *text {
                    return EvaluatedPart::Same;
                }
                self.stack.world.spend(substituted.len(), value.span);
                EvaluatedPart::New(Value { span: value.span, ..Value::from(substituted) })
            }
            Data::Array(items) => self.items(value, items, at),
            Data::Object(object) => match functions::called(object) {
                Some(call) => match self.call(call, value.span, at) {
                    Some(result) => EvaluatedPart::New(self.affordable(result, value.span)),
                    None => EvaluatedPart::Gone,
                },
                None => self.members(value, object, at),
            },
            _ => EvaluatedPart::Same,
        }
    }

    /// Returns the result of a function, unless it is too large. Sharing a value costs nothing here, but a walk over
    /// the document visits it every time.
    pub(super) fn affordable(&self, result: Value, span: Option<Span>) -> Value {
        let weight = result.size().weight as usize;
        if self.stack.world.spend(weight.saturating_mul(16), span) { result } else { limit_reached(span) }
    }

    fn items(&self, value: &Value, items: &[Value], at: At<'_>) -> EvaluatedPart {
        let mut changed: Option<Vec<Value>> = None;
        for (index, item) in items.iter().enumerate() {
            let part = self.part(item, at);
            if !matches!(part, EvaluatedPart::Same) && changed.is_none() {
                changed = Some(items.iter().take(index).cloned().collect());
            }
            match (part, &mut changed) {
                (EvaluatedPart::Same, Some(changed)) => changed.push(item.clone()),
                (EvaluatedPart::New(item), Some(changed)) => changed.push(item),
                _ => {}
            }
        }
        changed
            .map_or(EvaluatedPart::Same, |items| EvaluatedPart::New(Value { span: value.span, ..Value::array(items) }))
    }

    fn members(&self, value: &Value, object: &Object, at: At<'_>) -> EvaluatedPart {
        let is_plain =
            |member: &Member| !member.key.starts_with("Fn::") && (at.loops.is_empty() || !member.key.contains('{'));
        if !object.iter().all(is_plain) {
            return EvaluatedPart::New(self.computed_members(value, object, at));
        }
        let mut changed: Option<Vec<Member>> = None;
        for (index, member) in object.iter().enumerate() {
            let part = self.part(&member.value, at);
            if !matches!(part, EvaluatedPart::Same) && changed.is_none() {
                changed = Some(object.iter().take(index).cloned().collect());
            }
            match (part, &mut changed) {
                (EvaluatedPart::Same, Some(changed)) => changed.push(member.clone()),
                (EvaluatedPart::New(value), Some(changed)) => changed.push(Member { value, ..member.clone() }),
                _ => {}
            }
        }
        changed.map_or(EvaluatedPart::Same, |members| {
            EvaluatedPart::New(Value { span: value.span, ..Value::object(members) })
        })
    }

    /// Returns an object with members that a loop or a macro makes. With a macro only a part of it is known.
    fn computed_members(&self, value: &Value, object: &Object, at: At<'_>) -> Value {
        let mut members = Vec::new();
        let mut unseen: Option<Str> = None;
        self.collect(object, at, &mut members, &mut unseen);
        let known = Value { span: value.span, ..Value::object(members) };
        match unseen {
            Some(why) => Value { span: value.span, ..Value::unknown(Unknown::open(why, known)) },
            None => known,
        }
    }

    fn collect(&self, object: &Object, at: At<'_>, members: &mut Vec<Member>, unseen: &mut Option<Str>) {
        for member in object {
            if member.key.starts_with(loops::PREFIX) {
                let at = At { depth: at.depth + 1, ..at };
                if !self.may_go_deeper(at, member.key_span) {
                    return;
                }
                for iteration in self.iterations(member, at) {
                    match iteration.doubt {
                        Some(unknown) => *unseen = Some(unknown.why.clone()),
                        None => {
                            self.collect(iteration.members, At { loops: &iteration.loops, ..at }, members, unseen);
                        }
                    }
                }
            } else if *member.key == *"Fn::Transform" {
                *unseen = Some(functions::macro_reason(self, &member.value, at));
            } else if let Some(value) = self.value(&member.value, at) {
                members.push(Member { key: at.loops.substitute(&member.key), key_span: member.key_span, value });
            }
        }
    }
}

/// Returns the parts of a value that need no evaluation, for a value beyond a limit. Calls become unknown.
fn written(value: &Value) -> Value {
    let known = match &value.data {
        Data::Array(items) => Value::array(items.iter().map(written).collect()),
        Data::Object(object) => {
            if functions::called(object).is_some() || object.iter().any(|member| member.key.starts_with("Fn::")) {
                return limit_reached(value.span);
            }
            let member = |member: &Member| Member { value: written(&member.value), ..member.clone() };
            Value::object(object.iter().map(member).collect())
        }
        _ => return value.clone(),
    };
    Value { span: value.span, ..known }
}

/// Returns the value that replaces one that a limit kept from being evaluated.
pub(super) fn limit_reached(span: Option<Span>) -> Value {
    let unknown = Unknown::new(Kind::Any, "a limit was reached before it was evaluated");
    Value { span, ..Value::unknown(unknown) }
}
