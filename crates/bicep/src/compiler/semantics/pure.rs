//! Functions that can be evaluated without a deployment. A parameter file can only use these.

use foldhash::HashSet;

use crate::compiler::functions::{self, Namespace};
use crate::compiler::model::{Model, Symbol, decorator};
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::names::{Use, each_use};
use crate::compiler::units::UnitId;
use crate::language::ast::{Expr, ExprKind, ImportNames};
use crate::text::Span;

/// Functions of the namespace `az` that can be evaluated without a deployment.
const PURE: [&str; 3] = ["extensionResourceId", "getSecret", "tenantResourceId"];

/// Functions for IDs of resources.
pub(in crate::compiler) const RESOURCE_IDS: [&str; 5] =
    ["extensionResourceId", "managementGroupResourceId", "resourceId", "subscriptionResourceId", "tenantResourceId"];

/// Functions of the namespace `sys` that need a deployment.
const IMPURE: [&str; 2] = ["newGuid", "utcNow"];

impl<'w> Checker<'_, 'w> {
    /// Reports imports whose values only a deployment can compute.
    pub(super) fn impure_imports(self) {
        for (unit, names) in &self.model.imports {
            let Some(model) = self.program.model(*unit) else { continue };
            match names {
                ImportNames::Each(each) => {
                    for (original, _) in each {
                        let found = self.deployment_functions(model, &[&original.text]);
                        self.impure_import(original.span, &original.text, &found);
                    }
                }
                ImportNames::All(name) => {
                    let exported = exported(model);
                    let found = self.deployment_functions(model, &exported);
                    self.impure_import(name.span, &name.text, &found);
                }
            }
        }
    }

    fn impure_import(self, span: Span, name: &str, found: &[String]) {
        if let Some(function) = found.first() {
            let message = format!("a parameter file cannot use `{name}`, which calls `{function}()`");
            self.report(span, "BCP452", message);
        }
    }

    /// Returns the functions that declarations of a file call and that need a deployment.
    fn deployment_functions(self, model: &'w Model<'w>, names: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut seen: HashSet<(UnitId, String)> = HashSet::default();
        let mut open: Vec<(&'w Model<'w>, String)> = names.iter().map(|name| (model, (*name).to_owned())).collect();
        while let Some((model, name)) = open.pop() {
            if !seen.insert((model.id, name.clone())) {
                continue;
            }
            let value: Option<&'w Expr> = match model.symbols.get(name.as_str()) {
                Some(Symbol::Variable(at)) => model.variables.get(*at).and_then(|variable| variable.value),
                Some(Symbol::Function(at)) => model.functions.get(*at).map(|(function, _)| &function.body),
                Some(Symbol::Imported(unit, original)) => {
                    open.extend(self.program.model(*unit).map(|model| (model, (*original).to_owned())));
                    None
                }
                _ => None,
            };
            let Some(value) = value else { continue };
            each_use(value, &mut |used| match used {
                Use::Value(name) => open.push((model, name.text.to_string())),
                Use::Call(name, _) if model.symbols.contains_key(&*name.text) => {
                    open.push((model, name.text.to_string()));
                }
                Use::Call(name, arguments) if is_computed_late(model, &name.text, arguments) => {
                    found.push(name.text.to_string());
                }
                Use::Member(base, name, arguments) => match model.symbols.get(&*base.text) {
                    Some(Symbol::Wildcard(unit)) => {
                        open.extend(self.program.model(*unit).map(|model| (model, name.text.to_string())));
                    }
                    None if ["sys", "az"].contains(&&*base.text) && is_computed_late(model, &name.text, arguments) => {
                        found.push(name.text.to_string());
                    }
                    _ => {}
                },
                Use::Call(..) => {}
            });
        }
        found.sort();
        found
    }
}

/// Returns the names of the values and functions that a file exports.
fn exported<'a>(model: &Model<'a>) -> Vec<&'a str> {
    let variables = model.variables.iter().map(|own| (&*own.name.text, own.decorators));
    let functions = model.functions.iter().map(|(function, decorators)| (&*function.name.text, *decorators));
    let exported = variables.chain(functions).filter(|(_, decorators)| decorator(decorators, "export").is_some());
    exported.map(|(name, _)| name).collect()
}

/// True if only a deployment can compute a call. The ID of a resource is known if the call names its scope.
fn is_computed_late(model: &Model<'_>, name: &str, arguments: &[Expr]) -> bool {
    let scopes = match name {
        "resourceId" => 2,
        "subscriptionResourceId" | "managementGroupResourceId" => 1,
        _ => return needs_deployment(name),
    };
    let mut texts = arguments.iter().map(|argument| literal_text(model, argument));
    let is_named = texts.by_ref().take(scopes).all(|text| text.is_some_and(|text| !is_resource_type(text)));
    !is_named || !texts.next().flatten().is_some_and(is_resource_type) || arguments.len() < scopes + 2
}

/// Returns a string that is written in the expression, or in the variable that it names.
fn literal_text<'a>(model: &Model<'a>, expr: &'a Expr) -> Option<&'a str> {
    match &expr.kind {
        ExprKind::Variable(name) => match model.symbols.get(&*name.text) {
            Some(Symbol::Variable(at)) => model.variables.get(*at)?.value?.literal(),
            _ => None,
        },
        _ => expr.literal(),
    }
}

fn is_resource_type(text: &str) -> bool {
    text.split_once('/').is_some_and(|(provider, _)| provider.contains('.'))
}

/// True if a function needs a deployment.
pub(super) fn needs_deployment(name: &str) -> bool {
    if functions::find(name, Some(Namespace::Sys)).is_some() {
        return IMPURE.contains(&name);
    }
    functions::find(name, Some(Namespace::Az)).is_some() && !PURE.contains(&name)
}
