//! Calls of functions: built-in, declared, imported, and functions of resources.

use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::features::Feature;
use crate::compiler::formula::Formula;
use crate::compiler::functions::{self, Namespace};
use crate::compiler::loaded::Load;
use crate::compiler::model::Symbol;
use crate::compiler::references::{Referent, Via, in_any};
use crate::compiler::scope::{Scope, find};
use crate::language::ast::{Expr, ExprKind, Name};
use crate::value::{Data, Value};

/// Target of a call.
pub(super) enum Callee<'w> {
    /// A function of the namespaces `sys` and `az`.
    BuiltIn,
    /// A function that reads a file.
    Loaded(&'w Load),
    /// A function declared in a file, by its qualified name in the template.
    Declared(String),
    /// A function that is replaced by a formula.
    Formula(Formula),
}

/// Returns `true` if a call reads an environment variable, and has no default value for it.
pub(super) fn reads_environment(function: &str, arguments: usize) -> bool {
    function == "readEnvironmentVariable" && arguments == 1
}

impl<'w> Emitter<'w> {
    pub(super) fn call(
        &self,
        expr: &'w Expr,
        name: &'w Name,
        arguments: &'w [Expr],
        scope: &Scope<'w>,
    ) -> Made<Formula> {
        if let Some(inner) = in_any(expr) {
            return self.convert(inner, scope);
        }
        let callee = self.callee(expr, name, arguments, None)?;
        self.invoke(&callee, name, arguments, scope)
    }

    /// Resolves a built-in, declared, or imported function by its name. `only` restricts the search to a namespace.
    pub(super) fn callee(
        &self,
        expr: &Expr,
        name: &'w Name,
        arguments: &[Expr],
        only: Option<Namespace>,
    ) -> Made<Callee<'w>> {
        if only.is_none() {
            match self.model.symbols.get(&*name.text) {
                Some(Symbol::Function(at)) => {
                    let most = self.model.functions.get(*at).map_or(0, |(function, _)| function.parameters.len());
                    self.check_count(expr, &name.text, arguments.len(), most, most)?;
                    return Ok(Callee::Declared(self.function_name(self.model.id, &name.text)));
                }
                Some(Symbol::Imported(unit, original)) if !self.is_imported(*unit, original) => return Err(Failed),
                Some(Symbol::Imported(unit, original)) => {
                    return Ok(Callee::Declared(self.function_name(*unit, original)));
                }
                Some(Symbol::Unknown) => return Err(Failed),
                _ => {}
            }
        }
        let Some(known) = functions::find(&name.text, only) else {
            let hint = self.world.suggestions.did_you_mean(&name.text, functions::names());
            return self.fail_as("BCP082", name.span, format!("there is no function `{}`{hint}", name.text));
        };
        self.check_count(expr, &name.text, arguments.len(), known.least, known.most)?;
        let load = self.world.loads.get(self.model.id.0).and_then(|loads| loads.get(expr.span));
        Ok(load.map_or(Callee::BuiltIn, Callee::Loaded))
    }

    fn check_count(&self, expr: &Expr, name: &str, count: usize, least: usize, most: usize) -> Made<()> {
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let expected = match (least, most) {
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        self.fail_as("BCP071", expr.span, format!("`{name}` takes {expected} arguments, found {count}"))
    }

    /// Returns the qualified name of a function in the template.
    fn function_name(&self, unit: crate::compiler::units::UnitId, name: &str) -> String {
        let name = self.name_of(unit, name);
        if name.contains('.') { name.to_string() } else { format!("__bicep.{name}") }
    }

    fn invoke(&self, callee: &Callee<'w>, name: &Name, arguments: &'w [Expr], scope: &Scope<'w>) -> Made<Formula> {
        match callee {
            Callee::Loaded(load) => self.loaded(load),
            Callee::Formula(formula) => Ok(formula.clone()),
            Callee::BuiltIn if &*name.text == "nameof" => self.name_of_argument(arguments),
            // Nothing can be read from the scope of another group or subscription.
            Callee::BuiltIn if is_other_scope(&name.text, arguments.len()) => {
                self.all(arguments, scope)?;
                Ok(Formula::call("createObject", Vec::new()))
            }
            Callee::BuiltIn if reads_environment(&name.text, arguments.len()) => {
                let kind = Formula::text("sys.envVar");
                Ok(Formula::call("externalInput", [vec![kind], self.all(arguments, scope)?].concat()))
            }
            Callee::BuiltIn if &*name.text == "readEnvironmentVariable" => match arguments.get(1) {
                Some(default) => self.convert(default, scope),
                None => Err(Failed),
            },
            Callee::BuiltIn if functions::input_kind(&name.text).is_some() => {
                if !self.model.features().has(Feature::DeployCommands) {
                    let way = "set `experimentalFeaturesEnabled.deployCommands` in `bicepconfig.json`";
                    return self.fail(name.span, format!("`{}()` is experimental; {way}", name.text));
                }
                let kind = functions::input_kind(&name.text).map(Formula::text);
                let arguments = self.all(arguments, scope)?;
                Ok(Formula::call("externalInput", kind.into_iter().chain(arguments).collect()))
            }
            Callee::BuiltIn if functions::loads_file(&name.text) => Err(Failed),
            Callee::BuiltIn => Ok(Formula::call(&name.text, self.all(arguments, scope)?)),
            Callee::Declared(whole) => Ok(Formula::call(whole, self.all(arguments, scope)?)),
        }
    }

    fn all(&self, arguments: &'w [Expr], scope: &Scope<'w>) -> Made<Vec<Formula>> {
        arguments.iter().map(|argument| self.convert(argument, scope)).collect()
    }

    /// Returns the formula for a loaded file: a reference to its variable, or its contents.
    fn loaded(&self, load: &Load) -> Made<Formula> {
        match &load.variable {
            Some(variable) => Ok(Formula::named("variables", &self.name_of(self.model.id, variable))),
            None => Ok(formula_of(&load.value)),
        }
    }

    fn name_of_argument(&self, arguments: &[Expr]) -> Made<Formula> {
        let Some(argument) = arguments.first() else { return Err(Failed) };
        match &argument.bare().kind {
            ExprKind::Variable(name) | ExprKind::Property { name, .. } | ExprKind::Nested { name, .. } => {
                Ok(Formula::text(&name.text))
            }
            ExprKind::Index { index, .. } if index.literal().is_some() => {
                Ok(Formula::text(index.literal().unwrap_or_default()))
            }
            _ => self.fail_as("BCP408", argument.span, "expected the name of a declaration or property"),
        }
    }

    /// Converts a call `base.name(arguments)` of a namespace, an imported file, or a resource.
    pub(super) fn method(
        &self,
        expr: &'w Expr,
        base: &'w Expr,
        name: &'w Name,
        arguments: &'w [Expr],
        scope: &Scope<'w>,
    ) -> Made<Formula> {
        if let Some(inner) = in_any(expr) {
            return self.convert(inner, scope);
        }
        if let Some(callee) = self.qualified(expr, base, name, arguments, scope)? {
            return self.invoke(&callee, name, arguments, scope);
        }
        match self.subject(base, scope, Via::All)? {
            Some(Referent::Resource(id, index)) => self.resource_call(id, index.as_ref(), name, arguments, scope),
            _ => self.fail_as(
                "BCP109",
                name.span,
                format!("there is no function `{}` here; only resources and namespaces have functions", name.text),
            ),
        }
    }

    /// Resolves a function of a namespace or an imported file.
    fn qualified(
        &self,
        expr: &Expr,
        base: &Expr,
        name: &'w Name,
        arguments: &[Expr],
        scope: &Scope<'w>,
    ) -> Made<Option<Callee<'w>>> {
        let ExprKind::Variable(namespace) = &base.kind else { return Ok(None) };
        if find(scope, &namespace.text, |_| false).is_some() {
            return Ok(None);
        }
        match (self.model.symbols.get(&*namespace.text), &*namespace.text) {
            (Some(Symbol::Wildcard(unit)), _) => Ok(Some(Callee::Declared(self.function_name(*unit, &name.text)))),
            (None, "this") => Ok(existing(&name.text).map(Callee::Formula)),
            _ => match self.model.namespace(&namespace.text) {
                Some(only) => self.callee(expr, name, arguments, Some(only)).map(Some),
                None => Ok(None),
            },
        }
    }

    /// Converts a call of a resource's function, such as `listKeys`.
    fn resource_call(
        &self,
        id: usize,
        index: Option<&Formula>,
        name: &Name,
        arguments: &'w [Expr],
        scope: &Scope<'w>,
    ) -> Made<Formula> {
        let Some(resource) = self.model.resources.get(id) else { return Err(Failed) };
        if &*name.text == "getSecret" {
            return self.fail_as(
                "BCP180",
                name.span,
                "`getSecret` is only possible as the value of a parameter of a module",
            );
        }
        let symbolic = self.model.symbolic_name(id);
        if !resource.is_azure() {
            let items = Formula::call("createArray", self.all(arguments, scope)?);
            let target = Self::symbolic(&symbolic, index);
            return Ok(Formula::call("invokeResourceMethod", vec![target, Formula::text(&name.text), items]));
        }
        if !name.text.to_ascii_lowercase().starts_with("list") {
            return self.fail_as("BCP109", name.span, format!("resources have no function `{}`", name.text));
        }
        let target = if self.settings.is_symbolic {
            Self::symbolic(&symbolic, index)
        } else {
            self.resource_id(id, &self.resource_scope(id, index))?
        };
        let mut all = vec![target];
        if arguments.is_empty() {
            all.push(Formula::text(resource.version.as_deref().unwrap_or_default()));
        }
        all.extend(self.all(arguments, scope)?);
        Ok(Formula::call(&name.text, all))
    }
}

/// Returns the formula for a function of `this`, which reads the resource before the deployment.
fn existing(name: &str) -> Option<Formula> {
    let target = Formula::named("target", "full");
    match name {
        "exists" => Some(Formula::call("not", vec![Formula::call("empty", vec![target])])),
        "existingResource" => Some(target),
        _ => None,
    }
}

/// True if a call of a scope function means another scope than the deployment's.
pub(super) fn is_other_scope(name: &str, arguments: usize) -> bool {
    arguments > 0 && ["subscription", "resourceGroup", "managementGroup"].contains(&name)
}

/// Converts a value to a formula.
pub(super) fn formula_of(value: &Value) -> Formula {
    match &value.data {
        Data::Bool(value) => Formula::call(if *value { "true" } else { "false" }, Vec::new()),
        Data::Int(value) if i32::try_from(*value).is_ok() => Formula::Int(*value),
        Data::Int(value) => Formula::named("json", &value.to_string()),
        Data::Float(_) | Data::BigInt(_) => Formula::named("json", &value.to_json()),
        Data::String(text) => Formula::text(text),
        Data::Array(items) => Formula::call("createArray", items.iter().map(formula_of).collect()),
        Data::Object(members) => {
            let pairs = members.iter().flat_map(|member| [Formula::text(&member.key), formula_of(&member.value)]);
            Formula::call("createObject", pairs.collect())
        }
        Data::Null | Data::Unknown(_) => Formula::null(),
    }
}
