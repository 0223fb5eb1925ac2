//! Conversion of Bicep expressions to JSON: literals remain literals, everything else becomes a string with a
//! formula.

use crate::compiler::calls::is_other_scope;
use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::formula::{Formula, looks_like_formula};
use crate::compiler::functions::Namespace;
use crate::compiler::loaded::Load;
use crate::compiler::members::{generated, member};
use crate::compiler::model::Symbol;
use crate::compiler::references::transparent;
use crate::compiler::scope::{FrameKind, Scope, find, inside};
use crate::language::ast::{Expr, ExprKind, For, Item, Property, Text, Unary};
use crate::text::Span;
use crate::value::{Data, Member, Value};

impl<'w> Emitter<'w> {
    /// Converts an expression to JSON. If this fails, the problem has been reported, and the value is unknown in a
    /// template.
    pub(super) fn value(&self, expr: &'w Expr, scope: &Scope<'w>) -> Made<Value> {
        let made = self.deeper(expr.span, || {
            if self.world.is_refused(expr.span) { Err(Failed) } else { self.value_one(expr, scope) }
        });
        made.or_else(|failed| self.written(&self.or_unknown(failed)?, expr.span))
    }

    fn value_one(&self, expr: &'w Expr, scope: &Scope<'w>) -> Made<Value> {
        let span = expr.span;
        let expr = transparent(expr);
        match &expr.kind {
            ExprKind::Null => Ok(Value::NULL.at(span)),
            ExprKind::Bool(value) => Ok(Value::from(*value).at(span)),
            ExprKind::Int(value) if i64::try_from(*value).is_ok() => {
                Ok(Value::from(i64::try_from(*value).unwrap_or_default()).at(span))
            }
            ExprKind::Unary(Unary::Minus, inner) => match &inner.kind {
                ExprKind::Int(value) => match i64::try_from(-i128::from(*value)) {
                    Ok(value) => Ok(Value::from(value).at(span)),
                    Err(_) => self.fail_as("BCP010", span, "the number needs more than 64 bits"),
                },
                _ => self.formula_value(expr, scope, span),
            },
            ExprKind::Object(items) if !items.iter().any(|item| matches!(item, Item::Spread(_))) => {
                let properties = items.iter().filter_map(|item| match item {
                    Item::Property(property) => Some(property),
                    _ => None,
                });
                let members = self.members(properties, scope)?;
                Ok(Value::object(members).at(span))
            }
            ExprKind::Array(items) if !items.iter().any(|item| item.is_spread) => {
                let items: Made<Vec<Value>> = items.iter().map(|item| self.value(&item.value, scope)).collect();
                Ok(Value::array(items?).at(span))
            }
            ExprKind::Variable(name) => {
                if let Some(value) = self.written_out(&name.text, scope) {
                    return Ok(self.value(value, &None)?.at(span));
                }
                self.formula_value(expr, scope, span)
            }
            ExprKind::Call { name, arguments } | ExprKind::Method { name, arguments, .. }
                if self.is_scope(expr, &name.text, arguments.len()) =>
            {
                self.convert(expr, scope)?;
                Ok(Value::object(Vec::new()).at(span))
            }
            ExprKind::Call { .. } | ExprKind::Method { .. } => {
                match self.world.loads.get(self.model.id.0).and_then(|loads| loads.get(expr.span)) {
                    Some(Load { variable: None, value }) => Ok(literal(value).at(span)),
                    _ => self.formula_value(expr, scope, span),
                }
            }
            _ => self.formula_value(expr, scope, span),
        }
    }

    fn is_scope(&self, expr: &Expr, name: &str, arguments: usize) -> bool {
        let is_built_in = match &expr.kind {
            ExprKind::Method { base, .. } => {
                matches!(&base.kind, ExprKind::Variable(name) if self.model.namespace(&name.text) == Some(Namespace::Az))
            }
            _ => !self.model.symbols.contains_key(name),
        };
        is_built_in && is_other_scope(name, arguments)
    }

    fn formula_value(&self, expr: &'w Expr, scope: &Scope<'w>, span: Span) -> Made<Value> {
        self.written(&self.convert(expr, scope)?, span)
    }

    /// Returns the members of an object. Properties whose values are loops become one member `copy`.
    pub(super) fn members(
        &self,
        properties: impl Iterator<Item = &'w Property>,
        scope: &Scope<'w>,
    ) -> Made<Vec<Member>> {
        let (mut copies, mut members) = (Vec::new(), Vec::new());
        for Property { key, value } in properties {
            match (&value.kind, key.literal()) {
                (ExprKind::For(iteration), Some(name)) if !self.is_parameter_file() => {
                    copies.push(self.copy(Some(name), iteration, key.span.to(value.span), scope, None)?);
                }
                (ExprKind::For(_), None) if !self.is_parameter_file() => {
                    return self.fail_as(
                        "BCP143",
                        key.span,
                        "the name of a property with a loop cannot have interpolations",
                    );
                }
                _ => members.push(member(self.key(key, scope)?, key.span, self.value(value, scope)?)),
            }
        }
        if let Some(span) = copies.first().and_then(|copy: &Value| copy.span) {
            members.insert(0, generated("copy", Value::array(copies), span));
        }
        Ok(members)
    }

    /// Returns the name of a property in JSON.
    pub(super) fn key(&self, key: &'w Text, scope: &Scope<'w>) -> Made<String> {
        let name = self.string(&self.text(key, scope)?, key.span)?;
        Ok(if name.eq_ignore_ascii_case("copy") { escaped_copy(&name) } else { name })
    }

    /// Returns an entry of `copy` for a loop. `index` is the name of the index, if it differs from the property's.
    pub(super) fn copy(
        &self,
        name: Option<&str>,
        iteration: &'w For,
        span: Span,
        scope: &Scope<'w>,
        index: Option<&str>,
    ) -> Made<Value> {
        let mut members = Vec::new();
        if let Some(name) = index.or(name) {
            members.push(generated("name", Value::from(name), span));
        }
        members.push(self.count(iteration, scope)?);
        let position = match name {
            Some(name) => Formula::named("copyIndex", name),
            None => Formula::call("copyIndex", Vec::new()),
        };
        let inner = inside(scope, FrameKind::Loop(iteration, position));
        let body = &iteration.body;
        let input = match &transparent(body).kind {
            _ if index.is_some() => self.input_with_index(body, &inner, index.unwrap_or_default())?,
            ExprKind::Object(items) if !items.iter().any(|item| matches!(item, Item::Spread(_))) => {
                self.value(body, &inner)?
            }
            ExprKind::Text(text) if text.literal().is_some() => self.value(body, &inner)?,
            _ => {
                let formula = Formula::Call(self.convert(body, &inner)?.into_call());
                self.written(&formula, body.span)?
            }
        };
        members.push(generated("input", input, body.span));
        Ok(Value::object(members).at(span))
    }

    /// Returns the value of a variable that is written out where it is used.
    pub(super) fn written_out(&self, name: &str, scope: &Scope<'w>) -> Option<&'w Expr> {
        let is_local = find(scope, name, |id| self.model.child(id, name).is_some()).is_some();
        let Some(Symbol::Variable(at)) = self.model.symbols.get(name) else { return None };
        let is_inlined = self.is_home() && !is_local && self.settings.inlined.contains(at);
        self.model.variables.get(*at).filter(|_| is_inlined).and_then(|variable| variable.value)
    }

    /// Returns the input of a loop of a module's parameter: a formula in which all indexes have the same name.
    fn input_with_index(&self, body: &'w Expr, scope: &Scope<'w>, index: &str) -> Made<Value> {
        let formula = self.convert(body, scope)?;
        let is_direct = matches!(&transparent(body).kind, ExprKind::Object(_)) || body.literal().is_some();
        let formula = if is_direct { formula } else { Formula::Call(formula.into_call()) };
        self.written(&formula.with_copy_name(index), body.span)
    }

    /// Returns the `count` of a loop.
    pub(super) fn count(&self, iteration: &'w For, scope: &Scope<'w>) -> Made<Member> {
        let source = self.convert(&iteration.source, scope)?;
        let span = iteration.source.span;
        Ok(generated("count", self.written(&Formula::call("length", vec![source]), span)?, span))
    }
}

/// Escapes a name that Resource Manager would evaluate as a loop.
fn escaped_copy(name: &str) -> String {
    format!("[string('{name}')]")
}

/// Escapes a value for a template: strings that look like formulas, and names that Resource Manager would evaluate as
/// loops. Fractions become formulas.
pub(super) fn literal(value: &Value) -> Value {
    let escaped = match &value.data {
        Data::Float(_) => Value::from(format!("[json('{}')]", value.to_json())),
        Data::String(text) if looks_like_formula(text) => Value::from(format!("[{text}")),
        Data::Array(items) => Value::array(items.iter().map(literal).collect()),
        Data::Object(members) => {
            let members = members.iter().map(|member| {
                let key = match &*member.key {
                    key if looks_like_formula(key) => format!("[{key}").into(),
                    key if key.eq_ignore_ascii_case("copy") => escaped_copy(key).into(),
                    _ => member.key.clone(),
                };
                Member::new(key, literal(&member.value))
            });
            Value::object(members.collect())
        }
        _ => value.clone(),
    };
    Value { span: value.span, ..escaped }
}
