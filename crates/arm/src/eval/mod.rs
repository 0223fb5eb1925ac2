//! Evaluation of expressions.
//!
//! Evaluation is lazy: parameters and variables are evaluated once, when they are first used. A failing expression is
//! reported where it is written and becomes an unknown; everything that does not depend on it is still evaluated.
//!
//! # Invariants
//!
//! - Evaluation does not use the clock, random numbers, the environment, or files. The same input produces the same
//!   output, byte for byte.
//! - An expression that fails is reported once, where it is written, and its value becomes unknown. Everything that
//!   does not depend on it is still evaluated.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod access;
mod blank;
mod definitions;
mod expand;
mod extensions;
mod frame;
mod invoke;
mod placeholder;
mod replaced;
mod user;
mod world;

pub(crate) use self::blank::CHECKS;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Expr, ExprKind, Target};
use crate::fault::Fault;
use crate::functions;
use crate::scope::DeploymentScope;
use crate::text::Span;
use crate::types::Types;
use crate::value::{Data, Kind, Str, Traits, Unknown, Value};

pub(super) use self::access::index as part;
pub use self::blank::Blanks;
pub use self::definitions::{Definitions, Given, Supplied};
pub use self::extensions::Extensions;
pub use self::frame::{Binding, Frame, Frames, Loop, arguments, find_lambda_variable, find_loop};
pub use self::invoke::{assumed, undecided, undecided_between};
pub use self::placeholder::{decisive, dependent};
pub use self::replaced::{has_placeholder, settled};
pub use self::user::UserFunctions;
pub use self::world::{Dialect, Resources, World};

/// A template in the nesting of deployments, with its arguments: everything that names in its expressions refer to.
#[derive(Debug)]
pub struct TemplateLevel {
    /// Definitions that `parameters()` refers to.
    pub parameters: Definitions,
    /// Definitions that `variables()` refers to.
    pub variables: Definitions,
    /// The user-defined functions of the template.
    pub functions: UserFunctions,
    /// The type definitions of the template.
    pub types: Rc<Types>,
    /// The scope that `resourceGroup()`, `subscription()` and the `resourceId` family refer to.
    pub scope: DeploymentScope,
    /// True if the scope of a single expression is unknown, so that it may use the functions of all scopes.
    pub is_scope_assumed: bool,
    /// The value of `deployment()`, before secrets are marked.
    pub deployment: Value,
    /// The value of `deployment()` with secrets marked, once it has been needed.
    pub shown_deployment: OnceCell<Value>,
    /// Extensions that `extensions()` refers to.
    pub extensions: Extensions,
    /// The parameter file whose expressions are evaluated, since only those can use external inputs. Null for the
    /// expressions of a template.
    pub parameter_file: Value,
    /// True if the template may never be deployed: see [`Evaluator::is_guarded`].
    pub is_guarded: bool,
}

impl TemplateLevel {
    /// Creates a template without parameters, variables or functions, whose expressions see only the scope.
    pub fn bare(scope: DeploymentScope) -> Self {
        Self {
            parameters: Definitions::default(),
            variables: Definitions::default(),
            functions: UserFunctions::new(Value::NULL),
            types: Rc::default(),
            scope,
            is_scope_assumed: false,
            deployment: Value::NULL,
            shown_deployment: OnceCell::new(),
            extensions: Extensions::default(),
            parameter_file: Value::NULL,
            is_guarded: false,
        }
    }
}

/// Evaluates the expressions of one template.
#[derive(Clone, Debug)]
pub struct Evaluator<'w> {
    /// The state that all templates of a document share.
    pub world: &'w World<'w>,
    /// The template whose expressions are evaluated, with its arguments.
    pub level: Rc<TemplateLevel>,
    /// The deployment that symbolic names refer to, as an index into the [`Resources`] of the world.
    pub deployment: usize,
    /// True if the expressions may never be evaluated in a deployment, because a condition is false or unknown. Then a
    /// fault only explains an unknown, since the condition may prevent it.
    pub is_guarded: bool,
}

impl<'w> Evaluator<'w> {
    /// Evaluates the expressions of a template, outside any condition of its own.
    pub fn new(world: &'w World<'w>, level: Rc<TemplateLevel>, deployment: usize) -> Self {
        let is_guarded = level.is_guarded;
        Self { world, level, deployment, is_guarded }
    }

    /// Marks the evaluator as guarded if `is_guarded`, for expressions that may never be evaluated in a deployment: see
    /// [`Evaluator::is_guarded`].
    #[must_use]
    pub fn guarded_if(&self, is_guarded: bool) -> Self {
        Self { is_guarded: self.is_guarded || is_guarded, ..self.clone() }
    }
}

impl Evaluator<'_> {
    /// Evaluates an expression.
    pub fn eval(&self, expr: &Expr, frames: &Frames) -> Result<Value, Fault> {
        // A chain of properties is walked in a loop, so that only calls count towards the limit on depth.
        let mut trailers = Vec::new();
        let mut base = expr;
        let (target, value) = loop {
            match &base.kind {
                ExprKind::Literal(value) => return Ok(value.clone()),
                ExprKind::Call(target, arguments) => {
                    if let Some(value) = self.property_of_call(target, arguments, &trailers) {
                        trailers.pop();
                        break (target, self.world.step(1).map(|()| value));
                    }
                    let level = self.world.deeper();
                    break (target, level.and_then(|_level| self.call(target, arguments, frames)));
                }
                ExprKind::Property(inner, _) | ExprKind::Index(inner, _) => {
                    trailers.push(base);
                    base = inner;
                }
            }
        };
        let value = value.map_err(|fault| match target {
            // Only the name is wrong.
            Target::Unknown(name) => fault.in_text(base.start, base.start + length(name)),
            Target::Builtin(_) | Target::User { .. } => fault.in_text(base.start, base.end),
        })?;
        let value = trailers.iter().rev().try_fold(value, |value, trailer| {
            let (part, start) = match &trailer.kind {
                ExprKind::Property(_, name) => (access::property(&value, name), before(trailer.end, name)),
                ExprKind::Index(base, index) => {
                    let part = self.eval(index, frames).and_then(|at| {
                        let is_dependent = at.traits.has(Traits::PLACEHOLDER);
                        let part = access::index(&value, &at)?;
                        Ok(if is_dependent { dependent(part) } else { part })
                    });
                    (part, base.end)
                }
                ExprKind::Literal(_) | ExprKind::Call(..) => return Ok(value),
            };
            part.or_else(|fault| self.absent(target).ok_or_else(|| fault.in_text(start, trailer.end)))
        })?;
        self.world.note_secret(&value);
        Ok(value)
    }

    /// Returns the last trailer's property of the result of a call, if the function finds it without the rest.
    fn property_of_call(&self, target: &Target, arguments: &[Expr], trailers: &[&Expr]) -> Option<Value> {
        let (Target::Builtin(function), []) = (target, arguments) else { return None };
        let ExprKind::Property(_, name) = &trailers.last()?.kind else { return None };
        function.property?(self, name)
    }

    /// Returns the value of a property that is missing in the result of a call. `None` if the language defines none.
    fn absent(&self, target: &Target) -> Option<Value> {
        self.world.dialect?.absent(target.name())
    }

    fn call(&self, target: &Target, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
        if let Some(dialect) = self.world.dialect.filter(|dialect| dialect.defines(target.name())) {
            self.world.step(1)?;
            let values = arguments.iter().map(|argument| self.eval(argument, frames)).collect::<Result<Vec<_>, _>>()?;
            let result = dialect.call(self, target.name(), &values).map_err(|fault| fault.without_secrets(&values))?;
            self.charge(&result)?;
            return Ok(result);
        }
        match target {
            Target::Builtin(function) => self.invoke(function, arguments, frames),
            Target::User { namespace, name } => self.call_user(namespace, name, arguments, frames),
            Target::Unknown(name) => {
                let hint = functions::hint(name, &self.world.suggestions);
                Err(Fault::new(Code::ExpressionUnknownFunction, format!("there is no function `{name}`{hint}")))
            }
        }
    }

    /// Evaluates a string that is an expression. `value` is the string with its span, which locates a fault.
    pub fn eval_text(&self, value: &Value, text: &Str, frames: &Frames) -> Result<Value, Fault> {
        let expr = self.world.parse(text);
        let expr = expr.map_err(|fault| fault.in_file(|offsets| place_in_text(value.span, text, offsets)))?;
        self.eval_part(value, text, &expr, frames)
    }

    /// Evaluates a part of the parsed expression of a string: see [`Evaluator::eval_text`].
    pub fn eval_part(&self, value: &Value, text: &Str, part: &Expr, frames: &Frames) -> Result<Value, Fault> {
        self.eval(part, frames).map_err(|fault| {
            let blank = if fault.is_textual() { None } else { self.blank_behind(part, frames) };
            fault.because_of(blank).in_file(|offsets| place_in_text(value.span, text, offsets))
        })
    }

    /// Reports a fault as a diagnostic, unless a condition may prevent it. `span` is used for a fault without a location;
    /// without either, nothing is reported.
    pub fn report(&self, fault: &Fault, span: Option<Span>) {
        if self.is_guarded && !fault.is_textual() {
            return;
        }
        if let Some(blank) = fault.blank() {
            return self.world.report_blank(blank, fault);
        }
        if let Some(span) = fault.span().or(span) {
            self.world.report(Diagnostic::new(fault.code(), span, fault.message()));
        }
    }

    /// Reports a fault, and returns the unknown that replaces the failed expression.
    pub fn failed(&self, fault: &Fault, span: Option<Span>) -> Value {
        self.report(fault, span);
        let blank = fault.blank().and_then(|place| self.world.blanks.borrow().parameter(place).cloned());
        let why = match blank {
            Some(parameter) => format!("parameter `{parameter}` is empty"),
            None => format!("its expression fails: {fault}"),
        };
        let unknown = Value::unknown(Unknown::new(Kind::Any, why));
        Value { span, ..unknown }
    }
}

/// Bytes that the quotes around a string literal take.
const QUOTES: usize = 2;

/// Maps offsets in the decoded content of a string literal to a span in its file. If the literal contains escapes, the
/// offsets do not match the file, and the span is that of the whole literal.
pub(crate) fn place_in_text(span: Option<Span>, text: &str, offsets: Option<(u32, u32)>) -> Option<Span> {
    let span = span?;
    let Some((start, end)) = offsets else { return Some(span) };
    let first = match ((span.end - span.start) as usize).checked_sub(text.len()) {
        Some(0) => span.start,
        Some(QUOTES) => span.start + 1,
        _ => return Some(span),
    };
    Some(Span::new(span.file, first + start, first + end))
}

/// Returns the length in bytes as an offset.
fn length(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// Returns the offset of the start of `text`, which ends at `end`.
fn before(end: u32, text: &str) -> u32 {
    end.saturating_sub(length(text))
}

/// Gives the value of an expression the span of the expression. Its provenance stays.
fn put(value: Value, span: Option<Span>) -> Value {
    match value.data {
        // A null mostly means that something is missing, so where it was written is of no interest.
        Data::Null => Value { span, ..value },
        _ => Value { span: span.or(value.span), ..value },
    }
}
