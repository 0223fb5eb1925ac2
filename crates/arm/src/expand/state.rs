//! The state of a resource that `reference()` returns.

use std::rc::Rc;

use crate::diagnostic::Code;
use crate::expand::registry::{Deployed, Instance, Progress};
use crate::expand::{Expander, nulls};
use crate::fault::Fault;
use crate::runtime::{ResourceFacts, project, reference_view};
use crate::scope::is_resource_group;
use crate::value::{Data, Kind, Member, Step, Str, Unknown, Value, Via};

impl Expander<'_> {
    /// Returns the value of `reference()`. The properties in the template are known; Azure may add others, so it is an
    /// open unknown.
    ///
    /// # Errors
    ///
    /// Fails if the resource refers to its own state, or if the references are nested too deep.
    pub(super) fn state_of(&self, instance: &Rc<Instance>, full: bool) -> Result<Value, Fault> {
        let name = match &instance.symbol {
            Some(symbol) => symbol.clone(),
            None => Str::from(self.world.masked(&instance.name_text).into_owned()),
        };
        let name = &name;
        match &instance.presence {
            Deployed::Existing => {
                return Ok(existing_state(instance, &self.world.named(&instance.id), name, full));
            }
            Deployed::No => {
                let why = format!("`{name}` is not deployed: its condition is false");
                return Ok(Value::unknown(Unknown::new(Kind::Object, why)));
            }
            Deployed::Yes(_) => {}
        }
        let level = self.world.deeper()?;
        self.process_early(instance);
        drop(level);
        if instance.progress.get() == Progress::Running && instance.body.borrow().is_none() {
            // A nested template with outer scope is evaluated before its deployment begins, so it may read the state
            // of a resource that it is about to change.
            if self.is_outer(&self.registry.node(instance.node)) {
                let why = format!("the state of `{name}` before its deployment is known only in Azure");
                return Ok(Value::unknown(Unknown::new(Kind::Object, why)));
            }
            let message = format!("`{name}` refers to its own state");
            return Err(Fault::new(Code::TemplateCycle, message));
        }
        let state = match instance.nested.get() {
            Some(node) if !full => self.deployment_state(node),
            _ => self.resource_state(instance, name, full),
        };
        let via = Via::new(Step::Reference(name.clone()), instance.declaration.span, state.via.clone());
        Ok(state.through(Some(via)))
    }

    /// Returns the body of the resource group that `instance` creates. Unknown if a condition may prevent its creation;
    /// `None` if `instance` does not create a resource group.
    pub(super) fn declared_group(&self, instance: &Rc<Instance>) -> Option<Value> {
        let presence = match &instance.presence {
            Deployed::Yes(presence) if is_resource_group(&instance.type_name) => presence,
            _ => return None,
        };
        let _level = self.world.deeper().ok()?;
        self.process_early(instance);
        let body = instance.body.borrow().clone()?;
        Some(match presence.doubt() {
            None => body,
            Some(cause) => Value::unknown(Unknown::like(Kind::Object, cause.unknown.why.clone(), body)),
        })
    }

    /// Returns the state of a nested deployment whose template was expanded, which has known outputs.
    fn deployment_state(&self, node: usize) -> Value {
        let outputs = self.registry.node(node).outputs.borrow().clone();
        let outputs = outputs.unwrap_or_else(|| {
            Value::unknown(Unknown::new(
                Kind::Object,
                "the outputs of a deployment are known only when it has finished",
            ))
        });
        Value::object(vec![
            Member::new("mode", Value::from("Incremental")),
            Member::new("provisioningState", Value::from("Succeeded")),
            Member::new("outputs", outputs),
        ])
    }

    /// Returns the body of a processed resource with its runtime properties. Null for an instance that has no body yet.
    pub(super) fn runtime(&self, instance: &Instance) -> Value {
        let Some(body) = &*instance.body.borrow() else { return Value::NULL };
        let facts = ResourceFacts {
            id: &instance.id,
            name: &instance.name,
            name_text: &instance.name_text,
            body,
            context: self.world.context,
        };
        instance.runtime.get_or_init(|| project(&instance.type_name, &facts)).clone()
    }

    fn resource_state(&self, instance: &Instance, name: &Str, full: bool) -> Value {
        let why = || format!("only Azure knows the whole state of `{name}`");
        // What the template leaves `null` is for Azure to fill.
        let body = instance.known_state.get_or_init(|| {
            let state = self.runtime(instance);
            nulls::without_any(&state).unwrap_or(state)
        });
        let nested = instance.nested.get().map(|node| self.deployment_state(node));
        let properties = nested.or_else(|| body.get("properties").cloned());
        let properties = properties.unwrap_or_else(|| Value::object(Vec::new()));
        let properties = reference_view(&instance.type_name, name, properties);
        let properties = match &properties.data {
            Data::Object(_) => Value { span: properties.span, ..Value::unknown(Unknown::open(why(), properties)) },
            _ => properties,
        };
        if !full {
            return properties;
        }
        let identity = ["id", "properties", "resourceId"];
        let own = body.as_object().into_iter().flatten();
        let own = own.filter(|member| !identity.iter().any(|name| member.key.eq_ignore_ascii_case(name))).cloned();
        let id = self.world.named(&instance.id);
        let mut members = vec![Member::new("id", id.clone())];
        members.extend(own);
        members.push(Member::new("resourceId", id));
        members.push(Member::new("properties", properties));
        Value::unknown(Unknown::open(why(), Value::object(members)))
    }
}

/// Returns the state of an existing resource. Only its type, name and ID are known, which `full` makes part of the
/// state.
fn existing_state(instance: &Instance, id: &Value, name: &Str, full: bool) -> Value {
    let why = format!("`{name}` exists already, and only Azure knows its state");
    if !full {
        return Value::unknown(Unknown::new(Kind::Object, why));
    }
    let api_version = instance.declaration.get("apiVersion").cloned().unwrap_or(Value::NULL);
    let known = vec![
        Member::new("id", id.clone()),
        Member::new("resourceId", id.clone()),
        Member::new("type", Value::from(instance.type_name.clone())),
        Member::new("name", instance.name.clone()),
        Member::new("apiVersion", api_version),
    ];
    Value::unknown(Unknown::open(why, Value::object(known)))
}
