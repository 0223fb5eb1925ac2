//! Empty values that stand for values that are still to be filled in, as in a parameter file that is a form, or in the
//! defaults of a template that others link to.
//!
//! An empty value is a value like any other, until an expression fails with it: then the parameter is wrong, and not
//! the expression.

use std::cell::Cell;

use crate::eval::{Evaluator, Frames};
use crate::expr::{Expr, ExprKind, Target, TextKind, text_kind};
use crate::fault::Fault;
use crate::model::{Issue, join_key};
use crate::text::Span;
use crate::value::{Data, Str, Traits, Value, Via};
use foldhash::HashMap;
use formwork_model::declare_checks;

declare_checks! {
    pub(crate) const CHECKS;

    PARAMETER_EMPTY = Deployment Medium "parameter/empty" "Parameter.Empty"
        "A parameter file should not leave a value empty that the template needs"
        "An expression that takes a part of an empty value fails, so the deployment does."
        "Fill in the value of the parameter."
        .azure("templates/parameters");
}

/// Maximum number of parts of expressions to search for a blank.
const MAX_PARTS: usize = 1_000;

/// Maximum number of steps of a value's provenance to follow.
const MAX_STEPS: usize = 64;

/// The functions whose value an expression does not compute itself.
const SOURCES: &[&str] = &["parameters", "reference", "variables"];

/// The empty strings among the values, and the empty objects and arrays among the defaults, of the parameters of the root template, by their place.
#[derive(Debug, Default)]
pub struct Blanks {
    by_place: HashMap<Span, Blank>,
}

#[derive(Debug)]
struct Blank {
    parameter: Str,
    /// True if the blank is in a parameter file, and not in a default.
    is_given: bool,
}

impl Blanks {
    /// Collects the blanks of the parameter file. Without one, collects those of the template's defaults, since the
    /// deployed values are unknown.
    pub fn new(template: &Value, file: Option<&Value>) -> Self {
        let mut blanks = Self::default();
        let (source, key) = file.map_or((template, "defaultValue"), |file| (file, "value"));
        for member in source.get("parameters").and_then(Value::as_object).into_iter().flatten() {
            if let Some(value) = member.value.get(key) {
                blanks.add(&member.key, value, file.is_some());
            }
        }
        blanks
    }

    fn add(&mut self, parameter: &Str, value: &Value, is_given: bool) {
        match &value.data {
            _ if is_blank(value) && (!is_given || value.as_str().is_some()) => {
                let blank = Blank { parameter: parameter.clone(), is_given };
                self.by_place.extend(value.span.map(|span| (span, blank)));
            }
            Data::Array(items) => items.iter().for_each(|item| self.add(parameter, item, is_given)),
            Data::Object(object) => object.iter().for_each(|member| self.add(parameter, &member.value, is_given)),
            _ => {}
        }
    }

    /// Returns the name of the parameter whose value, or a part of it, is at `place`.
    pub fn parameter(&self, place: Span) -> Option<&Str> {
        self.by_place.get(&place).map(|blank| &blank.parameter)
    }

    /// Returns the issue of a blank that makes an expression fail. `None` if the blank is in a default.
    pub fn issue(&self, place: Span, fault: &Fault) -> Option<Issue> {
        let Blank { parameter, .. } = self.by_place.get(&place).filter(|blank| blank.is_given)?;
        let message = format!("parameter `{parameter}` is empty; expected a value, without which an expression fails");
        let path = join_key("parameters", parameter);
        let issue = Issue::new(PARAMETER_EMPTY, path, place, message);
        Some(match fault.span() {
            Some(span) => issue.with_label(span, fault.message()),
            None => issue,
        })
    }

    /// Returns the span of the blank that `value` comes from. `None` if `value` is not empty or does not come from a
    /// blank.
    fn origin(&self, value: &Value) -> Option<Span> {
        if !is_blank(value) {
            return None;
        }
        let mut pending: Vec<&Via> = value.via.iter().map(|via| &**via).collect();
        let mut places = vec![value.span];
        while let Some(via) = pending.pop().filter(|_| places.len() < MAX_STEPS) {
            places.push(via.span);
            pending.extend(via.earlier.iter().map(|via| &**via));
        }
        places.into_iter().flatten().find(|place| self.by_place.contains_key(place))
    }
}

/// Returns `true` for an empty string, object, or array.
fn is_blank(value: &Value) -> bool {
    match &value.data {
        Data::String(text) => text.is_empty(),
        Data::Object(object) => object.is_empty(),
        Data::Array(items) => items.is_empty(),
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Returns the span of a blank that a failed expression depends on.
    pub(super) fn blank_behind(&self, expr: &Expr, frames: &Frames) -> Option<Span> {
        let blanks = self.world.blanks.borrow();
        if blanks.by_place.is_empty() {
            return None;
        }
        Search { evaluator: self, blanks: &blanks, left: Cell::new(MAX_PARTS) }.in_expression(expr, frames)
    }
}

/// The search for a blank in an expression, and in the variables that it uses.
struct Search<'a, 'w> {
    evaluator: &'a Evaluator<'w>,
    blanks: &'a Blanks,
    /// Number of parts of expressions that the search may still visit.
    left: Cell<usize>,
}

impl Search<'_, '_> {
    fn in_expression(&self, expr: &Expr, frames: &Frames) -> Option<Span> {
        self.left.set(self.left.get().checked_sub(1)?);
        let _level = self.evaluator.world.deeper().ok()?;
        let next = |inner: &Expr| self.in_expression(inner, frames);
        let found = || {
            let value = is_source(expr).then(|| self.evaluator.eval(expr, frames).ok()).flatten()?;
            self.blanks.origin(&value)
        };
        match &expr.kind {
            ExprKind::Literal(_) => None,
            ExprKind::Property(base, _) => found().or_else(|| next(base)),
            ExprKind::Index(base, index) => found().or_else(|| next(index)).or_else(|| next(base)),
            ExprKind::Call(Target::Builtin(function), arguments) if function.name == "variables" => {
                let Some(ExprKind::Literal(name)) = arguments.first().map(|argument| &argument.kind) else {
                    return None;
                };
                found().or_else(|| self.in_value(self.evaluator.level.variables.written(name.as_str()?)?))
            }
            ExprKind::Call(_, arguments) => found().or_else(|| arguments.iter().find_map(next)),
        }
    }

    fn in_value(&self, value: &Value) -> Option<Span> {
        if !value.traits.has(Traits::DYNAMIC) {
            return None;
        }
        match &value.data {
            Data::String(text) if text_kind(text) == TextKind::Expression => {
                let expr = self.evaluator.world.parse(text).ok()?;
                self.in_expression(&expr, &Frames::None)
            }
            Data::Array(items) => items.iter().find_map(|item| self.in_value(item)),
            Data::Object(object) => object.iter().find_map(|member| self.in_value(&member.value)),
            _ => None,
        }
    }
}

/// Returns `true` if `expr` is a parameter, a variable, a reference, or a property or an item of one.
fn is_source(expr: &Expr) -> bool {
    let mut base = expr;
    loop {
        match &base.kind {
            ExprKind::Property(inner, _) | ExprKind::Index(inner, _) => base = inner,
            ExprKind::Call(Target::Builtin(function), _) => return SOURCES.contains(&function.name),
            ExprKind::Call(..) | ExprKind::Literal(_) => return false,
        }
    }
}
