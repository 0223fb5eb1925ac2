//! Conversion of Bicep expressions to expressions of the template language.

use std::fmt::Write as _;

use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::formula::Formula;
use crate::compiler::model::Symbol;
use crate::compiler::references::{Referent, Via};
use crate::compiler::scope::{FrameKind, Local, Scope, find, inside};
use crate::language::ast::{ArrayItem, Binary, Expr, ExprKind, For, Item, Name, Property, Text, Unary};
use crate::text::Span;

impl<'w> Emitter<'w> {
    /// Converts an expression. If this fails, the problem has been reported, and the value is unknown in a template,
    /// so that expressions around it can still be evaluated, such as `false && x`.
    pub(super) fn convert(&self, expr: &'w Expr, scope: &Scope<'w>) -> Made<Formula> {
        let made = self.deeper(expr.span, || {
            if self.world.is_refused(expr.span) { Err(Failed) } else { self.convert_one(expr, scope) }
        });
        made.or_else(|failed| self.or_unknown(failed))
    }

    fn convert_one(&self, expr: &'w Expr, scope: &Scope<'w>) -> Made<Formula> {
        match &expr.kind {
            ExprKind::Skipped => Err(Failed),
            ExprKind::Null => Ok(Formula::null()),
            ExprKind::Bool(value) => Ok(Formula::call(if *value { "true" } else { "false" }, Vec::new())),
            ExprKind::Int(value) => self.integer(expr.span, i128::from(*value)),
            ExprKind::Text(text) => self.text(text, scope),
            ExprKind::Variable(name) => self.variable(name, scope),
            ExprKind::Object(items) => self.object_formula(items, scope),
            ExprKind::Array(items) => self.array_formula(items, scope),
            ExprKind::Paren(inner) | ExprKind::NonNull(inner) => self.convert(inner, scope),
            ExprKind::Unary(Unary::Minus, inner) => match &inner.kind {
                ExprKind::Int(value) => self.integer(expr.span, -i128::from(*value)),
                _ => Ok(Formula::call("sub", vec![Formula::Int(0), self.convert(inner, scope)?])),
            },
            ExprKind::Unary(Unary::Not, inner) => Ok(Formula::call("not", vec![self.convert(inner, scope)?])),
            ExprKind::Binary(operator, inner) => {
                let (left, right) = (self.convert(&inner.0, scope)?, self.convert(&inner.1, scope)?);
                Ok(binary(*operator, left, right))
            }
            ExprKind::Ternary(inner) => Ok(Formula::call(
                "if",
                vec![self.convert(&inner.0, scope)?, self.convert(&inner.1, scope)?, self.convert(&inner.2, scope)?],
            )),
            ExprKind::Call { name, arguments } => self.call(expr, name, arguments, scope),
            ExprKind::Method { base, name, arguments } => self.method(expr, base, name, arguments, scope),
            ExprKind::Property { .. } | ExprKind::Index { .. } => self.access(expr, scope),
            ExprKind::Nested { .. } => match self.subject(expr, scope, Via::Inlined)? {
                Some(subject) => self.whole(&subject),
                None => self.fail_as("BCP159", expr.span, "there is no resource of this name"),
            },
            ExprKind::Lambda { parameters, body } => self.lambda(parameters, body, scope),
            ExprKind::For(iteration) if self.is_parameter_file() => self.mapped(iteration, scope),
            ExprKind::For(_) => self.fail_as(
                "BCP138",
                expr.span,
                "a loop is only possible as the whole value of a property, variable, output, resource or module",
            ),
            ExprKind::If(_) => self.fail(expr.span, "`if` is only possible before the body of a resource or module"),
        }
    }

    fn integer(&self, span: Span, value: i128) -> Made<Formula> {
        match i64::try_from(value) {
            Ok(value) if i32::try_from(value).is_ok() => Ok(Formula::Int(value)),
            // Resource Manager reads integers in expressions as 32 bits.
            Ok(value) => Ok(Formula::named("json", &value.to_string())),
            Err(_) => self.fail_as("BCP010", span, "the number needs more than 64 bits"),
        }
    }

    pub(super) fn text(&self, text: &'w Text, scope: &Scope<'w>) -> Made<Formula> {
        if let Some(literal) = text.literal() {
            return Ok(Formula::text(literal));
        }
        let mut format = escape_braces(&text.first);
        for (at, interpolation) in text.interpolations.iter().enumerate() {
            let _ = write!(format, "{{{at}}}{}", escape_braces(&interpolation.text));
        }
        let mut arguments = vec![Formula::text(&format)];
        for value in text.values() {
            arguments.push(self.convert(value, scope)?);
        }
        Ok(Formula::call("format", arguments))
    }

    fn variable(&self, name: &'w Name, scope: &Scope<'w>) -> Made<Formula> {
        match find(scope, &name.text, |resource| self.model.child(resource, &name.text).is_some()) {
            Some(Local::Item(iteration, outer, index)) => {
                let source = self.convert(&iteration.source, &outer)?;
                return Ok(source.member(index));
            }
            Some(Local::Index(index)) => return Ok(index),
            Some(Local::Lambda) => return Ok(Formula::named("lambdaVariables", &name.text)),
            Some(Local::Function) => return Ok(Formula::named("parameters", &name.text)),
            Some(Local::Within(parent)) => {
                return match self.model.child(parent, &name.text) {
                    Some(id) => self.whole(&Referent::Resource(id, None)),
                    None => self.unknown_name(name),
                };
            }
            None => {}
        }
        match self.model.symbols.get(&*name.text) {
            // In a parameter file, the name of a parameter stands for its value.
            Some(Symbol::Param(at)) if self.model.is_parameters() => {
                match self.model.params.get(*at).and_then(|param| param.value) {
                    Some(value) => self.convert(value, &None),
                    None => self.unknown_name(name),
                }
            }
            None if &*name.text == "base" && !self.model.extends.is_empty() => self.fail_as(
                "BCP437",
                name.span,
                "`base` is only possible with the name of a parameter, such as `base.name`",
            ),
            Some(Symbol::Param(_)) => Ok(Formula::named("parameters", &name.text)),
            Some(Symbol::Variable(at)) => {
                if self.is_home()
                    && self.settings.inlined.contains(at)
                    && let Some(value) = self.model.variables.get(*at).and_then(|variable| variable.value)
                {
                    return self.convert(value, &None);
                }
                Ok(Formula::named("variables", &self.name_of(self.model.id, &name.text)))
            }
            Some(Symbol::Resource(id)) => self.whole(&Referent::Resource(*id, None)),
            Some(Symbol::Module(at)) => self.whole(&Referent::Module(*at, None)),
            Some(Symbol::Imported(unit, original)) if !self.is_imported(*unit, original) => Err(Failed),
            Some(Symbol::Imported(unit, original)) => Ok(Formula::named("variables", &self.name_of(*unit, original))),
            Some(Symbol::Extension) => Ok(Formula::named("extensions", &name.text)),
            Some(Symbol::Unknown) => Err(Failed),
            Some(Symbol::Type(_) | Symbol::Function(_) | Symbol::Wildcard(_)) => {
                self.fail_as("BCP063", name.span, format!("`{}` is not a value", name.text))
            }
            None => self.unknown_name(name),
        }
    }

    pub(super) fn unknown_name<T>(&self, name: &Name) -> Made<T> {
        let names = self.model.symbols.keys().copied();
        let hint = self.world.suggestions.did_you_mean(&name.text, names);
        self.fail(name.span, format!("`{}` is not declared{hint}", name.text))
    }

    fn lambda(&self, parameters: &'w [Name], body: &'w Expr, scope: &Scope<'w>) -> Made<Formula> {
        let inner = inside(scope, FrameKind::Lambda(parameters));
        let mut arguments: Vec<Formula> = parameters.iter().map(|name| Formula::text(&name.text)).collect();
        arguments.push(self.convert(body, &inner)?);
        Ok(Formula::call("lambda", arguments))
    }

    /// Converts a loop to a call of `map()`. Only parameter files allow this, because their values are computed at
    /// compile time.
    fn mapped(&self, iteration: &'w For, scope: &Scope<'w>) -> Made<Formula> {
        let count = Formula::call("length", vec![self.convert(&iteration.source, scope)?]);
        let indexes = Formula::call("range", vec![Formula::Int(0), count]);
        // No other lambda has a parameter of this name.
        let name = format!("{}#{}", iteration.item.text, iteration.source.span.start);
        let inner = inside(scope, FrameKind::Loop(iteration, Formula::named("lambdaVariables", &name)));
        let body = self.convert(&iteration.body, &inner)?;
        let lambda = Formula::call("lambda", vec![Formula::text(&name), body]);
        Ok(Formula::call("map", vec![indexes, lambda]))
    }

    fn object_formula(&self, items: &'w [Item], scope: &Scope<'w>) -> Made<Formula> {
        let mut chunks: Vec<Formula> = Vec::new();
        let mut current: Vec<Formula> = Vec::new();
        let mut has_spread = false;
        for item in items {
            match item {
                Item::Property(Property { key, value }) => {
                    current.push(self.text(key, scope)?);
                    current.push(self.convert(value, scope)?);
                }
                Item::Spread(value) => {
                    has_spread = true;
                    if !current.is_empty() {
                        chunks.push(Formula::call("createObject", std::mem::take(&mut current)));
                    }
                    chunks.push(self.convert(value, scope)?);
                }
                Item::Resource(_) => {}
            }
        }
        if !has_spread {
            return Ok(Formula::call("createObject", current));
        }
        if !current.is_empty() {
            chunks.push(Formula::call("createObject", current));
        }
        Ok(Formula::call("shallowMerge", vec![Formula::call("createArray", chunks)]))
    }

    fn array_formula(&self, items: &'w [ArrayItem], scope: &Scope<'w>) -> Made<Formula> {
        let mut chunks: Vec<Formula> = Vec::new();
        let mut current: Vec<Formula> = Vec::new();
        let mut has_spread = false;
        for item in items {
            let value = self.convert(&item.value, scope)?;
            if item.is_spread {
                has_spread = true;
                if !current.is_empty() {
                    chunks.push(Formula::call("createArray", std::mem::take(&mut current)));
                }
                chunks.push(value);
            } else {
                current.push(value);
            }
        }
        if !has_spread {
            return Ok(Formula::call("createArray", current));
        }
        if !current.is_empty() {
            chunks.push(Formula::call("createArray", current));
        }
        Ok(Formula::call("flatten", vec![Formula::call("createArray", chunks)]))
    }
}

fn escape_braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

fn binary(operator: Binary, left: Formula, right: Formula) -> Formula {
    let name = match operator {
        Binary::NotEqual => return not(Formula::call("equals", vec![left, right])),
        Binary::EqualInsensitive => return Formula::call("equals", vec![to_lower(left), to_lower(right)]),
        Binary::NotEqualInsensitive => return not(Formula::call("equals", vec![to_lower(left), to_lower(right)])),
        Binary::Coalesce => "coalesce",
        Binary::Or => "or",
        Binary::And => "and",
        Binary::Equal => "equals",
        Binary::Less => "less",
        Binary::LessOrEqual => "lessOrEquals",
        Binary::Greater => "greater",
        Binary::GreaterOrEqual => "greaterOrEquals",
        Binary::Add => "add",
        Binary::Subtract => "sub",
        Binary::Multiply => "mul",
        Binary::Divide => "div",
        Binary::Modulo => "mod",
    };
    Formula::call(name, vec![left, right])
}

fn not(inner: Formula) -> Formula {
    Formula::call("not", vec![inner])
}

fn to_lower(inner: Formula) -> Formula {
    Formula::call("toLower", vec![inner])
}
