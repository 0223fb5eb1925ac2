//! `validate`: lambdas that say whether a value may be.
//!
//! Reference: REP 0010, "Custom validation decorators". The keyword is an array of one lambda, or of lambdas with a
//! message behind each.

use std::rc::Rc;

use crate::arm::eval::{Binding, Evaluator, Frame, Frames, World};
use crate::arm::expr::{Expr, ExprKind, Target, TextKind, text_kind};
use crate::arm::functions::article;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::{Data, Kind, Str, Value};

/// One lambda of a `validate`, with the message behind it.
#[derive(Debug)]
pub(super) struct Validator {
    /// The text of the lambda.
    lambda: Value,
    /// What its author says where it gives `false`.
    pub(super) message: Option<Str>,
}

/// What a lambda says of a value.
#[derive(Debug)]
pub(super) enum Verdict {
    Accepted,
    Rejected,
    /// It hangs on something unknown, for this reason.
    Unknown(Str),
    /// There is no verdict, and a diagnostic says why.
    Faulty,
}

/// The lambdas of a `validate` with their messages. What is not written by the rules is left out: [`inspect`] reports it.
pub(super) fn read(declared: &Value) -> Vec<Validator> {
    let pairs = declared.as_array().unwrap_or_default().chunks(2);
    let validator = |pair: &[Value]| Validator {
        lambda: pair[0].clone(),
        message: pair.get(1).and_then(Value::as_shared_str).map(unescaped),
    };
    pairs.map(validator).collect()
}

fn unescaped(text: &Str) -> Str {
    if text_kind(text) == TextKind::Escaped { Str::from(&text[1..]) } else { text.clone() }
}

/// Reports what is wrong with a `validate` as it is written.
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
        odd if odd > 1 && odd % 2 == 1 => {
            broken(declared, format!("`validate` must have one element or an even number of them, found {odd}"));
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

const HELP: &str = "write `\"validate\": [\"[lambda('x', …)]\", \"message\"]`, with as many such pairs as are wanted";

fn problem_of_message(element: &Value) -> Option<String> {
    match element.as_str() {
        None => Some(format!("must be a message, a string, found {}", article(element.kind()))),
        Some(text) if text_kind(text) == TextKind::Expression => {
            Some("must be a message, a plain string, found an expression".to_owned())
        }
        Some(_) => None,
    }
}

/// A lambda that is written by the rules.
struct Lambda {
    text: Str,
    /// The whole expression: a call with a name and a body.
    call: Rc<Expr>,
}

impl Lambda {
    /// The lambda of an element, or what is wrong with it.
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

    /// The name of the variable, and the body.
    fn parts(&self) -> Result<(&Str, &Expr), String> {
        let ExprKind::Call(target, arguments) = &self.call.kind else {
            return Err("must call `lambda`, and calls nothing".to_owned());
        };
        match target {
            Target::Builtin(function) if function.name == "lambda" => {}
            Target::Builtin(function) => return Err(format!("must call `lambda`, found `{}`", function.name)),
            Target::User { namespace, name } => return Err(format!("must call `lambda`, found `{namespace}.{name}`")),
            Target::Unknown(name) => return Err(format!("must call `lambda`, found `{name}`")),
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
    /// Where the lambda stands.
    pub(super) fn span(&self) -> Option<Span> {
        self.lambda.span
    }

    /// What the lambda says of a value, which is neither null nor unknown.
    pub(super) fn judge(&self, evaluator: &Evaluator<'_>, value: &Value) -> Verdict {
        let Ok(lambda) = Lambda::new(&self.lambda, evaluator.world) else { return Verdict::Faulty };
        let Ok((name, body)) = lambda.parts() else { return Verdict::Faulty };
        let frames = Frame::push(&Frames::None, Binding::Lambda(name.clone(), value.clone()));
        match evaluator.eval_part(&self.lambda, &lambda.text, body, &frames) {
            Ok(result) => self.verdict(evaluator, &result),
            Err(fault) => {
                evaluator.report(&fault, self.span());
                Verdict::Faulty
            }
        }
    }

    fn verdict(&self, evaluator: &Evaluator<'_>, result: &Value) -> Verdict {
        match &result.data {
            Data::Bool(true) => Verdict::Accepted,
            Data::Bool(false) => Verdict::Rejected,
            Data::Unknown(unknown) => Verdict::Unknown(unknown.why.clone()),
            _ => {
                self.report_result(evaluator.world, result.kind());
                Verdict::Faulty
            }
        }
    }

    /// A `null` and a string are wrong results like any other; arrays are kept for a contract that is still to come.
    fn report_result(&self, world: &World<'_>, found: Kind) {
        let Some(span) = self.span() else { return };
        let message = match found {
            Kind::Array => {
                "the lambda of a `validate` gives an array, which is not supported: a bool is wanted".to_owned()
            }
            _ => format!(
                "the lambda of a `validate` gives an invalid value: it must be a bool, found {}",
                article(found)
            ),
        };
        world.report(Diagnostic::new(Code::TemplateValidate, span, message));
    }
}
