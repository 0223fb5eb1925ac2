//! Step 3 of the expansion: the processed instances become the [`Document`], and children find their parents.

use std::rc::Rc;

use foldhash::HashMap;

use crate::expand::declare::is_existing;
use crate::expand::parents::{Parents, scope_of};
use crate::expand::registry::{Deployed, Instance, Node};
use crate::expand::{Expander, Request};
use crate::model::{Deployment, DeploymentId, Document, Hidden, Presence, Resource, ResourceId};
use crate::runtime::materialize;
use crate::text::{FileId, Span};
use crate::value::{Member, Str, Value};

/// The resource of the document that each deployed instance becomes, by the index of the instance.
type Ids = HashMap<usize, ResourceId>;

impl Expander<'_> {
    /// Builds the document from all processed instances, in the order of deployment.
    pub(super) fn assemble(&self, request: &Request<'_>) -> Document {
        let order = self.registry.order.borrow();
        let ids: Ids = (0..).map(ResourceId).zip(order.iter()).map(|(id, &index)| (index, id)).collect();
        let parents = Parents::new(self.registry, &order);
        let mut resources: Vec<Resource> =
            order.iter().map(|&index| self.resource(index, request, &ids, &parents)).collect();
        let parent_ids: Vec<Option<ResourceId>> = resources.iter().map(|resource| resource.parent).collect();
        for (child, parent) in (0..).map(ResourceId).zip(parent_ids) {
            if let Some(parent) = parent.and_then(|parent| resources.get_mut(parent.0)) {
                parent.children.push(child);
            }
        }
        let deployments = self.registry.nodes().iter().map(|node| self.deployment(node, &ids)).collect();
        let mut document = Document {
            file: request.file,
            deployments,
            resources,
            existing: self.existing(request),
            possible: Vec::new(),
            mentioned: Vec::new(),
            linked: Vec::new(),
            hidden: Hidden::default(),
        };
        document.hidden = self.hidden(&document, request.parameters.map(|(_, file)| file));
        materialize(&mut document, request.states);
        // Such as the argument of a secure parameter.
        document.mark_hidden();
        document
    }

    fn resource(&self, index: usize, request: &Request<'_>, ids: &Ids, parents: &Parents<'_>) -> Resource {
        let instance = self.registry.instance(index);
        // The enclosing resource orders the deployment, but it is not a declared dependency.
        let declared = self.dependencies(&instance).filter(|&index| Some(index) != instance.parent);
        let mut depends_on: Vec<ResourceId> = declared.filter_map(|index| ids.get(&index).copied()).collect();
        depends_on.dedup();
        let body = instance.body.borrow().clone().unwrap_or(Value::NULL);
        let presence = match &instance.presence {
            Deployed::Yes(presence) => presence.clone(),
            // Neither is ever processed, so neither gets here.
            Deployed::No | Deployed::Existing => Presence::Deployed,
        };
        Resource {
            state: if request.states { self.runtime(&instance) } else { body.clone() },
            parent: parents.parent_of(&instance).and_then(|index| ids.get(&index).copied()),
            depends_on,
            ..resource_of(&instance, body, presence, request.file)
        }
    }

    /// Returns the resources that the template only refers to, one for each iteration of a loop.
    fn existing(&self, request: &Request<'_>) -> Vec<Resource> {
        let instances = (0..self.registry.instance_count()).map(|index| self.registry.instance(index));
        let existing = instances
            .filter(|instance| is_existing(&instance.declaration) && matches!(instance.presence, Deployed::Existing));
        let resource = |instance: Rc<Instance>| {
            let body = instance.declaration.clone();
            resource_of(&instance, body, Presence::Deployed, request.file)
        };
        existing.map(resource).collect()
    }

    fn deployment(&self, node: &Node, ids: &Ids) -> Deployment {
        let outputs = node.outputs.borrow().clone().unwrap_or(Value::NULL);
        let id = match node.instance {
            Some(instance) => self.registry.instance(instance).id.clone(),
            None => {
                Str::from(format!("{}/providers/Microsoft.Resources/deployments/{}", node.target.prefix(), node.name))
            }
        };
        Deployment {
            name: node.name.clone(),
            id,
            scope: Str::from(node.target.id()),
            resource: node.instance.and_then(|index| ids.get(&index).copied()),
            path: node.path.clone(),
            template: self.template(node, &outputs),
            parameters: self.parameters(node),
            resources: node.members.borrow().iter().filter_map(|index| ids.get(index).copied()).collect(),
            outputs,
            settings: self.settings(node),
            written: Value::NULL,
        }
    }

    /// Returns the parameters with their values. `null` for a nested template with outer scope, whose expressions
    /// cannot see any parameters that it declares.
    fn parameters(&self, node: &Node) -> Value {
        let declared = node.template.get("parameters").filter(|_| node.frames.is_none());
        let Some(declared) = declared else { return Value::NULL };
        let evaluator = self.evaluator(node);
        values(declared, |member| evaluator.parameter(&member.key).unwrap_or(Value::NULL))
    }

    /// Returns the template as rules see it: with evaluated variables and outputs, and without its resources.
    fn template(&self, node: &Node, outputs: &Value) -> Value {
        let evaluator = self.evaluator(node);
        let members = node.template.as_object().into_iter().flatten();
        let members = members.filter(|member| !member.key.eq_ignore_ascii_case("resources")).map(|member| {
            let value = match member.key.to_ascii_lowercase().as_str() {
                "outputs" => outputs.clone(),
                "variables" if node.frames.is_none() => values(&member.value, |member| {
                    evaluator.variable(&member.key).unwrap_or_else(|_| member.value.clone())
                }),
                _ => member.value.clone(),
            };
            Member { value, ..member.clone() }
        });
        Value { span: node.template.span, ..Value::object(members.collect()) }
    }
}

/// Returns the resource of an instance without a state and without relations to others. `file` is that of the root
/// template.
pub(super) fn resource_of(instance: &Instance, body: Value, presence: Presence, file: FileId) -> Resource {
    Resource {
        type_name: instance.type_name.clone(),
        name: instance.name_text.clone(),
        id: instance.id.clone(),
        scope: Str::from(scope_of(instance)),
        state: Value::NULL,
        body,
        path: instance.path.clone(),
        span: instance.declaration.span.unwrap_or_else(|| Span::whole_file(file)),
        symbolic_name: instance.symbol.clone(),
        deployment: DeploymentId(instance.node),
        parent: None,
        children: Vec::new(),
        implied: Vec::new(),
        depends_on: Vec::new(),
        presence,
    }
}

/// Returns `declared` with each member's value replaced by the result of `value` for it.
fn values(declared: &Value, value: impl Fn(&Member) -> Value) -> Value {
    let members = declared.as_object().into_iter().flatten();
    let members = members.map(|member| Member { value: value(member), ..member.clone() });
    Value { span: declared.span, ..Value::object(members.collect()) }
}
