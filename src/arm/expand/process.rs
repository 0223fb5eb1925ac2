//! Processing: bodies in dependency order, outputs at the end.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::arm::eval::{Evaluator, Frames};
use crate::arm::expand::Expander;
use crate::arm::expand::registry::{Deployed, Instance, Node, State};
use crate::arm::runtime::{Subject, project};
use crate::arm::types::{Types, mark_secrets};
use crate::diagnostic::{Code, Diagnostic};
use crate::value::{Data, Kind, Member, Str, Traits, Unknown, Value};

/// Members of a declaration that say how often and whether, not what.
const CONTROL: &[&str] = &["condition", "copy", "comments", "resources"];

impl Expander<'_> {
    /// Processes every resource of a deployment, then its outputs, then what nothing asked for.
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

    /// The instances of a node with every one behind those that its `dependsOn` names, otherwise in the order of the
    /// text. Iterative: a chain may be as long as a template.
    fn ordered(&self, node: &Node) -> Vec<usize> {
        let is_own = |&it: &usize| self.registry.instance(it).node == node.index;
        let mut order = Vec::new();
        let mut states = FxHashMap::default();
        for start in (0..self.registry.instance_count()).filter(is_own) {
            if states.contains_key(&start) {
                continue;
            }
            let mut stack = vec![self.begin(start, &mut states)];
            while let Some((at, pending)) = stack.last_mut() {
                let Some(next) = pending.find(is_own) else {
                    states.insert(*at, State::Done);
                    order.push(*at);
                    stack.pop();
                    continue;
                };
                match states.get(&next) {
                    None => stack.push(self.begin(next, &mut states)),
                    Some(State::Running) => {
                        let cycle = stack.iter().map(|(it, _)| *it).skip_while(|it| *it != next).collect();
                        self.report_cycle(cycle);
                    }
                    Some(_) => {}
                }
            }
        }
        order
    }

    /// Notes that the work on an instance has begun; gives what is to be done before it.
    fn begin(&self, at: usize, states: &mut FxHashMap<usize, State>) -> (usize, std::vec::IntoIter<usize>) {
        states.insert(at, State::Running);
        (at, self.dependencies(&self.registry.instance(at)).into_iter())
    }

    /// What an instance depends on by its own word, as far as it is in the document; and its enclosing resource.
    pub(super) fn dependencies(&self, instance: &Instance) -> Vec<usize> {
        let node = self.registry.node(instance.node);
        let evaluator = self.evaluator(&node);
        let declared = instance.declaration.get("dependsOn").map(|it| evaluator.expand(it, &instance.frames));
        let texts = declared.as_ref().and_then(Value::as_array).unwrap_or_default();
        let found = texts.iter().filter_map(Value::as_str).flat_map(|text| self.registry.find(&node, text));
        let mut found: Vec<usize> =
            instance.parent.into_iter().chain(found).filter(|&it| it != instance.index).collect();
        found.dedup();
        found
    }

    fn report_cycle(&self, cycle: Vec<usize>) {
        let instances: Vec<_> = cycle.iter().map(|&it| self.registry.instance(it)).collect();
        let name = |it: &Instance| format!("`{}`", it.symbol.as_ref().unwrap_or(&it.name_text));
        let Some(first) = instances.first() else { return };
        let chain = instances.iter().chain([first]).map(|it| name(it)).collect::<Vec<_>>().join(" -> ");
        let place = |it: &Instance| it.declaration.get("dependsOn").and_then(|it| it.span).or(it.declaration.span);
        let Some(span) = place(first) else { return };
        let message = format!("resources depend on each other in a circle: {chain}");
        self.world
            .report(Diagnostic::new(Code::TemplateCycle, span, message).with_help("remove one of these dependencies"));
    }

    /// Evaluates the body of a resource, and enters it if it is a deployment. A resource is processed once; one that is
    /// asked for while it is being processed depends on itself.
    pub(super) fn process(&self, instance: &Rc<Instance>) {
        if instance.state.get() != State::Pending {
            return;
        }
        instance.state.set(State::Running);
        if let Deployed::Yes(_) = instance.presence {
            let node = self.registry.node(instance.node);
            let body = self.body(instance, &self.evaluator(&node));
            let subject = Subject {
                id: &instance.id,
                name: &instance.name,
                name_text: &instance.name_text,
                body: &body,
                context: self.world.context,
            };
            instance.runtime.replace(Some(project(&instance.type_name, &subject)));
            instance.body.replace(Some(body));
            self.registry.order.borrow_mut().push(instance.index);
            if instance.is_deployment() {
                self.enter(instance, &node);
            }
        }
        instance.state.set(State::Done);
    }

    /// Processes a resource before its turn, with what it depends on.
    pub(super) fn process_early(&self, instance: &Rc<Instance>) {
        if instance.state.get() != State::Pending {
            return;
        }
        for dependency in self.dependencies(instance) {
            let dependency = self.registry.instance(dependency);
            // Only what is not begun: a circle has been reported where the order was made.
            if dependency.state.get() == State::Pending && dependency.index != instance.index {
                self.process(&dependency);
            }
        }
        self.process(instance);
    }

    fn body(&self, instance: &Instance, evaluator: &Evaluator<'_>) -> Value {
        let Some(object) = instance.declaration.as_object() else { return Value::NULL };
        let mut members = Vec::with_capacity(object.len());
        for member in object {
            let key = member.key.to_ascii_lowercase();
            let value = match key.as_str() {
                "type" => Value { span: member.value.span, ..Value::from(instance.type_name.clone()) },
                "name" => instance.name.clone(),
                "properties" if instance.is_deployment() => deployment_properties(&member.value, instance, evaluator),
                _ if CONTROL.contains(&key.as_str()) => continue,
                _ => evaluator.expand(&member.value, &instance.frames),
            };
            members.push(Member { value: without_computed_nulls(&value, &member.value), ..member.clone() });
        }
        members.retain(|member| !is_computed_null(member, object.get(&member.key)));
        let body = Value { span: instance.declaration.span, ..Value::object(members) };
        match self.world.step(body.size().weight as usize) {
            Ok(()) => body,
            Err(fault) => evaluator.failed(&fault, instance.declaration.span),
        }
    }
}

/// The outputs of a deployment: an object of `{type, value}`.
fn outputs(node: &Node, evaluator: &Evaluator<'_>) -> Value {
    let types = evaluator.world.types(&node.template);
    let declared = node.template.get("outputs");
    let outputs = declared.and_then(Value::as_object).into_iter().flatten();
    let outputs = outputs.filter_map(|member| {
        let condition = member.value.get("condition").map(|it| evaluator.expand(it, &node.frames));
        if condition.and_then(|it| it.as_bool()) == Some(false) {
            return None;
        }
        let value = output(&member.key, &member.value, &types, evaluator, &node.frames);
        Some(Member { value, ..member.clone() })
    });
    let span = declared.and_then(|it| it.span);
    Value { span, ..Value::object(outputs.collect()) }
}

/// The properties of a deployment without its template, which is a document of its own.
fn deployment_properties(declared: &Value, instance: &Instance, evaluator: &Evaluator<'_>) -> Value {
    let Some(object) = declared.as_object() else { return evaluator.expand(declared, &instance.frames) };
    let own = object.iter().filter(|member| !member.key.eq_ignore_ascii_case("template"));
    let own = own.map(|member| Member { value: evaluator.expand(&member.value, &instance.frames), ..member.clone() });
    Value { span: declared.span, ..Value::object(own.collect()) }
}

fn output(name: &Str, declared: &Value, types: &Types, evaluator: &Evaluator<'_>, frames: &Frames) -> Value {
    let resolved = types.of(declared);
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
    let key_span = |key: &str| declared.as_object().and_then(|it| it.member(key)).and_then(|it| it.key_span);
    let members = vec![
        Member { key: Str::from("type"), key_span: key_span("type"), value: type_name.unwrap_or(Value::NULL) },
        Member { key: Str::from("value"), key_span: key_span("value"), value },
    ];
    Value { span: declared.span, ..Value::object(members) }
}

fn is_computed_null(member: &Member, declared: Option<&Value>) -> bool {
    member.value.is_null() && declared.is_some_and(|it| !it.is_null())
}

/// Resource Manager drops members that an expression makes `null`. Those that the author wrote as `null` stay: rules ask
/// for them.
fn without_computed_nulls(value: &Value, declared: &Value) -> Value {
    if !declared.traits.has(Traits::DYNAMIC) {
        return value.clone();
    }
    match (&value.data, &declared.data) {
        (Data::Object(object), Data::Object(source)) => {
            let kept = object.iter().filter(|member| !is_computed_null(member, source.get(&member.key)));
            let kept = kept.map(|member| match source.get(&member.key) {
                Some(source) => Member { value: without_computed_nulls(&member.value, source), ..member.clone() },
                None => member.clone(),
            });
            Value { span: value.span, via: value.via.clone(), ..Value::object(kept.collect()) }
        }
        (Data::Array(items), Data::Array(sources)) if items.len() == sources.len() => {
            let items = items.iter().zip(sources.iter()).map(|(item, source)| without_computed_nulls(item, source));
            Value { span: value.span, via: value.via.clone(), ..Value::array(items.collect()) }
        }
        _ => value.clone(),
    }
}
