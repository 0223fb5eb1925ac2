//! Names, IDs, and scopes of resources and modules.

use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::formula::Formula;
use crate::compiler::model::{ResourceId, Symbol, Target};
use crate::compiler::references::{Referent, Via, transparent};
use crate::compiler::scope::{FrameKind, Scope, inside};
use crate::language::ast::{Expr, ExprKind};

/// Maximum length of the name of a deployment.
const MAX_NAME: usize = 64;

/// Scope in which a resource or module is deployed.
#[derive(Clone, Debug)]
pub(super) enum DeploymentScope {
    Tenant,
    ManagementGroup(Option<Formula>),
    Subscription(Option<Formula>),
    ResourceGroup {
        subscription: Option<Formula>,
        group: Option<Formula>,
    },
    /// An extension of another resource.
    Resource(ResourceId, Option<Formula>),
    Local,
}

impl DeploymentScope {
    pub(super) fn from_target(target: Target) -> Self {
        match target {
            Target::Tenant => Self::Tenant,
            Target::ManagementGroup => Self::ManagementGroup(None),
            Target::Subscription => Self::Subscription(None),
            Target::ResourceGroup => Self::ResourceGroup { subscription: None, group: None },
            Target::Local => Self::Local,
        }
    }
}

fn copy_index() -> Formula {
    Formula::call("copyIndex", Vec::new())
}

impl<'w> Emitter<'w> {
    /// Returns the scope of names in the body of a resource. `index` selects an item of its loop.
    pub(super) fn resource_scope(&self, id: ResourceId, index: Option<&Formula>) -> Scope<'w> {
        let resource = self.model.resources.get(id)?;
        let own = resource.body.iteration;
        let nested_in = resource.parent.filter(|parent| parent.is_nested);
        let outer =
            nested_in.and_then(|parent| self.resource_scope(parent.resource, if own.is_none() { index } else { None }));
        let scope = match own {
            Some(iteration) => inside(&outer, FrameKind::Loop(iteration, index.cloned().unwrap_or_else(copy_index))),
            None => outer,
        };
        if resource.children.is_empty() { scope } else { inside(&scope, FrameKind::Nested(id)) }
    }

    /// Returns the scope of names in the body of a module.
    pub(super) fn module_scope(&self, at: usize, index: Option<&Formula>) -> Scope<'w> {
        let iteration = self.model.modules.get(at)?.body.iteration?;
        inside(&None, FrameKind::Loop(iteration, index.cloned().unwrap_or_else(copy_index)))
    }

    /// Returns the parent of a resource, and the scope of the parent's body. `scope` is that of the resource.
    fn parent_scope(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Option<(ResourceId, Scope<'w>)>> {
        let Some(parent) = self.model.resources.get(id).and_then(|resource| resource.parent) else { return Ok(None) };
        if parent.is_nested {
            // The frames of the parent are part of the scope already, with the index that is meant.
            return Ok(Some((parent.resource, scope.clone())));
        }
        let index = match parent.index {
            Some(index) => Some(self.convert(index, scope)?),
            None => None,
        };
        Ok(Some((parent.resource, self.resource_scope(parent.resource, index.as_ref()))))
    }

    /// Returns the name of a resource as its author wrote it.
    pub(super) fn own_name(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Formula> {
        let Some(resource) = self.model.resources.get(id) else { return Ok(Formula::null()) };
        match resource.body.get("name") {
            Some(name) => self.convert(name, scope),
            None => self.fail_as("BCP035", resource.declaration.name.span, "the resource has no `name`"),
        }
    }

    /// Returns a resource and its ancestors, the oldest first, with the scopes of their bodies.
    fn lineage(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Vec<(ResourceId, Scope<'w>)>> {
        let mut lineage = vec![(id, scope.clone())];
        while let Some((id, scope)) = lineage.last() {
            match self.parent_scope(*id, scope)? {
                Some(parent) => lineage.push(parent),
                None => break,
            }
        }
        lineage.reverse();
        Ok(lineage)
    }

    /// Returns the names of a resource and its ancestors, one for each segment of its type.
    pub(super) fn name_segments(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Vec<Formula>> {
        let Some(resource) = self.model.resources.get(id) else { return Ok(Vec::new()) };
        let lineage = self.lineage(id, scope)?;
        let types = resource.ty.split('/').count().saturating_sub(1);
        let first = types.saturating_sub(lineage.len().saturating_sub(1));
        let mut segments = Vec::new();
        for (at, (ancestor, scope)) in lineage.iter().enumerate() {
            let name = self.own_name(*ancestor, scope)?;
            if at == 0 && first > 1 {
                for part in 0..first {
                    let split = Formula::call("split", vec![name.clone(), Formula::text("/")]);
                    segments.push(split.member(Formula::Int(i64::try_from(part).unwrap_or(0))));
                }
            } else {
                segments.push(name);
            }
        }
        Ok(segments)
    }

    /// Returns the `name` of a resource in the template.
    pub(super) fn full_name(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Formula> {
        if self.model.resources.get(id).is_none_or(|resource| resource.parent.is_none()) {
            return self.own_name(id, scope);
        }
        let segments = self.name_segments(id, scope)?;
        let format: Vec<String> = (0..segments.len()).map(|at| format!("{{{at}}}")).collect();
        let mut arguments = vec![Formula::text(&format.join("/"))];
        arguments.extend(segments);
        Ok(Formula::call("format", arguments))
    }

    /// Returns the deployment scope of a resource. `scope` is that of its body.
    pub(super) fn deployment_scope(&self, id: ResourceId, scope: &Scope<'w>) -> Made<DeploymentScope> {
        if self.model.resources.get(id).is_some_and(|resource| resource.has_cyclic_scope) {
            // Reported already.
            return Err(Failed);
        }
        if let Some((parent, scope)) = self.parent_scope(id, scope)? {
            return self.deployment_scope(parent, &scope);
        }
        match self.model.resources.get(id).and_then(|resource| resource.body.get("scope")) {
            Some(value) => self.scope_from_value(value, scope),
            None => Ok(DeploymentScope::from_target(self.model.target)),
        }
    }

    /// Returns the deployment scope of a module.
    pub(super) fn module_deployment_scope(&self, at: usize, scope: &Scope<'w>) -> Made<DeploymentScope> {
        match self.model.modules.get(at).and_then(|module| module.body.get("scope")) {
            Some(value) => self.scope_from_value(value, scope),
            None => Ok(DeploymentScope::from_target(self.model.target)),
        }
    }

    /// Evaluates a value of the property `scope`.
    fn scope_from_value(&self, value: &'w Expr, scope: &Scope<'w>) -> Made<DeploymentScope> {
        self.deeper(value.span, || {
            let value = transparent(value);
            if let Some((name, arguments)) = scope_call(value) {
                return self.scope_from_call(value, name, arguments, scope);
            }
            if let ExprKind::Variable(name) = &value.kind
                && let Some(Symbol::Variable(at)) = self.model.symbols.get(&*name.text)
                && let Some(inner) = self.model.variables.get(*at).and_then(|variable| variable.value)
            {
                return self.scope_from_value(inner, &None);
            }
            if let ExprKind::Ternary(parts) = &value.kind
                && let [Some((first, [])), Some((second, _))] =
                    [&parts.1, &parts.2].map(|part| scope_call(transparent(part)))
                && first == second
            {
                // The Bicep CLI decides by the type, which for both is that of the first.
                return self.scope_from_call(value, first, &[], scope);
            }
            let Some(Referent::Resource(target, index)) = self.subject(value, scope, Via::All)? else {
                return self.fail_as(
                    "BCP036",
                    value.span,
                    "expected a scope, such as `resourceGroup('name')` or a resource",
                );
            };
            let Some(resource) = self.model.resources.get(target) else { return Ok(DeploymentScope::Tenant) };
            let inner = self.resource_scope(target, index.as_ref());
            if resource.ty.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups") {
                let subscription = match self.deployment_scope(target, &inner)? {
                    DeploymentScope::Subscription(subscription) => subscription,
                    DeploymentScope::ResourceGroup { subscription, .. } => subscription,
                    _ => None,
                };
                let group = Some(self.own_name(target, &inner)?);
                return Ok(DeploymentScope::ResourceGroup { subscription, group });
            }
            if resource.ty.eq_ignore_ascii_case("Microsoft.Management/managementGroups") {
                return Ok(DeploymentScope::ManagementGroup(Some(self.own_name(target, &inner)?)));
            }
            Ok(DeploymentScope::Resource(target, index))
        })
    }

    fn scope_from_call(
        &self,
        call: &Expr,
        name: &str,
        arguments: &'w [Expr],
        scope: &Scope<'w>,
    ) -> Made<DeploymentScope> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.convert(argument, scope)?);
        }
        let mut values = values.into_iter();
        match (name, arguments.len()) {
            ("tenant", 0) => Ok(DeploymentScope::Tenant),
            ("managementGroup", 0 | 1) => Ok(DeploymentScope::ManagementGroup(values.next())),
            ("subscription", 0 | 1) => Ok(DeploymentScope::Subscription(values.next())),
            ("resourceGroup", 0 | 1) => Ok(DeploymentScope::ResourceGroup { subscription: None, group: values.next() }),
            ("resourceGroup", 2) => {
                Ok(DeploymentScope::ResourceGroup { subscription: values.next(), group: values.next() })
            }
            _ => self.fail_as("BCP071", call.span, format!("`{name}` does not take {} arguments", arguments.len())),
        }
    }

    /// Returns the full ID of a resource. `scope` is that of its body.
    pub(super) fn resource_id(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Formula> {
        let Some(resource) = self.model.resources.get(id) else { return Ok(Formula::null()) };
        self.deeper(resource.declaration.span, || {
            let segments = self.name_segments(id, scope)?;
            self.id_at(&self.deployment_scope(id, scope)?, &resource.ty, segments)
        })
    }

    /// Returns the full ID of the deployment of a module.
    pub(super) fn module_id(&self, at: usize, index: Option<&Formula>) -> Made<Formula> {
        let place = self.module_deployment_scope(at, &self.module_scope(at, index))?;
        self.id_at(&place, "Microsoft.Resources/deployments", vec![self.module_name(at, index)?])
    }

    fn id_at(&self, place: &DeploymentScope, ty: &str, segments: Vec<Formula>) -> Made<Formula> {
        let with = |first: Option<Formula>| {
            first.into_iter().chain([Formula::text(ty)]).chain(segments.clone()).collect::<Vec<_>>()
        };
        let extension = |scope: Formula| Formula::call("extensionResourceId", with(Some(scope)));
        Ok(match place {
            DeploymentScope::Tenant | DeploymentScope::Local => Formula::call("tenantResourceId", with(None)),
            DeploymentScope::Subscription(subscription) => {
                Formula::call("subscriptionResourceId", with(subscription.clone()))
            }
            DeploymentScope::ResourceGroup { group: None, .. } => Formula::call("resourceId", with(None)),
            DeploymentScope::ResourceGroup { subscription, group: Some(group) } => {
                let subscription = subscription
                    .clone()
                    .unwrap_or_else(|| Formula::call("subscription", Vec::new()).dot("subscriptionId"));
                let format = Formula::text("/subscriptions/{0}/resourceGroups/{1}");
                extension(Formula::call("format", vec![format, subscription, group.clone()]))
            }
            DeploymentScope::ManagementGroup(None) => extension(Formula::call("managementGroup", Vec::new()).dot("id")),
            DeploymentScope::ManagementGroup(Some(name)) => extension(management_group(name.clone(), true)),
            DeploymentScope::Resource(target, index) => {
                let scope = self.resource_scope(*target, index.as_ref());
                extension(self.resource_id(*target, &scope)?)
            }
        })
    }

    /// Returns the name of a module's deployment: as written, or generated.
    pub(super) fn module_name(&self, at: usize, index: Option<&Formula>) -> Made<Formula> {
        let Some(module) = self.model.modules.get(at) else { return Ok(Formula::null()) };
        if let Some(name) = module.body.get("name") {
            return self.convert(name, &self.module_scope(at, index));
        }
        let name = &module.declaration.name.text;
        let unique = Formula::call(
            "uniqueString",
            vec![Formula::text(name), Formula::call("deployment", Vec::new()).dot("name")],
        );
        // The hash has 13 characters and an index up to 3, each after a dash.
        let (taken, format) = if module.body.iteration.is_some() { (18, "-{0}-{1}") } else { (14, "-{0}") };
        let prefix: String = name.chars().take(MAX_NAME - taken).collect();
        let mut arguments = vec![Formula::text(&format!("{prefix}{format}"))];
        if module.body.iteration.is_some() {
            arguments.push(index.cloned().unwrap_or_else(copy_index));
        }
        arguments.push(unique);
        Ok(Formula::call("format", arguments))
    }

    /// Returns the condition of a resource, joined with those of the resources that it is nested in.
    pub(super) fn condition_of(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Option<Formula>> {
        let mut all: Option<Formula> = None;
        for test in self.conditions(id) {
            let test = self.convert(test, scope)?;
            all = Some(match all {
                Some(all) => Formula::call("and", vec![all, test]),
                None => test,
            });
        }
        Ok(all)
    }

    /// Returns the conditions of a resource and of those that it is nested in, the outermost first.
    pub(super) fn conditions(&self, id: ResourceId) -> Vec<&'w Expr> {
        let mut conditions = Vec::new();
        let mut next = Some(id);
        while let Some(resource) = next.take().and_then(|id| self.model.resources.get(id)) {
            conditions.extend(resource.body.condition);
            next = resource.parent.filter(|parent| parent.is_nested).map(|parent| parent.resource);
        }
        conditions.reverse();
        conditions
    }
}

/// Returns the ID of a management group: of its resource if `is_whole`, otherwise as a relative path.
pub(super) fn management_group(name: Formula, is_whole: bool) -> Formula {
    if is_whole {
        return Formula::call("tenantResourceId", vec![Formula::text("Microsoft.Management/managementGroups"), name]);
    }
    Formula::call("format", vec![Formula::text("Microsoft.Management/managementGroups/{0}"), name])
}

/// Returns the name and the arguments of a call of a scope function.
fn scope_call(value: &Expr) -> Option<(&str, &[Expr])> {
    let (name, arguments) = match &value.kind {
        ExprKind::Call { name, arguments } => (name, arguments),
        ExprKind::Method { base, name, arguments } => match &base.kind {
            ExprKind::Variable(namespace) if &*namespace.text == "az" => (name, arguments),
            _ => return None,
        },
        _ => return None,
    };
    let names = ["tenant", "managementGroup", "subscription", "resourceGroup"];
    names.contains(&&*name.text).then_some((&*name.text, arguments))
}
