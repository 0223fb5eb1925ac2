//! Resources and modules.

use crate::bicep::reader::{Declaration, DeclarationKind as Kind, Node, Shape};
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::property::{Found, property_of};
use crate::bicep::source_map::unit::Unit;
use crate::value::Value;

impl Unit {
    /// `resources/site/…`
    pub(super) fn resource(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (site, rest) = steps.split_first()?;
        let it = self.file.declaration(self.sites.get(site)?);
        let value = child(value, site);
        let here = Found::exact(it.range);
        let Some((step, inner)) = rest.split_first() else { return Some(here) };
        Some(match &**step {
            "type" | "apiVersion" => it.target.map_or(here, Found::exact),
            "copy" => match (inner, it.iteration()) {
                ([count], Some(each)) if count == "count" => Found::exact(each.source.range),
                _ => here,
            },
            "condition" => it.condition().map_or(here, |test| Found::exact(test.range)),
            "existing" | "scope" | "import" | "extension" | "@options" => here,
            "subscriptionId" | "resourceGroup" | "managementGroup" => self.target(it, child(value, step), here),
            "metadata" => self.constraint(None, &it.decorators, rest, value, here),
            "properties" if it.kind == Kind::Module => self.module(it, inner, child(value, step)),
            _ => {
                let found = it.body().map(|body| self.property(body, rest, value, Found::nearest(it.range)));
                found.unwrap_or(Found::nearest(it.range))
            }
        })
    }

    /// Where a module is deployed to. What is computed there has no place of its own: the compiler puts it together.
    fn target(&self, it: &Declaration, value: Option<&Value>, here: Found) -> Found {
        let Some((node, found)) = self.member(it, "scope").filter(|_| it.kind == Kind::Module) else { return here };
        let literal = value.and_then(Value::as_str).map(|it| format!("'{it}'"));
        if literal.is_some_and(|it| self.file.slice(node.range).contains(&it)) { found } else { here }
    }

    /// A property of the body.
    fn member<'a>(&self, it: &'a Declaration, name: &str) -> Option<(&'a Node, Found)> {
        let Shape::Object(members) = &it.body()?.shape else { return None };
        let property = property_of(self, members, name)?;
        Some((&property.value, Found { value: property.value.range, ..Found::exact(property.range()) }))
    }

    /// `properties/…` of a module: only its parameters are the author's.
    fn module(&self, it: &Declaration, steps: &[Step<'_>], value: Option<&Value>) -> Found {
        let here = Found::nearest(it.range);
        let name = match steps.first().map(|it| &**it) {
            Some("parameters") => "params",
            Some("extensionConfigs") => "extensionConfigs",
            _ => return here,
        };
        let Some((node, found)) = self.member(it, name) else { return here };
        let value = child(value, &steps[0]);
        match &steps[1..] {
            [] => found,
            [argument, rest @ ..] if name == "params" => self.argument(node, argument, rest, value),
            rest => self.property(node, rest, value, found),
        }
    }

    /// `parameters/argument/…`: what is `params.argument` in Bicep is `value`, `reference` or a loop below it in JSON.
    fn argument(&self, node: &Node, argument: &Step<'_>, steps: &[Step<'_>], value: Option<&Value>) -> Found {
        let found = self.property(node, std::slice::from_ref(argument), value, Found::exact(node.range));
        let property = match &node.shape {
            Shape::Object(members) => property_of(self, members, argument),
            _ => None,
        };
        let (Some(it), Some((step, rest))) = (property, steps.split_first()) else { return found };
        let value = child(value, argument);
        match &**step {
            "value" => self.property(&it.value, rest, child(value, step), found),
            "copy" => self.looped(&it.value, steps, value, found),
            _ => found,
        }
    }
}
