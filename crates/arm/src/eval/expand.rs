//! Expands parts of a template: expressions are replaced by their values, and property loops by the properties that
//! they define.

use crate::diagnostic::{Code, Diagnostic};
use crate::eval::frame::{Binding, Frame, Frames, Loop};
use crate::eval::{Evaluator, decisive, dependent, put};
use crate::expr::{TextKind, text_kind};
use crate::fault::Fault;
use crate::value::{Data, Kind, Member, Object, SECRET, Str, Traits, Unknown, Value};

impl Evaluator<'_> {
    /// Expands a part of the template. A failing expression is reported and becomes an unknown. A part without expressions
    /// is shared, not copied.
    pub fn expand(&self, value: &Value, frames: &Frames) -> Value {
        if !value.traits.has(Traits::DYNAMIC) {
            return value.clone();
        }
        if let Data::String(text) = &value.data {
            return self.expand_text(value, text, frames);
        }
        let _level = match self.world.deeper() {
            Ok(level) => level,
            Err(fault) => return self.failed(&fault, value.span),
        };
        let expanded = match &value.data {
            Data::Array(items) => Value::array(items.iter().map(|item| self.expand(item, frames)).collect()),
            Data::Object(object) => {
                let (members, traits) = self.expand_members(object, frames);
                Value::object(members).with_traits(traits)
            }
            _ => return value.clone(),
        };
        let expanded = Value { span: value.span, ..expanded };
        match self.charge(&expanded) {
            Ok(()) => expanded,
            // Nothing is computed any more beyond the limit on steps, but what the author wrote is still known.
            Err(fault) if self.world.is_spent() && self.fits(&expanded).is_ok() => {
                self.report(&fault, value.span);
                expanded
            }
            // An oversized value becomes an unknown, so that it cannot grow any further.
            Err(fault) => self.failed(&fault, value.span),
        }
    }

    /// Expands the members of an object, with its property loops. If a loop and a member define the same property, both
    /// are kept, and the last overrides the other. Also returns traits for an object whose member names depend on a
    /// placeholder.
    fn expand_members(&self, object: &Object, frames: &Frames) -> (Vec<Member>, Traits) {
        let (mut members, mut traits) = (Vec::with_capacity(object.len()), Traits::NONE);
        for member in object {
            match member.value.as_array() {
                // A property may also be named `copy`; only an array of loops is a property loop.
                Some(loops) if member.key.eq_ignore_ascii_case("copy") && loops.iter().all(is_property_loop) => {
                    members.extend(loops.iter().map(|element| self.expand_property_loop(element, frames)));
                }
                _ => {
                    let (key, is_dependent) = self.expand_key(member, frames);
                    let mut value = self.expand(&member.value, frames);
                    if is_dependent {
                        value = dependent(value);
                        traits = traits | Traits::PLACEHOLDER | Traits::SHAPED;
                    }
                    members.push(Member { key, key_span: member.key_span, value });
                }
            }
        }
        (members, traits)
    }

    fn expand_text(&self, value: &Value, text: &Str, frames: &Frames) -> Value {
        match text_kind(text) {
            TextKind::Literal => Value { traits: value.traits.without(Traits::DYNAMIC), ..value.clone() },
            TextKind::Escaped => Value { span: value.span, ..Value::from(text.strip_prefix('[').unwrap_or(text)) },
            TextKind::Expression => match self.eval_text(value, text, frames) {
                Ok(result) => put(result, value.span),
                Err(fault) => self.failed(&fault, value.span),
            },
        }
    }

    /// Expands the name of a property, which may be an expression. It is kept unchanged if it does not evaluate to a
    /// string. Also returns `true` if the name was computed from a placeholder.
    fn expand_key(&self, member: &Member, frames: &Frames) -> (Str, bool) {
        if !member.key.starts_with('[') || text_kind(&member.key) == TextKind::Literal {
            return (member.key.clone(), false);
        }
        let as_value = Value { span: member.key_span, ..Value::from(member.key.clone()) }.with_traits(Traits::DYNAMIC);
        let key = self.expand(&as_value, frames).approximate();
        // A name has no marks of its own.
        let is_dependent = key.traits.has(Traits::PLACEHOLDER);
        if key.traits.has(Traits::SECRET) {
            return (Str::from(SECRET), is_dependent);
        }
        (key.as_shared_str().cloned().unwrap_or_else(|| member.key.clone()), is_dependent)
    }

    /// Returns the property that an element `{name, count, input}` of a property loop defines.
    fn expand_property_loop(&self, element: &Value, frames: &Frames) -> Member {
        let name = element.as_object().and_then(|object| object.member("name"));
        let key = name.map_or_else(
            || Str::from(""),
            |name| match self.expand(&name.value, frames).as_shared_str() {
                Some(key) => key.clone(),
                None => Str::from(""),
            },
        );
        let value = self.expand_loop(element, &key, frames);
        Member { key, key_span: name.and_then(|name| name.value.span), value }
    }

    /// Returns the array that a loop element `{name, count, input}` evaluates to.
    pub fn expand_loop(&self, element: &Value, name: &Str, frames: &Frames) -> Value {
        let span = element.span;
        let count = element.get("count").map(|count| decisive(self.expand(count, frames)));
        let count = match count.as_ref().map(|count| &count.data) {
            Some(Data::Int(count)) => *count,
            Some(Data::Unknown(_)) if self.world.explores.get() => 1,
            Some(Data::Unknown(unknown)) => {
                let why = format!("the count of loop `{name}` is unknown: {}", unknown.why);
                return Value { span, ..Value::unknown(Unknown::new(Kind::Array, why)) };
            }
            _ => {
                let fault =
                    Fault::new(Code::TemplateShape, format!("loop `{name}` needs a `count` that is an integer"));
                return self.failed(&fault, element.span);
            }
        };
        if let Err(fault) = self.check_count(name, count) {
            return self.failed(&fault, element.get("count").and_then(|count| count.span).or(span));
        }
        let Some(input) = element.get("input") else {
            let fault = Fault::new(Code::TemplateShape, format!("loop `{name}` needs an `input`"));
            return self.failed(&fault, span);
        };
        let iteration = |index| {
            let binding = Loop { name: Some(name.clone()), index, makes_resources: false };
            self.expand(input, &Frame::push(frames, Binding::Loop(binding)))
        };
        Value { span, ..Value::array((0..count).map(iteration).collect()) }
    }

    /// Checks the count of a loop against Resource Manager's limit, and charges its iterations as steps.
    pub fn check_count(&self, name: &str, count: i64) -> Result<(), Fault> {
        let limit = self.world.limits.copies;
        if (0..=limit).contains(&count) {
            return self.world.step(usize::try_from(count).unwrap_or_default());
        }
        let message = format!("loop `{name}` has {count} iterations; Resource Manager allows 0 to {limit}");
        Err(Fault::new(Code::TemplateLimit, message))
    }

    /// Reports that the template does not have the structure that Resource Manager requires. Does nothing for a value
    /// without a span.
    pub fn report_shape(&self, value: &Value, message: impl Into<String>) {
        if let Some(span) = value.span {
            self.world.report(Diagnostic::new(Code::TemplateShape, span, message));
        }
    }
}

fn is_property_loop(element: &Value) -> bool {
    element.get("name").is_some() && element.get("input").is_some()
}
