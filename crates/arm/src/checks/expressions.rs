//! Finds the function calls in a template, including those in branches that are never evaluated.

use crate::eval::{World, place_in_text};
use crate::expr::{self, Expr, ExprKind, TextKind, text_kind};
use crate::text::Span;
use crate::value::{Data, Member, Object, Str, Traits, Value};

/// A call of a built-in function in an expression.
pub(crate) struct Call<'a> {
    /// The function's name in its documented spelling.
    pub(crate) function: &'static str,
    pub(crate) arguments: &'a [Expr],
    /// The property that is read of the result: `key1` in `listKeys(…).key1`.
    pub(super) property: Option<&'a Str>,
    /// The string that contains the call, its text, and the offsets of the call in that.
    place: (Option<Span>, &'a str, (u32, u32)),
}

impl Call<'_> {
    /// Returns the text of the call in the template.
    pub(crate) fn span(&self) -> Option<Span> {
        let (string, text, offsets) = self.place;
        place_in_text(string, text, Some(offsets))
    }

    /// Returns the first argument if it is a string literal, such as `'x'` in `parameters('x')`.
    pub(super) fn name(&self) -> Option<&Str> {
        match &self.arguments.first()?.kind {
            ExprKind::Literal(value) => value.as_shared_str(),
            _ => None,
        }
    }
}

/// Calls `visit` with every call of a built-in function in the expressions of `value`. Skips object members for which
/// `enters` returns `false`.
pub(crate) fn each_call(
    world: &World<'_>,
    value: &Value,
    enters: &dyn Fn(&Object, &Member) -> bool,
    visit: &mut dyn FnMut(&Call<'_>),
) {
    // Without the trait there is no expression anywhere in the value.
    if !value.traits.has(Traits::DYNAMIC) {
        return;
    }
    match &value.data {
        Data::String(text) => each_call_in_string(world, value.span, text, visit),
        Data::Array(items) => items.iter().for_each(|item| each_call(world, item, enters, visit)),
        Data::Object(object) => {
            for member in object.iter().filter(|member| enters(object, member)) {
                if member.key.starts_with('[') {
                    each_call_in_string(world, member.key_span, &member.key, visit);
                }
                each_call(world, &member.value, enters, visit);
            }
        }
        _ => {}
    }
}

fn each_call_in_string(world: &World<'_>, span: Option<Span>, text: &Str, visit: &mut dyn FnMut(&Call<'_>)) {
    if text_kind(text) != TextKind::Expression {
        return;
    }
    // Evaluation has already reported a string that does not parse.
    let Ok(expression) = world.parse(text) else { return };
    let (mut pending, mut next) = (Vec::new(), Some((&*expression, None)));
    while let Some((expr, property)) = next {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Property(base, name) => pending.push((&**base, Some(name))),
            ExprKind::Index(base, index) => pending.extend([(&**index, None), (&**base, None)]),
            ExprKind::Call(target, arguments) => {
                if let expr::Target::Builtin(function) = target {
                    visit(&Call {
                        function: function.name,
                        arguments,
                        property,
                        place: (span, text, (expr.start, expr.end)),
                    });
                }
                // Most calls have nothing but literals, and need no list.
                let nested = arguments.iter().rev().filter(|argument| !is_literal(argument));
                pending.extend(nested.map(|argument| (argument, None)));
            }
        }
        next = pending.pop();
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_))
}

/// Returns `true` if `member` of a deployment's `properties` is a nested template with inner scope, whose expressions
/// see only the parameters and variables of that template.
pub(crate) fn is_inner_template(properties: &Object, member: &Member) -> bool {
    if !member.key.eq_ignore_ascii_case("template") || member.value.as_object().is_none() {
        return false;
    }
    let options = properties.get("expressionEvaluationOptions");
    let scope = options.and_then(|options| options.get("scope")).and_then(Value::as_str);
    let version = || member.value.get("languageVersion").and_then(Value::as_str);
    match scope {
        Some(scope) => scope.eq_ignore_ascii_case("inner"),
        None => version().is_some_and(|version| version.starts_with('2')),
    }
}
