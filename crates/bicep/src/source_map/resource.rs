//! Maps resources and modules to their declarations.

use crate::language::ast::Expr;
use crate::source_map::pointer::{Step, child};
use crate::source_map::property::{Found, property_of};
use crate::source_map::sites::Written;
use crate::source_map::unit::Unit;
use crate::value::Value;

impl Unit {
    /// The place of `resources/<site>/…`.
    pub(super) fn resource(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (site, rest) = steps.split_first()?;
        let declaration = self.sites.get(site)?.1.written(&self.tree)?;
        let value = child(value, site);
        let here = Found::exact(declaration.span);
        let Some((step, inner)) = rest.split_first() else { return Some(here) };
        Some(match &**step {
            "type" | "apiVersion" => Found::exact(declaration.target),
            "copy" => match (inner, declaration.iteration()) {
                ([count], Some(each)) if count == "count" => Found::exact(each.source.span),
                _ => here,
            },
            "condition" => declaration.condition().map_or(here, |test| Found::exact(test.span)),
            "existing" | "scope" | "import" | "extension" | "@options" => here,
            "subscriptionId" | "resourceGroup" | "managementGroup" => {
                self.target(declaration, child(value, step), here)
            }
            "metadata" => self.constraint(None, declaration.decorators, rest, value, here),
            "properties" if declaration.is_module => self.module(declaration, inner, child(value, step)),
            _ => self.property(declaration.value.body(), rest, value, Found::nearest(declaration.span)),
        })
    }

    /// The place of a scope property of a module. The compiler computes most of them from `scope`; then the place is
    /// the whole declaration.
    fn target(&self, declaration: Written<'_>, value: Option<&Value>, here: Found) -> Found {
        let Some((scope, found)) = member(declaration, "scope").filter(|_| declaration.is_module) else {
            return here;
        };
        let literal = value.and_then(Value::as_str).map(|text| format!("'{text}'"));
        let is_written = literal.is_some_and(|literal| self.tree.slice(scope.span).contains(&literal));
        if is_written { found } else { here }
    }

    /// The place of `properties/…` of a module. Only its parameters and extension configurations come from the author.
    fn module(&self, declaration: Written<'_>, steps: &[Step<'_>], value: Option<&Value>) -> Found {
        let here = Found::nearest(declaration.span);
        let Some((step, inner)) = steps.split_first() else { return here };
        let name = match &**step {
            "parameters" => "params",
            "extensionConfigs" => "extensionConfigs",
            _ => return here,
        };
        let Some((params, found)) = member(declaration, name) else { return here };
        let value = child(value, step);
        match inner {
            [] => found,
            [argument, rest @ ..] if name == "params" => self.argument(params, argument, rest, value),
            rest => self.property(params, rest, value, found),
        }
    }

    /// The place of `parameters/<argument>/…`. The value of `params.<argument>` in Bicep becomes `value`, `reference`
    /// or `copy` in JSON.
    fn argument(&self, params: &Expr, argument: &Step<'_>, steps: &[Step<'_>], value: Option<&Value>) -> Found {
        let found = self.property(params, std::slice::from_ref(argument), value, Found::exact(params.span));
        let property = params.as_object().and_then(|items| property_of(items, argument));
        let (Some(property), Some((step, rest))) = (property, steps.split_first()) else { return found };
        let value = child(value, argument);
        match &**step {
            "value" => self.property(&property.value, rest, child(value, step), found),
            "copy" => self.looped(&property.value, steps, value, found),
            _ => found,
        }
    }
}

/// The value of a property of the body, and the place of that property.
fn member<'a>(declaration: Written<'a>, name: &str) -> Option<(&'a Expr, Found)> {
    let property = property_of(declaration.value.body().as_object()?, name)?;
    Some((&property.value, Found::property(property)))
}
