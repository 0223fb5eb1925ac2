//! The names, IDs and scopes of resources and modules.

use crate::compiler::emitter::{Emitter, Failed, Made};
use crate::compiler::formula::Formula;
use crate::compiler::model::{ResourceId, Symbol, Target};
use crate::compiler::references::{Subject, Via, transparent};
use crate::compiler::scope::{FrameKind, Scope, inside};
use crate::language::ast::{Expr, ExprKind};

/// The longest name of a deployment.
const MAX_NAME: usize = 64;

/// Where a resource or module is deployed.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Tenant,
    ManagementGroup(Option<Formula>),
    Subscription(Option<Formula>),
    ResourceGroup {
        subscription: Option<Formula>,
        group: Option<Formula>,
    },
    /// As an extension of another resource.
    Resource(ResourceId, Option<Formula>),
    Local,
}

impl Place {
    pub(super) fn of(target: Target) -> Self {
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
    /// The scope of the body of a resource. `index` is that of the one in a loop that is meant.
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

    /// The scope of the body of a module.
    pub(super) fn module_scope(&self, at: usize, index: Option<&Formula>) -> Scope<'w> {
        let iteration = self.model.modules.get(at)?.body.iteration?;
        inside(&None, FrameKind::Loop(iteration, index.cloned().unwrap_or_else(copy_index)))
    }

    /// The scope of the parent of a resource, and the parent. `scope` is that of the resource.
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

    /// What the author wrote as the name of a resource.
    pub(super) fn own_name(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Formula> {
        let Some(resource) = self.model.resources.get(id) else { return Ok(Formula::null()) };
        match resource.body.get("name") {
            Some(name) => self.convert(name, scope),
            None => self.fail(resource.declaration.name.span, "the resource has no `name`"),
        }
    }

    /// The ancestors of a resource and itself, the oldest first, with the scopes of their bodies.
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

    /// The names of the ancestors and of the resource itself, one for each part of its type.
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

    /// The `name` of a resource in the template.
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

    /// Where a resource is deployed. `scope` is that of its body.
    pub(super) fn place(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Place> {
        if self.model.resources.get(id).is_some_and(|resource| resource.is_its_own_place) {
            // Reported already.
            return Err(Failed);
        }
        if let Some((parent, scope)) = self.parent_scope(id, scope)? {
            return self.place(parent, &scope);
        }
        match self.model.resources.get(id).and_then(|resource| resource.body.get("scope")) {
            Some(value) => self.place_of(value, scope),
            None => Ok(Place::of(self.model.target)),
        }
    }

    /// Where a module is deployed.
    pub(super) fn module_place(&self, at: usize, scope: &Scope<'w>) -> Made<Place> {
        match self.model.modules.get(at).and_then(|module| module.body.get("scope")) {
            Some(value) => self.place_of(value, scope),
            None => Ok(Place::of(self.model.target)),
        }
    }

    /// The place that the value of `scope` means.
    fn place_of(&self, value: &'w Expr, scope: &Scope<'w>) -> Made<Place> {
        self.deeper(value.span, || {
            let value = transparent(value);
            if let Some((name, arguments)) = scope_call(value) {
                return self.place_call(value, name, arguments, scope);
            }
            if let ExprKind::Variable(name) = &value.kind
                && let Some(Symbol::Variable(at)) = self.model.symbols.get(&*name.text)
                && let Some(inner) = self.model.variables.get(*at).and_then(|variable| variable.value)
            {
                return self.place_of(inner, &None);
            }
            if let ExprKind::Ternary(parts) = &value.kind
                && let [Some((first, [])), Some((second, _))] =
                    [&parts.1, &parts.2].map(|part| scope_call(transparent(part)))
                && first == second
            {
                // The Bicep CLI decides by the type, which for both is that of the first.
                return self.place_call(value, first, &[], scope);
            }
            let Some(Subject::Resource(target, index)) = self.subject(value, scope, Via::All)? else {
                return self.fail(value.span, "expected a scope, such as `resourceGroup('name')` or a resource");
            };
            let Some(resource) = self.model.resources.get(target) else { return Ok(Place::Tenant) };
            let inner = self.resource_scope(target, index.as_ref());
            if resource.ty.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups") {
                let subscription = match self.place(target, &inner)? {
                    Place::Subscription(subscription) => subscription,
                    Place::ResourceGroup { subscription, .. } => subscription,
                    _ => None,
                };
                let group = Some(self.own_name(target, &inner)?);
                return Ok(Place::ResourceGroup { subscription, group });
            }
            if resource.ty.eq_ignore_ascii_case("Microsoft.Management/managementGroups") {
                return Ok(Place::ManagementGroup(Some(self.own_name(target, &inner)?)));
            }
            Ok(Place::Resource(target, index))
        })
    }

    fn place_call(&self, call: &Expr, name: &str, arguments: &'w [Expr], scope: &Scope<'w>) -> Made<Place> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.convert(argument, scope)?);
        }
        let mut values = values.into_iter();
        match (name, arguments.len()) {
            ("tenant", 0) => Ok(Place::Tenant),
            ("managementGroup", 0 | 1) => Ok(Place::ManagementGroup(values.next())),
            ("subscription", 0 | 1) => Ok(Place::Subscription(values.next())),
            ("resourceGroup", 0 | 1) => Ok(Place::ResourceGroup { subscription: None, group: values.next() }),
            ("resourceGroup", 2) => Ok(Place::ResourceGroup { subscription: values.next(), group: values.next() }),
            _ => self.fail(call.span, format!("`{name}` does not take {} arguments", arguments.len())),
        }
    }

    /// The whole ID of a resource. `scope` is that of its body.
    pub(super) fn resource_id(&self, id: ResourceId, scope: &Scope<'w>) -> Made<Formula> {
        let Some(resource) = self.model.resources.get(id) else { return Ok(Formula::null()) };
        self.deeper(resource.declaration.span, || {
            let segments = self.name_segments(id, scope)?;
            self.id_at(&self.place(id, scope)?, &resource.ty, segments)
        })
    }

    /// The whole ID of the deployment of a module.
    pub(super) fn module_id(&self, at: usize, index: Option<&Formula>) -> Made<Formula> {
        let place = self.module_place(at, &self.module_scope(at, index))?;
        self.id_at(&place, "Microsoft.Resources/deployments", vec![self.module_name(at, index)?])
    }

    fn id_at(&self, place: &Place, ty: &str, segments: Vec<Formula>) -> Made<Formula> {
        let with = |first: Option<Formula>| {
            first.into_iter().chain([Formula::text(ty)]).chain(segments.clone()).collect::<Vec<_>>()
        };
        let extension = |scope: Formula| Formula::call("extensionResourceId", with(Some(scope)));
        Ok(match place {
            Place::Tenant | Place::Local => Formula::call("tenantResourceId", with(None)),
            Place::Subscription(subscription) => Formula::call("subscriptionResourceId", with(subscription.clone())),
            Place::ResourceGroup { group: None, .. } => Formula::call("resourceId", with(None)),
            Place::ResourceGroup { subscription, group: Some(group) } => {
                let subscription = subscription
                    .clone()
                    .unwrap_or_else(|| Formula::call("subscription", Vec::new()).dot("subscriptionId"));
                let format = Formula::text("/subscriptions/{0}/resourceGroups/{1}");
                extension(Formula::call("format", vec![format, subscription, group.clone()]))
            }
            Place::ManagementGroup(None) => extension(Formula::call("managementGroup", Vec::new()).dot("id")),
            Place::ManagementGroup(Some(name)) => extension(management_group(name.clone(), true)),
            Place::Resource(target, index) => {
                let scope = self.resource_scope(*target, index.as_ref());
                extension(self.resource_id(*target, &scope)?)
            }
        })
    }

    /// The name of the deployment of a module: as written, or generated.
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

    /// The condition of a resource, including those of the resources that it is written in.
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

    /// The conditions of a resource and of those that it is written in, the oldest first.
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

/// The ID of a management group.
pub(super) fn management_group(name: Formula, is_whole: bool) -> Formula {
    if is_whole {
        return Formula::call("tenantResourceId", vec![Formula::text("Microsoft.Management/managementGroups"), name]);
    }
    Formula::call("format", vec![Formula::text("Microsoft.Management/managementGroups/{0}"), name])
}

/// The function and the arguments of a call of a scope function.
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
