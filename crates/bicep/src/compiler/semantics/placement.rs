//! Functions that only certain values can call.

use crate::compiler::model::{Symbol, decorator};
use crate::compiler::semantics::Checker;
use crate::compiler::units::{Content, UnitId};
use crate::language::ast::{Declaration, DeclarationKind, Expr, ExprKind, Item, TypeKind};
use crate::language::walk::each_child;
use crate::value::Value;

impl<'w> Checker<'_, 'w> {
    /// Reports `getSecret()`, except where a module's secure parameter gets its result.
    pub(super) fn secret_calls(self) {
        for declaration in self.model.declarations {
            if self.model.is_parameters() {
                self.secrets_of_parameters(declaration);
            } else if !matches!(declaration.kind, DeclarationKind::Module(_)) {
                declaration.each_value(&mut |value| self.secret_call(value));
            }
        }
    }

    fn secrets_of_parameters(self, declaration: &'w Declaration) {
        let unit = self.model.using.and_then(|(unit, _)| unit);
        match &declaration.kind {
            DeclarationKind::Param { name, value: Some(value), .. } => {
                let is_secure = unit.is_none_or(|unit| self.is_secure_parameter(unit, &name.text));
                if !is_secure || !is_secret(value) {
                    self.secret_call(value);
                }
            }
            _ => declaration.each_value(&mut |value| self.secret_call(value)),
        }
    }

    fn secret_call(self, expr: &'w Expr) {
        match &expr.kind {
            ExprKind::Call { name, .. }
                if &*name.text == "getSecret"
                    && self.model.is_parameters()
                    && !self.model.symbols.contains_key(&*name.text) =>
            {
                self.misplaced_secret(expr);
            }
            ExprKind::Method { base, name, .. }
                if &*name.text == "getSecret" && (self.is_namespace(base) || self.is_vault(base)) =>
            {
                self.misplaced_secret(expr);
            }
            _ => {}
        }
        each_child(expr, &mut |child| self.secret_call(child));
    }

    fn misplaced_secret(self, expr: &Expr) {
        let message = "only a module's parameter with `@secure` can get the result of `getSecret()`, and directly";
        self.report(expr.span, "BCP180", message);
    }

    /// True if an expression is a resource of the type of key vaults.
    fn is_vault(self, base: &Expr) -> bool {
        let base = match &base.bare().kind {
            ExprKind::Index { base, .. } => base,
            _ => base,
        };
        let resource = self.model.resource_named(base).and_then(|id| self.model.resources.get(id));
        resource.is_some_and(|own| own.ty.eq_ignore_ascii_case("Microsoft.KeyVault/vaults"))
    }

    /// Reports `getSecret()` in the properties of modules.
    pub(super) fn module_secrets(self) {
        for module in &self.model.modules {
            for item in module.body.items {
                match item {
                    Item::Property(own) if own.name() == Some("params") => {
                        let params = own.value.as_object().unwrap_or_default();
                        for param in params {
                            let Item::Property(param) = param else { continue };
                            let is_secure = param.name().is_none_or(|name| self.is_secure_parameter(module.unit, name));
                            if is_secure {
                                self.choice_of_secrets(&param.value);
                            } else {
                                self.secret_call(&param.value);
                            }
                        }
                    }
                    Item::Property(own) if own.name() == Some("extensionConfigs") => {}
                    Item::Property(own) => self.secret_call(&own.value),
                    _ => {}
                }
            }
        }
    }

    /// Reports calls below a value that may itself be a call.
    fn choice_of_secrets(self, value: &'w Expr) {
        match &value.kind {
            ExprKind::Paren(inner) => self.choice_of_secrets(inner),
            ExprKind::Ternary(parts) => {
                self.secret_call(&parts.0);
                self.choice_of_secrets(&parts.1);
                self.choice_of_secrets(&parts.2);
            }
            ExprKind::Method { arguments, .. } | ExprKind::Call { arguments, .. } => {
                arguments.iter().for_each(|argument| self.secret_call(argument));
            }
            _ => self.secret_call(value),
        }
    }

    /// True if a parameter of a file is secure, or if the file does not say.
    fn is_secure_parameter(self, unit: UnitId, name: &str) -> bool {
        if let Some(model) = self.program.model(unit) {
            let Some(param) = model.params.iter().find(|own| &*own.name.text == name) else { return true };
            let is_type_known = param.ty.is_some_and(|ty| match &ty.bare().kind {
                TypeKind::Name(name) => !matches!(
                    model.symbols.get(&*name.text),
                    Some(Symbol::Type(_) | Symbol::Imported(..) | Symbol::Unknown)
                ),
                _ => false,
            });
            return decorator(param.decorators, "secure").is_some() || !is_type_known || model.unit.is_broken;
        }
        let Some(Content::Template(template)) = self.program.units.get(unit).map(|unit| &unit.content) else {
            return true;
        };
        let parameter = template.get("parameters").and_then(|all| all.as_object()?.get_exact(name));
        let ty = parameter.and_then(|own| own.get("type")).and_then(Value::as_str);
        ty.is_none_or(|ty| ty.to_ascii_lowercase().starts_with("secure"))
    }
}

/// Returns `true` if a value is a call of `getSecret()`, or a choice between such calls.
fn is_secret(value: &Expr) -> bool {
    match &value.bare().kind {
        ExprKind::Ternary(parts) => is_secret(&parts.1) || is_secret(&parts.2),
        ExprKind::Call { name, .. } | ExprKind::Method { name, .. } => &*name.text == "getSecret",
        _ => false,
    }
}
