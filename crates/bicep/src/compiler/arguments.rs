//! What modules are given: the values of their parameters, and the configurations of their extensions.

use crate::compiler::emitter::{Emitter, Made, made};
use crate::compiler::formula::Formula;
use crate::compiler::model::Symbol;
use crate::compiler::references::{Subject, Via};
use crate::compiler::scope::Scope;
use crate::language::ast::{Expr, ExprKind};
use crate::value::Value;

/// What a value is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Parameter,
    /// A property of the configuration of an extension.
    Configuration,
}

impl Given {
    /// The property that a reference to a secret stands in.
    const fn reference(self) -> &'static str {
        match self {
            Self::Parameter => "reference",
            Self::Configuration => "keyVaultReference",
        }
    }
}

impl<'w> Emitter<'w> {
    /// What a module is given: `{ "value": … }`, or a reference to a secret.
    pub(super) fn argument(&self, expr: &'w Expr, given: Given, scope: &Scope<'w>) -> Made<Value> {
        let span = expr.span;
        let (bare, scope) = &self.meant(expr, scope);
        if let ExprKind::Ternary(_) = &bare.kind {
            return self.written(&self.argument_formula(bare, given, scope)?, span);
        }
        if let Some((id, index, arguments)) = self.secret(bare, scope)? {
            let id = self.resource_id(id, &self.resource_scope(id, index.as_ref()))?;
            let vault = Value::object(vec![made("id", self.written(&id, span)?, span)]).at(span);
            let mut members = vec![made("keyVault", vault, span)];
            for (name, argument) in ["secretName", "secretVersion"].into_iter().zip(arguments) {
                members.push(made(name, self.value(argument, scope)?, argument.span));
            }
            return Ok(Value::object(vec![made(given.reference(), Value::object(members), span)]).at(span));
        }
        let value = self.value(expr, scope)?;
        Ok(if self.is_whole(bare, given) { value } else { Value::object(vec![made("value", value, span)]).at(span) })
    }

    /// What is written in the place of an expression, and the scope of its names.
    fn meant(&self, expr: &'w Expr, scope: &Scope<'w>) -> (&'w Expr, Scope<'w>) {
        let (mut expr, mut scope) = (expr.bare(), scope.clone());
        while let ExprKind::Variable(name) = &expr.kind
            && let Some(value) = self.written_out(&name.text, &scope)
        {
            (expr, scope) = (value.bare(), None);
        }
        (expr, scope)
    }

    fn argument_formula(&self, expr: &'w Expr, given: Given, scope: &Scope<'w>) -> Made<Formula> {
        let (expr, scope) = &self.meant(expr, scope);
        if let ExprKind::Ternary(inner) = &expr.kind {
            let test = self.convert(&inner.0, scope)?;
            let (then, otherwise) = self.deeper(expr.span, || {
                Ok((self.argument_formula(&inner.1, given, scope)?, self.argument_formula(&inner.2, given, scope)?))
            })?;
            return Ok(Formula::call("if", vec![test, then, otherwise]));
        }
        let object = |members: Vec<(&str, Formula)>| {
            let pairs = members.into_iter().flat_map(|(name, value)| [Formula::text(name), value]);
            Formula::call("createObject", pairs.collect())
        };
        if let Some((id, index, arguments)) = self.secret(expr, scope)? {
            let id = self.resource_id(id, &self.resource_scope(id, index.as_ref()))?;
            let mut members = vec![("keyVault", object(vec![("id", id)]))];
            for (name, argument) in ["secretName", "secretVersion"].into_iter().zip(arguments) {
                members.push((name, self.convert(argument, scope)?));
            }
            return Ok(object(vec![(given.reference(), object(members))]));
        }
        let value = self.convert(expr, scope)?;
        Ok(if self.is_whole(expr, given) { value } else { object(vec![("value", value)]) })
    }

    /// Whether an expression is a property of the configuration of an extension, which is a value or a reference itself.
    fn is_whole(&self, expr: &Expr, given: Given) -> bool {
        let ExprKind::Property { base, .. } = &expr.kind else { return false };
        let ExprKind::Property { base, name, .. } = &base.kind else { return false };
        let ExprKind::Variable(extension) = &base.kind else { return false };
        let is_extension = matches!(self.model.symbols.get(&*extension.text), Some(Symbol::Extension));
        given == Given::Configuration && &*name.text == "config" && is_extension
    }

    /// The vault and the arguments of a call of `getSecret`.
    #[expect(clippy::type_complexity, reason = "the parts of one call")]
    fn secret(&self, expr: &'w Expr, scope: &Scope<'w>) -> Made<Option<(usize, Option<Formula>, &'w [Expr])>> {
        let ExprKind::Method { base, name, arguments } = &expr.kind else { return Ok(None) };
        if &*name.text != "getSecret" {
            return Ok(None);
        }
        match self.subject(base, scope, Via::All)? {
            Some(Subject::Resource(id, index)) if (1..=2).contains(&arguments.len()) => {
                Ok(Some((id, index, arguments)))
            }
            _ => Ok(None),
        }
    }
}
