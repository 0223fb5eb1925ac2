//! Values that must be known when a deployment starts, but use properties that only a deployed resource has.

use std::cell::RefCell;

use foldhash::HashMap;

use crate::compiler::functions::requires_inlining;
use crate::compiler::model::{Body, ResourceId, ResourceInfo, Symbol};
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::types::Type;
use crate::language::ast::{DeclarationKind, Expr, ExprKind, Item};
use crate::language::walk::each_child;
use crate::text::Span;

/// Properties of a resource that are known before it is deployed.
pub(super) const OF_RESOURCES: [&str; 4] = ["apiVersion", "id", "name", "type"];

/// Properties of a resource that must be known at the start.
const AT_START: [&str; 12] = [
    "extendedLocation",
    "identity",
    "kind",
    "location",
    "managedBy",
    "managedByExtended",
    "name",
    "plan",
    "scope",
    "sku",
    "tags",
    "zones",
];

/// Maximum number of variables on the way to a value.
const MAX_VARIABLES: usize = 64;

/// A resource or module that an expression refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeployedSymbol {
    Resource(ResourceId),
    Module(usize),
}

/// Position whose value must be known at the start.
#[derive(Clone, Copy)]
struct StartRequirement<'a> {
    code: &'static str,
    /// Description for the end of the message.
    what: &'a str,
}

/// State of the walk through a file.
struct RuntimeWalk<'c, 'w> {
    checker: Checker<'c, 'w>,
    /// Cache: `true` if the value of a variable is not known at the start.
    variables: RefCell<HashMap<usize, bool>>,
    existing: RefCell<HashMap<ResourceId, bool>>,
    /// Names that loops and lambdas around an expression declare.
    bound: RefCell<Vec<&'w str>>,
}

impl Checker<'_, '_> {
    pub(super) fn runtime_values(self) {
        let walk = RuntimeWalk {
            checker: self,
            variables: RefCell::default(),
            existing: RefCell::default(),
            bound: RefCell::default(),
        };
        walk.file();
    }
}

impl<'w> RuntimeWalk<'_, 'w> {
    fn file(&self) {
        let model = self.checker.model;
        for declaration in model.declarations {
            match &declaration.kind {
                DeclarationKind::Var { name, value, .. } => {
                    if let ExprKind::For(inner) = &value.kind {
                        let what = format!("the loop of the variable `{}`", name.text);
                        self.source(value);
                        let names = [Some(&inner.item), inner.index.as_ref()];
                        self.bound.borrow_mut().extend(names.into_iter().flatten().map(|name| &*name.text));
                        self.values(&inner.body, StartRequirement { code: "BCP182", what: &what }, 0);
                        self.bound.borrow_mut().clear();
                    }
                }
                DeclarationKind::Output { value, .. } => self.source(value),
                DeclarationKind::Extension(extension) => {
                    if let Some(config) = &extension.config {
                        let what = "the configuration of an extension";
                        self.values(config, StartRequirement { code: "BCP444", what }, 0);
                    }
                }
                _ => {}
            }
            declaration.each_value(&mut |value| self.check_expression(value));
        }
        for resource in model.resources.iter().filter(|resource| resource.is_azure()) {
            // Existing resources are not deployed.
            if !resource.declaration.is_existing {
                self.body(resource.body, &AT_START);
            }
        }
        self.explicit_dependencies();
        for module in &model.modules {
            self.body(module.body, &["name", "scope", "identity"]);
        }
    }

    /// Reports `dependsOn` of existing resources, and on existing resources, whose names are not known at the start.
    fn explicit_dependencies(&self) {
        for (id, resource) in self.checker.model.resources.iter().enumerate() {
            let Some(value) = resource.body.get("dependsOn") else { continue };
            if self.is_placed_late(id, 0) {
                let message =
                    "the name of the existing resource is not known at the start, so it cannot have `dependsOn`";
                self.checker.report(value.span, "BCP433", message);
                continue;
            }
            let ExprKind::Array(items) = &value.bare().kind else { continue };
            for item in items {
                if let Some(DeployedSymbol::Resource(other)) = self.subject(item.value.bare())
                    && self.is_placed_late(other, 0)
                {
                    let message = "nothing can depend on an existing resource whose name is not known at the start";
                    self.checker.report(item.value.span, "BCP434", message);
                }
            }
        }
    }

    /// Checks the array of a loop.
    fn source(&self, value: &'w Expr) {
        if let ExprKind::For(inner) = &value.kind {
            self.values(&inner.source, StartRequirement { code: "BCP178", what: "the array of a loop" }, 0);
        }
    }

    fn body(&self, body: Body<'w>, at_start: &[&str]) {
        if let Some(iteration) = body.iteration {
            self.values(&iteration.source, StartRequirement { code: "BCP178", what: "the array of a loop" }, 0);
        }
        let names = body.iteration.into_iter().flat_map(|own| [Some(&own.item), own.index.as_ref()]).flatten();
        self.bound.borrow_mut().extend(names.map(|name| &*name.text));
        if let Some(condition) = body.condition {
            self.values(condition, StartRequirement { code: "BCP177", what: "a condition" }, 0);
        }
        self.items(body, at_start);
        self.bound.borrow_mut().clear();
    }

    fn items(&self, body: Body<'w>, at_start: &[&str]) {
        for item in body.items {
            let Item::Property(own) = item else { continue };
            let Some(name) = own.name().filter(|name| at_start.contains(name)) else {
                self.source(&own.value);
                continue;
            };
            let what = format!("`{name}`");
            let place = StartRequirement { code: "BCP120", what: &what };
            if name == "scope" && (self.subject(own.value.bare()).is_some() || self.whole(own.value.bare()).is_some()) {
                continue;
            }
            self.values(&own.value, place, 0);
        }
    }

    /// Reports errors that can occur in any expression: arguments of functions that are called first, and properties
    /// of existing resources whose names are not known at the start.
    fn check_expression(&self, expr: &'w Expr) {
        match &expr.kind {
            ExprKind::Call { name, arguments } if requires_inlining(&name.text) && self.is_function(&name.text) => {
                self.early(&name.text, arguments);
            }
            ExprKind::Method { base, name, arguments } => {
                let is_early = requires_inlining(&name.text) && !self.is_file(base);
                if is_early {
                    self.early(&name.text, arguments);
                }
                self.existing_access(base, &name.text, expr.span, is_early);
            }
            ExprKind::Property { base, name, .. } => {
                self.existing_access(base, &name.text, expr.span, !OF_RESOURCES.contains(&&*name.text));
            }
            _ => {}
        }
        self.each_child(expr, &mut |child| self.check_expression(child));
    }

    /// Visits the children of an expression, with the names that it declares.
    fn each_child(&self, expr: &'w Expr, visit: &mut dyn FnMut(&'w Expr)) {
        let known = self.bound.borrow().len();
        match &expr.kind {
            ExprKind::For(inner) => {
                visit(&inner.source);
                let names = [Some(&inner.item), inner.index.as_ref()];
                self.bound.borrow_mut().extend(names.into_iter().flatten().map(|name| &*name.text));
                visit(&inner.body);
            }
            ExprKind::Lambda { parameters, body } => {
                self.bound.borrow_mut().extend(parameters.iter().map(|name| &*name.text));
                visit(body);
            }
            _ => each_child(expr, visit),
        }
        self.bound.borrow_mut().truncate(known);
    }

    fn early(&self, name: &str, arguments: &'w [Expr]) {
        let what = format!("an argument of `{name}()`");
        for argument in arguments {
            self.values(argument, StartRequirement { code: "BCP181", what: &what }, 0);
        }
    }

    fn existing_access(&self, base: &'w Expr, name: &str, span: Span, is_runtime: bool) {
        if is_runtime
            && let Some(DeployedSymbol::Resource(id)) = self.subject(base.bare())
            && self.is_placed_late(id, 0)
        {
            let message =
                format!("`{name}` cannot be read, because the name of the existing resource is not known at the start");
            self.checker.report(span, "BCP307", message);
        }
    }

    /// True if an existing resource has a name, parent, or scope that is not known at the start.
    fn is_placed_late(&self, id: ResourceId, depth: usize) -> bool {
        if let Some(known) = self.existing.borrow().get(&id) {
            return *known;
        }
        let Some(resource) = self.checker.model.resources.get(id) else { return false };
        if !resource.declaration.is_existing || !resource.is_azure() || depth > MAX_VARIABLES {
            return false;
        }
        // A cycle is reported elsewhere.
        self.existing.borrow_mut().insert(id, false);
        let is_parent_late = resource
            .parent
            .is_some_and(|parent| parent.resource != id && self.is_placed_late(parent.resource, depth + 1));
        let found =
            is_parent_late || ["name", "scope"].iter().any(|name| self.has_late_property(resource, name, depth));
        self.existing.borrow_mut().insert(id, found);
        found
    }

    fn has_late_property(&self, resource: &'w ResourceInfo<'w>, name: &str, depth: usize) -> bool {
        resource.body.get(name).is_some_and(|value| match self.subject(value.bare()) {
            Some(DeployedSymbol::Resource(other)) => self.is_placed_late(other, depth + 1),
            Some(DeployedSymbol::Module(_)) => false,
            None => self.first(value, depth + 1).is_some(),
        })
    }

    /// Reports each use of a value that is not known at the start.
    fn values(&self, expr: &'w Expr, place: StartRequirement<'_>, depth: usize) {
        self.visit(expr, depth, &mut |span, used| {
            let message =
                format!("{used} is only known after the deployment has started, and {} is needed before", place.what);
            self.checker.report(span, place.code, message);
        });
    }

    /// Returns the first use of a value that is not known at the start.
    fn first(&self, expr: &'w Expr, depth: usize) -> Option<Span> {
        let mut found = None;
        self.visit(expr, depth, &mut |span, _| found = found.or(Some(span)));
        found
    }

    fn visit(&self, expr: &'w Expr, depth: usize, found: &mut dyn FnMut(Span, String)) {
        match &expr.kind {
            ExprKind::Property { base, name, .. } => {
                if let Some(subject) = self.subject(base.bare()) {
                    if !self.is_known(subject, &name.text, depth) {
                        found(expr.span, format!("`{}`", name.text));
                    }
                    return self.visit_index(base, depth, found);
                }
            }
            ExprKind::Index { base, index, .. } => {
                if let Some(subject) = self.subject(base.bare()) {
                    if !self.is_known_at(subject, index, depth) {
                        found(expr.span, "the property".to_owned());
                    }
                    self.visit_index(base, depth, found);
                    return self.visit(index, depth, found);
                }
                if self.whole(base.bare()).is_some() {
                    found(expr.span, "the whole resource or module".to_owned());
                    return self.visit(index, depth, found);
                }
            }
            ExprKind::Variable(_) | ExprKind::Nested { .. } => return self.visit_name(expr, depth, found),
            ExprKind::Call { name, arguments } => {
                if &*name.text == "nameof" {
                    return;
                }
                if requires_inlining(&name.text) && &*name.text != "externalInput" && self.is_function(&name.text) {
                    found(expr.span, format!("the result of `{}()`", name.text));
                    return arguments.iter().for_each(|argument| self.visit(argument, depth, found));
                }
            }
            ExprKind::Method { base, name, arguments }
                if self.subject(base.bare()).is_some() || requires_inlining(&name.text) && !self.is_file(base) =>
            {
                found(expr.span, format!("the result of `{}()`", name.text));
                return arguments.iter().for_each(|argument| self.visit(argument, depth, found));
            }
            _ => {}
        }
        self.each_child(expr, &mut |child| self.visit(child, depth, found));
    }

    /// Visits the index of a resource or module of a loop.
    fn visit_index(&self, base: &'w Expr, depth: usize, found: &mut dyn FnMut(Span, String)) {
        if let ExprKind::Index { index, .. } = &base.bare().kind {
            self.visit(index, depth, found);
        }
    }

    fn visit_name(&self, expr: &'w Expr, depth: usize, found: &mut dyn FnMut(Span, String)) {
        if self.whole(expr).is_some() {
            return found(expr.span, "the whole resource or module".to_owned());
        }
        let ExprKind::Variable(name) = &expr.kind else { return };
        if let Some(Symbol::Variable(at)) = self.checker.model.symbols.get(&*name.text)
            && !self.bound.borrow().contains(&&*name.text)
            && self.is_late(*at, depth)
        {
            found(expr.span, format!("the variable `{}`", name.text));
        }
    }

    /// True if the value of a variable is not known at the start.
    fn is_late(&self, at: usize, depth: usize) -> bool {
        if let Some(known) = self.variables.borrow().get(&at) {
            return *known;
        }
        let value = self.checker.model.variables.get(at).and_then(|variable| variable.value);
        let Some(value) = value.filter(|_| depth < MAX_VARIABLES) else { return false };
        // A cycle is reported elsewhere.
        self.variables.borrow_mut().insert(at, false);
        let outer = self.bound.take();
        let found = self.first(value, depth + 1).is_some();
        self.bound.replace(outer);
        self.variables.borrow_mut().insert(at, found);
        found
    }

    /// True if a property is known at the start.
    fn is_known(&self, subject: DeployedSymbol, name: &str, depth: usize) -> bool {
        match subject {
            DeployedSymbol::Resource(id) => {
                let is_azure = self.checker.model.resources.get(id).is_some_and(ResourceInfo::is_azure);
                let is_of_name = matches!(name, "id" | "name");
                !is_azure || OF_RESOURCES.contains(&name) && !(is_of_name && self.is_placed_late(id, depth + 1))
            }
            // Unknown properties of modules are reported elsewhere.
            DeployedSymbol::Module(_) => name != "outputs",
        }
    }

    /// True if a property with a computed name is known at the start, for each possible name.
    fn is_known_at(&self, subject: DeployedSymbol, index: &'w Expr, depth: usize) -> bool {
        let names = self.checker.quiet().infer(index, None);
        names.members().iter().all(|name| match name {
            Type::Text(Some(name)) => self.is_known(subject, name, depth),
            _ => false,
        })
    }

    fn is_loop(&self, subject: DeployedSymbol) -> bool {
        let model = self.checker.model;
        match subject {
            DeployedSymbol::Resource(id) => model.resources.get(id).is_some_and(ResourceInfo::is_collection),
            DeployedSymbol::Module(at) => model.modules.get(at).is_some_and(|module| module.body.iteration.is_some()),
        }
    }

    /// Returns the resource or module that an expression refers to.
    fn subject(&self, expr: &'w Expr) -> Option<DeployedSymbol> {
        match &expr.kind {
            ExprKind::Index { base, .. } => self.whole(base.bare()).filter(|subject| self.is_loop(*subject)),
            _ => self.whole(expr).filter(|subject| !self.is_loop(*subject)),
        }
    }

    /// Returns the resource or module, or the loop of them, that an expression names.
    fn whole(&self, expr: &'w Expr) -> Option<DeployedSymbol> {
        let model = self.checker.model;
        match &expr.kind {
            ExprKind::Variable(name) if self.bound.borrow().contains(&&*name.text) => None,
            ExprKind::Variable(name) => match model.symbols.get(&*name.text) {
                Some(Symbol::Resource(id)) => Some(DeployedSymbol::Resource(*id)),
                Some(Symbol::Module(at)) => Some(DeployedSymbol::Module(*at)),
                _ => None,
            },
            ExprKind::Nested { .. } => model.resource_named(expr).map(DeployedSymbol::Resource),
            _ => None,
        }
    }

    fn is_function(&self, name: &str) -> bool {
        !self.checker.model.symbols.contains_key(name)
    }

    fn is_file(&self, base: &Expr) -> bool {
        match &base.kind {
            ExprKind::Variable(name) => {
                matches!(self.checker.model.symbols.get(&*name.text), Some(Symbol::Wildcard(_)))
            }
            _ => false,
        }
    }
}
