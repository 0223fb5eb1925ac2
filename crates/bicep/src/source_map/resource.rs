//! Maps resources and modules to their declarations.

use crate::language::ast::Expr;
use crate::source_map::pointer::{PathStep, child};
use crate::source_map::property::{FileLocation, property_of};
use crate::source_map::sites::SiteSource;
use crate::source_map::unit::Unit;
use crate::value::Value;

impl Unit {
    /// Locates `resources/<site>/…`.
    pub(super) fn resource(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (site, rest) = steps.split_first()?;
        let declaration = self.sites.get(site)?.1.written(&self.tree)?;
        let value = child(value, site);
        let here = FileLocation::exact(declaration.span);
        let Some((step, inner)) = rest.split_first() else { return Some(here) };
        Some(match &**step {
            "type" | "apiVersion" => FileLocation::exact(declaration.target),
            "copy" => match (inner, declaration.iteration()) {
                ([count], Some(each)) if count == "count" => FileLocation::exact(each.source.span),
                _ => here,
            },
            "condition" => declaration.condition().map_or(here, |test| FileLocation::exact(test.span)),
            "existing" | "scope" | "import" | "extension" | "@options" => here,
            "subscriptionId" | "resourceGroup" | "managementGroup" => {
                self.target(declaration, child(value, step), here)
            }
            "metadata" => self.constraint(None, declaration.decorators, rest, value, here),
            "properties" if declaration.is_module => self.module(declaration, inner, child(value, step)),
            _ => self.search().property(declaration.value.body(), rest, value, FileLocation::nearest(declaration.span)),
        })
    }

    /// Locates a scope property of a module. The compiler computes most of them from `scope`; the location is then
    /// the whole declaration.
    fn target(&self, declaration: SiteSource<'_>, value: Option<&Value>, here: FileLocation) -> FileLocation {
        let Some((scope, found)) = member(declaration, "scope").filter(|_| declaration.is_module) else {
            return here;
        };
        let literal = value.and_then(Value::as_str).map(|text| format!("'{text}'"));
        let is_written = literal.is_some_and(|literal| self.tree.slice(scope.span).contains(&literal));
        if is_written { found } else { here }
    }

    /// Locates `properties/…` of a module. Only its parameters and extension configurations come from the author.
    fn module(&self, declaration: SiteSource<'_>, steps: &[PathStep<'_>], value: Option<&Value>) -> FileLocation {
        let here = FileLocation::nearest(declaration.span);
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
            rest => self.search().property(params, rest, value, found),
        }
    }

    /// Locates `parameters/<argument>/…`. The value of `params.<argument>` in Bicep becomes `value`, `reference`, or
    /// `copy` in JSON.
    fn argument(
        &self,
        params: &Expr,
        argument: &PathStep<'_>,
        steps: &[PathStep<'_>],
        value: Option<&Value>,
    ) -> FileLocation {
        let found =
            self.search().property(params, std::slice::from_ref(argument), value, FileLocation::exact(params.span));
        let property = params.as_object().and_then(|items| property_of(items, argument));
        let (Some(property), Some((step, rest))) = (property, steps.split_first()) else { return found };
        let value = child(value, argument);
        match &**step {
            "value" => self.search().property(&property.value, rest, child(value, step), found),
            "copy" => self.search().looped(&property.value, steps, value, found),
            _ => found,
        }
    }
}

/// Returns the value of a property of the body, and the location of the property.
fn member<'a>(declaration: SiteSource<'a>, name: &str) -> Option<(&'a Expr, FileLocation)> {
    let property = property_of(declaration.value.body().as_object()?, name)?;
    Some((&property.value, FileLocation::property(property)))
}
