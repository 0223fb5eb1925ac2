//! The deployments and resources that the expansion of a document has found so far.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::eval::{Evaluator, Frames, Resources, TemplateLevel, World};
use crate::expand::Expander;
use crate::expand::declare::{info, info_ahead};
use crate::expand::declared::Declared;
use crate::fault::Fault;
use crate::model::{Loader, Presence};
use crate::scope::DeploymentScope;
use crate::text::{FileId, Span};
use crate::value::{Str, Value};

/// Instances that one name refers to. Each iteration of a loop may depend on all of another one, so they are shared.
pub(super) type Found = Rc<Vec<usize>>;

/// Progress of the processing of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Pending,
    Running,
    Done,
}

/// A deployment: a template with its arguments.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) index: usize,
    pub(super) level: Rc<TemplateLevel>,
    /// The scope that the deployment targets. The expressions of a nested template with outer scope see the scope of
    /// the enclosing deployment instead.
    pub(super) target: DeploymentScope,
    pub(super) name: Str,
    pub(super) template: Value,
    /// The file of the template. A linked template is in a different file than the deployment around it.
    pub(super) file: FileId,
    /// The path of the template in the document.
    pub(super) path: String,
    /// The deployment resource that contains the template. `None` for the root.
    pub(super) instance: Option<usize>,
    /// The node of the enclosing template.
    pub(super) parent: Option<usize>,
    /// The loops around the deployment, which the expressions of a nested template with outer scope can see.
    pub(super) frames: Frames,
    /// The instances declared in the template, at any level.
    pub(super) instances: RefCell<Vec<usize>>,
    /// True if the template may never be deployed: see [`Evaluator::is_guarded`].
    pub(super) is_guarded: bool,
    /// The instances declared at the top level of the template.
    pub(super) members: RefCell<Vec<usize>>,
    /// Instances by lowercase symbolic name.
    pub(super) symbols: RefCell<HashMap<String, Found>>,
    /// Instances by the lowercase name of their loop.
    pub(super) loops: RefCell<HashMap<String, Found>>,
    /// Instances by lowercase resource name.
    pub(super) names: RefCell<HashMap<String, Found>>,
    /// Everything that the template declares.
    pub(super) declared: RefCell<Declared>,
    /// The loops of resources at the top level that have no iteration.
    pub(super) idle_loops: RefCell<Vec<IdleLoop>>,
    /// True if all its resources have been declared.
    pub(super) is_declared: Cell<bool>,
    /// The evaluated outputs, once the deployment has been processed.
    pub(super) outputs: RefCell<Option<Value>>,
}

/// A resource: a declaration in one iteration of its loop.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) index: usize,
    /// The index of its [`Node`].
    pub(super) node: usize,
    pub(super) declaration: Value,
    pub(super) frames: Frames,
    pub(super) type_name: Str,
    /// The full name, which may be unknown.
    pub(super) name: Value,
    /// The full name as a string: the approximation of an unknown name.
    pub(super) name_text: Str,
    pub(super) id: Str,
    pub(super) scope: String,
    pub(super) symbol: Option<Str>,
    /// The index of its iteration, if it is declared in a loop.
    pub(super) iteration: Option<i64>,
    pub(super) path: String,
    pub(super) presence: Deployed,
    /// True if its expressions may never be evaluated in a deployment: see [`Evaluator::is_guarded`].
    pub(super) is_guarded: bool,
    /// The resource that encloses its declaration.
    pub(super) parent: Option<usize>,
    pub(super) progress: Cell<Progress>,
    /// The evaluated declaration, once processed.
    pub(super) body: RefCell<Option<Value>>,
    /// The body with runtime properties, once something asks for it.
    pub(super) runtime: OnceCell<Value>,
    /// The part of `runtime` that `reference()` returns, once it is needed.
    pub(super) known_state: OnceCell<Value>,
    /// The node of its template, once a nested deployment has been entered.
    pub(super) nested: Cell<Option<usize>>,
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

/// Decision on the deployment of an instance.
#[derive(Clone, Debug)]
pub(super) enum Deployed {
    /// Deployed, certainly or possibly.
    Yes(Presence),
    /// Not deployed, because a condition is false.
    No,
    /// Declared as `existing`, so the deployment only refers to it.
    Existing,
}

impl Instance {
    /// Returns `true` if the resource is a nested deployment.
    pub(super) fn is_deployment(&self) -> bool {
        self.type_name.eq_ignore_ascii_case("Microsoft.Resources/deployments")
    }
}

/// All deployments and resources found so far. Evaluation looks resources up here while processing still adds to it,
/// hence the cells. Nodes and instances are never removed, so an index stays valid.
#[derive(Debug)]
pub(super) struct Registry<'a> {
    /// Reads linked templates and parameter files.
    pub(super) loader: &'a dyn Loader,
    nodes: RefCell<Vec<Rc<Node>>>,
    instances: RefCell<Vec<Rc<Instance>>>,
    /// Deployed instances with a known name, by lowercase ID.
    by_id: RefCell<HashMap<String, usize>>,
    /// Processed instances in the order of deployment.
    pub(super) order: RefCell<Vec<usize>>,
    /// The declarations that have an instance, by address.
    declared: RefCell<HashSet<usize>>,
    /// Number of instances that are not the first one of their declaration.
    repeated: Cell<usize>,
    /// True if the limit of resources has been reached and reported.
    pub(super) is_full: Cell<bool>,
    /// The declarations whose bodies were kept beyond the limit on steps.
    spared: RefCell<HashSet<Span>>,
}

impl<'a> Registry<'a> {
    pub(super) fn new(loader: &'a dyn Loader) -> Self {
        Self {
            loader,
            nodes: RefCell::default(),
            instances: RefCell::default(),
            by_id: RefCell::default(),
            order: RefCell::default(),
            declared: RefCell::default(),
            spared: RefCell::default(),
            repeated: Cell::default(),
            is_full: Cell::default(),
        }
    }

    /// Returns `true` on the first call for the declaration at `span`, whose body may then be kept beyond the limit on
    /// steps.
    pub(super) fn spare(&self, span: Span) -> bool {
        self.spared.borrow_mut().insert(span)
    }

    #[expect(clippy::indexing_slicing, reason = "an index comes from `add_node`, and no node is ever removed")]
    pub(super) fn node(&self, index: usize) -> Rc<Node> {
        Rc::clone(&self.nodes.borrow()[index])
    }

    pub(super) fn nodes(&self) -> Vec<Rc<Node>> {
        self.nodes.borrow().clone()
    }

    #[expect(clippy::indexing_slicing, reason = "an index comes from `add_instance`, and no instance is ever removed")]
    pub(super) fn instance(&self, index: usize) -> Rc<Instance> {
        Rc::clone(&self.instances.borrow()[index])
    }

    pub(super) fn instance_count(&self) -> usize {
        self.instances.borrow().len()
    }

    /// Returns the number of instances beyond the first one of each declaration, from loops and from modules that are
    /// deployed again.
    pub(super) fn repeated_count(&self) -> usize {
        self.repeated.get()
    }

    /// Returns `true` if `declaration` already has an instance.
    pub(super) fn has_instance(&self, declaration: &Value) -> bool {
        address(declaration).is_some_and(|address| self.declared.borrow().contains(&address))
    }

    pub(super) fn add_node(&self, make: impl FnOnce(usize) -> Node) -> Rc<Node> {
        let mut nodes = self.nodes.borrow_mut();
        let node = Rc::new(make(nodes.len()));
        nodes.push(Rc::clone(&node));
        node
    }

    /// Registers an instance, and returns it with the earlier deployed instance that has the same ID, if there is one.
    pub(super) fn add_instance(&self, make: impl FnOnce(usize) -> Instance) -> (Rc<Instance>, Option<usize>) {
        let mut instances = self.instances.borrow_mut();
        let instance = Rc::new(make(instances.len()));
        if address(&instance.declaration).is_some_and(|address| !self.declared.borrow_mut().insert(address)) {
            self.repeated.update(|count| count + 1);
        }
        instances.push(Rc::clone(&instance));
        let node = self.node(instance.node);
        let index = instance.index;
        let note = |map: &RefCell<HashMap<String, Found>>, key: &str| {
            Rc::make_mut(map.borrow_mut().entry(key.to_ascii_lowercase()).or_default()).push(index);
        };
        node.instances.borrow_mut().push(index);
        if let Some(symbol) = &instance.symbol {
            note(&node.symbols, symbol);
        }
        if let Some(name) = instance.declaration.get("copy").and_then(|copy| copy.get("name")).and_then(Value::as_str) {
            note(&node.loops, name);
        }
        note(&node.names, &instance.name_text);
        // A resource of an extension has no ID that another one could have too.
        let is_known = instance.name.as_unknown().is_none() && !instance.id.is_empty();
        let mut twin = None;
        if matches!(instance.presence, Deployed::Yes(_)) && is_known {
            twin = self.by_id.borrow_mut().insert(instance.id.to_ascii_lowercase(), index);
        }
        (instance, twin)
    }

    /// Returns `true` if no resource of a template can have the name or ID `text`: see [`Declared::excludes`].
    pub(super) fn excludes(&self, node: &Node, text: &str) -> bool {
        let mut declared = node.declared.borrow_mut();
        for &index in node.instances.borrow().iter().skip(declared.instances) {
            declared.add(&self.instance(index));
        }
        declared.excludes(text)
    }

    pub(super) fn find_id(&self, id: &str) -> Option<usize> {
        self.by_id.borrow().get(&id.to_ascii_lowercase()).copied()
    }

    /// Returns the instances that a string in `dependsOn` or `reference()` refers to in a node: the first of these that
    /// exists: a symbolic name, an iteration of a symbolic name (`name[0]`), a resource ID, the name of a loop, or the
    /// name of a resource.
    pub(super) fn find(&self, node: &Node, text: &str) -> Found {
        let lower = text.to_ascii_lowercase();
        if let Some(found) = node.symbols.borrow().get(&lower) {
            return Rc::clone(found);
        }
        if let Some(found) = self.find_element(node, &lower) {
            return Rc::new(vec![found]);
        }
        if let Some(found) = self.find_id(text) {
            return Rc::new(vec![found]);
        }
        if let Some(found) = node.loops.borrow().get(&lower) {
            return Rc::clone(found);
        }
        node.names.borrow().get(&lower).cloned().unwrap_or_default()
    }

    /// Returns the instance that `name[index]` refers to.
    fn find_element(&self, node: &Node, text: &str) -> Option<usize> {
        let (symbol, index) = text.strip_suffix(']')?.rsplit_once('[')?;
        let index: i64 = index.parse().ok()?;
        let symbols = node.symbols.borrow();
        symbols.get(symbol)?.iter().copied().find(|&at| self.instance(at).iteration == Some(index))
    }
}

impl Resources for Registry<'_> {
    fn reference(&self, evaluator: &Evaluator<'_>, target: &str, full: bool) -> Option<Result<Value, Fault>> {
        let instance = self.visible(evaluator, target)?;
        Some(expander(evaluator.world, self).state_of(&instance, full))
    }

    fn lacks(&self, evaluator: &Evaluator<'_>, target: &str) -> bool {
        let mut next = self.home(evaluator);
        // An expression that is evaluated before all resources are declared cannot tell.
        let mut is_certain = next.is_some();
        while let Some(node) = next.filter(|_| is_certain) {
            is_certain = node.is_declared.get() && self.excludes(&node, target);
            next = node.parent.map(|parent| self.node(parent));
        }
        is_certain
    }

    fn references(&self, evaluator: &Evaluator<'_>, symbol: &str, full: bool) -> Option<Result<Value, Fault>> {
        let node = self.home(evaluator)?;
        let found = node.symbols.borrow().get(&symbol.to_ascii_lowercase()).cloned()?;
        let expander = expander(evaluator.world, self);
        let states = found.iter().map(|&index| expander.state_of(&self.instance(index), full));
        Some(states.collect::<Result<Vec<_>, _>>().map(Value::array))
    }

    fn group(&self, evaluator: &Evaluator<'_>, id: &str) -> Option<Value> {
        let instance = self.instance(self.find_id(id)?);
        expander(evaluator.world, self).declared_group(&instance)
    }

    fn info(&self, evaluator: &Evaluator<'_>, symbol: &str) -> Option<Value> {
        let node = self.home(evaluator)?;
        let lower = symbol.to_ascii_lowercase();
        let declared = node.symbols.borrow().get(&lower).and_then(|found| found.first().copied());
        match declared.or_else(|| self.find_element(&node, &lower)).map(|index| self.instance(index)) {
            Some(instance) => {
                let id = evaluator.world.named(&instance.id);
                Some(info(id, &instance.name, &instance.type_name, &instance.declaration))
            }
            None => info_ahead(&node, evaluator, symbol),
        }
    }
}

impl Registry<'_> {
    /// Returns the deployment whose expression is being evaluated. `None` for an expression in a parameter file, which
    /// is evaluated before the first deployment exists.
    fn home(&self, evaluator: &Evaluator<'_>) -> Option<Rc<Node>> {
        self.nodes.borrow().get(evaluator.deployment).cloned()
    }

    /// Returns the instance that `reference()` refers to, in its own deployment or in an enclosing one.
    fn visible(&self, evaluator: &Evaluator<'_>, target: &str) -> Option<Rc<Instance>> {
        let mut next = self.home(evaluator);
        while let Some(node) = next {
            if let Some(&found) = self.find(&node, target).last() {
                return Some(self.instance(found));
            }
            next = node.parent.map(|parent| self.node(parent));
        }
        None
    }
}

/// Returns a key that identifies a declaration in the text of a template.
fn address(declaration: &Value) -> Option<usize> {
    declaration.as_object().map(|object| std::ptr::from_ref(object).addr())
}

fn expander<'a>(world: &'a World<'a>, registry: &'a Registry<'a>) -> Expander<'a> {
    Expander { world, registry }
}
