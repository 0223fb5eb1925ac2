//! Step 2 of the expansion: evaluates the bodies of resources in dependency order, and then the outputs.

use std::rc::Rc;

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::eval::{Evaluator, Frames, decisive};
use crate::expand::registry::{Deployed, Found, Instance, Node, Progress};
use crate::expand::{Expander, nulls};
use crate::types::{Types, mark_secrets};
use crate::value::{Kind, Member, Object, Str, Traits, Unknown, Value};

/// Members of a declaration that are not part of the deployed resource.
const CONTROL: &[&str] = &["condition", "copy", "comments", "resources"];

/// Maximum number of resources of a cycle that a message names besides the first. A cycle may be as long as the
/// template.
const MAX_NAMED: usize = 20;

/// State of an instance during the search for an order.
#[derive(Clone, Copy)]
enum Visit {
    /// Waits for its dependencies, at `depth` of the stack.
    Running {
        depth: usize,
    },
    Done,
}

impl Expander<'_> {
    /// Processes every resource of a deployment, then its outputs, and then the parameters and variables that nothing
    /// has evaluated so far.
    pub(super) fn process_all(&self, node: &Rc<Node>) {
        for index in self.ordered(node) {
            self.process(&self.registry.instance(index));
        }
        let evaluator = self.evaluator(node);
        let outputs = outputs(node, &evaluator);
        node.outputs.replace(Some(outputs));
        evaluator.visit_definitions();
        self.check_constraints(node);
    }

    /// Returns the instances of a node, each after its dependencies and otherwise in the order of the text. The
    /// depth-first search has its own stack, because a chain of dependencies may be as long as the template.
    fn ordered(&self, node: &Node) -> Vec<usize> {
        let is_own = |&index: &usize| self.registry.instance(index).node == node.index;
        let mut order = Vec::new();
        let mut visits = HashMap::default();
        for &start in node.instances.borrow().iter() {
            if visits.contains_key(&start) {
                continue;
            }
            let mut stack = vec![self.begin(start, 0, &mut visits)];
            while let Some((at, pending)) = stack.last_mut() {
                let Some(next) = pending.find(is_own) else {
                    visits.insert(*at, Visit::Done);
                    order.push(*at);
                    stack.pop();
                    continue;
                };
                match visits.get(&next) {
                    None => stack.push(self.begin(next, stack.len(), &mut visits)),
                    Some(&Visit::Running { depth }) => {
                        self.report_cycle(next, stack.iter().skip(depth + 1).map(|(index, _)| *index));
                    }
                    Some(Visit::Done) => {}
                }
            }
        }
        order
    }

    /// Begins the visit of an instance at this depth, and returns it with its dependencies, which come first.
    fn begin(
        &self,
        at: usize,
        depth: usize,
        visits: &mut HashMap<usize, Visit>,
    ) -> (usize, impl Iterator<Item = usize> + use<>) {
        visits.insert(at, Visit::Running { depth });
        (at, self.dependencies(&self.registry.instance(at)))
    }

    /// Returns the instances that an instance depends on: the enclosing resource, and the ones that `dependsOn` names
    /// in this document.
    pub(super) fn dependencies(&self, instance: &Instance) -> impl Iterator<Item = usize> + use<> {
        let node = self.registry.node(instance.node);
        let evaluator = self.evaluator_of(instance);
        let declared = instance.declaration.get("dependsOn").map(|list| evaluator.expand(list, &instance.frames));
        let texts = declared.as_ref().and_then(Value::as_array).unwrap_or_default();
        let mut found: Vec<Found> =
            texts.iter().filter_map(Value::as_str).map(|text| self.registry.find(&node, text)).collect();
        // One name may stand for thousands of resources, and each of them may depend on it.
        if let Err(fault) = self.world.step(found.iter().map(|found| found.len()).sum()) {
            evaluator.report(&fault, instance.declaration.span);
            found.clear();
        }
        let own = instance.index;
        let found = found.into_iter().flat_map(|found| (0..found.len()).filter_map(move |at| found.get(at).copied()));
        instance.parent.into_iter().chain(found).filter(move |&index| index != own)
    }

    /// Reports that `first` depends on itself through `others`.
    fn report_cycle(&self, first: usize, mut others: impl ExactSizeIterator<Item = usize>) {
        let first = self.registry.instance(first);
        let depends_on = first.declaration.get("dependsOn").and_then(|list| list.span);
        let Some(span) = depends_on.or(first.declaration.span) else { return };
        // The iterations of a loop have one text, and as many cycles as there are pairs of them.
        if self.world.has_reported(Code::TemplateCycle, span) {
            return;
        }
        let name = |instance: &Instance| {
            format!("`{}`", self.world.masked(instance.symbol.as_ref().unwrap_or(&instance.name_text)))
        };
        let mut chain = vec![name(&first)];
        chain.extend(others.by_ref().take(MAX_NAMED).map(|index| name(&self.registry.instance(index))));
        if others.len() > 0 {
            chain.push(format!("{} more", others.len()));
        }
        chain.push(name(&first));
        let message = format!("dependency cycle: {}", chain.join(" -> "));
        self.world
            .report(Diagnostic::new(Code::TemplateCycle, span, message).with_help("remove one of these dependencies"));
    }

    /// Evaluates the body of a resource, and expands it if it is a nested deployment. A resource is processed only
    /// once. Nothing happens if it is running: then it depends on itself, which the caller detects.
    pub(super) fn process(&self, instance: &Rc<Instance>) {
        if instance.progress.get() != Progress::Pending {
            return;
        }
        instance.progress.set(Progress::Running);
        if let Deployed::Yes(_) = instance.presence {
            let node = self.registry.node(instance.node);
            let body = self.body(instance, &self.evaluator_of(instance));
            instance.body.replace(Some(body));
            self.registry.order.borrow_mut().push(instance.index);
            if instance.is_deployment() {
                self.enter(instance, &node);
            }
        }
        instance.progress.set(Progress::Done);
    }

    /// Processes a resource, dependencies first, because another expression needs it before its turn.
    pub(super) fn process_early(&self, instance: &Rc<Instance>) {
        if instance.progress.get() != Progress::Pending {
            return;
        }
        for dependency in self.dependencies(instance) {
            let dependency = self.registry.instance(dependency);
            // A running dependency means a cycle, which `ordered` has reported.
            if dependency.progress.get() == Progress::Pending && dependency.index != instance.index {
                self.process(&dependency);
            }
        }
        self.process(instance);
    }

    /// Returns the evaluated declaration, without the members in [`CONTROL`].
    pub(super) fn body(&self, instance: &Instance, evaluator: &Evaluator<'_>) -> Value {
        let Some(object) = instance.declaration.as_object() else { return Value::NULL };
        if is_body(instance, object) {
            return self.stepped(instance.declaration.clone(), instance, evaluator);
        }
        let mut members = Vec::with_capacity(object.len());
        for member in object {
            let key = member.key.to_ascii_lowercase();
            // Type and name have been evaluated while declaring.
            let value = match key.as_str() {
                "type" => Value { span: member.value.span, ..Value::from(instance.type_name.clone()) },
                "name" => instance.name.clone(),
                "properties" if instance.is_deployment() => deployment_properties(&member.value, instance, evaluator),
                _ if CONTROL.contains(&key.as_str()) => continue,
                _ => evaluator.expand(&member.value, &instance.frames),
            };
            members.push(Member { value, ..member.clone() });
        }
        let body = Value::object(members);
        let body = nulls::without_computed(&body, &instance.declaration, instance.is_deployment()).unwrap_or(body);
        self.stepped(Value { span: instance.declaration.span, ..body }, instance, evaluator)
    }

    /// Returns the body if there are steps left for it. Beyond the limit, one body is kept for each declaration, so
    /// that its text is checked; its repetitions are unknown.
    fn stepped(&self, body: Value, instance: &Instance, evaluator: &Evaluator<'_>) -> Value {
        let Err(fault) = self.world.step(body.size().weight as usize) else { return body };
        let span = instance.declaration.span;
        if span.is_some_and(|span| self.registry.spare(span)) {
            evaluator.report(&fault, span);
            return body;
        }
        evaluator.failed(&fault, span)
    }
}

/// Returns `true` if the evaluated body equals `declaration`. Then both share their members: generated templates have
/// thousands of such resources.
fn is_body(instance: &Instance, declaration: &Object) -> bool {
    let is_literal =
        |name: &str, text: &str| declaration.get_exact(name).is_some_and(|value| value.as_str() == Some(text));
    let name = &instance.name;
    !instance.declaration.traits.has(Traits::DYNAMIC)
        && !instance.is_deployment()
        && name.via.is_none()
        && name.traits == Traits::NONE
        && is_literal("type", &instance.type_name)
        && name.as_str().is_some_and(|text| is_literal("name", text))
        && declaration.iter().all(|member| !CONTROL.iter().any(|control| member.key.eq_ignore_ascii_case(control)))
}

/// Evaluates the outputs of a deployment to an object of `{type, value}`. Outputs with a false condition are omitted.
fn outputs(node: &Node, evaluator: &Evaluator<'_>) -> Value {
    let types = evaluator.world.types(&node.template);
    let declared = node.template.get("outputs");
    let outputs = declared.and_then(Value::as_object).into_iter().flatten();
    let outputs = outputs.filter_map(|member| {
        let condition =
            member.value.get("condition").map(|condition| decisive(evaluator.expand(condition, &node.frames)));
        if condition.as_ref().and_then(Value::as_bool) == Some(false) {
            return None;
        }
        let evaluator = evaluator.guarded_if(condition.is_some_and(|condition| condition.as_unknown().is_some()));
        let value = output(&member.key, &member.value, &types, &evaluator, &node.frames);
        Some(Member { value, ..member.clone() })
    });
    let span = declared.and_then(|outputs| outputs.span);
    Value { span, ..Value::object(outputs.collect()) }
}

/// Returns the properties of a nested deployment without its template, which is expanded on its own.
fn deployment_properties(declared: &Value, instance: &Instance, evaluator: &Evaluator<'_>) -> Value {
    let Some(object) = declared.as_object() else { return evaluator.expand(declared, &instance.frames) };
    let own = object.iter().filter(|member| !member.key.eq_ignore_ascii_case("template"));
    let own = own.map(|member| Member { value: evaluator.expand(&member.value, &instance.frames), ..member.clone() });
    Value { span: declared.span, ..Value::object(own.collect()) }
}

fn output(name: &Str, declared: &Value, types: &Types, evaluator: &Evaluator<'_>, frames: &Frames) -> Value {
    let resolved = types.declared_type(declared);
    let type_name = declared.get("type").cloned().or_else(|| resolved.word().map(Value::from));
    let value = match (declared.get("value"), declared.get("copy")) {
        (Some(value), _) => evaluator.expand(value, frames),
        (None, Some(element)) => evaluator.expand_loop(element, name, frames),
        (None, None) => {
            evaluator.report_shape(declared, format!("output `{name}` has neither `value` nor `copy`"));
            Value::unknown(Unknown::new(Kind::Any, format!("output `{name}` has no value")))
        }
    };
    let value = mark_secrets(evaluator, types, &resolved, value);
    let key_span = |key: &str| declared.as_object()?.member(key)?.key_span;
    let members = vec![
        Member { key: Str::from("type"), key_span: key_span("type"), value: type_name.unwrap_or(Value::NULL) },
        Member { key: Str::from("value"), key_span: key_span("value"), value },
    ];
    Value { span: declared.span, ..Value::object(members) }
}
