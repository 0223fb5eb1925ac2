//! A walk over the expressions of a template, evaluated or not.

use crate::arm::eval::{World, place_in_text};
use crate::arm::expr::{Expr, ExprKind, Target, TextKind, text_kind};
use crate::text::Span;
use crate::value::{Data, Member, Object, Str, Traits, Value};

/// A call in an expression.
pub(super) struct Call<'a> {
    /// Name of the function as documented; of the language only.
    pub(super) function: &'static str,
    pub(super) arguments: &'a [Expr],
    /// The text of the call.
    pub(super) span: Option<Span>,
}

impl Call<'_> {
    /// The first argument, if it is a plain text.
    pub(super) fn name(&self) -> Option<&Str> {
        match &self.arguments.first()?.kind {
            ExprKind::Literal(value) => value.as_shared_str(),
            _ => None,
        }
    }
}

/// Calls `visit` with every call of a function of the language in the expressions of `value`. Members of an object that
/// `enters` refuses are left out.
pub(super) fn each_call(
    world: &World<'_>,
    value: &Value,
    enters: &dyn Fn(&Object, &Member) -> bool,
    visit: &mut dyn FnMut(&Call<'_>),
) {
    if !value.traits.has(Traits::DYNAMIC) {
        return;
    }
    match &value.data {
        Data::String(text) => of_text(world, value.span, text, visit),
        Data::Array(items) => items.iter().for_each(|it| each_call(world, it, enters, visit)),
        Data::Object(object) => {
            for member in object.iter().filter(|it| enters(object, it)) {
                if member.key.starts_with('[') {
                    of_text(world, member.key_span, &member.key, visit);
                }
                each_call(world, &member.value, enters, visit);
            }
        }
        _ => {}
    }
}

fn of_text(world: &World<'_>, span: Option<Span>, text: &Str, visit: &mut dyn FnMut(&Call<'_>)) {
    if text_kind(text) != TextKind::Expression {
        return;
    }
    // What is no expression has been reported where it was evaluated.
    let Ok(expression) = world.parse(text) else { return };
    let mut pending = vec![&*expression];
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Property(base, _) => pending.push(base),
            ExprKind::Index(base, index) => pending.extend([&**index, &**base]),
            ExprKind::Call(target, arguments) => {
                if let Target::Builtin(function) = target {
                    let span = place_in_text(span, text, Some((expr.start, expr.end)));
                    visit(&Call { function: function.name, arguments, span });
                }
                pending.extend(arguments.iter().rev());
            }
        }
    }
}

/// Whether `member` of `properties` is a template whose expressions see names of their own.
pub(super) fn is_template_of_its_own(properties: &Object, member: &Member) -> bool {
    if !member.key.eq_ignore_ascii_case("template") || member.value.as_object().is_none() {
        return false;
    }
    let options = properties.get("expressionEvaluationOptions");
    match options.and_then(|it| it.get("scope")).and_then(Value::as_str) {
        Some(scope) => scope.eq_ignore_ascii_case("inner"),
        None => member.value.get("languageVersion").and_then(Value::as_str).is_some_and(|it| it.starts_with('2')),
    }
}
