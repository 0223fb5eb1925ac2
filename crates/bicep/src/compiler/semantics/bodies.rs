//! Bodies of resources and modules.

use std::rc::Rc;

use crate::compiler::features::Feature;
use crate::compiler::model::{Body, ModuleInfo, ResourceId, ResourceInfo};
use crate::compiler::semantics::assign::AssignmentTarget;
use crate::compiler::semantics::locals::{Local, LocalKind, Locals};
use crate::compiler::semantics::types::{Limited, Object, Property, Tagged, Type};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::compiler::units::{Content, UnitId};
use crate::language::ast::{self, DeclarationKind, Expr, ExprKind, Item, Module, Name};
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
        let body = match self.body_type(id) {
            Type::Object(body) => Some(body),
            Type::Tagged(tagged) => self.selected_body(resource, &tagged, locals),
            _ => None,
        };
        if let Some(body) = body.as_ref().filter(|_| !resource.declaration.is_existing && !has_spread(items)) {
            let is_written = |name: &str| name == "name" || resource.body.get(name).is_some();
            self.lenient().missing(resource.declaration.name.span, body, is_written);
        }
        for item in items {
            match item {
                Item::Property(own) => {
                    let name = own.name().unwrap_or_default();
                    if resource.is_azure() {
                        self.resource_property_name(id, name, own.key.span);
                    }
                    match name {
                        "name" if resource.is_azure() => self.resource_name(own, body.as_deref(), locals),
                        "dependsOn" => self.depends_on(&own.value, locals),
                        "scope" | "parent" => {
                            self.infer(&own.value, locals);
                        }
                        _ => self.body_property(id, own, body.as_ref(), locals),
                    }
                }
                Item::Spread(value) => {
                    self.infer(value, locals);
                }
                Item::Resource(_) => {}
            }
        }
    }

    /// Returns the variant of a resource's body that its discriminator selects.
    fn selected_body(
        self,
        resource: &'w ResourceInfo<'w>,
        tagged: &Rc<Tagged>,
        locals: Locals<'_>,
    ) -> Option<Rc<Object>> {
        let key = &*tagged.key;
        let Some(value) = resource.body.get(key) else {
            if key != "name" && !has_spread(resource.body.items) {
                let message = format!("`{key}` is missing, which says what else the resource has");
                self.report(resource.declaration.name.span, "BCP078", message);
            }
            return None;
        };
        let found = self.force(&self.quiet().infer(value, locals));
        let Type::Text(Some(text)) = &found else {
            if self.is_assignable(&found, &Type::TEXT) && !found.is_any() {
                let message = format!("the value of `{key}` is not known here, so the resource is not checked");
                self.warn(value.span, "BCP225", message);
            }
            return None;
        };
        match tagged.variants.iter().find(|(name, _)| name == text) {
            Some((_, Type::Object(body))) => Some(body.clone()),
            Some(_) => None,
            None => {
                let names = Type::union(tagged.variants.iter().map(|(name, _)| Type::Text(Some(name.clone()))));
                self.lenient().mismatch(value.span, &found, &names, AssignmentTarget::Property(key));
                None
            }
        }
    }

    /// Checks the name of a resource. Its length and form are only warnings.
    fn resource_name(self, own: &'w ast::Property, body: Option<&Object>, locals: Locals<'_>) {
        let target = AssignmentTarget::Property("name");
        let published = body.and_then(|body| body.get("name")).map(|own| own.ty.clone());
        let found = self.infer(&own.value, locals);
        if self.is_assignable(&found, &Type::TEXT) {
            if let Some(published) = published {
                self.lenient().assign(&own.value, &published, target, own.key.span, locals);
            }
        } else {
            self.mismatch(own.value.span, &found, &Type::TEXT, target);
        }
    }

    /// Checks a property of a resource against the published type.
    fn body_property(self, id: ResourceId, own: &'w ast::Property, body: Option<&Rc<Object>>, locals: Locals<'_>) {
        let is_existing = self.model.resources.get(id).is_some_and(|own| own.declaration.is_existing);
        match (body, own.name()) {
            (Some(body), Some(name)) if !is_existing && !READ_ONLY.contains(&name) => {
                self.lenient().assign_property(own, name, body, locals);
            }
            _ => {
                self.infer(&own.value, locals);
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
        let path = &module.declaration.path;
        if path.literal().is_some_and(|path| path.to_ascii_lowercase().ends_with(".bicepparam")) {
            self.report(path.span, "BCP277", "a module has to be a `.bicep` file or a template");
        }
        let content = self.program.units.get(module.unit).map(|unit| &unit.content);
        if let Some(Content::Template(template)) = content
            && template.get("$schema").is_none()
            && template.get("resources").is_none()
        {
            self.report(path.span, "BCP188", "the file is not a template: it has no `$schema` and no `resources`");
        }
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
        let property = |name: &str, ty, is_required| Property::new(name, ty, is_required);
        let mut properties = vec![
            property("name", module_name_type(), false),
            property("params", params, is_needed),
            property("scope", Type::Any, false),
            property("dependsOn", Type::Any, false),
            property("identity", identity_type(), false),
            property("outputs", Type::Any, false),
        ];
        if self.model.features().has(Feature::ModuleExtensionConfigs) {
            properties.push(property("extensionConfigs", Type::Any, false));
        }
        let target = Object { properties, ..Object::default() };
        self.assign_object(items, &Rc::new(target), name.span, locals);
        if let Some(value) = module.body.get("dependsOn") {
            self.depends_on(value, locals);
        }
    }

    /// Checks the body of a test, which has the parameters of its file.
    pub(super) fn test_body(self, test: &'w Module) {
        let Content::Bicep(tree, links) = &self.model.unit.content else { return };
        let link = tree.declarations.iter().zip(links).find_map(|(declaration, link)| match &declaration.kind {
            DeclarationKind::Test(own) if std::ptr::eq(own, test) => *link,
            _ => None,
        });
        let (Some(unit), Some(items)) = (link, test.body.body().as_object()) else { return };
        let params = self.parameters_of(unit);
        let is_needed = matches!(&params, Type::Object(object) if object.properties.iter().any(|own| own.is_required));
        let target = Object { properties: vec![Property::new("params", params, is_needed)], ..Object::default() };
        self.assign_object(items, &Rc::new(target), test.name.span, None);
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
                    Property::new(&*param.name.text, ty, is_required)
                });
                Type::object_of(properties.collect())
            }
        })
    }
}

/// Returns the type of the name of a module or deployment.
pub(super) fn module_name_type() -> Type {
    let limited = Limited { ty: Type::TEXT, least: Some(1), most: Some(64), pattern: Some(r"^[-\w._()]+$") };
    Type::Limited(limited.into())
}

/// Returns the type of a module's identity.
fn identity_type() -> Type {
    let kinds = Type::union(["None", "UserAssigned"].map(|name| Type::Text(Some(name.into()))));
    Type::object_of(vec![
        Property::new("type", kinds, true),
        Property::new("userAssignedIdentities", Type::object(), false),
    ])
}

fn has_spread(items: &[Item]) -> bool {
    items.iter().any(|item| matches!(item, Item::Spread(_)))
}
