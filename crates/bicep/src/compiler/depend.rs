//! Dependencies of resources and modules, also through variables and existing resources.

use foldhash::{HashMap, HashSet};

use crate::compiler::emitter::{Emitter, Made};
use crate::compiler::formula::Formula;
use crate::compiler::model::{Model, ResourceId, Symbol};
use crate::compiler::order;
use crate::compiler::scope::{FrameKind, Scope, inside};
use crate::language::ast::{Decorator, Expr, ExprKind, For, Item};
use crate::language::walk::each_child;
use crate::text::Span;
use crate::value::Value;

/// A declaration that others can depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Resource(ResourceId),
    Module(usize),
    Variable(usize),
}

/// A use of a declaration in another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use<'a> {
    target: Node,
    /// Index, if one item of a loop is used.
    index: Option<&'a Expr>,
    /// True if Resource Manager does not wait for the target: only its name or ID is used.
    is_weak: bool,
}

/// Uses, by the declaration that contains them.
pub(super) type Uses<'a> = HashMap<Node, Vec<Use<'a>>>;

/// Expression around a name.
#[derive(Clone, Copy)]
enum UseContext<'p, 'a> {
    Nothing,
    Property(&'a str),
    Index(&'a Expr, &'p UseContext<'p, 'a>),
    Method,
}

struct Collector<'a> {
    model: &'a Model<'a>,
    uses: Uses<'a>,
    current: Option<Node>,
    /// Loop variables around the body of the current declaration.
    own: Vec<&'a str>,
    /// Variables of loops and lambdas inside the body.
    locals: Vec<&'a str>,
    is_weak: bool,
    /// Resources whose nested resources are in scope.
    nested: Vec<ResourceId>,
    /// True if entries of `dependsOn` are ignored.
    only_inferred: bool,
}

/// Dependencies that follow from references, without `dependsOn`.
pub(super) struct Inferred<'a> {
    model: &'a Model<'a>,
    uses: Uses<'a>,
}

impl<'a> Inferred<'a> {
    pub(super) fn new(model: &'a Model<'a>) -> Self {
        Self { model, uses: collected(model, true) }
    }

    /// Returns those of `wanted` that a declaration depends on, also indirectly. Ignores existing resources of which
    /// only the ID is used.
    pub(super) fn dependencies(&self, node: Node, wanted: &HashSet<Node>) -> HashSet<Node> {
        let (mut found, mut seen) = (HashSet::default(), HashSet::default());
        let mut open = vec![self.uses_in(node)];
        while let Some(dependencies) = open.last_mut().filter(|_| found.len() < wanted.len()) {
            let Some(dependency) = dependencies.next() else {
                open.pop();
                continue;
            };
            let target = dependency.target;
            let is_existing = match target {
                Node::Resource(id) => self.model.resources.get(id).is_some_and(|own| own.declaration.is_existing),
                Node::Module(_) | Node::Variable(_) => false,
            };
            if wanted.contains(&target) && !(dependency.is_weak && is_existing) {
                found.insert(target);
            }
            if seen.insert(target) {
                open.push(self.uses_in(target));
            }
        }
        found
    }

    fn uses_in(&self, node: Node) -> impl Iterator<Item = &Use<'a>> {
        self.uses.get(&node).into_iter().flatten()
    }
}

/// Collects all uses in a file.
pub(super) fn uses<'a>(model: &'a Model<'a>) -> Uses<'a> {
    collected(model, false)
}

fn collected<'a>(model: &'a Model<'a>, only_inferred: bool) -> Uses<'a> {
    let mut collector = Collector {
        model,
        uses: Uses::default(),
        current: None,
        own: Vec::new(),
        locals: Vec::new(),
        is_weak: false,
        nested: Vec::new(),
        only_inferred,
    };
    for (at, variable) in model.variables.iter().enumerate() {
        if let Some(value) = variable.value {
            collector.declaration(Node::Variable(at), variable.decorators, value, None);
        }
    }
    for (id, resource) in model.resources.iter().enumerate() {
        if resource.parent.is_none_or(|parent| !parent.is_nested) {
            collector.resource(id);
        }
    }
    for (at, module) in model.modules.iter().enumerate() {
        collector.declaration(Node::Module(at), module.decorators, &module.declaration.body, None);
    }
    collector.uses
}

impl<'a> Collector<'a> {
    fn resource(&mut self, id: ResourceId) {
        let Some(resource) = self.model.resources.get(id) else { return };
        let known = self.own.len();
        self.declaration(Node::Resource(id), &resource.declaration.decorators, &resource.declaration.body, Some(id));
        self.own.truncate(known);
    }

    fn declaration(&mut self, node: Node, decorators: &'a [Decorator], body: &'a Expr, resource: Option<ResourceId>) {
        let outer = self.current.replace(node);
        let locals = std::mem::take(&mut self.locals);
        let is_weak = std::mem::replace(&mut self.is_weak, false);
        self.uses.entry(node).or_default();
        if let Some(parent) = resource.and_then(|id| self.model.resources.get(id)?.parent) {
            let index = parent.index.filter(|index| !self.uses_locals(index));
            self.add(Use { target: Node::Resource(parent.resource), index, is_weak: true });
        }
        for argument in decorators.iter().flat_map(|decorator| &decorator.arguments) {
            self.visit(argument, UseContext::Nothing);
        }
        let body = match &body.kind {
            ExprKind::For(iteration) => {
                self.visit(&iteration.source, UseContext::Nothing);
                self.own.extend(names(iteration));
                &iteration.body
            }
            _ => body,
        };
        let nested = self.nested.len();
        self.nested.extend(resource);
        self.body(body);
        self.nested.truncate(nested);
        if resource.is_none() {
            self.own.clear();
        }
        self.current = outer;
        self.locals = locals;
        self.is_weak = is_weak;
    }

    fn body(&mut self, body: &'a Expr) {
        match (&body.kind, self.current) {
            (ExprKind::If(inner), _) => {
                self.visit(&inner.0, UseContext::Nothing);
                self.body(&inner.1);
            }
            (ExprKind::Paren(inner), _) => self.body(inner),
            (ExprKind::Object(items), Some(Node::Resource(_) | Node::Module(_))) => {
                for item in items {
                    match item {
                        Item::Property(property) if self.only_inferred && property.name() == Some("dependsOn") => {}
                        Item::Property(property) => {
                            self.is_weak = matches!(property.name(), Some("parent" | "scope"));
                            property.key.values().for_each(|hole| self.visit(hole, UseContext::Nothing));
                            self.visit(&property.value, UseContext::Nothing);
                            self.is_weak = false;
                        }
                        Item::Spread(value) => self.visit(value, UseContext::Nothing),
                        Item::Resource(inner) => {
                            let ids = self
                                .model
                                .resources
                                .iter()
                                .position(|other| std::ptr::eq(other.declaration, &raw const **inner));
                            if let Some(id) = ids {
                                self.resource(id);
                            }
                        }
                    }
                }
            }
            _ => self.visit(body, UseContext::Nothing),
        }
    }

    fn add(&mut self, dependency: Use<'a>) {
        if let Some(current) = self.current {
            self.uses.entry(current).or_default().push(dependency);
        }
    }

    fn visit(&mut self, expr: &'a Expr, around: UseContext<'_, 'a>) {
        match &expr.kind {
            ExprKind::Variable(_) | ExprKind::Nested { .. } => self.reference(expr, around),
            ExprKind::Property { base, name, .. } => self.visit(base, UseContext::Property(&name.text)),
            ExprKind::NonNull(inner) => self.visit(inner, around),
            ExprKind::Index { base, index, .. } => {
                self.visit(base, UseContext::Index(index, &around));
                self.visit(index, UseContext::Nothing);
            }
            ExprKind::Method { base, arguments, .. } => {
                self.visit(base, UseContext::Method);
                for argument in arguments {
                    self.visit(argument, UseContext::Nothing);
                }
            }
            ExprKind::For(inner) => {
                self.visit(&inner.source, UseContext::Nothing);
                self.with_locals(names(inner).collect(), &inner.body);
            }
            ExprKind::Lambda { parameters, body } => {
                self.with_locals(parameters.iter().map(|name| &*name.text).collect(), body);
            }
            _ => each_child(expr, &mut |child| self.visit(child, UseContext::Nothing)),
        }
    }

    fn with_locals(&mut self, names: Vec<&'a str>, body: &'a Expr) {
        let known = self.locals.len();
        self.locals.extend(names);
        self.visit(body, UseContext::Nothing);
        self.locals.truncate(known);
    }

    fn resolve(&self, expr: &'a Expr) -> Option<Node> {
        match &expr.kind {
            ExprKind::Variable(name) => {
                let name = &*name.text;
                if self.locals.contains(&name) || self.own.contains(&name) {
                    return None;
                }
                if let Some(child) = self.nested.iter().rev().find_map(|parent| self.model.child(*parent, name)) {
                    return Some(Node::Resource(child));
                }
                match self.model.symbols.get(name)? {
                    Symbol::Variable(at) => Some(Node::Variable(*at)),
                    Symbol::Resource(id) => Some(Node::Resource(*id)),
                    Symbol::Module(at) => Some(Node::Module(*at)),
                    _ => None,
                }
            }
            ExprKind::Nested { base, name } => match self.resolve(base.bare())? {
                Node::Resource(parent) => self.model.child(parent, &name.text).map(Node::Resource),
                _ => None,
            },
            _ => None,
        }
    }

    fn reference(&mut self, expr: &'a Expr, around: UseContext<'_, 'a>) {
        let Some(target) = self.resolve(expr) else { return };
        let is_collection = match target {
            Node::Resource(id) => self.model.resources.get(id).is_some_and(super::model::ResourceInfo::is_collection),
            Node::Module(at) => self.model.modules.get(at).is_some_and(|module| module.body.iteration.is_some()),
            Node::Variable(at) => {
                let value = self.model.variables.get(at).and_then(|variable| variable.value);
                value.is_some_and(|value| matches!(value.kind, ExprKind::For(_)))
            }
        };
        let index = match around {
            UseContext::Index(index, _) if is_collection && !self.uses_locals(index) => Some(index),
            _ => None,
        };
        let is_weak = matches!(target, Node::Resource(_)) && (self.is_weak || is_weak(around, is_collection));
        self.add(Use { target, index, is_weak });
    }

    /// True if an expression uses variables of loops or lambdas inside of the current body.
    fn uses_locals(&self, expr: &Expr) -> bool {
        if let ExprKind::Variable(name) = &expr.kind {
            return self.locals.contains(&&*name.text);
        }
        let mut found = false;
        each_child(expr, &mut |child| found = found || self.uses_locals(child));
        found
    }
}

fn names(iteration: &For) -> impl Iterator<Item = &str> {
    [Some(&iteration.item), iteration.index.as_ref()].into_iter().flatten().map(|name| &*name.text)
}

fn is_weak(around: UseContext<'_, '_>, is_collection: bool) -> bool {
    match around {
        UseContext::Nothing => false,
        UseContext::Property(name) => is_identity_property(name),
        UseContext::Method => true,
        UseContext::Index(index, outer) => match index.literal() {
            Some(name) => is_identity_property(name),
            None => is_collection && is_weak(*outer, false),
        },
    }
}

fn is_identity_property(name: &str) -> bool {
    ["id", "name", "type", "apiVersion"].contains(&name)
}

/// An entry of `dependsOn`.
struct DependsOnEntry {
    key: String,
    node: Node,
    index: Option<Formula>,
    /// Span of the index: equal indexes at two positions are two entries.
    written: Option<Span>,
}

/// Walk along the uses of one declaration.
struct DependencyWalk<'e, 'w> {
    emitter: &'e Emitter<'w>,
    uses: &'e Uses<'w>,
    seen: HashSet<(Node, String, Option<Span>, [bool; 2])>,
    found: Vec<DependsOnEntry>,
}

impl<'w> Emitter<'w> {
    /// Returns the entries of `dependsOn` of a resource or module, or `None` if there are none.
    pub(super) fn depends_on(&self, node: Node, scope: &Scope<'w>, uses: &Uses<'w>) -> Made<Option<Value>> {
        let mut paths = DependencyWalk { emitter: self, uses, seen: HashSet::default(), found: Vec::new() };
        paths.follow(node, scope, true)?;
        let mut found = paths.found;
        // A whole loop includes each of its members.
        let whole: HashSet<Node> = found.iter().filter(|entry| entry.index.is_none()).map(|entry| entry.node).collect();
        found.retain(|entry| entry.index.is_none() || !whole.contains(&entry.node));
        found.sort_by(|a, b| order::compare(&a.key, &b.key));
        let span = match node {
            Node::Resource(id) => self.model.resources.get(id).map(|resource| resource.declaration.span),
            Node::Module(at) => self.model.modules.get(at).map(|module| module.span),
            Node::Variable(_) => None,
        };
        let Some(span) = span.filter(|_| !found.is_empty()) else { return Ok(None) };
        let mut entries = Vec::new();
        for entry in found {
            let formula = self.dependency(&entry)?;
            entries.push(self.written(&formula, span)?);
        }
        Ok(Some(Value::array(entries).at(span)))
    }

    /// Converts an entry of `dependsOn`.
    fn dependency(&self, entry: &DependsOnEntry) -> Made<Formula> {
        let index = entry.index.as_ref();
        if self.settings.is_symbolic {
            return Ok(Self::symbolic(&entry.key, index));
        }
        match entry.node {
            Node::Resource(id) if self.is_collection(id) && index.is_none() => Ok(Formula::text(&entry.key)),
            Node::Resource(id) => self.resource_id(id, &self.resource_scope(id, index)),
            Node::Module(at) if self.is_module_collection(at) && index.is_none() => Ok(Formula::text(&entry.key)),
            Node::Module(at) => self.module_id(at, index),
            Node::Variable(_) => Ok(Formula::null()),
        }
    }

    /// Returns the scope of the body of a declaration.
    fn body_scope(&self, node: Node, index: Option<&Formula>) -> Scope<'w> {
        match node {
            Node::Resource(id) => self.resource_scope(id, index),
            Node::Module(at) => self.module_scope(at, index),
            Node::Variable(at) => {
                let variable = self.model.variables.get(at)?;
                match &variable.value?.kind {
                    ExprKind::For(iteration) => {
                        let own = Formula::named("copyIndex", &variable.name.text);
                        inside(&None, FrameKind::Loop(iteration, index.cloned().unwrap_or(own)))
                    }
                    _ => None,
                }
            }
        }
    }
}

impl<'w> DependencyWalk<'_, 'w> {
    /// Follows the uses in a declaration. `all_indexed` is `true` if every use so far has the index of a loop.
    fn follow(&mut self, node: Node, scope: &Scope<'w>, all_indexed: bool) -> Made<()> {
        let emitter = self.emitter;
        for dependency in self.uses.get(&node).into_iter().flatten() {
            let mut index = match dependency.index {
                Some(index) => Some(emitter.convert(index, scope)?),
                None => None,
            };
            let inner = emitter.body_scope(dependency.target, index.as_ref());
            let is_indexed = index.as_ref().is_some_and(Formula::has_copy_index);
            if is_indexed && !all_indexed {
                index = None;
            }
            let all_indexed = all_indexed && is_indexed;
            let text = index.as_ref().and_then(|index| index.write(1 << 20)).unwrap_or_default();
            let written = index.as_ref().and(dependency.index).map(|index| index.span);
            if !self.seen.insert((dependency.target, text, written, [all_indexed, dependency.is_weak])) {
                continue;
            }
            if self.is_end(dependency) {
                let key = match dependency.target {
                    Node::Resource(id) => emitter.model.symbolic_name(id),
                    Node::Module(at) => emitter
                        .model
                        .modules
                        .get(at)
                        .map(|module| module.declaration.name.text.to_string())
                        .unwrap_or_default(),
                    Node::Variable(_) => continue,
                };
                let is_known = self
                    .found
                    .iter()
                    .any(|found| (found.node, found.written, &found.index) == (dependency.target, written, &index));
                if !is_known {
                    self.found.push(DependsOnEntry { key, node: dependency.target, index, written });
                }
                continue;
            }
            let span = emitter.model.declarations.first().map(|statement| statement.span);
            let Some(span) = span else { continue };
            emitter.deeper(span, || self.follow(dependency.target, &inner, all_indexed))?;
        }
        Ok(())
    }

    /// True if the template waits for the target itself, not for its dependencies.
    fn is_end(&self, dependency: &Use<'_>) -> bool {
        match dependency.target {
            Node::Module(_) => true,
            Node::Resource(id) => {
                let is_existing =
                    self.emitter.model.resources.get(id).is_some_and(|resource| resource.declaration.is_existing);
                !is_existing || (self.emitter.settings.is_symbolic && !dependency.is_weak)
            }
            Node::Variable(_) => false,
        }
    }
}
