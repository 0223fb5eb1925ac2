//! Parameter files, checked against their templates.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::compiler::features::Feature;
use crate::compiler::model::Symbol;
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::access::listed;
use crate::compiler::semantics::assign::AssignmentTarget;
use crate::compiler::semantics::bodies::module_name_type;
use crate::compiler::semantics::names::{Use, each_use};
use crate::compiler::semantics::pure::needs_deployment;
use crate::compiler::semantics::types::{Property, Rigor, Tagged, Type};
use crate::language::ast::{Declaration, DeclarationKind, Expr, ExprKind, Name};
use crate::text::Span;

/// Maximum number of parameter files that extend each other.
const MAX_EXTENDS: usize = 20;

impl<'w> Checker<'_, 'w> {
    pub(super) fn parameter_file(self) {
        self.duplicate_names();
        self.cycles();
        let expected = self.using();
        for declaration in self.model.declarations {
            self.statement(declaration);
            match &declaration.kind {
                DeclarationKind::Param { name, value: Some(value), .. } => self.value(name, value, expected.as_ref()),
                DeclarationKind::Var { ty: Some(ty), value, .. } => {
                    let expected = self.declared(ty, &declaration.decorators);
                    self.assign(value, &expected, AssignmentTarget::Value, value.span, None);
                }
                DeclarationKind::Var { value, .. } => {
                    self.infer(value, None);
                }
                _ => {}
            }
            declaration.each_value(&mut |value| self.only_pure(value));
        }
        let extends = self.model.declarations.iter().filter(|own| matches!(own.kind, DeclarationKind::Extends(_)));
        let extends: Vec<Span> = extends.map(|own| own.span).collect();
        for span in extends.iter().filter(|_| extends.len() > 1) {
            self.report(*span, "BCP405", "a parameter file has only one `extends`; remove the others");
        }
        let base = self.model.declarations.iter().filter_map(Declaration::name).find(|name| &*name.text == "base");
        if let Some(base) = base.filter(|_| !extends.is_empty()) {
            self.report(base.span, "BCP438", "`base` is the extended file; rename this declaration");
        }
        self.impure_imports();
        self.defaulted_parameters();
        self.secret_calls();
        self.reserved_names();
    }

    /// Reports uses of parameters that get no value in this file: those that are null, and those from a key vault.
    fn defaulted_parameters(self) {
        for declaration in self.model.declarations {
            declaration.each_value(&mut |value| {
                each_use(value, &mut |used| {
                    if let Use::Value(name) = used {
                        self.defaulted_parameter(name);
                    }
                });
            });
        }
    }

    fn defaulted_parameter(self, name: &'w Name) {
        let Some(Symbol::Param(at)) = self.model.symbols.get(&*name.text) else { return };
        let Some(value) = self.model.params.get(*at).and_then(|param| param.value) else { return };
        let is_secret = matches!(&value.bare().kind, ExprKind::Call { name, .. } | ExprKind::Method { name, .. }
            if &*name.text == "getSecret");
        if is_secret {
            let message = format!("the value of `{}` comes from a key vault, so no other value can use it", name.text);
            self.report(name.span, "BCP368", message);
        } else if self.quiet().infer(value, None).is_null() {
            let message = format!("`{}` is null here, so its default value counts, which is not known", name.text);
            self.report(name.span, "BCP369", message);
        }
    }

    /// Returns the parameters that the template declares, or `None` if they are unknown.
    fn using(self) -> Option<Type> {
        let declarations = self.model.declarations.iter();
        let mut all = declarations.filter(|declaration| matches!(declaration.kind, DeclarationKind::Using { .. }));
        let Some(first) = all.next() else {
            // A file that is extended by another one needs no `using`.
            let message = "the file does not say which template it is for; begin it with `using 'main.bicep'`";
            self.report(Span::new(self.model.file, 0, 0), "BCP261", message);
            return None;
        };
        for other in all {
            self.report(other.span, "BCP262", "a parameter file has only one `using`; remove this one");
        }
        let unit = self.model.using.and_then(|(unit, _)| unit)?;
        let expected = self.parameters_of(unit);
        self.missing_parameters(first.span, &expected);
        Some(expected)
    }

    fn missing_parameters(self, span: Span, expected: &Type) {
        let Type::Object(object) = expected else { return };
        let mut given: BTreeSet<String> = BTreeSet::new();
        let mut open = vec![self.model];
        let mut at = 0;
        while let Some(model) = open.get(at).copied().filter(|_| at < MAX_EXTENDS) {
            at += 1;
            given.extend(model.params.iter().map(|param| param.name.text.to_lowercase()));
            open.extend(model.extends.iter().filter_map(|unit| self.program.model(*unit)));
            // The parameters of an unreadable file are unknown.
            let extends = model.declarations.iter().filter(|own| matches!(own.kind, DeclarationKind::Extends(_)));
            if extends.count() > model.extends.len() {
                return;
            }
            // The unreadable part may set any parameter that it names.
            if let Some(text) = model.unit.broken_text() {
                let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                given.extend(words.map(str::to_lowercase));
            }
        }
        let required = object.properties.iter().filter(|own| own.is_required);
        let missing = required.filter(|own| !given.contains(&own.name.to_lowercase()));
        let missing: Vec<String> = missing.map(|own| own.name.to_string()).collect();
        if !missing.is_empty() {
            let message = format!("no value is given for the required parameters {}", listed(&missing));
            self.report(span, "BCP258", message);
        }
    }

    fn value(self, name: &'w Name, value: &'w Expr, expected: Option<&Type>) {
        let property = match expected {
            Some(Type::Object(object)) => object.get(&name.text).map_or_else(
                || {
                    let hint = self.did_you_mean(&name.text, object.properties.iter().map(|own| &*own.name));
                    let message = format!("the template has no parameter `{}`{hint}", name.text);
                    self.report(name.span, "BCP259", message);
                    Type::Any
                },
                |property| property.ty.clone().or_null(),
            ),
            _ => Type::Any,
        };
        self.assign(value, &property, AssignmentTarget::Value, value.span, None);
    }

    /// Reports statements that a parameter file cannot have.
    fn statement(self, declaration: &'w Declaration) {
        match &declaration.kind {
            DeclarationKind::Extends(path) => {
                let is_parameters = path.literal().is_none_or(|path| path.to_lowercase().ends_with(".bicepparam"));
                if !is_parameters {
                    self.report(path.span, "BCP404", "a parameter file can only extend another `.bicepparam` file");
                }
            }
            DeclarationKind::Skipped
            | DeclarationKind::Param { .. }
            | DeclarationKind::Var { .. }
            | DeclarationKind::Type { .. }
            | DeclarationKind::Func(_)
            | DeclarationKind::Import(_) => {}
            DeclarationKind::Using { config: None, target } => {
                if target.is_some() && self.model.features().has(Feature::DeployCommands) {
                    let message = "with the experimental feature `deployCommands`, `using` needs `with {}`";
                    self.report(declaration.span, "BCP443", message);
                }
            }
            DeclarationKind::Using { config: Some(config), .. } => {
                self.needs(Feature::DeployCommands, config.span, "BCP435");
                if self.model.features().has(Feature::DeployCommands) {
                    self.assign(config, &deployment_type(), AssignmentTarget::Value, config.span, None);
                }
            }
            DeclarationKind::ExtensionConfig { .. } => {
                self.needs(Feature::ModuleExtensionConfigs, declaration.span, "BCP337");
            }
            _ => self.report(declaration.span, "BCP337", "a parameter file cannot have this statement"),
        }
    }

    /// Reports functions that need a deployment.
    fn only_pure(self, value: &'w Expr) {
        each_use(value, &mut |used| {
            let name = match used {
                Use::Call(name, _) => name,
                Use::Member(base, name, _) if ["sys", "az"].contains(&&*base.text) => name,
                _ => return,
            };
            if self.model.symbols.contains_key(&*name.text) || !needs_deployment(&name.text) {
                return;
            }
            let code = if matches!(&*name.text, "newGuid" | "utcNow") { "BCP065" } else { "BCP057" };
            let message = format!("`{}()` needs a deployment, so a parameter file cannot call it", name.text);
            self.report(name.span, code, message);
        });
    }
}

/// Returns the type of the object after `using … with`.
fn deployment_type() -> Type {
    let common = [
        Property::new("name", module_name_type(), false),
        Property::new("scope", Type::TEXT, true),
        Property::new("location", Type::TEXT, false),
    ];
    let deployment = Type::object_of([&common[..], &[Property::new("mode", literal("deployment"), true)]].concat());
    let removal = Type::union(["delete", "detach"].map(literal));
    let unmanaged = Type::object_of(vec![
        Property::new("resources", removal.clone(), true),
        Property::new("resourceGroups", removal.clone(), false),
        Property::new("managementGroups", removal, false),
    ]);
    let deny = Type::object_of(vec![
        Property::new("applyToChildScopes", Type::BOOL, false),
        Property::new("excludedActions", Type::array_of(Type::TEXT), false),
        Property::new("excludedPrincipals", Type::array_of(Type::TEXT), false),
        Property::new("mode", Type::union(["denyDelete", "denyWriteAndDelete", "none"].map(literal)), true),
    ]);
    let stack = [
        Property::new("description", Type::TEXT, false),
        Property::new("mode", literal("stack"), true),
        Property::new("actionOnUnmanage", unmanaged, true),
        Property::new("denySettings", deny, true),
    ];
    let stack = Type::object_of([&common[..], &stack].concat());
    let variants = vec![("deployment".into(), deployment), ("stack".into(), stack)];
    Type::Tagged(Rc::new(Tagged { key: "mode".into(), variants, rigor: Rigor::Strict }))
}

fn literal(text: &str) -> Type {
    Type::Text(Some(text.into()))
}
