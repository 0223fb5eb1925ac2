//! Assembles the [`Document`] of a template.

use std::rc::Rc;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::Request;
use crate::assumed::{Assumed, Decided, Scenario};
use crate::conditions::Truth;
use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::dynamic;
use crate::evaluator::{At, EvaluatedPart, Evaluator};
use crate::given::Arguments;
use crate::include::Includes;
use crate::loops::Entry;
use crate::macros;
use crate::made::Made;
use crate::model::{
    Condition, Deployment, DeploymentId, Document, Doubt, Hidden, Presence, Resource, ResourceId, STEPS_OF_REPEATED,
};
use crate::nested;
use crate::order::{self, Needs};
use crate::outcomes::Outcomes;
use crate::parameters;
use crate::sam;
use crate::scenarios::{self, MAX_SCENARIOS};
use crate::secrets;
use crate::serverless_framework;
use crate::settings;
use crate::stack::{Stack, is_module};
use crate::structure;
use crate::structure::nested::Outputs;
use crate::text::{FileId, Span};
use crate::value::{Member, Object, Str, Traits, Value};
use crate::world::World;

/// The members of a resource that CloudFormation does not evaluate.
const LITERAL: [&str; 3] = ["Type", "Condition", "DependsOn"];

/// A document, and what is known of other scenarios.
#[derive(Default)]
pub(super) struct Assembled {
    pub(super) document: Option<Document>,
    /// The literals that are secret, if there is no document to hide them.
    pub(super) secrets: Vec<Span>,
    /// The scenarios that deploy more, unless the request is for one of them.
    pub(super) scenarios: Vec<Scenario>,
    /// Assumptions of the request's scenario.
    pub(super) assumed: Assumed,
}

/// Assembles the document of a request. There is none if the template or its `Resources` is not an object.
/// `made` has the names that the Serverless Framework adds.
pub(super) fn document(request: &Request<'_>, made: Option<&Made>, world: &World<'_>) -> Assembled {
    let mut includes = Includes::default();
    let completed = (!request.raw).then(|| includes.complete(world, request.loader, request.file, request.template));
    let template = completed.as_ref().unwrap_or(request.template);
    if template.as_object().is_none() {
        let span = template.span.unwrap_or_else(|| Span::whole_file(request.file));
        let message = format!("a template must be an object, found a value of kind `{}`", template.kind().as_str());
        world.report(Diagnostic::new(Code::TemplateShape, span, message));
        return Assembled::default();
    }
    let mut report = |diagnostic| world.report(diagnostic);
    let mut arguments = Arguments::new(request.parameters, request.overrides, &mut report);
    let own = request.scenario.filter(|scenario| scenario.prefix.is_empty());
    arguments.extend(own.iter().flat_map(|scenario| scenario.values.iter().cloned()));
    let mut stack = Stack::new(world, request.file, template, arguments);
    stack.scenario = own;
    stack.made = made;
    if made.is_none() {
        serverless_framework::mark(request, &mut stack);
    }
    if request.scenario.is_none() {
        report_fixed_problems(request, &stack);
    }
    let written = written_secrets(request, &stack);
    let transformed = if request.raw { None } else { sam::transformed(&stack) };
    if let Some(transformed) = &transformed {
        stack = stack.transformed(&transformed.template, &transformed.paths, transformed.is_complete);
    }
    let explores = request.scenario.is_none() && !request.raw;
    let decided = request.scenario.map(|scenario| Rc::clone(&scenario.decided)).unwrap_or_default();
    let mut assembly = Assembly::new(request, world, &stack, (written, includes, decided));
    let name = Str::from(request.name);
    assembly.stack(&stack, Frame { name: name.clone(), prefix: "", resource: None });
    let mut scenarios = std::mem::take(&mut assembly.scenarios);
    let decided = Rc::new(std::mem::take(&mut assembly.newly_decided));
    if explores && !decided.is_empty() {
        // Some resources are never deployed. What is wrong with the rest was said.
        let (secrets, includes) = (std::mem::take(&mut assembly.secrets), std::mem::take(&mut assembly.includes));
        assembly = Assembly::new(request, world, &stack, (secrets, includes, Rc::clone(&decided)));
        assembly.is_repeated = true;
        world.in_silence(|| assembly.stack(&stack, Frame { name, prefix: "", resource: None }));
    }
    for scenario in &mut scenarios {
        scenario.decided = Rc::clone(&decided);
    }
    let Assembly { resources, deployments, secrets, assumed, .. } = assembly;
    if template.get("Resources").is_some_and(|resources| resources.as_object().is_none()) {
        return Assembled { secrets, ..Assembled::default() };
    }
    let hidden = Hidden::new(secrets, None);
    let file = request.file;
    let (existing, possible, mentioned, linked) = Default::default();
    let mut document = Document { file, deployments, resources, existing, possible, mentioned, linked, hidden };
    document.mark_hidden();
    Assembled { document: Some(document), secrets: Vec::new(), scenarios, assumed }
}

/// Reports what does not depend on the scenario.
fn report_fixed_problems(request: &Request<'_>, stack: &Stack<'_>) {
    if stack.made.is_some() {
        serverless_framework::report(request, stack);
    }
    stack.report_undeclared();
    if !request.raw {
        structure::check_structure(stack);
        stack.report_patterns();
    }
}

/// Returns the literals of a template that are secret. They do not depend on the scenario.
fn written_secrets(request: &Request<'_>, stack: &Stack<'_>) -> Vec<Span> {
    match request.scenario {
        Some(_) => Vec::new(),
        // Nothing is said of a template as it is written, but its secrets are not shown either.
        None if request.raw => stack.world.in_silence(|| secrets::find_secrets(stack)),
        None => secrets::find_secrets(stack),
    }
}

/// The document while it is being assembled.
pub(super) struct Assembly<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) world: &'a World<'a>,
    resources: Vec<Resource>,
    deployments: Vec<Deployment>,
    /// Number of resources that loops and repeated nested stacks added to the written ones.
    repeated: usize,
    /// The literals that are secret.
    pub(super) secrets: Vec<Span>,
    /// The files of the stacks that are being assembled, outermost first.
    pub(super) open: Vec<FileId>,
    pub(super) includes: Includes,
    /// The files of nested stacks whose structure was checked.
    pub(super) checked: HashSet<FileId>,
    /// Differences from the given scenario, by resource.
    assumed: Assumed,
    /// Results of conditions whose operands are unknown.
    pub(super) decided: Rc<Decided>,
    /// Results of such conditions that this assembly found.
    newly_decided: Decided,
    /// The scenarios that deploy more.
    scenarios: Vec<Scenario>,
    /// True if the document was assembled before, without the results in `decided`.
    is_repeated: bool,
}

/// Position of a stack in the nesting.
pub(super) struct Frame<'f> {
    pub(super) name: Str,
    /// The prefix of the IDs of its resources.
    pub(super) prefix: &'f str,
    /// The resource that it is nested in; `None` for the root.
    pub(super) resource: Option<ResourceId>,
}

/// The state of a stack while its resources are being added.
struct Progress<'f> {
    deployment: DeploymentId,
    /// The scope of its resources, which share it.
    scope: Str,
    prefix: &'f str,
    /// The resources so far, and what each depends on.
    ids: Vec<ResourceId>,
    needs: Vec<Needs>,
    /// The outputs of the nested stacks so far.
    outputs: Outputs,
}

impl<'a> Assembly<'a> {
    fn new(
        request: &'a Request<'a>,
        world: &'a World<'a>,
        root: &Stack<'_>,
        (secrets, includes, decided): (Vec<Span>, Includes, Rc<Decided>),
    ) -> Self {
        // The names of the values of a nested stack are not those of the root.
        let is_secret = |scenario: &Scenario, name: &str| !scenario.prefix.is_empty() || root.is_secret(name);
        let is_open = |scenario: &Scenario, name: &str| !scenario.prefix.is_empty() || root.is_open(name);
        let assumed = |own| Assumed::new(own, |name| is_secret(own, name), |name| is_open(own, name));
        Self {
            request,
            world,
            resources: Vec::new(),
            deployments: Vec::new(),
            repeated: 0,
            secrets,
            open: Vec::new(),
            includes,
            checked: HashSet::default(),
            assumed: request.scenario.map_or_else(Assumed::default, assumed),
            decided,
            newly_decided: Decided::default(),
            scenarios: Vec::new(),
            is_repeated: false,
        }
    }

    /// Returns `true` if problems are reported and other scenarios are searched for: once for each template.
    pub(super) fn is_first(&self) -> bool {
        self.request.scenario.is_none() && !self.is_repeated
    }

    /// Finds the scenarios of a stack that is assembled.
    fn explore(&mut self, stack: &Stack<'_>, prefix: &str) {
        if self.request.raw || !self.is_first() {
            return;
        }
        // Those of nested stacks share as many as the root may have.
        let nested = self.scenarios.iter().filter(|scenario| !scenario.prefix.is_empty()).count();
        let most = if prefix.is_empty() { MAX_SCENARIOS } else { MAX_SCENARIOS.saturating_sub(nested) };
        let written = if prefix.is_empty() { self.request.template } else { stack.template };
        Evaluator { stack }.evaluate_circles();
        scenarios::check_reads(&Evaluator { stack }, written, prefix.is_empty());
        let found = scenarios::find(&Evaluator { stack }, prefix, most);
        self.scenarios.extend(found.scenarios);
        if !found.decided.is_empty() {
            self.newly_decided.insert(Str::from(prefix), found.decided);
        }
    }

    /// Adds a stack with its resources and outputs.
    pub(super) fn stack(&mut self, stack: &Stack<'_>, frame: Frame<'_>) {
        let prefix = frame.prefix;
        stack.decide(self.decided.get(prefix));
        let evaluator = Evaluator { stack };
        let id = DeploymentId(self.deployments.len());
        let resource = frame.resource;
        self.open.push(stack.file);
        self.deployments.push(Deployment {
            id: Str::from(format!("{}{}", frame.prefix, frame.name)),
            name: frame.name,
            scope: Str::from(""),
            resource,
            path: String::new(),
            template: Value::NULL,
            parameters: Value::NULL,
            resources: Vec::new(),
            outputs: Value::object(Vec::new()),
            settings: Value::NULL,
            written: Value::NULL,
        });
        let mut progress = Progress {
            deployment: id,
            scope: Str::from(""),
            prefix: frame.prefix,
            ids: Vec::new(),
            needs: Vec::new(),
            outputs: Outputs::default(),
        };
        self.add_resources(&evaluator, &mut progress);
        if self.is_first() {
            macros::report(stack);
        }
        let Progress { ids, needs, .. } = progress;
        if !self.request.raw {
            stack.visit_parameters();
            order::find_cycles(&needs, &mut |diagnostic| self.world.report(diagnostic));
        }
        self.link(&ids, &needs);
        self.secrets.extend(stack.secret_literals());
        let outputs = self.outputs(&evaluator);
        let body = resource.and_then(|id| self.resources.get(id.0)).map(|resource| &resource.body);
        let settings = settings::stack_settings(&evaluator, body, &outputs);
        if let Some(deployment) = self.deployments.get_mut(id.0) {
            deployment.resources = ids;
            deployment.template = without_resources(stack.template, &outputs);
            deployment.outputs = outputs;
            deployment.settings = settings;
            deployment.written = stack.template.clone();
        }
        self.open.pop();
        self.assumed.add_defaults(stack.section("Parameters").filter(|_| stack.scenario.is_some()));
        self.explore(stack, prefix);
    }

    fn add_resources(&mut self, evaluator: &Evaluator<'_, '_>, progress: &mut Progress<'_>) {
        let is_again = !self.is_repeated && !self.world.budget.allow_for(evaluator.stack.template);
        let is_checked = !is_again && !self.request.raw && self.is_first();
        let entries = self.entries(evaluator);
        let names = entries.iter().map(|entry| entry.name.clone()).collect();
        // This is the only place that sets it, once for each stack.
        let _ = evaluator.stack.logical_ids.set(names);
        for entry in entries {
            let is_repeated = is_again || !entry.loops.is_empty();
            if is_repeated {
                self.repeated += 1;
                self.world.spend_steps(STEPS_OF_REPEATED, entry.key_span);
            }
            if self.repeated > self.world.limits.resources {
                let most = self.world.limits.resources;
                let message = format!("loops and nested stacks repeat resources more than {most} times");
                self.world.exhaust(entry.key_span, message);
            }
            if is_checked && !entry.loops.is_empty() && entry.doubt.is_none() {
                structure::check_name(evaluator.stack, &entry.name, entry.key_span);
            }
            // What the author wrote is checked beyond a limit, too.
            if !is_repeated || !self.world.is_exhausted() {
                self.resource(evaluator, entry, progress);
            }
        }
        if is_checked {
            structure::check_calls(evaluator.stack, &progress.outputs);
        }
    }

    /// Returns the declared resources, loops unrolled.
    fn entries<'v>(&self, evaluator: &Evaluator<'_, 'v>) -> Vec<Entry<'v>> {
        let stack = evaluator.stack;
        let template: &'v Value = stack.template;
        let declared = template.as_object().and_then(|object| object.member("Resources"));
        // Keys of CloudFormation are case-sensitive.
        let Some(declared) = declared.filter(|member| *member.key == *"Resources") else {
            stack.report_shape(
                template.span.map(|span| template.head(span)),
                "the template has no `Resources`".to_owned(),
            );
            return Vec::new();
        };
        let Some(resources) = declared.value.as_object() else {
            let found = declared.value.kind().as_str();
            let message = format!("`Resources` must be an object, found a value of kind `{found}`");
            stack.report_shape(declared.key_span, message);
            return Vec::new();
        };
        if self.request.raw {
            return Entry::all_written(resources, "Resources");
        }
        let mut entries = evaluator.entries(resources, "Resources");
        for entry in &mut entries {
            if let Some(path) = stack.generated.and_then(|paths| paths.get(&entry.name)) {
                entry.path = path.to_string();
            }
        }
        entries
    }

    fn resource(&mut self, evaluator: &Evaluator<'_, '_>, entry: Entry<'_>, progress: &mut Progress<'_>) {
        let stack = evaluator.stack;
        let declared = entry.value.as_object();
        let type_name = declared.and_then(|object| object.get_exact("Type")).and_then(Value::as_shared_str);
        let (Some(declared), Some(type_name)) = (declared, type_name) else {
            return report_untyped(stack, &entry, declared);
        };
        stack.reasons.borrow_mut().clear();
        let Some(presence) = self.presence(evaluator, &entry, declared) else { return };
        stack.references.borrow_mut().clear();
        let body = self.body(evaluator, &entry, declared, &presence);
        let span = entry.value.span.or(entry.key_span).unwrap_or_else(|| Span::whole_file(self.request.file));
        let others = needs(evaluator, &entry, declared);
        progress.needs.push(Needs::new(&entry, entry.key_span.unwrap_or(span), others));
        let id = ResourceId(self.resources.len());
        progress.ids.push(id);
        let type_name = entry.loops.substitute(type_name);
        if is_module(&type_name) {
            report_unseen(
                self.world,
                &entry,
                "CloudFormation replaces this by the resources of a module; they are not checked",
            );
        }
        let unique = match progress.prefix {
            "" => entry.name.clone(),
            prefix => Str::from(format!("{prefix}{}", entry.name)),
        };
        self.assumed.insert(&unique, std::mem::take(&mut *stack.reasons.borrow_mut()));
        let declared = (entry.clone(), type_name.clone(), unique);
        self.resources.push(Self::declared_resource(declared, body.clone(), span, presence, progress));
        if nested::is_stack(&type_name) && !self.request.raw && !self.world.is_exhausted() {
            let prefix = format!("{}{}/", progress.prefix, entry.name);
            let frame = Frame { name: entry.name.clone(), prefix: &prefix, resource: Some(id) };
            let outputs = self.nested(stack, &body, frame);
            progress.outputs.extend(outputs.map(|outputs| (entry.name, outputs)));
        } else if nested::is_stack_set(&type_name) {
            self.report_stack_set(entry.key_span.unwrap_or(span));
        }
    }

    /// The body of a resource, in which its own condition holds.
    fn body(&self, evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object, presence: &Presence) -> Value {
        if self.request.raw {
            return entry.value.clone();
        }
        match presence.doubt().and_then(|doubt| doubt.condition.as_ref()) {
            Some(condition) => evaluator.stack.assuming(&condition.text, || body(evaluator, entry, declared)),
            None => body(evaluator, entry, declared),
        }
    }

    /// The resource that is declared, without its dependencies, which are known only after all others.
    fn declared_resource(
        (entry, type_name, unique): (Entry<'_>, Str, Str),
        body: Value,
        span: Span,
        presence: Presence,
        progress: &Progress<'_>,
    ) -> Resource {
        Resource {
            type_name,
            name: entry.name,
            id: unique,
            scope: progress.scope.clone(),
            state: body.clone(),
            body,
            path: entry.path,
            span,
            symbolic_name: None,
            deployment: progress.deployment,
            parent: None,
            children: Vec::new(),
            depends_on: Vec::new(),
            implied: Vec::new(),
            presence,
        }
    }

    /// Returns the presence of a resource that is or may be deployed; `None` for one that is not.
    fn presence(&self, evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Option<Presence> {
        if self.request.raw {
            return Some(Presence::Deployed);
        }
        let truth = condition(evaluator, entry, declared);
        match (truth.cause, &entry.doubt) {
            (None, _) if truth.outcomes == Outcomes::FALSE => None,
            (Some(unknown), _) => {
                let name = declared.get_exact("Condition").and_then(Value::as_shared_str);
                let condition =
                    name.map(|name| Condition { text: entry.loops.substitute(name), span: None, iteration: None });
                Some(Presence::Maybe(Doubt { unknown, condition }))
            }
            (None, Some(doubt)) => Some(Presence::Maybe(Arc::clone(doubt).into())),
            (None, None) => Some(Presence::Deployed),
        }
    }

    /// Sets the dependencies of resources, which are known by name.
    fn link(&mut self, ids: &[ResourceId], needs: &[Needs]) {
        let by_name: HashMap<&str, ResourceId> =
            needs.iter().map(|needs| &*needs.name).zip(ids.iter().copied()).collect();
        for (id, needs) in ids.iter().zip(needs) {
            if let Some(resource) = self.resources.get_mut(id.0) {
                resource.depends_on = needs.others.iter().filter_map(|name| by_name.get(&**name).copied()).collect();
            }
        }
    }

    /// Returns the outputs whose condition may hold, as `{"type", "value"}`.
    fn outputs(&self, evaluator: &Evaluator<'_, '_>) -> Value {
        let section = evaluator.stack.section("Outputs").filter(|_| !self.request.raw);
        let entries = section.map_or_else(Vec::new, |outputs| evaluator.entries(outputs, "Outputs"));
        let output = |entry: Entry<'_>| {
            let declared = entry.value.as_object()?;
            self.presence(evaluator, &entry, declared)?;
            let value = evaluator.value(declared.get_exact("Value")?, At { loops: &entry.loops, ..At::START })?;
            let value = dynamic::resolved(value);
            let members = vec![Member::new("type", Value::from(value.kind().as_str())), Member::new("value", value)];
            let value = Value { span: entry.value.span, ..Value::object(members) };
            Some(Member { key: entry.name, key_span: entry.key_span, value })
        };
        if self.is_first() {
            for entry in entries.iter().filter(|entry| !entry.loops.is_empty() && entry.doubt.is_none()) {
                structure::check_output_name(evaluator.stack, &entry.name, entry.key_span);
            }
        }
        Value::object(entries.into_iter().filter_map(output).collect())
    }
}

/// Evaluates the condition of a resource or an output. Without a condition, the result is true.
fn condition(evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Truth {
    let Some(condition) = declared.get_exact("Condition") else { return Truth::from(true) };
    let Some(name) = condition.as_shared_str() else {
        let found = condition.kind().as_str();
        let message = format!("`Condition` must be the name of a condition, found a value of kind `{found}`");
        evaluator.stack.report_shape(condition.span, message);
        return Truth::from(true);
    };
    let name = entry.loops.substitute(name);
    let truth = evaluator.condition_named(&name, condition.span, At { loops: &entry.loops, ..At::START });
    evaluator.stack.note_condition(&name, &truth, None);
    // CloudFormation rejects an undefined condition. The resource is checked as if it had none.
    if evaluator.may_declare(&name) { truth } else { Truth::from(true) }
}

/// Returns the evaluated members of a resource.
fn body(evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Value {
    let at = At { loops: &entry.loops, ..At::START };
    let mut is_changed = false;
    let mut member = |member: &Member| {
        if LITERAL.contains(&&*member.key) && entry.loops.is_empty() {
            return Some(member.clone());
        }
        let changed = match evaluator.part(&member.value, at) {
            EvaluatedPart::Same => dynamic::changed(&member.value),
            EvaluatedPart::New(value) => Some(dynamic::resolved(value)),
            EvaluatedPart::Gone => {
                is_changed = true;
                return None;
            }
        };
        is_changed |= changed.is_some();
        Some(Member { value: changed.unwrap_or_else(|| member.value.clone()), ..member.clone() })
    };
    let members: Vec<Member> = declared.iter().filter_map(&mut member).collect();
    // Most resources are what the template says, which they share with it.
    let body = if is_changed { Value::object(members) } else { Value::new(entry.value.data.clone()) };
    Value { span: entry.value.span, ..body }
}

/// Returns the dependencies of a resource whose body was evaluated, sorted.
fn needs(evaluator: &Evaluator<'_, '_>, entry: &Entry<'_>, declared: &Object) -> Vec<Str> {
    let references = std::mem::take(&mut *evaluator.stack.references.borrow_mut());
    let mut others: Vec<Str> = references.into_iter().collect();
    others.extend(order::depends_on(evaluator, entry, declared));
    others.sort();
    others.dedup();
    others
}

/// Reports a member of `Resources` without a type: something makes a resource of it, or nothing can.
fn report_untyped(stack: &Stack<'_>, entry: &Entry<'_>, declared: Option<&Object>) {
    if *entry.name == *"Fn::Transform" || declared.is_some_and(|object| object.get_exact("Type").is_some()) {
        let message = "a macro or another tool makes resources of this; they are not checked";
        return report_unseen(stack.world, entry, message);
    }
    let message = format!("resource `{}` must be an object with a `Type`", entry.name);
    stack.report_shape(entry.key_span.or(entry.value.span), message);
}

fn report_unseen(world: &World<'_>, entry: &Entry<'_>, message: &str) {
    if let Some(span) = entry.key_span {
        world.report(Diagnostic::new(Code::TemplateRemote, span, message).not_checked(NotChecked::Macro));
    }
}

/// Returns the template as rules see it: without resources, with the values of its outputs, and with the defaults of
/// `NoEcho` parameters marked as secrets.
fn without_resources(template: &Value, outputs: &Value) -> Value {
    let members = template.as_object().into_iter().flatten().filter(|member| *member.key != *"Resources");
    let members = members.map(|member| {
        let value = match &*member.key {
            "Outputs" => evaluated(&member.value, outputs),
            "Parameters" => with_secrets(&member.value),
            _ => member.value.clone(),
        };
        Member { value, ..member.clone() }
    });
    Value { span: template.span, ..Value::object(members.collect()) }
}

/// Parameters with the defaults of those with `NoEcho` marked as secrets.
fn with_secrets(declared: &Value) -> Value {
    let Some(object) = declared.as_object() else { return declared.clone() };
    let attribute = |attribute: &Member| {
        let secret = if *attribute.key == *"Default" { Traits::SECRET } else { Traits::NONE };
        Member { value: attribute.value.clone().with_traits(secret), ..attribute.clone() }
    };
    let parameter = |member: &Member| {
        let secret = member.value.as_object().filter(|_| parameters::is_secret(&member.value));
        let value = secret.map(|object| Value::object(object.iter().map(attribute).collect()));
        let value = value.map_or_else(|| member.value.clone(), |value| Value { span: member.value.span, ..value });
        Member { value, ..member.clone() }
    };
    Value { span: declared.span, ..Value::object(object.iter().map(parameter).collect()) }
}

/// Returns the declared outputs with their evaluated values. An output without one stays as written.
fn evaluated(declared: &Value, outputs: &Value) -> Value {
    let Some(object) = declared.as_object() else { return declared.clone() };
    let output = |member: &Member| {
        let known = outputs.as_object().and_then(|outputs| outputs.get_exact(&member.key)?.get("value"));
        let (Some(known), Some(parts)) = (known, member.value.as_object()) else { return member.clone() };
        let part = |part: &Member| match &*part.key {
            "Value" => Member { value: known.clone(), ..part.clone() },
            _ => part.clone(),
        };
        let value = Value { span: member.value.span, ..Value::object(parts.iter().map(part).collect()) };
        Member { value, ..member.clone() }
    };
    Value { span: declared.span, ..Value::object(object.iter().map(output).collect()) }
}
