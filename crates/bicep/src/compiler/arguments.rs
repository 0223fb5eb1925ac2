//! Arguments of modules: values of parameters, and configurations of extensions.

use crate::compiler::emitter::{Emitter, Made};
use crate::compiler::formula::Formula;
use crate::compiler::members::generated;
use crate::compiler::model::Symbol;
use crate::compiler::references::{Referent, Via};
use crate::compiler::scope::Scope;
use crate::language::ast::{Expr, ExprKind};
use crate::value::Value;

/// Kind of a module's argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Parameter,
    /// A property of the configuration of an extension.
    Configuration,
}

impl ArgumentKind {
    /// Returns the name of the property that holds a reference to a secret.
    const fn reference(self) -> &'static str {
        match self {
            Self::Parameter => "reference",
            Self::Configuration => "keyVaultReference",
        }
    }
}

impl<'w> Emitter<'w> {
    /// Converts an argument of a module to `{ "value": … }`, or to a reference to a secret.
    pub(super) fn argument(&self, expr: &'w Expr, kind: ArgumentKind, scope: &Scope<'w>) -> Made<Value> {
        let span = expr.span;
        let (bare, scope) = &self.meant(expr, scope);
        if let ExprKind::Ternary(_) = &bare.kind {
            return self.written(&self.argument_formula(bare, kind, scope)?, span);
        }
        if let Some((id, index, arguments)) = self.secret(bare, scope)? {
            let id = self.resource_id(id, &self.resource_scope(id, index.as_ref()))?;
            let vault = Value::object(vec![generated("id", self.written(&id, span)?, span)]).at(span);
            let mut members = vec![generated("keyVault", vault, span)];
            for (name, argument) in ["secretName", "secretVersion"].into_iter().zip(arguments) {
                members.push(generated(name, self.value(argument, scope)?, argument.span));
            }
            return Ok(Value::object(vec![generated(kind.reference(), Value::object(members), span)]).at(span));
        }
        let value = self.value(expr, scope)?;
        Ok(if self.is_whole(bare, kind) {
            value
        } else {
            Value::object(vec![generated("value", value, span)]).at(span)
        })
    }

    /// Follows inlined variables. Returns the final expression and the scope of its names.
    fn meant(&self, expr: &'w Expr, scope: &Scope<'w>) -> (&'w Expr, Scope<'w>) {
        let (mut expr, mut scope) = (expr.bare(), scope.clone());
        while let ExprKind::Variable(name) = &expr.kind
            && let Some(value) = self.written_out(&name.text, &scope)
        {
            (expr, scope) = (value.bare(), None);
        }
        (expr, scope)
    }

    /// Converts an argument of a module to a call of `createObject()`.
    fn argument_formula(&self, expr: &'w Expr, kind: ArgumentKind, scope: &Scope<'w>) -> Made<Formula> {
        let (expr, scope) = &self.meant(expr, scope);
        if let ExprKind::Ternary(inner) = &expr.kind {
            let test = self.convert(&inner.0, scope)?;
            let (then, otherwise) = self.deeper(expr.span, || {
                Ok((self.argument_formula(&inner.1, kind, scope)?, self.argument_formula(&inner.2, kind, scope)?))
            })?;
            return Ok(Formula::call("if", vec![test, then, otherwise]));
        }
        if let Some((id, index, arguments)) = self.secret(expr, scope)? {
            let id = self.resource_id(id, &self.resource_scope(id, index.as_ref()))?;
            let mut members = vec![("keyVault", create_object(vec![("id", id)]))];
            for (name, argument) in ["secretName", "secretVersion"].into_iter().zip(arguments) {
                members.push((name, self.convert(argument, scope)?));
            }
            return Ok(create_object(vec![(kind.reference(), create_object(members))]));
        }
        let value = self.convert(expr, scope)?;
        Ok(if self.is_whole(expr, kind) { value } else { create_object(vec![("value", value)]) })
    }

    /// True if the expression reads a property of an extension's configuration, which is a value or a reference
    /// already.
    fn is_whole(&self, expr: &Expr, kind: ArgumentKind) -> bool {
        let ExprKind::Property { base, .. } = &expr.kind else { return false };
        let ExprKind::Property { base, name, .. } = &base.kind else { return false };
        let ExprKind::Variable(extension) = &base.kind else { return false };
        let is_extension = matches!(self.model.symbols.get(&*extension.text), Some(Symbol::Extension));
        kind == ArgumentKind::Configuration && &*name.text == "config" && is_extension
    }

    /// Returns the vault, its index, and the arguments, if the expression is a call of `getSecret`.
    #[expect(clippy::type_complexity, reason = "the parts of one call")]
    fn secret(&self, expr: &'w Expr, scope: &Scope<'w>) -> Made<Option<(usize, Option<Formula>, &'w [Expr])>> {
        let ExprKind::Method { base, name, arguments } = &expr.kind else { return Ok(None) };
        if &*name.text != "getSecret" {
            return Ok(None);
        }
        match self.subject(base, scope, Via::All)? {
            Some(Referent::Resource(id, index)) if (1..=2).contains(&arguments.len()) => {
                Ok(Some((id, index, arguments)))
            }
            _ => Ok(None),
        }
    }
}

fn create_object(members: Vec<(&str, Formula)>) -> Formula {
    let pairs = members.into_iter().flat_map(|(name, value)| [Formula::text(name), value]);
    Formula::call("createObject", pairs.collect())
}
