//! Step 1 of the expansion: each resource in a template's `resources` becomes one or more instances, with type, name,
//! ID and presence.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::eval::{Binding, Evaluator, Frame, Frames, Loop, assumed, decisive};
use crate::expand::registry::{Deployed, IdleLoop, Instance, Node, Progress};
use crate::expand::{Expander, text_of};
use crate::fault::Fault;
use crate::functions::{NEW_GUID, article};
use crate::model::{BYTES_OF_PATH_PER_STEP, Condition, Doubt, Presence, STEPS_OF_REPEATED, join_index, join_key};
use crate::scope::{DeploymentScope, cleaned_type, is_resource_group, is_tenant_level, resource_id};
use crate::text::Span;
use crate::value::{Data, Kind, Member, SECRET, Str, Traits, Unknown, Value};

/// A resource in the text of a template.
struct Declaration<'a> {
    value: &'a Value,
    path: String,
    /// The symbolic name, if `resources` is an object.
    symbol: Option<&'a Str>,
    /// The resource whose own `resources` contain this one.
    parent: Option<Rc<Instance>>,
}

impl Expander<'_> {
    /// Declares every resource of a template, which `resources` lists or names.
    pub(super) fn declare_all(&self, node: &Rc<Node>) {
        self.declare_resources(node);
        node.is_declared.set(true);
    }

    fn declare_resources(&self, node: &Rc<Node>) {
        for (key, resources) in lists(&node.template) {
            self.declare_section(node, resources, &join_key(&node.path, key));
        }
    }

    /// Declares the resources of one section. There may be several, whose names differ in case.
    fn declare_section(&self, node: &Rc<Node>, resources: &Value, base: &str) {
        let evaluator = self.evaluator(node);
        match &resources.data {
            Data::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    let path = join_index(base, index);
                    let declaration = Declaration { value, path, symbol: None, parent: None };
                    self.declare(node, &evaluator, &node.frames, &declaration);
                }
            }
            Data::Object(object) => {
                for member in object.iter() {
                    let path = join_key(base, &member.key);
                    let symbol = Some(&member.key);
                    node.declared.borrow_mut().add_name(&member.key);
                    let declaration = Declaration { value: &member.value, path, symbol, parent: None };
                    self.declare(node, &evaluator, &node.frames, &declaration);
                }
            }
            Data::Null => {}
            _ => {
                let found = article(resources.kind());
                evaluator.report_shape(resources, format!("`resources` must be an array or an object, found {found}"));
            }
        }
    }

    /// Declares one resource, or each iteration of its loop.
    fn declare(&self, node: &Rc<Node>, evaluator: &Evaluator<'_>, frames: &Frames, declaration: &Declaration<'_>) {
        let value = declaration.value;
        let Some(object) = value.as_object() else {
            evaluator.report_shape(value, format!("a resource must be an object, found {}", article(value.kind())));
            return;
        };
        let copy = object.get("copy").filter(|copy| copy.as_object().is_some());
        let Some(copy) = copy else {
            self.declare_one(node, evaluator, frames, declaration, None);
            return;
        };
        let name = copy.get("name").map(|name| text_of(&evaluator.expand(name, frames)));
        let count = loop_count(evaluator, frames, copy, name.as_deref().unwrap_or_default());
        note_loop(node, declaration, name.as_deref(), count);
        if count == Some(0) && declaration.parent.is_none() {
            let idle = IdleLoop {
                value: value.clone(),
                path: declaration.path.clone(),
                symbol: declaration.symbol.cloned(),
                name: name.clone(),
            };
            node.idle_loops.borrow_mut().push(idle);
        }
        let evaluator = evaluator.guarded_if(count.is_none());
        for index in 0..count.unwrap_or(1) {
            let binding = Loop { name: name.clone(), index, makes_resources: true };
            let frames = Frame::push(frames, Binding::Loop(binding));
            self.declare_one(node, &evaluator, &frames, declaration, Some(index));
        }
    }

    fn declare_one(
        &self,
        node: &Rc<Node>,
        evaluator: &Evaluator<'_>,
        frames: &Frames,
        declaration: &Declaration<'_>,
        iteration: Option<i64>,
    ) {
        if !self.has_room(evaluator, declaration) {
            return;
        }
        let own = condition(evaluator, frames, declaration.value, iteration);
        let evaluator = &evaluator.guarded_if(!matches!(own, Deployed::Yes(Presence::Deployed)));
        let presence = presence(own, declaration);
        let instance = Instance { iteration, ..new_instance(node, evaluator, frames, declaration, presence) };
        let (instance, twin) = self.registry.add_instance(|index| Instance { index, ..instance });
        if instance.parent.is_none() {
            node.members.borrow_mut().push(instance.index);
        }
        self.report_twin(&instance, twin);
        self.declare_children(node, evaluator, frames, declaration, &instance);
    }

    /// Returns `true` if the deployment may have one more resource. Reports the limit once, for the first resource
    /// beyond it.
    fn has_room(
        &self,
        evaluator: &Evaluator<'_>,
        Declaration { value: declaration, path, .. }: &Declaration<'_>,
    ) -> bool {
        let limit = self.world.limits.resources;
        let room = if self.registry.repeated_count() >= limit {
            let message = format!("loops and nested deployments repeat resources more than {limit} times");
            Err(Fault::new(Code::TemplateLimit, message))
        } else if self.registry.has_instance(declaration) {
            self.world.step(STEPS_OF_REPEATED + path.len() / BYTES_OF_PATH_PER_STEP)
        } else {
            Ok(())
        };
        let Err(fault) = room else { return true };
        if !self.registry.is_full.replace(true) {
            evaluator.report(&fault, declaration.span);
        }
        false
    }

    fn declare_children(
        &self,
        node: &Rc<Node>,
        evaluator: &Evaluator<'_>,
        frames: &Frames,
        declaration: &Declaration<'_>,
        instance: &Rc<Instance>,
    ) {
        let mut lists = lists(declaration.value).peekable();
        if lists.peek().is_none() {
            return;
        }
        let level = self.world.deeper();
        if let Err(fault) = level {
            return evaluator.report(&fault, declaration.value.span.map(header));
        }
        for (key, list) in lists {
            let base = join_key(&declaration.path, key);
            for (index, value) in list.as_array().unwrap_or_default().iter().enumerate() {
                let path = join_index(&base, index);
                let child = Declaration { value, path, symbol: None, parent: Some(Rc::clone(instance)) };
                self.declare(node, evaluator, frames, &child);
            }
        }
    }

    /// Reports a resource that has the ID of an earlier one.
    fn report_twin(&self, instance: &Instance, twin: Option<usize>) {
        let Some(twin) = twin.map(|index| self.registry.instance(index)) else { return };
        let certain = |instance: &Instance| matches!(instance.presence, Deployed::Yes(Presence::Deployed));
        let (Some(span), Some(other)) = (instance.declaration.span, twin.declaration.span) else { return };
        // Two modules may deploy the same resource on purpose, one after the other. Within one template it is an error.
        if !certain(instance) || !certain(&twin) || instance.node != twin.node {
            return;
        }
        // Every `newGuid()` returns another one.
        let [written, other_written] =
            [&instance.declaration, &twin.declaration].map(|declared| declared.get("name").and_then(Value::as_str));
        if instance.name_text.contains(NEW_GUID) && written != other_written {
            return;
        }
        let (type_name, name) = (&instance.type_name, self.world.masked(&instance.name_text));
        if span == other && instance.iteration.is_some() {
            return self.report_constant_name(instance, &name, span);
        }
        let message = format!("`{type_name}` named `{name}` is declared twice");
        let diagnostic = Diagnostic::new(Code::TemplateDuplicate, header(span), message);
        self.world.report(diagnostic.with_label(header(other), "first declared here"));
    }
}

impl Expander<'_> {
    /// Reports a loop whose iterations all have the same name, once.
    fn report_constant_name(&self, instance: &Instance, name: &str, span: Span) {
        let looped = instance.declaration.get("copy").and_then(|copy| copy.get("name")?.as_str());
        let subject = looped.map_or_else(|| "every iteration".to_owned(), |own| format!("every iteration of `{own}`"));
        let message =
            format!("{subject} is called `{name}`; add `copyIndex()` to the name, in Bicep the variable of the loop");
        let span = instance.declaration.get("name").and_then(|name| name.span).unwrap_or_else(|| header(span));
        self.world.report(Diagnostic::new(Code::TemplateDuplicate, span, message));
    }
}

/// Returns an instance of a declaration that has not been processed. It has no index and no iteration of its own yet.
fn new_instance(
    node: &Node,
    evaluator: &Evaluator<'_>,
    frames: &Frames,
    declaration: &Declaration<'_>,
    presence: Deployed,
) -> Instance {
    let Identity { type_name, name, scope, id } = identity(node, evaluator, frames, declaration);
    Instance {
        index: 0,
        node: node.index,
        declaration: declaration.value.clone(),
        frames: frames.clone(),
        type_name,
        name_text: text_of(&name),
        name,
        id,
        scope,
        symbol: declaration.symbol.cloned(),
        iteration: None,
        path: declaration.path.clone(),
        presence,
        is_guarded: evaluator.is_guarded,
        parent: declaration.parent.as_ref().map(|parent| parent.index),
        progress: Cell::new(Progress::Pending),
        body: RefCell::default(),
        runtime: OnceCell::new(),
        known_state: OnceCell::default(),
        nested: Cell::default(),
    }
}

/// Returns the instance that a loop without iterations would have.
pub(super) fn idle_instance(node: &Node, evaluator: &Evaluator<'_>, frames: &Frames, idle: &IdleLoop) -> Instance {
    let IdleLoop { value, path, symbol, .. } = idle;
    let declaration = Declaration { value, path: path.clone(), symbol: symbol.as_ref(), parent: None };
    new_instance(node, evaluator, frames, &declaration, Deployed::No)
}

/// Returns the `resources` of a template or a resource with their path, including members whose names differ only in
/// case, since Resource Manager may use any of them.
fn lists(parent: &Value) -> impl Iterator<Item = (&str, &Value)> {
    const NAME: &str = "resources";
    let chosen = parent.as_object().and_then(|object| object.member(NAME));
    let members = parent.as_object().into_iter().flatten().filter(|member| member.key.eq_ignore_ascii_case(NAME));
    members.map(move |member| {
        let is_chosen = chosen.is_some_and(|chosen| std::ptr::eq(chosen, member));
        (if is_chosen { NAME } else { &*member.key }, &member.value)
    })
}

/// The type, name, scope and ID of a resource.
struct Identity {
    type_name: Str,
    /// The full name, which may be unknown.
    name: Value,
    scope: String,
    /// Empty for a resource of an extension, which has no ID in Azure.
    id: Str,
}

/// Evaluates the identity of a resource. Other expressions may name even a resource that is not deployed.
fn identity(node: &Node, evaluator: &Evaluator<'_>, frames: &Frames, declaration: &Declaration<'_>) -> Identity {
    let value = declaration.value;
    let parent = declaration.parent.as_deref();
    let member = |name: &str| value.get(name).map_or(Value::NULL, |declared| evaluator.expand(declared, frames));
    let extensible = value.get("import").is_some() || value.get("extension").is_some();
    let declared_type = member("type");
    // A type is shown everywhere, and is never computed from a secret in earnest.
    let is_secret = declared_type.traits.has(Traits::SECRET);
    let declared_type = if is_secret { Str::from(SECRET) } else { text_of(&declared_type) };
    let own_type = if extensible { declared_type } else { cleaned_type(&declared_type).unwrap_or(declared_type) };
    let type_name = full_type(parent, &own_type);
    let own_name = member("name");
    let world = evaluator.world;
    world.hide_name(&own_name);
    for part in ["scope", "subscriptionId", "resourceGroup"] {
        world.hide_scope(&member(part));
    }
    let name = full_name(parent, &own_name, &type_name, declaration.symbol);
    let scope = scope_of(node, evaluator.world.context, &member, &type_name, parent);
    let id = if extensible { String::new() } else { id_of(&scope, &type_name, &text_of(&name)) };
    Identity { type_name, name, scope, id: Str::from(id) }
}

/// Returns the value of `resourceInfo()` for a resource that is declared further down in the template. `None` for a
/// resource in a loop.
pub(super) fn info_ahead(node: &Node, evaluator: &Evaluator<'_>, symbol: &str) -> Option<Value> {
    let member = node.template.get("resources")?.as_object()?.member(symbol)?;
    if member.value.get("copy").is_some() {
        return None;
    }
    let declaration =
        Declaration { value: &member.value, path: String::new(), symbol: Some(&member.key), parent: None };
    // Its faults are reported when its turn comes. Two resources whose names are made of each other would recurse forever.
    let _level = evaluator.world.deeper().ok()?;
    let evaluator = &evaluator.guarded_if(true);
    let identity = identity(node, evaluator, &node.frames, &declaration);
    let id = evaluator.world.named(&identity.id);
    Some(info(id, &identity.name, &identity.type_name, &member.value))
}

/// Builds the object that `resourceInfo()` returns.
pub(super) fn info(id: Value, name: &Value, type_name: &Str, declared: &Value) -> Value {
    let api_version = declared.get("apiVersion").cloned().unwrap_or(Value::NULL);
    Value::object(vec![
        Member::new("id", id),
        Member::new("name", name.clone()),
        Member::new("type", Value::from(type_name.clone())),
        Member::new("apiVersion", api_version),
    ])
}

/// Records the declarations of a loop even if it has no iterations. A loop with an unknown count may have further ones.
fn note_loop(node: &Node, declaration: &Declaration<'_>, name: Option<&str>, count: Option<i64>) {
    let mut declared = node.declared.borrow_mut();
    if let Some(name) = name {
        declared.add_name(name);
    }
    if !matches!(count, Some(1..)) {
        let own = declaration.value.get("type").map_or_else(|| Str::from(""), text_of);
        declared.add_open_type(&full_type(declaration.parent.as_deref(), &own));
    }
}

/// Returns the number of iterations of a resource loop: 0 if `count` is invalid, which is reported, and `None` if it is
/// unknown. Then the loop runs once, so that its resource is checked.
fn loop_count(evaluator: &Evaluator<'_>, frames: &Frames, copy: &Value, name: &str) -> Option<i64> {
    let declared = copy.get("count");
    let count = decisive(evaluator.expand(declared.unwrap_or(&Value::NULL), frames));
    match count.data {
        Data::Int(count) => match evaluator.check_count(name, count) {
            Ok(()) => Some(count),
            Err(fault) => {
                evaluator.report(&fault, declared.and_then(|count| count.span));
                // Beyond the limit on steps, the resource of the loop is still there.
                if evaluator.world.is_spent() { None } else { Some(0) }
            }
        },
        Data::Unknown(_) => None,
        _ => {
            let message = format!("`count` of loop `{name}` must be an integer, found {}", article(count.kind()));
            let span = declared.and_then(|count| count.span).or(copy.span);
            evaluator.report(&Fault::new(Code::TemplateShape, message), span);
            Some(0)
        }
    }
}

/// Returns `true` if a declaration only refers to a resource.
pub(super) fn is_existing(declaration: &Value) -> bool {
    declaration.get("existing").and_then(Value::as_bool) == Some(true)
}

/// Returns the presence of the resource, from its `own` condition and the presence of the enclosing resource.
fn presence(own: Deployed, declaration: &Declaration<'_>) -> Deployed {
    let outer = declaration.parent.as_ref().map(|parent| &parent.presence);
    if let Some(not @ (Deployed::No | Deployed::Existing)) = outer {
        return not.clone();
    }
    match (own, outer) {
        (Deployed::No, _) => Deployed::No,
        _ if is_existing(declaration.value) => Deployed::Existing,
        // A child is at most as certain as its parent.
        (Deployed::Yes(Presence::Deployed), Some(outer)) => outer.clone(),
        (own, _) => own,
    }
}

fn condition(evaluator: &Evaluator<'_>, frames: &Frames, value: &Value, iteration: Option<i64>) -> Deployed {
    let Some(declared) = value.get("condition") else { return Deployed::Yes(Presence::Deployed) };
    let condition = decisive(evaluator.expand(declared, frames));
    let maybe = |unknown: &Arc<Unknown>| {
        let text = text_of(declared);
        // What does not depend on the iteration holds in all of them.
        let iteration = iteration.filter(|_| text.to_ascii_lowercase().contains("copyindex"));
        let condition = Condition { text, span: declared.span, iteration };
        Deployed::Yes(Presence::Maybe(Doubt { unknown: Arc::clone(unknown), condition: Some(condition) }))
    };
    match &condition.data {
        Data::Bool(true) => Deployed::Yes(Presence::Deployed),
        Data::Bool(false) => Deployed::No,
        Data::Unknown(unknown) if condition.traits.has(Traits::PLACEHOLDER) => {
            if let Some(span) = declared.span {
                let message = format!(
                    "the condition is unknown, and the resource is checked as if it were deployed: {}",
                    unknown.why
                );
                let help = "describe the environment in `configuration`, with keys such as `AZURE_RESOURCE_GROUP`";
                let note = Diagnostic::new(Code::TemplateCondition, span, message).with_help(help);
                evaluator.world.report(note);
            }
            maybe(unknown)
        }
        Data::Unknown(unknown) => maybe(unknown),
        Data::String(text) if text.eq_ignore_ascii_case("true") => Deployed::Yes(Presence::Deployed),
        Data::String(text) if text.eq_ignore_ascii_case("false") => Deployed::No,
        _ => {
            let message = format!("`condition` must be a Boolean, found {}", article(condition.kind()));
            evaluator.report(&Fault::new(Code::TemplateShape, message), declared.span);
            Deployed::Yes(Presence::Deployed)
        }
    }
}

/// Returns the ID of the scope that a resource is deployed to. An explicit `scope` makes the resource an extension of
/// another one; for a nested deployment it is the deployment scope.
fn scope_of(
    node: &Node,
    context: &Context,
    member: &dyn Fn(&str) -> Value,
    type_name: &str,
    parent: Option<&Instance>,
) -> String {
    if let Some(parent) = parent {
        return parent.scope.clone();
    }
    let scope = text_of(&member("scope"));
    if !scope.is_empty() {
        return absolute_scope(node, context, &scope);
    }
    if is_tenant_level(type_name) {
        return DeploymentScope::Tenant.id();
    }
    // A name that is unknown or blank still tells the kind of the scope. The configured name of that kind stands in for
    // it, unless a blank leaves that of the enclosing deployment.
    let own = &node.target;
    let named = |name: &str, own: Option<&str>, configured: Option<&Value>| {
        let value = member(name);
        let text = text_of(&value);
        let configured = || configured.and_then(Value::as_str);
        let stand_in = match &value.data {
            Data::Unknown(_) => configured(),
            Data::String(_) => own.or_else(configured),
            _ => None,
        };
        // What has a slash is an ID where a name should be, as in `subscription().id`.
        let is_name = !text.is_empty() && !text.contains('/');
        if is_name { Some(text.to_string()) } else { stand_in.map(str::to_owned) }
    };
    let configured = context.subscription.get("subscriptionId");
    let subscription = named("subscriptionId", own.subscription(), configured);
    let group = named("resourceGroup", own.resource_group(), context.resource_group.get("name"));
    match (subscription.as_deref().or(own.subscription()), group, &subscription) {
        (Some(subscription), Some(name), _) => {
            DeploymentScope::ResourceGroup { subscription: subscription.to_owned(), name }.id()
        }
        (Some(subscription), None, Some(_)) => DeploymentScope::Subscription(subscription.to_owned()).id(),
        _ => own.id(),
    }
}

/// Returns the opening bracket of a declaration. The whole resource is too long to underline.
fn header(span: Span) -> Span {
    Span::new(span.file, span.start, span.end.min(span.start + 1))
}

/// Returns the full type, including the type of the enclosing resource, which a nested child may omit. A resource of
/// another provider may be nested too.
fn full_type(parent: Option<&Instance>, own: &Str) -> Str {
    let has_provider = own.split('/').next().is_some_and(|first| first.contains('.')) && own.contains('/');
    match parent {
        Some(parent) if !has_provider => Str::from(format!("{}/{own}", parent.type_name)),
        _ => own.clone(),
    }
}

/// Returns the full name of a resource. The name of a child begins with the name of its parent. A resource of an
/// extension may have no name; its symbolic name replaces it.
fn full_name(parent: Option<&Instance>, own: &Value, type_name: &str, symbol: Option<&Str>) -> Value {
    let Some(parent) = parent else {
        return match (&own.data, symbol) {
            (Data::Null, Some(symbol)) => Value::from(symbol.clone()),
            _ => own.clone(),
        };
    };
    let own_text = text_of(own);
    // A child whose name has as many segments as its type is already declared with its full name.
    let segments = type_name.split('/').count().saturating_sub(1);
    let text = match own_text.split('/').count() {
        count if count == segments => own_text.to_string(),
        _ => format!("{}/{own_text}", parent.name_text),
    };
    let unknown = parent.name.as_unknown().or_else(|| own.as_unknown());
    let full = match unknown {
        Some(cause) => Value::unknown(Unknown::like(Kind::String, cause.why.clone(), Value::from(text))),
        None => Value::from(text),
    };
    let traits = (parent.name.traits | own.traits).without(Traits::DYNAMIC).without(Traits::UNKNOWN);
    let traits = traits.without(Traits::ASSUMED) | assumed([&parent.name, own]);
    Value { span: own.span, via: own.via.clone(), ..full.with_traits(traits) }
}

/// Returns the ID that a `scope` property refers to: an absolute ID refers to itself, a relative one is in the scope of
/// the deployment.
fn absolute_scope(node: &Node, context: &Context, scope: &str) -> String {
    let target = &node.target;
    if let Some(unnamed) = DeploymentScope::of_unnamed(scope, context) {
        return unnamed.id();
    }
    if scope.starts_with('/') {
        return DeploymentScope::of_id(scope).map_or_else(|| scope.to_owned(), |scope| scope.id());
    }
    if let Some(known) = DeploymentScope::of_id(scope) {
        return known.id();
    }
    // `Provider/type/name/type/name`: the provider belongs to the types.
    let (mut types, mut names) = (Vec::new(), Vec::new());
    for (at, segment) in scope.split('/').enumerate() {
        if at == 0 || at % 2 == 1 { types.push(segment) } else { names.push(segment) }
    }
    resource_id(&target.prefix(), &types.join("/"), &names.join("/"))
}

fn id_of(scope: &str, type_name: &str, name: &str) -> String {
    let prefix = if scope == "/" { "" } else { scope };
    if is_resource_group(type_name) {
        // A resource group is in its subscription, even if the declaring deployment targets a resource group.
        let subscription = DeploymentScope::of_id(scope).and_then(|scope| scope.subscription().map(str::to_owned));
        if let Some(subscription) = subscription {
            return resource_id(&format!("/subscriptions/{subscription}"), type_name, name);
        }
    }
    resource_id(prefix, type_name, name)
}
