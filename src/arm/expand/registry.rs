//! The deployments and resources of a document while it is being expanded.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::arm::eval::{Evaluator, Frames, Resources, TemplateLevel, World};
use crate::arm::expand::Expander;
use crate::arm::expand::declare::{info, info_ahead};
use crate::arm::fault::Fault;
use crate::arm::target::Scope;
use crate::model::{Loader, Presence};
use crate::text::FileId;
use crate::value::{Str, Value};

/// How far the work on a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    Running,
    Done,
}

/// One template with its arguments.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) index: usize,
    pub(super) level: Rc<TemplateLevel>,
    /// What it deploys to. In a nested template with outer scope this is not what its expressions see.
    pub(super) target: Scope,
    pub(super) name: Str,
    pub(super) template: Value,
    /// The file of the template: another than that of the deployment around it for a linked one.
    pub(super) file: FileId,
    /// Path of the template in its file.
    pub(super) path: String,
    /// The resource that it is nested in.
    pub(super) instance: Option<usize>,
    pub(super) parent: Option<usize>,
    /// The loops around it, for a nested template with outer scope.
    pub(super) frames: Frames,
    pub(super) members: RefCell<Vec<usize>>,
    /// Resources by the lower-case text that `dependsOn` and `reference` know them by.
    pub(super) symbols: RefCell<FxHashMap<String, Vec<usize>>>,
    pub(super) loops: RefCell<FxHashMap<String, Vec<usize>>>,
    pub(super) names: RefCell<FxHashMap<String, Vec<usize>>>,
    pub(super) outputs: RefCell<Option<Value>>,
}

/// One resource: a declaration at one iteration of its loop.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) index: usize,
    /// Its [`Node`].
    pub(super) node: usize,
    pub(super) declaration: Value,
    pub(super) frames: Frames,
    pub(super) type_name: Str,
    /// The full name; may be unknown.
    pub(super) name: Value,
    /// The same as a text.
    pub(super) name_text: Str,
    pub(super) id: Str,
    pub(super) scope: String,
    pub(super) symbol: Option<Str>,
    /// Its iteration in a loop of resources.
    pub(super) iteration: Option<i64>,
    pub(super) path: String,
    pub(super) presence: Deployed,
    /// The resource whose declaration it stands in.
    pub(super) parent: Option<usize>,
    pub(super) state: Cell<State>,
    pub(super) body: RefCell<Option<Value>>,
    /// The body with runtime properties.
    pub(super) runtime: RefCell<Option<Value>>,
    /// The deployment that it is, once entered.
    pub(super) nested: Cell<Option<usize>>,
}

/// Whether an instance becomes a resource.
#[derive(Clone, Debug)]
pub(super) enum Deployed {
    /// It does, or may.
    Yes(Presence),
    /// Its condition is false.
    No,
    /// It is declared as `existing`.
    Existing,
}

impl Instance {
    /// Whether it is a deployment of its own.
    pub(super) fn is_deployment(&self) -> bool {
        self.type_name.eq_ignore_ascii_case("Microsoft.Resources/deployments")
    }
}

/// Everything known so far, and the order of the work.
#[derive(Debug)]
pub(super) struct Registry<'a> {
    /// Reads linked templates.
    pub(super) loader: &'a dyn Loader,
    nodes: RefCell<Vec<Rc<Node>>>,
    instances: RefCell<Vec<Rc<Instance>>>,
    by_id: RefCell<FxHashMap<String, usize>>,
    /// Finished resources in the order they would be deployed.
    pub(super) order: RefCell<Vec<usize>>,
    /// Whether a resource was turned away, for there are too many.
    pub(super) is_full: Cell<bool>,
}

impl<'a> Registry<'a> {
    pub(super) fn new(loader: &'a dyn Loader) -> Self {
        Self {
            loader,
            nodes: RefCell::default(),
            instances: RefCell::default(),
            by_id: RefCell::default(),
            order: RefCell::default(),
            is_full: Cell::default(),
        }
    }

    pub(super) fn node(&self, index: usize) -> Rc<Node> {
        Rc::clone(&self.nodes.borrow()[index])
    }

    pub(super) fn nodes(&self) -> Vec<Rc<Node>> {
        self.nodes.borrow().clone()
    }

    pub(super) fn instance(&self, index: usize) -> Rc<Instance> {
        Rc::clone(&self.instances.borrow()[index])
    }

    pub(super) fn instance_count(&self) -> usize {
        self.instances.borrow().len()
    }

    pub(super) fn add_node(&self, make: impl FnOnce(usize) -> Node) -> Rc<Node> {
        let mut nodes = self.nodes.borrow_mut();
        let node = Rc::new(make(nodes.len()));
        nodes.push(Rc::clone(&node));
        node
    }

    /// Registers an instance. The result says whether a deployed one of the same id was there before.
    pub(super) fn add_instance(&self, make: impl FnOnce(usize) -> Instance) -> (Rc<Instance>, Option<usize>) {
        let mut instances = self.instances.borrow_mut();
        let instance = Rc::new(make(instances.len()));
        instances.push(Rc::clone(&instance));
        let node = self.node(instance.node);
        let index = instance.index;
        let note = |map: &RefCell<FxHashMap<String, Vec<usize>>>, key: &str| {
            map.borrow_mut().entry(key.to_ascii_lowercase()).or_default().push(index);
        };
        if let Some(symbol) = &instance.symbol {
            note(&node.symbols, symbol);
        }
        if let Some(name) = instance.declaration.get("copy").and_then(|copy| copy.get("name")).and_then(Value::as_str) {
            note(&node.loops, name);
        }
        note(&node.names, &instance.name_text);
        let is_known = instance.name.as_unknown().is_none();
        let mut twin = None;
        if matches!(instance.presence, Deployed::Yes(_)) && is_known {
            twin = self.by_id.borrow_mut().insert(instance.id.to_ascii_lowercase(), index);
        }
        (instance, twin)
    }

    pub(super) fn find_id(&self, id: &str) -> Option<usize> {
        self.by_id.borrow().get(&id.to_ascii_lowercase()).copied()
    }

    /// What a text of `dependsOn` or `reference` means, seen from a node: a symbolic name (of a loop with its iteration,
    /// `name[0]`), a resource id, the name of a loop, or the name of a resource.
    pub(super) fn find(&self, node: &Node, text: &str) -> Vec<usize> {
        let lower = text.to_ascii_lowercase();
        if let Some(found) = node.symbols.borrow().get(&lower) {
            return found.clone();
        }
        if let Some(found) = self.find_element(node, &lower) {
            return vec![found];
        }
        if let Some(found) = self.find_id(text) {
            return vec![found];
        }
        if let Some(found) = node.loops.borrow().get(&lower) {
            return found.clone();
        }
        node.names.borrow().get(&lower).cloned().unwrap_or_default()
    }

    fn find_element(&self, node: &Node, text: &str) -> Option<usize> {
        let (symbol, index) = text.strip_suffix(']')?.rsplit_once('[')?;
        let index: i64 = index.parse().ok()?;
        let symbols = node.symbols.borrow();
        symbols.get(symbol)?.iter().copied().find(|&it| self.instance(it).iteration == Some(index))
    }
}

impl Resources for Registry<'_> {
    fn reference(&self, evaluator: &Evaluator<'_>, target: &str, full: bool) -> Option<Result<Value, Fault>> {
        let instance = self.visible(evaluator, target)?;
        Some(expander(evaluator.world, self).state_of(&instance, full))
    }

    fn references(&self, evaluator: &Evaluator<'_>, symbol: &str, full: bool) -> Option<Result<Value, Fault>> {
        let node = self.home(evaluator)?;
        let found = node.symbols.borrow().get(&symbol.to_ascii_lowercase()).cloned()?;
        let expander = expander(evaluator.world, self);
        let states = found.iter().map(|&it| expander.state_of(&self.instance(it), full));
        Some(states.collect::<Result<Vec<_>, _>>().map(Value::array))
    }

    fn info(&self, evaluator: &Evaluator<'_>, symbol: &str) -> Option<Value> {
        let node = self.home(evaluator)?;
        let lower = symbol.to_ascii_lowercase();
        let declared = node.symbols.borrow().get(&lower).and_then(|it| it.first().copied());
        match declared.or_else(|| self.find_element(&node, &lower)).map(|it| self.instance(it)) {
            Some(it) => Some(info(&it.id, &it.name, &it.type_name, &it.declaration)),
            None => info_ahead(&node, evaluator, symbol),
        }
    }
}

impl Registry<'_> {
    /// The deployment of an evaluation. Those of a parameter file take place before there is any.
    fn home(&self, evaluator: &Evaluator<'_>) -> Option<Rc<Node>> {
        self.nodes.borrow().get(evaluator.deployment).cloned()
    }

    /// What `reference` means by a text: something of the own deployment, or of one around it.
    fn visible(&self, evaluator: &Evaluator<'_>, target: &str) -> Option<Rc<Instance>> {
        let mut next = self.home(evaluator);
        while let Some(node) = next {
            if let Some(&found) = self.find(&node, target).last() {
                return Some(self.instance(found));
            }
            next = node.parent.map(|it| self.node(it));
        }
        None
    }
}

fn expander<'a>(world: &'a World<'a>, registry: &'a Registry<'a>) -> Expander<'a> {
    Expander { world, registry }
}
