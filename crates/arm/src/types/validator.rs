//! `validate`: lambdas that accept or reject a value.
//!
//! Reference: REP 0010, "Custom validation decorators". The value of the keyword is an array of one lambda, or of pairs
//! of a lambda and a message.

use std::rc::Rc;

use crate::diagnostic::{Code, Diagnostic};
use crate::eval::{Binding, Evaluator, Frame, Frames, World};
use crate::expr::{self, Expr, ExprKind, TextKind, text_kind};
use crate::functions::article;
use crate::text::Span;
use crate::value::{Data, Kind, Str, Value};

/// A lambda of a `validate` with its message.
#[derive(Debug)]
pub(super) struct Validator {
    /// The expression string with the lambda.
    lambda: Value,
    /// The author's message for a rejected value.
    pub(super) message: Option<Str>,
}

/// The result of a lambda for a value.
#[derive(Debug)]
pub(super) enum Judgment {
    Accepted,
    Rejected,
    /// Unknown for this reason.
    Unknown(Str),
    /// The lambda is invalid or fails, which a diagnostic reports.
    Faulty,
}

/// Reads the lambdas of a `validate` with their messages. Invalid elements are ignored, because [`inspect`] reports
/// them.
pub(super) fn read(declared: &Value) -> Vec<Validator> {
    let pairs = declared.as_array().unwrap_or_default().chunks(2);
    let validator = |pair: &[Value]| {
        let message = pair.get(1).and_then(Value::as_shared_str).map(unescaped);
        Some(Validator { lambda: pair.first()?.clone(), message })
    };
    pairs.filter_map(validator).collect()
}

/// Removes the bracket that escapes a literal `[` at the start of a message.
fn unescaped(text: &Str) -> Str {
    match text.strip_prefix('[') {
        Some(unescaped) if text_kind(text) == TextKind::Escaped => Str::from(unescaped),
        _ => text.clone(),
    }
}

/// Reports syntax errors in a `validate`.
pub(super) fn inspect(declared: &Value, world: &World<'_>) {
    let broken = |value: &Value, message: String| {
        if let Some(span) = value.span.or(declared.span) {
            world.report(Diagnostic::new(Code::TemplateValidate, span, message).with_help(HELP));
        }
    };
    let Some(elements) = declared.as_array() else {
        return broken(declared, format!("`validate` must be an array, found {}", article(declared.kind())));
    };
    match elements.len() {
        0 => broken(declared, "`validate` must have at least one element, found none".to_owned()),
        count if count > 1 && count % 2 == 1 => {
            broken(declared, format!("`validate` must have one element or an even number of them, found {count}"));
        }
        _ => {}
    }
    for (at, element) in elements.iter().enumerate() {
        let problem = if at % 2 == 0 { Lambda::new(element, world).err() } else { problem_of_message(element) };
        if let Some(problem) = problem {
            broken(element, format!("element {} of `validate` {problem}", at + 1));
        }
    }
}

const HELP: &str = "write `\"validate\": [\"[lambda('x', …)]\", \"message\"]`, with one such pair for each condition";

/// Returns the problem with an element that should be a message. `None` if it is one.
fn problem_of_message(element: &Value) -> Option<String> {
    match element.as_str() {
        None => Some(format!("must be a message, a string, found {}", article(element.kind()))),
        Some(text) if text_kind(text) == TextKind::Expression => {
            Some("must be a message, a plain string, found an expression".to_owned())
        }
        Some(_) => None,
    }
}

/// A well-formed lambda: [`Lambda::parts`] cannot fail.
struct Lambda {
    text: Str,
    /// The whole expression: a call of `lambda` with the name of its variable and a body.
    call: Rc<Expr>,
}

impl Lambda {
    /// Parses an element of `validate`.
    ///
    /// # Errors
    ///
    /// Returns the part of a message that describes the problem with the element.
    fn new(element: &Value, world: &World<'_>) -> Result<Self, String> {
        let Some(text) = element.as_shared_str() else {
            return Err(format!("must be a `lambda` expression, found {}", article(element.kind())));
        };
        if text_kind(text) != TextKind::Expression {
            return Err("must be a `lambda` expression, found a plain string".to_owned());
        }
        let call = world.parse(text).map_err(|fault| format!("must be a `lambda` expression: {fault}"))?;
        let lambda = Self { text: text.clone(), call };
        lambda.parts().map(drop)?;
        Ok(lambda)
    }

    /// Returns the name of the lambda's variable, and its body.
    fn parts(&self) -> Result<(&Str, &Expr), String> {
        let ExprKind::Call(target, arguments) = &self.call.kind else {
            return Err("must call `lambda`, found no call".to_owned());
        };
        match target {
            expr::Target::Builtin(function) if function.name == "lambda" => {}
            expr::Target::Builtin(function) => return Err(format!("must call `lambda`, found `{}`", function.name)),
            expr::Target::User { namespace, name } => {
                return Err(format!("must call `lambda`, found `{namespace}.{name}`"));
            }
            expr::Target::Unknown(name) => return Err(format!("must call `lambda`, found `{name}`")),
        }
        let [variable, body] = arguments.as_slice() else {
            let found = arguments.len();
            return Err(format!(
                "must be a `lambda` of exactly one variable and an expression, found {found} arguments"
            ));
        };
        let name = match &variable.kind {
            ExprKind::Literal(value) => value.as_shared_str(),
            _ => None,
        };
        let name = name.ok_or("must be a `lambda` whose first argument is the name of its variable, a string")?;
        Ok((name, body))
    }
}

impl Validator {
    /// Returns the span of the lambda.
    pub(super) fn span(&self) -> Option<Span> {
        self.lambda.span
    }

    /// Calls the lambda with a value, which must be neither null nor unknown.
    pub(super) fn judge(&self, evaluator: &Evaluator<'_>, value: &Value) -> Judgment {
        let Ok(lambda) = Lambda::new(&self.lambda, evaluator.world) else { return Judgment::Faulty };
        let Ok((name, body)) = lambda.parts() else { return Judgment::Faulty };
        let frames = Frame::push(&Frames::None, Binding::Lambda(name.clone(), value.clone()));
        match evaluator.eval_part(&self.lambda, &lambda.text, body, &frames) {
            Ok(result) => self.judgment(evaluator, &result),
            Err(fault) => {
                evaluator.report(&fault, self.span());
                Judgment::Faulty
            }
        }
    }

    fn judgment(&self, evaluator: &Evaluator<'_>, result: &Value) -> Judgment {
        match &result.data {
            Data::Bool(true) => Judgment::Accepted,
            Data::Bool(false) => Judgment::Rejected,
            Data::Unknown(unknown) => Judgment::Unknown(unknown.why.clone()),
            _ => {
                self.report_result(evaluator.world, result.kind());
                Judgment::Faulty
            }
        }
    }

    /// Reports a result that is not a Boolean. REP 0010 reserves arrays for a future version, so they get their own
    /// message.
    fn report_result(&self, world: &World<'_>, found: Kind) {
        let Some(span) = self.span() else { return };
        let message = match found {
            Kind::Array => {
                "the lambda of a `validate` returns an array, which is not supported; expected a Boolean".to_owned()
            }
            _ => format!(
                "the lambda of a `validate` returns an invalid value: it must be a Boolean, found {}",
                article(found)
            ),
        };
        world.report(Diagnostic::new(Code::TemplateValidate, span, message));
    }
}
