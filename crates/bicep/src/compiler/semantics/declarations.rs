//! Types and values of declarations.

use foldhash::HashSet;

use crate::compiler::extensions::ExtensionSource;
use crate::compiler::features::Feature;
use crate::compiler::functions::requires_inlining;
use crate::compiler::model::{Symbol, decorator};
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::assign::AssignmentTarget;
use crate::compiler::semantics::locals::{NameKind, bind};
use crate::compiler::semantics::names::{Use, each_use};
use crate::compiler::semantics::runtime::OF_RESOURCES;
use crate::compiler::semantics::types::Type;
use crate::language::ast::{Declaration, DeclarationKind, Expr, Extension, Function, TypeExpr, TypeKind};
use crate::language::walk::each_type;
use crate::text::Span;

/// Functions whose results differ each time. Only default values of parameters can call them.
const IMPURE: [&str; 2] = ["newGuid", "utcNow"];

impl<'w> Checker<'_, 'w> {
    pub(super) fn declarations(self) {
        for declaration in self.model.declarations {
            self.decorators_of(declaration);
            self.declaration(declaration);
            self.type_expressions(declaration);
            if !matches!(declaration.kind, DeclarationKind::Param { .. }) {
                declaration.each_value(&mut |value| self.impure(value));
            }
        }
        for at in 0..self.model.resources.len() {
            self.resource_body(at);
        }
        for module in &self.model.modules {
            self.module_body(module);
        }
        self.scopes();
    }

    fn declaration(self, declaration: &'w Declaration) {
        if let DeclarationKind::Var { value, .. } = &declaration.kind {
            self.export_of(declaration, value);
        }
        match &declaration.kind {
            DeclarationKind::Param { ty: Some(ty), value: Some(value), .. } => {
                self.default_value(ty, declaration, value);
            }
            DeclarationKind::Var { ty: Some(ty), value, .. } => {
                let expected = self.declared(ty, &declaration.decorators);
                self.assign(value, &expected, AssignmentTarget::Value, value.span, None);
            }
            DeclarationKind::Metadata { name, value } => {
                if name.text.starts_with('_') {
                    self.report(name.span, "BCP268", format!("the name `{}` is reserved; rename it", name.text));
                }
                self.infer(value, None);
            }
            DeclarationKind::Var { value, .. } => {
                self.infer(value, None);
            }
            DeclarationKind::Output { ty, value, .. } => {
                let expected = self.declared(ty, &declaration.decorators);
                self.assign(value, &expected, AssignmentTarget::Value, value.span, None);
            }
            DeclarationKind::Assert { value, .. } => {
                let found = self.infer(value, None);
                if !self.is_assignable(&found, &Type::BOOL) {
                    let message = format!("an assertion needs a value of type `bool`, found `{found}`");
                    self.report(value.span, "BCP350", message);
                }
            }
            DeclarationKind::Test(test) => self.test_body(test),
            DeclarationKind::Extension(extension) => self.extension_config(extension),
            DeclarationKind::Func(function) => self.function(function),
            DeclarationKind::Type { ty, .. } => self.inner_exports(ty),
            _ => {}
        }
    }

    /// Reports the configuration of an extension that has none.
    fn extension_config(self, extension: &'w Extension) {
        let known = self.model.extensions.iter().find(|own| std::ptr::eq(own.declaration, extension));
        let Some(config) = &extension.config else {
            let is_kubernetes = known.is_some_and(|own| own.source == ExtensionSource::Kubernetes);
            if is_kubernetes && !self.model.features().has(Feature::ModuleExtensionConfigs) {
                let message = "the extension needs a configuration: `with { kubeConfig: …, namespace: … }`";
                self.report(extension.specification.span, "BCP206", message);
            }
            return;
        };
        let is_azure = known.is_some_and(|own| own.source == ExtensionSource::Azure);
        if is_azure && !self.model.features().has(Feature::AzExtensionConfig) {
            let message =
                format!("the extension `{}` has no configuration; remove `with`", extension.specification.text);
            self.report(config.span, "BCP205", message);
        }
    }

    fn default_value(self, ty: &'w TypeExpr, declaration: &'w Declaration, value: &'w Expr) {
        let own = self.model.params.iter().find(|param| param.span == declaration.span);
        let expected = own.map_or(Type::Any, |param| self.parameter(param));
        self.assign(value, &expected, AssignmentTarget::Value, value.span, None);
        if matches!(ty.kind, TypeKind::Nullable(_)) {
            let message = "a nullable parameter cannot have a default value; remove `?` or the value";
            self.report(value.span, "BCP326", message);
        }
        each_use(value, &mut |used| {
            let Use::Value(name) = used else { return };
            if let Some(Symbol::Variable(_) | Symbol::Resource(_) | Symbol::Module(_)) =
                self.model.symbols.get(&*name.text)
            {
                let message = format!("a default value can only use parameters, and `{}` is none", name.text);
                self.report(name.span, "BCP072", message);
            }
        });
    }

    fn function(self, function: &'w Function) {
        self.function_names(function);
        let types: Vec<(&str, Type)> =
            function.parameters.iter().map(|(name, ty)| (&*name.text, self.declared(ty, &[]))).collect();
        let expected = self.declared(&function.result, &[]);
        let body = &function.body;
        bind(None, &types, NameKind::Parameter, &mut |inner| {
            self.assign(body, &expected, AssignmentTarget::Value, body.span, inner);
        });
    }

    /// Reports names that the body of a function cannot use. It can use its parameters and the variables of the file.
    fn function_names(self, function: &'w Function) {
        // The bases of properties that are known before the deployment.
        let mut known: HashSet<Span> = HashSet::default();
        each_use(&function.body, &mut |used| {
            let (name, is_call) = match used {
                Use::Value(name) => (name, false),
                Use::Call(name, _) => (name, true),
                Use::Member(base, property, _) => {
                    if OF_RESOURCES.contains(&&*property.text) {
                        known.insert(base.span);
                    }
                    return;
                }
            };
            if function.parameters.iter().any(|(own, _)| own.text == name.text) {
                return;
            }
            let own = &name.text;
            match self.model.symbols.get(&**own) {
                Some(Symbol::Param(_)) if !is_call => {
                    let message = format!("the body of a function cannot use the parameter `{own}` of the file");
                    self.report(name.span, "BCP057", message);
                }
                Some(Symbol::Resource(_) | Symbol::Module(_)) if !is_call && !known.contains(&name.span) => {
                    let message = format!("the body of a function cannot use `{own}`");
                    self.report(name.span, "BCP341", message);
                }
                None if is_call && requires_inlining(own) && &**own != "externalInput" => {
                    let message = format!("the body of a function cannot call `{own}()`, which needs a resource");
                    self.report(name.span, "BCP341", message);
                }
                _ => {}
            }
        });
    }

    /// Reports an exported variable that other files cannot compute.
    fn export_of(self, declaration: &'w Declaration, value: &'w Expr) {
        let Some(own) = decorator(&declaration.decorators, "export") else { return };
        let mut seen: HashSet<&str> = HashSet::default();
        let mut open = vec![value];
        let mut found: Option<&str> = None;
        while let Some(value) = open.pop() {
            each_use(value, &mut |used| {
                let Use::Value(name) = used else { return };
                match self.model.symbols.get(&*name.text) {
                    Some(Symbol::Param(_) | Symbol::Resource(_) | Symbol::Module(_)) => {
                        found = found.or(Some(&name.text));
                    }
                    Some(Symbol::Variable(at)) if seen.insert(&name.text) => {
                        open.extend(self.model.variables.get(*at).and_then(|variable| variable.value));
                    }
                    _ => {}
                }
            });
        }
        if let Some(found) = found {
            let message = format!("an exported variable cannot use `{found}`, which other files do not know");
            self.report(own.name.span, "BCP372", message);
        }
    }

    /// Reports `@export()` before a part of a type.
    fn inner_exports(self, ty: &'w TypeExpr) {
        each_type(ty, &mut |inner, decorators| {
            if let Some(own) = decorators.iter().find(|own| &*own.name.text == "export") {
                self.report(own.name.span, "BCP361", "`@export` can only decorate a declaration");
            }
            self.inner_exports(inner);
        });
    }

    /// Reports functions that only a default value can call.
    pub(super) fn impure(self, value: &'w Expr) {
        each_use(value, &mut |used| {
            let name = match used {
                Use::Call(name, _) => name,
                Use::Member(base, name, _) if &*base.text == "sys" => name,
                _ => return,
            };
            if IMPURE.contains(&&*name.text) && !self.model.symbols.contains_key(&*name.text) {
                let message = format!("`{}()` is only possible in the default value of a parameter", name.text);
                self.report(name.span, "BCP065", message);
            }
        });
    }
}
