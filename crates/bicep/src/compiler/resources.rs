//! Resources and modules in a template.

use crate::compiler::arguments::ArgumentKind;
use crate::compiler::depend::{Node, Uses};
use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::features::Feature;
use crate::compiler::formula::Formula;
use crate::compiler::identity::{DeploymentScope, management_group};
use crate::compiler::members::{generated, member};
use crate::compiler::model::{Body, ResourceId, Target, decorator};
use crate::compiler::references::DEPLOYMENTS;
use crate::compiler::scope::Scope;
use crate::compiler::unknown;
use crate::language::ast::{Decorator, Expr, ExprKind, For, Item, Property};
use crate::text::Span;
use crate::value::{Member, Value};

/// Properties of resources that are emitted separately.
const OF_RESOURCES: [&str; 4] = ["name", "scope", "parent", "dependsOn"];

/// Properties of modules that are emitted separately.
const OF_MODULES: [&str; 5] = ["name", "params", "extensionConfigs", "scope", "dependsOn"];

/// Decorators that become members of `@options`.
const OPTIONS: [&str; 4] = ["onlyIfNotExists", "retryOn", "waitUntil", "nullIfNotFound"];

impl<'w> Emitter<'w> {
    pub(super) fn resource(&self, id: ResourceId, uses: &Uses<'w>) -> Made<Value> {
        let Some(resource) = self.model.resources.get(id) else { return Err(Failed) };
        let declaration = resource.declaration;
        let scope = self.resource_scope(id, None);
        let mut members = Vec::new();
        if let Some((iteration, name)) = self.iteration_of(id) {
            members.push(self.resource_copy(&name, iteration, &declaration.decorators, declaration.body.span)?);
        }
        if let Some(last) = self.conditions(id).last() {
            let value = match (self.conditions(id).as_slice(), self.condition_of(id, &scope)?) {
                ([only], _) => self.value(only, &scope)?,
                (_, Some(formula)) => self.written(&formula, last.span)?,
                _ => Value::from(true),
            };
            members.push(generated("condition", value, last.span));
        }
        if declaration.is_existing && self.settings.is_symbolic {
            members.push(generated("existing", Value::from(true), declaration.name.span));
        }
        let is_configurable = self.model.features().has(Feature::ModuleExtensionConfigs);
        if let Some(extension) = self.model.extension_of(resource) {
            let key = if is_configurable { "extension" } else { "import" };
            members.push(generated(key, Value::from(extension.name()), declaration.ty.span));
        }
        members.extend(self.options(&declaration.decorators)?);
        let patch = decorator(&declaration.decorators, "patch");
        members.extend(patch.map(|patch| generated("method", Value::from("PATCH"), patch.span)));
        let span = declaration.ty.span;
        let properties = resource.body.items.iter().filter_map(|item| match item {
            Item::Property(property) => Some(property),
            _ => None,
        });
        if resource.is_azure() || is_configurable {
            members.push(generated("type", Value::from(resource.ty.as_str()), span));
            if let Some(version) = &resource.version {
                members.push(generated("apiVersion", Value::from(version.as_str()), span));
            }
        } else {
            let version = resource.version.as_deref().map(|version| format!("@{version}")).unwrap_or_default();
            members.push(generated("type", Value::from(format!("{}{version}", resource.ty)), span));
        }
        if resource.is_azure() {
            self.add_deployment_scope(&self.deployment_scope(id, &scope)?, declaration.span, &mut members)?;
            members.push(self.name_member(id, &scope)?);
            members.extend(self.members(properties.filter(|own| !is_one_of(own, &OF_RESOURCES)), &scope)?);
        } else {
            let inner = self.members(properties.filter(|own| !is_one_of(own, &["dependsOn"])), &scope)?;
            members.push(generated("properties", Value::object(inner), resource.body.span));
        }
        if let Some(depends_on) = self.depends_on(Node::Resource(id), &scope, uses)? {
            members.push(Self::depends_on_member(&resource.body, depends_on));
        }
        self.add_description(&declaration.decorators, &mut members)?;
        Ok(Value::object(members).at(declaration.span))
    }

    /// Returns the `name` for the template, with the span of the name in the source.
    fn name_member(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Member> {
        let formula = self.full_name(id, scope).or_else(|failed| self.or_unknown(failed))?;
        let property = self.model.resources.get(id).and_then(|resource| {
            resource.body.items.iter().find_map(|item| match item {
                Item::Property(property) if property.name() == Some("name") => Some(property),
                _ => None,
            })
        });
        let Some(property) = property else { return Err(Failed) };
        let value = self.written(&formula, property.value.span)?;
        Ok(member("name", property.key.span, value))
    }

    fn depends_on_member(body: &Body<'_>, value: Value) -> Member {
        let written = body.items.iter().find_map(|item| match item {
            Item::Property(property) if property.name() == Some("dependsOn") => Some(property),
            _ => None,
        });
        match written {
            Some(property) => member("dependsOn", property.key.span, value.at(property.value.span)),
            None => Member::new("dependsOn", value),
        }
    }

    /// Returns the loop of a resource, or of the one that it is nested in, with its name.
    fn iteration_of(&self, id: ResourceId) -> Option<(&'w For, String)> {
        let mut next = Some(id);
        while let Some(id) = next {
            let resource = self.model.resources.get(id)?;
            if let Some(iteration) = resource.body.iteration {
                return Some((iteration, self.model.symbolic_name(id)));
            }
            next = resource.parent.filter(|parent| parent.is_nested).map(|parent| parent.resource);
        }
        None
    }

    fn resource_copy(&self, name: &str, iteration: &'w For, decorators: &'w [Decorator], span: Span) -> Made<Member> {
        let mut members = vec![generated("name", Value::from(name), span), self.count(iteration, &None)?];
        if let Some(size) = decorator(decorators, "batchSize").and_then(|batch| batch.arguments.first()) {
            members.push(generated("mode", Value::from("serial"), size.span));
            members.push(generated("batchSize", self.value(size, &None)?, size.span));
        }
        Ok(generated("copy", Value::object(members), span))
    }

    fn options(&self, decorators: &'w [Decorator]) -> Made<Option<Member>> {
        let mut options = Vec::new();
        for own in decorators.iter().filter(|own| OPTIONS.contains(&&*own.name.text)) {
            let values: Made<Vec<Value>> = own.arguments.iter().map(|argument| self.value(argument, &None)).collect();
            options.push(member(&*own.name.text, own.name.span, Value::array(values?).at(own.span)));
        }
        let span = options.first().and_then(|option| option.value.span);
        Ok(span.map(|span| generated("@options", Value::object(options), span)))
    }

    fn add_description(&self, decorators: &'w [Decorator], members: &mut Vec<Member>) -> Made<()> {
        if let Some(description) = self.description(decorators)? {
            let span = description.value.span;
            let metadata = Value::object(vec![description]);
            members.extend(span.map(|span| generated("metadata", metadata, span)));
        }
        Ok(())
    }

    /// Adds the members for the deployment scope of a resource or module.
    fn add_deployment_scope(&self, place: &DeploymentScope, span: Span, members: &mut Vec<Member>) -> Made<()> {
        let target = self.model.target;
        let mut add = |name: &str, formula: &Formula| -> Made<()> {
            members.push(generated(name, self.written(formula, span)?, span));
            Ok(())
        };
        match place {
            DeploymentScope::Resource(id, index) => {
                add("scope", &self.resource_id(*id, &self.resource_scope(*id, index.as_ref()))?)
            }
            DeploymentScope::Tenant if target != Target::Tenant => add("scope", &Formula::text("/")),
            DeploymentScope::ManagementGroup(Some(name)) => {
                let is_whole = !matches!(target, Target::Tenant | Target::ManagementGroup);
                add("scope", &management_group(name.clone(), is_whole))
            }
            DeploymentScope::Subscription(Some(id)) => add("subscriptionId", id),
            DeploymentScope::Subscription(None) if target == Target::ResourceGroup => {
                add("subscriptionId", &Formula::call("subscription", Vec::new()).dot("subscriptionId"))
            }
            DeploymentScope::ResourceGroup { subscription, group } => {
                subscription.iter().try_for_each(|id| add("subscriptionId", id))?;
                group.iter().try_for_each(|name| add("resourceGroup", name))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn module(&self, at: usize, uses: &Uses<'w>) -> Made<Value> {
        let Some(module) = self.model.modules.get(at) else { return Err(Failed) };
        let (body, span) = (&module.body, module.span);
        let scope = self.module_scope(at, None);
        let name = &module.declaration.name;
        let mut members = Vec::new();
        if let Some(iteration) = body.iteration {
            members.push(self.resource_copy(&name.text, iteration, module.decorators, module.declaration.body.span)?);
        }
        if let Some(test) = body.condition {
            members.push(generated("condition", self.value(test, &scope)?, test.span));
        }
        members.push(generated("type", Value::from("Microsoft.Resources/deployments"), name.span));
        members.push(generated("apiVersion", Value::from(DEPLOYMENTS), name.span));
        let properties = body.items.iter().filter_map(|item| match item {
            Item::Property(property) => Some(property),
            _ => None,
        });
        members.extend(self.members(properties.clone().filter(|own| !is_one_of(own, &OF_MODULES)), &scope)?);
        let written = properties.clone().find(|own| own.name() == Some("name"));
        let formula = self.module_name(at, None).or_else(|failed| self.or_unknown(failed))?;
        members.push(match written {
            Some(property) => member("name", property.key.span, self.written(&formula, property.value.span)?),
            None => generated("name", self.written(&formula, name.span)?, name.span),
        });
        let place = self.module_deployment_scope(at, &scope)?;
        self.add_deployment_scope(&place, body.get("scope").map_or(span, |scope| scope.span), &mut members)?;
        if !matches!(place, DeploymentScope::ResourceGroup { .. }) {
            let function = if self.model.target == Target::ResourceGroup { "resourceGroup" } else { "deployment" };
            let location = Formula::call(function, Vec::new()).dot("location");
            members.push(generated("location", self.written(&location, span)?, span));
        }
        members.push(generated("properties", self.module_properties(at, &scope)?, span));
        if let Some(depends_on) = self.depends_on(Node::Module(at), &scope, uses)? {
            members.push(Self::depends_on_member(body, depends_on));
        }
        self.add_description(module.decorators, &mut members)?;
        Ok(Value::object(members).at(span))
    }

    fn module_properties(&self, at: usize, scope: &Scope<'w>) -> Made<Value> {
        let Some(module) = self.model.modules.get(at) else { return Err(Failed) };
        let span = module.span;
        let options = Value::object(vec![generated("scope", Value::from("inner"), span)]);
        let mut members = vec![
            generated("expressionEvaluationOptions", options, span),
            generated("mode", Value::from("Incremental"), span),
        ];
        if let Some(params) = module.body.get("params") {
            let Some(items) = params.bare().as_object() else {
                return self.fail_as("BCP183", params.span, "expected an object");
            };
            let mut parameters = Vec::new();
            for item in items {
                if matches!(item, Item::Property(own) if self.world.is_refused(own.key.span)) {
                    continue;
                }
                let Item::Property(property) = item else {
                    return self.fail_as("BCP401", params.span, "the parameters of a module cannot have spreads");
                };
                parameters.push(self.module_parameter(property, scope)?);
            }
            members.push(generated("parameters", Value::object(parameters), params.span));
        }
        members.extend(self.extension_configs(&module.body, scope)?);
        let path = module.declaration.path.span;
        match self.world.template(module.unit) {
            Some(template) => {
                self.count_module(module.unit, &template, path)?;
                members.push(generated("template", template, path));
            }
            None => members.push(unknown::link(&module.declaration.path)),
        }
        Ok(Value::object(members))
    }

    /// Returns the configurations that a module passes to the extensions of its template.
    fn extension_configs(&self, body: &Body<'w>, scope: &Scope<'w>) -> Made<Option<Member>> {
        let Some(given) = body.get("extensionConfigs") else { return Ok(None) };
        let mut configs = Vec::new();
        for (name, config) in named_properties(given).into_iter().flatten() {
            let value = match named_properties(&config.value) {
                Some(entries) => {
                    let entries = entries.map(|(name, own)| {
                        Ok(member(name, own.key.span, self.argument(&own.value, ArgumentKind::Configuration, scope)?))
                    });
                    Value::object(entries.collect::<Made<Vec<Member>>>()?).at(config.value.span)
                }
                // The whole configuration of this file's extension.
                None => self.value(&config.value, scope)?,
            };
            configs.push(member(name, config.key.span, value));
        }
        Ok(Some(generated("extensionConfigs", Value::object(configs), given.span)))
    }

    fn module_parameter(&self, property: &'w Property, scope: &Scope<'w>) -> Made<Member> {
        let Some(name) = property.name() else {
            return self.fail_as("BCP040", property.key.span, "the name of a parameter cannot have interpolations");
        };
        let span = property.value.span;
        let value = match &property.value.kind {
            ExprKind::For(iteration) => {
                let copy = self.copy(Some(name), iteration, span, scope, Some("value"))?;
                Value::object(vec![generated("copy", Value::array(vec![copy]), span)]).at(span)
            }
            _ => self.argument(&property.value, ArgumentKind::Parameter, scope)?,
        };
        Ok(member(name, property.key.span, value))
    }
}

/// Returns the properties of an object, except those with interpolated names.
fn named_properties(expr: &Expr) -> Option<impl Iterator<Item = (&str, &Property)>> {
    let items = expr.bare().as_object()?;
    Some(items.iter().filter_map(|item| match item {
        Item::Property(property) => property.name().map(|name| (name, property)),
        _ => None,
    }))
}

fn is_one_of(property: &Property, names: &[&str]) -> bool {
    property.name().is_some_and(|name| names.contains(&name))
}
