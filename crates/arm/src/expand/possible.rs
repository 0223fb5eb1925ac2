//! Resources, branches, and loops that the given values do not reach, and other values would: they are compared with
//! their types as well, so that a mistake is found before somebody chooses these values.
//!
//! They are evaluated as if no parameter had a value. What fails then says nothing, since it need not fail with the
//! values that reach it.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashSet;

use crate::artifacts::ROOT_URI;
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::eval::{Binding, Evaluator, Frame, Given, Loop, TemplateLevel, decisive};
use crate::expand::assemble::resource_of;
use crate::expand::declare::{idle_instance, is_existing};
use crate::expand::registry::{Deployed, IdleLoop, Instance, Node};
use crate::expand::{Expander, Submission, text_of};
use crate::expr::{TextKind, text_kind};
use crate::model::{Condition, Document, Doubt, Presence, Resource};
use crate::text::Span;
use crate::value::{Data, Traits, Unknown, Value};

/// Functions of expressions that choose between values, and those that make values with members or items.
const CHOOSING: [&str; 2] = ["if(", "map("];
const MAKING: [&str; 2] = ["createobject(", "createarray("];

impl Expander<'_> {
    /// Returns the resources that other values deploy, and those with a part that other values reach. Once half of the
    /// steps of the expansion are taken, the rest is reported as not checked.
    pub(super) fn possible(&self, document: &Document) -> Vec<Resource> {
        // The limit on steps has been reported: not even what is deployed is evaluated completely.
        if self.world.is_spent() {
            return Vec::new();
        }
        let mut search =
            PossibleSearch { expander: self, document, seen: HashSet::default(), is_told: false, found: Vec::new() };
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
        let submission = Submission {
            template: &declaring.template,
            target: &node.level.scope,
            name: &declaring.name,
            uri: ROOT_URI,
            location: Value::NULL,
            arguments: Value::NULL,
            configs: Value::NULL,
        };
        let declared = declaring.template.get("parameters");
        let given = |name: &str| {
            let kind = node.level.types.declared_type(declared?.get(name)?).kind;
            let unknown = Unknown::new(kind, format!("parameter `{name}` may have any value"));
            Some(Given::Value(Value::unknown(unknown)))
        };
        let deployment = node.level.deployment.clone();
        TemplateLevel { deployment, is_guarded: true, ..self.level(&submission, given) }
    }
}

/// The search for what other values of the parameters deploy.
struct PossibleSearch<'a, 'w> {
    expander: &'a Expander<'w>,
    document: &'a Document,
    /// The declarations that need no further look.
    seen: HashSet<Span>,
    /// True if the end of the search has been reported.
    is_told: bool,
    found: Vec<Resource>,
}

impl PossibleSearch<'_, '_> {
    fn run(&mut self) {
        let registry = self.expander.registry;
        let instances = (0..registry.instance_count()).map(|index| registry.instance(index));
        let deployed: HashSet<Span> = instances
            .filter(|instance| is_deployed(instance))
            .filter_map(|instance| instance.declaration.span)
            .collect();
        for node in registry.nodes() {
            let level = OnceCell::new();
            let evaluator = || {
                let level = level.get_or_init(|| Rc::new(self.expander.level_without_values(&node)));
                Evaluator::new(self.expander.world, Rc::clone(level), node.index)
            };
            let mut found = Vec::new();
            for &index in &*node.instances.borrow() {
                let instance = registry.instance(index);
                let is_wanted = if is_deployed(&instance) {
                    has_choice(&instance.declaration)
                } else {
                    is_absent(&instance) && instance.declaration.span.is_some_and(|span| !deployed.contains(&span))
                };
                if is_wanted && !instance.is_deployment() && self.is_next(&instance.declaration) {
                    found.extend(self.instance(&evaluator(), &instance));
                }
            }
            for idle in node.idle_loops.borrow().iter() {
                let is_wanted = idle.value.span.is_some_and(|span| !deployed.contains(&span));
                if is_wanted && self.is_next(&idle.value) {
                    found.extend(self.idle_loop(&evaluator(), &node, idle));
                }
            }
            self.found.extend(found);
        }
    }

    /// Returns `true` the first time that it is asked for a declaration, if there are steps left for it.
    fn is_next(&mut self, declaration: &Value) -> bool {
        let Some(span) = declaration.span.filter(|span| self.seen.insert(*span)) else { return false };
        let world = self.expander.world;
        let is_left = !world.budget.is_half_spent() && !world.is_spent();
        if !is_left && !std::mem::replace(&mut self.is_told, true) {
            let message = "the template takes so many steps that what other values of its parameters deploy is not \
                           compared with its types from here on";
            let note = Diagnostic::new(Code::TemplateLimit, span, message).with_level(Level::Note);
            world.report(note.not_checked(NotChecked::Branches));
        }
        is_left
    }

    /// Returns the resource of an instance. `None` if no values deploy it.
    fn instance(&self, evaluator: &Evaluator<'_>, instance: &Rc<Instance>) -> Option<Resource> {
        let presence = if is_absent(instance) { self.presence(evaluator, instance)? } else { Presence::Deployed };
        let body = self.expander.body(instance, evaluator);
        Some(self.resource(instance, &body, presence))
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
        Some(self.resource(&instance, &body, Presence::Deployed))
    }

    fn resource(&self, instance: &Instance, body: &Value, presence: Presence) -> Resource {
        resource_of(instance, self.document.hidden.marked(body), presence, self.document.file)
    }
}

fn is_deployed(instance: &Instance) -> bool {
    matches!(instance.presence, Deployed::Yes(_))
}

/// Returns `true` if a condition keeps an instance from being deployed.
fn is_absent(instance: &Instance) -> bool {
    matches!(instance.presence, Deployed::No) && !is_existing(&instance.declaration)
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
