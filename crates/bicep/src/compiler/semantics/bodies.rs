//! Bodies of resources and modules.

use std::rc::Rc;

use crate::compiler::features::Feature;
use crate::compiler::model::{Body, ModuleInfo, ResourceId};
use crate::compiler::semantics::assign::AssignmentTarget;
use crate::compiler::semantics::locals::{Local, LocalKind, Locals};
use crate::compiler::semantics::types::{Object, Property, Type};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::compiler::units::UnitId;
use crate::language::ast::{Expr, ExprKind, Item, Name};
use crate::text::Span;

/// Read-only properties of resources.
const READ_ONLY: [&str; 3] = ["apiVersion", "id", "type"];

/// Properties that an existing resource can have.
const OF_EXISTING: [&str; 5] = ["dependsOn", "name", "parent", "scope", "asserts"];

impl<'w> Checker<'_, 'w> {
    /// Calls `run` inside the loop and the condition of a body.
    fn in_body(self, body: Body<'w>, locals: Locals<'_>, run: &mut dyn FnMut(Locals<'_>)) {
        let mut inner = |locals: Locals<'_>| {
            if let Some(condition) = body.condition {
                self.condition(condition, locals);
            }
            run(locals);
        };
        match body.iteration {
            Some(iteration) => self.iterate(iteration, locals, &mut inner),
            None => inner(locals),
        }
    }

    /// Checks a top-level resource, with those nested in it.
    pub(super) fn resource_body(self, id: ResourceId) {
        let is_nested = self.model.resources.get(id).and_then(|own| own.parent).is_some_and(|own| own.is_nested);
        if !is_nested {
            self.resource(id, None);
        }
    }

    fn resource(self, id: ResourceId, locals: Locals<'_>) {
        let Some(resource) = self.model.resources.get(id) else { return };
        // The parser limits the depth of nested resources.
        self.in_body(resource.body, locals, &mut |locals| {
            let local = Local { outer: locals, kind: LocalKind::Nested(id) };
            let inner = Some(&local);
            self.resource_properties(id, inner);
            for child in &resource.children {
                let is_nested =
                    self.model.resources.get(*child).and_then(|own| own.parent).is_some_and(|own| own.is_nested);
                if is_nested {
                    self.nested_in_loop(*child, resource.is_collection());
                    self.resource(*child, inner);
                }
            }
        });
    }

    fn nested_in_loop(self, child: ResourceId, is_loop: bool) {
        if is_loop && let Some(child) = self.model.resources.get(child) {
            let message = "a resource cannot be written in a loop of resources; declare it with `parent`";
            self.report(child.declaration.name.span, "BCP160", message);
        }
    }

    fn resource_properties(self, id: ResourceId, locals: Locals<'_>) {
        let Some(resource) = self.model.resources.get(id) else { return };
        let items = resource.body.items;
        self.duplicate_properties(items);
        if resource.is_azure() && resource.body.get("name").is_none() && !has_spread(items) {
            self.report(resource.declaration.name.span, "BCP035", "the resource has no `name`");
        }
        for item in items {
            match item {
                Item::Property(own) => {
                    let name = own.name().unwrap_or_default();
                    if resource.is_azure() {
                        self.resource_property_name(id, name, own.key.span);
                    }
                    match name {
                        "name" if resource.is_azure() => {
                            self.assign(
                                &own.value,
                                &Type::TEXT,
                                AssignmentTarget::Property(name),
                                own.key.span,
                                locals,
                            );
                        }
                        "dependsOn" => self.depends_on(&own.value, locals),
                        _ => {
                            self.infer(&own.value, locals);
                        }
                    }
                }
                Item::Spread(value) => {
                    self.infer(value, locals);
                }
                Item::Resource(_) => {}
            }
        }
    }

    fn resource_property_name(self, id: ResourceId, name: &str, span: Span) {
        let Some(resource) = self.model.resources.get(id) else { return };
        if READ_ONLY.contains(&name) {
            self.report(span, "BCP073", format!("`{name}` is read-only; remove it"));
        } else if resource.declaration.is_existing && !name.is_empty() && !OF_EXISTING.contains(&name) {
            self.report(span, "BCP173", format!("an existing resource cannot have `{name}`; remove it"));
        }
    }

    /// Checks `dependsOn`, whose items are resources and modules.
    fn depends_on(self, value: &'w Expr, locals: Locals<'_>) {
        let ExprKind::Array(items) = &value.bare().kind else {
            self.infer(value, locals);
            return;
        };
        for item in items {
            let found = self.infer(&item.value, locals);
            let is_wrong = matches!(found, Type::Text(_) | Type::Int(_) | Type::Bool(_) | Type::Null);
            let is_call = matches!(&item.value.bare().kind, ExprKind::Call { name, .. } if &*name.text == "fail");
            if !item.is_spread && (is_wrong || is_call) {
                let message = format!("`dependsOn` expects names of resources and modules, found `{found}`");
                self.report(item.value.span, "BCP034", message);
            }
        }
    }

    pub(super) fn module_body(self, module: &'w ModuleInfo<'w>) {
        let name = &module.declaration.name;
        self.in_body(module.body, None, &mut |locals| self.module_properties(module, name, locals));
    }

    fn module_properties(self, module: &'w ModuleInfo<'w>, name: &'w Name, locals: Locals<'_>) {
        let items = module.body.items;
        for item in items {
            if let Item::Property(own) = item
                && own.name() == Some("outputs")
            {
                self.report(own.key.span, "BCP073", "`outputs` is read-only; remove it");
            }
        }
        let params = self.parameters_of(module.unit);
        let is_needed = match &params {
            Type::Object(object) => object.properties.iter().any(|own| own.is_required),
            _ => false,
        };
        let property = |name: &str, ty, is_required| Property { name: name.into(), ty, is_required };
        let mut properties = vec![
            property("name", Type::TEXT, false),
            property("params", params, is_needed),
            property("scope", Type::Any, false),
            property("dependsOn", Type::Any, false),
            property("identity", Type::Any, false),
            property("outputs", Type::Any, false),
        ];
        if self.model.features().has(Feature::ModuleExtensionConfigs) {
            properties.push(property("extensionConfigs", Type::Any, false));
        }
        let target = Object { properties, additional: None };
        self.assign_object(items, &Rc::new(target), name.span, locals);
        if let Some(value) = module.body.get("dependsOn") {
            self.depends_on(value, locals);
        }
    }

    /// Returns the parameters of a file, as an object type.
    pub(super) fn parameters_of(self, unit: UnitId) -> Type {
        self.program.once(TypeKey::Parameters(unit), || match self.within(unit) {
            None => self.template_members(unit, "parameters"),
            // The unreadable part may declare parameters.
            Some(inner) if inner.model.unit.is_broken => Type::Any,
            Some(inner) => {
                let properties = inner.model.params.iter().map(|param| {
                    let ty = inner.parameter(param);
                    let is_required = param.value.is_none() && !inner.force(&ty).is_nullable() && !ty.is_any();
                    Property { name: (&*param.name.text).into(), ty, is_required }
                });
                Type::object_of(properties.collect())
            }
        })
    }
}

fn has_spread(items: &[Item]) -> bool {
    items.iter().any(|item| matches!(item, Item::Spread(_)))
}
