//! Maps resources and modules to their declarations.

use crate::bicep::reader::{Declaration, DeclarationKind as Kind, Node, Shape};
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::property::{Found, property_of};
use crate::bicep::source_map::unit::Unit;
use crate::value::Value;

impl Unit {
    /// The place of `resources/<site>/…`.
    pub(super) fn resource(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (site, rest) = steps.split_first()?;
        let declaration = self.file.declaration(self.sites.get(site)?);
        let value = child(value, site);
        let here = Found::exact(declaration.range);
        let Some((step, inner)) = rest.split_first() else { return Some(here) };
        Some(match &**step {
            "type" | "apiVersion" => declaration.target.map_or(here, Found::exact),
            "copy" => match (inner, declaration.iteration()) {
                ([count], Some(each)) if count == "count" => Found::exact(each.source.range),
                _ => here,
            },
            "condition" => declaration.condition().map_or(here, |test| Found::exact(test.range)),
            "existing" | "scope" | "import" | "extension" | "@options" => here,
            "subscriptionId" | "resourceGroup" | "managementGroup" => {
                self.target(declaration, child(value, step), here)
            }
            "metadata" => self.constraint(None, &declaration.decorators, rest, value, here),
            "properties" if declaration.kind == Kind::Module => self.module(declaration, inner, child(value, step)),
            _ => {
                let found =
                    declaration.body().map(|body| self.property(body, rest, value, Found::nearest(declaration.range)));
                found.unwrap_or(Found::nearest(declaration.range))
            }
        })
    }

    /// The place of a scope property of a module. The compiler computes most of them from `scope`; then the place is
    /// the whole declaration.
    fn target(&self, declaration: &Declaration, value: Option<&Value>, here: Found) -> Found {
        let Some((node, found)) = self.member(declaration, "scope").filter(|_| declaration.kind == Kind::Module) else {
            return here;
        };
        let literal = value.and_then(Value::as_str).map(|text| format!("'{text}'"));
        let is_written = literal.is_some_and(|literal| self.file.slice(node.range).contains(&literal));
        if is_written { found } else { here }
    }

    /// The value of a property of the body, and the place of that property.
    fn member<'a>(&self, declaration: &'a Declaration, name: &str) -> Option<(&'a Node, Found)> {
        let Shape::Object(members) = &declaration.body()?.shape else { return None };
        let property = property_of(self, members, name)?;
        Some((&property.value, Found::property(property)))
    }

    /// The place of `properties/…` of a module. Only its parameters and extension configurations come from the author.
    fn module(&self, declaration: &Declaration, steps: &[Step<'_>], value: Option<&Value>) -> Found {
        let here = Found::nearest(declaration.range);
        let Some((step, inner)) = steps.split_first() else { return here };
        let name = match &**step {
            "parameters" => "params",
            "extensionConfigs" => "extensionConfigs",
            _ => return here,
        };
        let Some((node, found)) = self.member(declaration, name) else { return here };
        let value = child(value, step);
        match inner {
            [] => found,
            [argument, rest @ ..] if name == "params" => self.argument(node, argument, rest, value),
            rest => self.property(node, rest, value, found),
        }
    }

    /// The place of `parameters/<argument>/…`. The value of `params.<argument>` in Bicep becomes `value`, `reference`
    /// or `copy` in JSON.
    fn argument(&self, node: &Node, argument: &Step<'_>, steps: &[Step<'_>], value: Option<&Value>) -> Found {
        let found = self.property(node, std::slice::from_ref(argument), value, Found::exact(node.range));
        let property = match &node.shape {
            Shape::Object(members) => property_of(self, members, argument),
            _ => None,
        };
        let (Some(property), Some((step, rest))) = (property, steps.split_first()) else { return found };
        let value = child(value, argument);
        match &**step {
            "value" => self.property(&property.value, rest, child(value, step), found),
            "copy" => self.looped(&property.value, steps, value, found),
            _ => found,
        }
    }
}
