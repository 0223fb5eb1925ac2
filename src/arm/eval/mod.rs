//! Evaluating expressions.
//!
//! Evaluation is lazy: parameters and variables are evaluated when they are first asked for, and once. A failing
//! expression is reported at its place and becomes an unknown; everything that does not hang on it goes on.

mod access;
mod definitions;
mod expand;
mod extensions;
mod frame;
mod invoke;
mod user;
mod world;

use std::rc::Rc;

use crate::arm::expr::{Expr, ExprKind, Target};
use crate::arm::fault::Fault;
use crate::arm::functions;
use crate::arm::scope::DeploymentScope;
use crate::arm::types::Types;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::{Data, Kind, Str, Unknown, Value};

pub(super) use self::access::index as part;
pub(crate) use self::definitions::{Definitions, Given, Supplied};
pub(crate) use self::extensions::Extensions;
pub(crate) use self::frame::{Binding, Frame, Frames, Loop, arguments, find_lambda_variable, find_loop};
pub(crate) use self::invoke::{all_secret as make_secret, undecided, undecided_between};
pub(crate) use self::user::UserFunctions;
pub(crate) use self::world::{Resources, World};

/// One template with the arguments it is deployed with: what names in its expressions stand for.
#[derive(Debug)]
pub struct Level {
    /// `parameters()`
    pub parameters: Definitions,
    /// `variables()`
    pub variables: Definitions,
    /// The functions that the template defines.
    pub functions: UserFunctions,
    /// The types of the template.
    pub types: Rc<Types>,
    /// What `resourceGroup()`, `subscription()` and the `resourceId` family speak of.
    pub scope: DeploymentScope,
    /// `deployment()`
    pub deployment: Value,
    /// `extensions()`
    pub extensions: Extensions,
    /// The parameter file whose expressions these are: the only place that knows external inputs. Else `null`.
    pub parameter_file: Value,
}

impl Level {
    /// A level whose expressions see nothing but the scope.
    pub fn bare(scope: DeploymentScope) -> Self {
        Self {
            parameters: Definitions::default(),
            variables: Definitions::default(),
            functions: UserFunctions::new(Value::NULL),
            types: Rc::default(),
            scope,
            deployment: Value::NULL,
            extensions: Extensions::default(),
            parameter_file: Value::NULL,
        }
    }
}

/// Evaluates the expressions of one level.
#[derive(Clone, Debug)]
pub struct Evaluator<'w> {
    /// What all levels share.
    pub world: &'w World<'w>,
    /// The level.
    pub level: Rc<Level>,
    /// Number of the deployment whose symbolic names are meant: an index of the [`Resources`] of the world.
    pub deployment: usize,
}

impl Evaluator<'_> {
    /// The value of an expression.
    pub fn eval(&self, expr: &Expr, frames: &Frames) -> Result<Value, Fault> {
        // Properties in a row are walked, not recursed into: only calls count for the limit on depth.
        let mut trailers = Vec::new();
        let mut base = expr;
        while let ExprKind::Property(inner, _) | ExprKind::Index(inner, _) = &base.kind {
            trailers.push(base);
            base = inner;
        }
        let value = match &base.kind {
            ExprKind::Literal(value) => return Ok(value.clone()),
            ExprKind::Call(target, arguments) => self.world.deeper(|| self.call(target, arguments, frames)),
            ExprKind::Property(..) | ExprKind::Index(..) => unreachable!("the loop above ends at another kind"),
        };
        let value = value.map_err(|fault| match &base.kind {
            // Of a call of nothing the name is what is wrong.
            ExprKind::Call(Target::Unknown(name), _) => fault.in_text(base.start, base.start + length(name)),
            _ => fault.in_text(base.start, base.end),
        })?;
        trailers.iter().rev().try_fold(value, |value, trailer| {
            let (part, start) = match &trailer.kind {
                ExprKind::Property(_, name) => (access::property(&value, name), before(trailer.end, name)),
                ExprKind::Index(base, index) => {
                    (self.eval(index, frames).and_then(|at| access::index(&value, &at)), base.end)
                }
                ExprKind::Literal(_) | ExprKind::Call(..) => return Ok(value),
            };
            part.map_err(|fault| fault.in_text(start, trailer.end))
        })
    }

    fn call(&self, target: &Target, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
        match target {
            Target::Builtin(function) => self.invoke(function, arguments, frames),
            Target::User { namespace, name } => self.call_user(namespace, name, arguments, frames),
            Target::Unknown(name) => {
                let hint = functions::hint(name);
                Err(Fault::new(Code::ExpressionUnknownFunction, format!("there is no function `{name}`{hint}")))
            }
        }
    }

    /// The value of a text that is an expression. A fault is placed in the file.
    pub fn eval_text(&self, value: &Value, text: &Str, frames: &Frames) -> Result<Value, Fault> {
        let expr = self.world.parse(text);
        let expr = expr.map_err(|fault| fault.in_file(|offsets| place_in_text(value.span, text, offsets)))?;
        self.eval_part(value, text, &expr, frames)
    }

    /// The value of a part of the expression that a text is. A fault is placed in the file.
    pub fn eval_part(&self, value: &Value, text: &Str, part: &Expr, frames: &Frames) -> Result<Value, Fault> {
        let result = self.eval(part, frames);
        result.map_err(|fault| fault.in_file(|offsets| place_in_text(value.span, text, offsets)))
    }

    /// Notes a fault as a problem of the user's file. A fault without a place is put at `span`.
    pub fn report(&self, fault: &Fault, span: Option<Span>) {
        if let Some(span) = fault.span().or(span) {
            self.world.report(Diagnostic::new(fault.code(), span, fault.message()));
        }
    }

    /// The unknown that stands where evaluation failed.
    pub fn failed(&self, fault: &Fault, span: Option<Span>) -> Value {
        self.report(fault, span);
        let unknown = Value::unknown(Unknown::new(Kind::Any, format!("its expression fails: {fault}")));
        Value { span, ..unknown }
    }
}

/// Bytes that the quotes around a string literal take.
const QUOTES: usize = 2;

/// Where offsets in the decoded text of a string literal are in its file. A text with escapes is only placed as a
/// whole: positions inside are worth an exact answer where the author can see them.
pub(in crate::arm) fn place_in_text(span: Option<Span>, text: &str, offsets: Option<(u32, u32)>) -> Option<Span> {
    let span = span?;
    let Some((start, end)) = offsets else { return Some(span) };
    let first = match ((span.end - span.start) as usize).checked_sub(text.len()) {
        Some(0) => span.start,
        Some(QUOTES) => span.start + 1,
        _ => return Some(span),
    };
    Some(Span::new(span.file, first + start, first + end))
}

fn length(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// Where a text that ends at `end` begins.
fn before(end: u32, text: &str) -> u32 {
    end.saturating_sub(length(text))
}

/// A value as it stands where an expression put it: at the place of the expression, with the chain behind it.
fn put(value: Value, span: Option<Span>) -> Value {
    match value.data {
        // A missing argument of an author's own text: nothing to say about its origin.
        Data::Null => Value { span, ..value },
        _ => Value { span: span.or(value.span), ..value },
    }
}
