//! From a template to the [`Document`].

use rustc_hash::FxHashMap;

use crate::cfn::Request;
use crate::cfn::conditions::Truth;
use crate::cfn::evaluator::{At, Evaluator};
use crate::cfn::given::Arguments;
use crate::cfn::loops::{Entry, PREFIX};
use crate::cfn::order::{self, Needs};
use crate::cfn::stack::Stack;
use crate::cfn::world::World;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::model::{Deployment, DeploymentId, Document, Presence, Resource, ResourceId};
use crate::text::{Span, did_you_mean};
use crate::value::{Member, Object, Str, Value};

/// The members of a resource that CloudFormation takes as they are written.
const LITERAL: [&str; 3] = ["Type", "Condition", "DependsOn"];

/// The document of a request; `None` if the template is no object.
pub(super) fn document(request: &Request<'_>, world: &World<'_>) -> Option<Document> {
    let template = request.template;
    if template.as_object().is_none() {
        let span = template.span.unwrap_or_else(|| Span::whole_file(request.file));
        let message = format!("a template must be an object, found a value of kind `{}`", template.kind().as_str());
        world.report(Diagnostic::new(Code::TemplateShape, span, message));
        return None;
    }
    let mut report = |it| world.report(it);
    let arguments = Arguments::new(request.parameters, request.overrides, &mut report);
    let stack = Stack::new(world, template, arguments);
    stack.report_undeclared();
    let mut assembly = Assembly { request, world, resources: Vec::new(), deployments: Vec::new() };
    assembly.stack(&stack, Str::from(request.name));
    let Assembly { resources, deployments, .. } = assembly;
    Some(Document { file: request.file, deployments, resources })
}

/// The document as far as it is done.
struct Assembly<'a> {
    request: &'a Request<'a>,
    world: &'a World<'a>,
    resources: Vec<Resource>,
    deployments: Vec<Deployment>,
}

impl Assembly<'_> {
    fn stack(&mut self, stack: &Stack<'_>, name: Str) {
        let evaluator = Evaluator { stack };
        let id = DeploymentId(self.deployments.len());
        self.deployments.push(Deployment {
            id: name.clone(),
            name,
            scope: Str::from(""),
            resource: None,
            path: String::new(),
            template: Value::NULL,
            resources: Vec::new(),
            outputs: Value::object(Vec::new()),
        });
        let entries = self.entries(&evaluator);
        let names = entries.iter().map(|it| it.name.clone()).collect();
        // Nobody else sets it.
        let _ = stack.logical_ids.set(names);
        let first = self.resources.len();
        let mut needs = Vec::new();
        for entry in &entries {
            if self.resources.len() >= self.world.limits.resources {
                let message = format!("the template has more than {} resources", self.world.limits.resources);
                self.world.exhaust(entry.key_span, message);
            }
            if self.world.is_exhausted() {
                break;
            }
            self.resource(&evaluator, entry, id, &mut needs);
        }
        if !self.request.raw {
            order::find_circles(&needs, &mut |it| self.world.report(it));
        }
        self.link(first, &needs);
        let outputs = self.outputs(&evaluator);
        let deployment = &mut self.deployments[id.0];
        deployment.resources = (first..self.resources.len()).map(ResourceId).collect();
        deployment.template = without_resources(stack.template, &outputs);
        deployment.outputs = outputs;
    }

    /// The declared resources, loops unrolled.
    fn entries<'v>(&self, evaluator: &Evaluator<'_, 'v>) -> Vec<Entry<'v>> {
        let stack = evaluator.stack;
        let template: &'v Value = stack.template;
        let declared = template.as_object().and_then(|it| it.member("Resources").filter(|it| *it.key == *"Resources"));
        let Some(declared) = declared else {
            stack.report_shape(template.span.map(head), "the template has no `Resources`".to_owned());
            return Vec::new();
        };
        let Some(resources) = declared.value.as_object() else {
            let found = declared.value.kind().as_str();
            let message = format!("`Resources` must be an object, found a value of kind `{found}`");
            stack.report_shape(declared.key_span, message);
            return Vec::new();
        };
        if self.request.raw { written(resources) } else { evaluator.entries(resources, "Resources") }
    }

    fn resource(
        &mut self,
        evaluator: &Evaluator<'_, '_>,
        entry: &Entry<'_>,
        deployment: DeploymentId,
        needs: &mut Vec<Needs>,
    ) {
        let stack = evaluator.stack;
        let declared = entry.value.as_object();
        let type_name = declared.and_then(|it| it.get_exact("Type")).and_then(Value::as_shared_str);
        let (Some(declared), Some(type_name)) = (declared, type_name) else {
            if *entry.name == *"Fn::Transform" {
                return report_macro(self.world, entry);
            }
            // The others can be checked all the same.
            let message = format!("resource `{}` must be an object with a `Type`", entry.name);
            let span = entry.key_span.or(entry.value.span);
            if let Some(span) = span {
                self.world.report(Diagnostic::new(Code::TemplateShape, span, message).with_level(Level::Warning));
            }
            return;
        };
        let Some(presence) = self.presence(evaluator, entry, declared) else { return };
        stack.references.borrow_mut().clear();
        let body = if self.request.raw { entry.value.clone() } else { body(evaluator, entry, declared) };
        let span = entry.value.span.or(entry.key_span).unwrap_or_else(|| Span::whole_file(self.request.file));
        let mut others: Vec<Str> = std::mem::take(&mut *stack.references.borrow_mut()).into_iter().collect();
        others.extend(depends_on(evaluator, entry, declared));
        others.sort();
        others.dedup();
        needs.push(Needs { name: entry.name.clone(), span: entry.key_span.unwrap_or(span), others });
        self.resources.push(Resource {
            type_name: entry.loops.substitute(type_name),
            name: entry.name.clone(),
            id: entry.name.clone(),
            scope: Str::from(""),
            state: body.clone(),
            body,
            path: entry.path.clone(),
            span,
            symbolic_name: None,
            deployment,
            parent: None,
            children: Vec::new(),
            depends_on: Vec::new(),
            presence,
        });
    }

    /// Whether a resource is deployed; `None` if it is not.
    fn presence(&self, evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Option<Presence> {
        if self.request.raw {
            return Some(Presence::Deployed);
        }
        let condition = declared.get_exact("Condition").and_then(|it| Some((it.as_shared_str()?, it.span)));
        let truth = condition.map_or(Truth::True, |(name, span)| {
            let name = entry.loops.substitute(name);
            let truth = evaluator.condition_named(&name, span, At { loops: &entry.loops, ..At::START });
            // CloudFormation refuses a condition that is not there, so the resource is checked as if it had none.
            if evaluator.may_declare(&name) { truth } else { Truth::True }
        });
        match (truth, &entry.doubt) {
            (Truth::False, _) => None,
            (Truth::Unknown(unknown), _) => Some(Presence::Maybe(unknown)),
            (Truth::True, Some(doubt)) => Some(Presence::Maybe(doubt.clone())),
            (Truth::True, None) => Some(Presence::Deployed),
        }
    }

    /// Turns the names that resources need into the resources.
    fn link(&mut self, first: usize, needs: &[Needs]) {
        let places: FxHashMap<&str, ResourceId> =
            needs.iter().enumerate().map(|(at, it)| (&*it.name, ResourceId(first + at))).collect();
        for (resource, needs) in self.resources[first..].iter_mut().zip(needs) {
            resource.depends_on = needs.others.iter().filter_map(|it| places.get(&**it).copied()).collect();
        }
    }

    /// The outputs whose condition may hold, as `{"type", "value"}`.
    fn outputs(&self, evaluator: &Evaluator<'_, '_>) -> Value {
        let section = evaluator.stack.section("Outputs").filter(|_| !self.request.raw);
        let entries = section.map_or_else(Vec::new, |it| evaluator.entries(it, "Outputs"));
        let output = |entry: Entry<'_>| {
            let declared = entry.value.as_object()?;
            self.presence(evaluator, &entry, declared)?;
            let value = evaluator.value(declared.get_exact("Value")?, At { loops: &entry.loops, ..At::START })?;
            let members = vec![Member::new("type", Value::from(value.kind().as_str())), Member::new("value", value)];
            let value = Value { span: entry.value.span, ..Value::object(members) };
            Some(Member { key: entry.name, key_span: entry.key_span, value })
        };
        Value::object(entries.into_iter().filter_map(output).collect())
    }
}

fn body(evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Value {
    let at = At { loops: &entry.loops, ..At::START };
    let members = declared.iter().filter_map(|member| {
        if LITERAL.contains(&&*member.key) && entry.loops.is_empty() {
            return Some(member.clone());
        }
        Some(Member { value: evaluator.value(&member.value, at)?, ..member.clone() })
    });
    Value { span: entry.value.span, ..Value::object(members.collect()) }
}

/// What `DependsOn` names: one name, or a list of them.
fn depends_on(evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Vec<Str> {
    let Some(value) = declared.get_exact("DependsOn") else { return Vec::new() };
    let items = value.as_array().unwrap_or(std::slice::from_ref(value));
    let ids = evaluator.stack.logical_ids.get();
    let mut names = Vec::new();
    for item in items {
        let Some(name) = item.as_shared_str().map(|it| entry.loops.substitute(it)) else { continue };
        if ids.is_some_and(|it| !it.contains(&name)) {
            let hint = did_you_mean(&name, ids.into_iter().flatten().map(|it| &**it));
            evaluator.stack.report_undefined(item.span, format!("there is no resource `{name}`{hint}"));
        }
        names.push(name);
    }
    names
}

/// The members of `Resources` as they stand; a loop is none of them.
fn written(resources: &Object) -> Vec<Entry<'_>> {
    let members = resources.iter().filter(|it| !it.key.starts_with(PREFIX));
    let entry = |member| Entry::written(member, "Resources");
    members.map(entry).collect()
}

fn report_macro(world: &World<'_>, entry: &Entry<'_>) {
    if let Some(span) = entry.key_span {
        let message = "a macro adds resources here that are not seen";
        world.report(Diagnostic::new(Code::TemplateRemote, span, message));
    }
}

/// The first byte of something long.
fn head(span: Span) -> Span {
    Span { end: span.end.min(span.start + 1), ..span }
}

/// The template as rules see it: without resources, and with the values of its outputs.
fn without_resources(template: &Value, outputs: &Value) -> Value {
    let members = template.as_object().into_iter().flatten().filter(|it| *it.key != *"Resources");
    let members = members.map(|member| {
        let is_evaluated = *member.key == *"Outputs";
        let value = if is_evaluated { evaluated(&member.value, outputs) } else { member.value.clone() };
        Member { value, ..member.clone() }
    });
    Value { span: template.span, ..Value::object(members.collect()) }
}

/// The declared outputs with their evaluated values, as far as there are some.
fn evaluated(declared: &Value, outputs: &Value) -> Value {
    let Some(object) = declared.as_object() else { return declared.clone() };
    let output = |member: &Member| {
        let known = outputs.as_object().and_then(|it| it.get_exact(&member.key)?.get("value"));
        let (Some(known), Some(parts)) = (known, member.value.as_object()) else { return member.clone() };
        let part =
            |it: &Member| if *it.key == *"Value" { Member { value: known.clone(), ..it.clone() } } else { it.clone() };
        let value = Value { span: member.value.span, ..Value::object(parts.iter().map(part).collect()) };
        Member { value, ..member.clone() }
    };
    Value { span: declared.span, ..Value::object(object.iter().map(output).collect()) }
}
