//! Assembling: from instances to the [`Document`].

use rustc_hash::FxHashMap;

use crate::arm::expand::Expander;
use crate::arm::expand::parents::{Parents, scope_of};
use crate::arm::expand::registry::{Deployed, Node};
use crate::arm::runtime::materialize;
use crate::model::{Deployment, DeploymentId, Document, Presence, Resource, ResourceId};
use crate::text::{FileId, Span};
use crate::value::{Member, Str, Value};

impl Expander<'_> {
    pub(super) fn assemble(&self, file: FileId) -> Document {
        let order = self.registry.order.borrow();
        let places: FxHashMap<usize, ResourceId> =
            (0..).map(ResourceId).zip(order.iter()).map(|(id, &it)| (it, id)).collect();
        let parents = Parents::new(self.registry, &order);
        let mut resources: Vec<Resource> = order.iter().map(|&it| self.resource(it, file, &places, &parents)).collect();
        for at in 0..resources.len() {
            if let Some(parent) = resources[at].parent {
                resources[parent.0].children.push(ResourceId(at));
            }
        }
        let deployments = self.registry.nodes().iter().map(|node| self.deployment(node, &places)).collect();
        let mut document = Document { file, deployments, resources };
        materialize(&mut document);
        document
    }

    fn resource(
        &self,
        index: usize,
        file: FileId,
        places: &FxHashMap<usize, ResourceId>,
        parents: &Parents<'_>,
    ) -> Resource {
        let instance = self.registry.instance(index);
        let depends_on = self.dependencies(&instance).into_iter().filter(|&it| Some(it) != instance.parent);
        Resource {
            type_name: instance.type_name.clone(),
            name: instance.name_text.clone(),
            id: instance.id.clone(),
            scope: Str::from(scope_of(&instance)),
            body: instance.body.borrow().clone().unwrap_or(Value::NULL),
            state: instance.runtime.borrow().clone().unwrap_or(Value::NULL),
            path: instance.path.clone(),
            span: instance.declaration.span.unwrap_or_else(|| Span::whole_file(file)),
            symbolic_name: instance.symbol.clone(),
            deployment: DeploymentId(instance.node),
            parent: parents.of(&instance).and_then(|it| places.get(&it).copied()),
            children: Vec::new(),
            implied: Vec::new(),
            depends_on: depends_on.filter_map(|it| places.get(&it).copied()).collect(),
            presence: match &instance.presence {
                Deployed::Yes(presence) => presence.clone(),
                Deployed::No | Deployed::Existing => Presence::Deployed,
            },
        }
    }

    fn deployment(&self, node: &Node, places: &FxHashMap<usize, ResourceId>) -> Deployment {
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
            resource: node.instance.and_then(|it| places.get(&it).copied()),
            path: node.path.clone(),
            template: self.template(node, &outputs),
            parameters: self.parameters(node),
            resources: node.members.borrow().iter().filter_map(|it| places.get(it).copied()).collect(),
            outputs,
        }
    }

    fn parameters(&self, node: &Node) -> Value {
        let declared = node.template.get("parameters").filter(|_| node.frames.is_none());
        let Some(declared) = declared else { return Value::NULL };
        let evaluator = self.evaluator(node);
        values(declared, |member| evaluator.parameter(&member.key).unwrap_or(Value::NULL))
    }

    /// The template as rules see it: with its variables and outputs evaluated, and without resources.
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

/// The object with the value of each of its members in place of what was written.
fn values(declared: &Value, value: impl Fn(&Member) -> Value) -> Value {
    let members = declared.as_object().into_iter().flatten();
    let members = members.map(|member| Member { value: value(member), ..member.clone() });
    Value { span: declared.span, ..Value::object(members.collect()) }
}
