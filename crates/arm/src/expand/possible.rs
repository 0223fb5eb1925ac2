//! Resources, branches, and loops that the given values do not reach, and other values would: they are compared with
//! their types as well, so that a mistake is found before somebody chooses these values.
//!
//! They are evaluated as if no parameter had a value. What fails then says nothing, since it need not fail with the
//! values that reach it.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashSet;

use crate::eval::{Binding, Definitions, Evaluator, Frame, Given, Loop, TemplateLevel, UserFunctions, decisive};
use crate::expand::declare::idle_instance;
use crate::expand::registry::{Deployed, Instance, Node};
use crate::expand::{Expander, text_of};
use crate::expr::{TextKind, text_kind};
use crate::model::{Condition, DeploymentId, Document, Doubt, Presence, Resource};
use crate::text::Span;
use crate::value::{Data, Str, Traits, Unknown, Value};

/// Functions of expressions that choose between values, and those that make values with members or items.
const CHOOSING: [&str; 2] = ["if(", "map("];
const MAKING: [&str; 2] = ["createobject(", "createarray("];

impl Expander<'_> {
    /// Returns the resources that other values deploy, and those with a part that other values reach. Ends early once
    /// half of the steps of the expansion are taken.
    pub(super) fn possible(&self, document: &Document) -> Vec<Resource> {
        let mut search = PossibleSearch { expander: self, document, seen: HashSet::default(), found: Vec::new() };
        self.world.explores.set(true);
        search.run();
        self.world.explores.set(false);
        search.found
    }

    /// Returns the level of a deployment in which no parameter has a value.
    fn level_without_values(&self, node: &Rc<Node>) -> TemplateLevel {
        // The template whose parameters the expressions see.
        let mut declaring = Rc::clone(node);
        while let Some(parent) = declaring.parent.filter(|_| self.is_outer(&declaring)) {
            declaring = self.registry.node(parent);
        }
        let template = &declaring.template;
        let part = |name: &str| template.get(name).cloned().unwrap_or(Value::NULL);
        let parameters = part("parameters");
        let types = Rc::clone(&node.level.types);
        let given = |name: &str| {
            let kind = types.declared_type(parameters.get(name)?).kind;
            let unknown = Unknown::new(kind, format!("parameter `{name}` may have any value"));
            Some(Given::Value(Value::unknown(unknown)))
        };
        TemplateLevel {
            parameters: Definitions::parameters(&parameters, given),
            variables: Definitions::variables(&part("variables")),
            functions: UserFunctions::new(part("functions")),
            types: Rc::clone(&types),
            deployment: node.level.deployment.clone(),
            is_guarded: true,
            ..TemplateLevel::bare(node.level.scope.clone())
        }
    }
}

/// The search for what other values of the parameters deploy.
struct PossibleSearch<'a, 'w> {
    expander: &'a Expander<'w>,
    document: &'a Document,
    /// The declarations that need no further look.
    seen: HashSet<Span>,
    found: Vec<Resource>,
}

impl PossibleSearch<'_, '_> {
    fn run(&mut self) {
        let registry = self.expander.registry;
        let instances = || (0..registry.instance_count()).map(|index| registry.instance(index));
        let is_deployed = |instance: &Rc<Instance>| matches!(instance.presence, Deployed::Yes(_));
        let deployed: HashSet<Span> =
            instances().filter(is_deployed).filter_map(|instance| instance.declaration.span).collect();
        for node in registry.nodes() {
            let level = OnceCell::new();
            let evaluator = || {
                let level = level.get_or_init(|| Rc::new(self.expander.level_without_values(&node)));
                Evaluator::new(self.expander.world, Rc::clone(level), node.index)
            };
            let mut found = Vec::new();
            for &index in &*node.instances.borrow() {
                let instance = registry.instance(index);
                let is_absent = matches!(instance.presence, Deployed::No) && !is_existing(&instance.declaration);
                let Some(span) = instance.declaration.span else { continue };
                let is_wanted = if is_absent {
                    !deployed.contains(&span)
                } else {
                    is_deployed(&instance) && has_choice(&instance.declaration)
                };
                if !is_wanted || instance.is_deployment() || !self.seen.insert(span) {
                    continue;
                }
                if self.expander.world.budget.is_half_spent() {
                    break;
                }
                found.extend(self.instance(&evaluator(), &instance, is_absent));
            }
            for declared in node.idle_loops.borrow().iter() {
                let Some(span) = declared.value.span.filter(|span| !deployed.contains(span)) else { continue };
                if self.seen.insert(span) && !self.expander.world.budget.is_half_spent() {
                    found.extend(self.idle_loop(&evaluator(), &node, declared));
                }
            }
            self.found.extend(found);
        }
    }

    /// Returns the resource of an instance. `None` if no values deploy it.
    fn instance(&self, evaluator: &Evaluator<'_>, instance: &Rc<Instance>, is_absent: bool) -> Option<Resource> {
        let presence = if is_absent { self.presence(evaluator, instance)? } else { Presence::Deployed };
        let body = self.expander.body(instance, evaluator);
        Some(self.resource(instance, body, presence))
    }

    /// Returns the presence of an instance whose condition is false with the given values. `None` if it is false with
    /// all values.
    fn presence(&self, evaluator: &Evaluator<'_>, instance: &Rc<Instance>) -> Option<Presence> {
        let mut own: Option<Doubt> = None;
        let mut next = Some(Rc::clone(instance));
        while let Some(around) = next {
            if let Some(declared) = around.declaration.get("condition") {
                let condition = decisive(evaluator.expand(declared, &around.frames));
                match &condition.data {
                    Data::Bool(false) => return None,
                    Data::String(text) if text.eq_ignore_ascii_case("false") => return None,
                    Data::Unknown(unknown) if own.is_none() => {
                        let text = text_of(declared);
                        let condition = Condition { text, span: declared.span, iteration: None };
                        own = Some(Doubt { unknown: Arc::clone(unknown), condition: Some(condition) });
                    }
                    _ => {}
                }
            }
            next = around.parent.map(|parent| self.expander.registry.instance(parent));
        }
        own.map(Presence::Maybe)
    }

    /// Returns the resource of a loop that has no iteration with the given values.
    fn idle_loop(&self, evaluator: &Evaluator<'_>, node: &Node, declared: &IdleLoop) -> Option<Resource> {
        let binding = Loop { name: declared.name.clone(), index: 0, makes_resources: true };
        let frames = Frame::push(&node.frames, Binding::Loop(binding));
        let condition = declared.value.get("condition").map(|condition| decisive(evaluator.expand(condition, &frames)));
        if condition.is_some_and(|condition| condition.as_bool() == Some(false)) {
            return None;
        }
        let instance = idle_instance(node, evaluator, &frames, declared);
        if instance.is_deployment() || is_existing(&instance.declaration) {
            return None;
        }
        let body = self.expander.body(&instance, evaluator);
        Some(self.resource(&instance, body, Presence::Deployed))
    }

    fn resource(&self, instance: &Instance, body: Value, presence: Presence) -> Resource {
        Resource {
            type_name: instance.type_name.clone(),
            name: instance.name_text.clone(),
            id: instance.id.clone(),
            scope: Str::from(instance.scope.as_str()),
            state: Value::NULL,
            body: self.document.hidden.marked(&body),
            path: instance.path.clone(),
            span: instance.declaration.span.unwrap_or_else(|| Span::whole_file(self.document.file)),
            symbolic_name: instance.symbol.clone(),
            deployment: DeploymentId(instance.node),
            parent: None,
            children: Vec::new(),
            implied: Vec::new(),
            depends_on: Vec::new(),
            presence,
        }
    }
}

/// A loop of resources without iterations.
#[derive(Debug)]
pub(super) struct IdleLoop {
    /// The declaration of the resource.
    pub(super) value: Value,
    pub(super) path: String,
    /// The symbolic name, if `resources` is an object.
    pub(super) symbol: Option<Str>,
    /// The name of the loop.
    pub(super) name: Option<Str>,
}

/// Returns `true` if a declaration only refers to a resource.
fn is_existing(declaration: &Value) -> bool {
    declaration.get("existing").and_then(Value::as_bool) == Some(true)
}

/// Returns `true` if a part of a declaration is a loop, or an expression that chooses between values with members or
/// items.
fn has_choice(value: &Value) -> bool {
    if !value.traits.has(Traits::DYNAMIC) {
        return false;
    }
    match &value.data {
        Data::String(text) if text_kind(text) == TextKind::Expression => {
            let text = text.to_ascii_lowercase();
            CHOOSING.iter().any(|name| text.contains(name)) && MAKING.iter().any(|name| text.contains(name))
        }
        Data::Array(items) => items.iter().any(has_choice),
        Data::Object(object) => object.iter().any(|member| {
            let is_loop = member.key.eq_ignore_ascii_case("copy") && member.value.as_array().is_some();
            is_loop || has_choice(&member.value)
        }),
        _ => false,
    }
}
