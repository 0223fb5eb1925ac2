//! Declarations that depend on themselves.

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::model::{Model, Symbol};
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::names::{Use, each_use};
use crate::language::ast::{DeclarationKind, Expr, ExprKind, Item, Name, Resource, TypeExpr, TypeKind};
use crate::text::Span;

/// Uses of other declarations with their spans, by the declaration that contains them.
type Graph<'a> = BTreeMap<&'a str, Vec<(&'a str, Span)>>;

impl Checker<'_, '_> {
    pub(super) fn cycles(self) {
        let values = values(self.model);
        self.report_cycles(&values, ("BCP079", "BCP080"), "is used in its own declaration");
        let types = types(self.model);
        self.report_cycles(&types, ("BCP298", "BCP299"), "contains itself, so no value can have this type");
    }

    /// Reports each use that is part of a cycle.
    fn report_cycles(self, graph: &Graph<'_>, (own, longer): (&'static str, &'static str), what: &str) {
        let groups = groups(graph);
        for (name, uses) in graph {
            for (used, span) in uses {
                if used == name {
                    self.report(*span, own, format!("`{name}` {what}"));
                } else if groups.contains_key(name) && groups.get(name) == groups.get(used) {
                    self.report(
                        *span,
                        longer,
                        format!("`{name}` and `{used}` need each other: the declarations are a cycle"),
                    );
                }
            }
        }
    }
}

/// Returns the uses in the values of a file. A resource with nested ones is left out, because these may use it.
fn values<'a>(model: &Model<'a>) -> Graph<'a> {
    let mut graph = Graph::new();
    for declaration in model.declarations {
        let is_nest = matches!(&declaration.kind, DeclarationKind::Resource(own) if own.nested().next().is_some());
        let Some(name) = declaration.name().filter(|_| !is_nest) else { continue };
        // Expressions cannot use other declarations.
        if !matches!(
            declaration.kind,
            DeclarationKind::Param { .. }
                | DeclarationKind::Var { .. }
                | DeclarationKind::Func(_)
                | DeclarationKind::Resource(_)
                | DeclarationKind::Module(_)
        ) {
            continue;
        }
        let mut uses = Vec::new();
        let bound: Vec<&Name> = match &declaration.kind {
            DeclarationKind::Func(function) => function.parameters.iter().map(|(name, _)| name).collect(),
            DeclarationKind::Resource(resource) => loop_names(&resource.body),
            _ => Vec::new(),
        };
        let mut add = |value: &'a Expr| {
            each_use(value, &mut |used| match used {
                Use::Value(name) | Use::Call(name, _) if !bound.iter().any(|own| own.text == name.text) => {
                    uses.push((&*name.text, name.span));
                }
                _ => {}
            });
        };
        match &declaration.kind {
            DeclarationKind::Resource(resource) => each_own_value(resource, &mut add),
            _ => declaration.each_value(&mut add),
        }
        // Built-in functions are not declarations.
        uses.retain(|(name, _)| model.symbols.contains_key(name));
        graph.insert(&*name.text, uses);
    }
    graph
}

/// Returns the names that the loop of a resource declares.
fn loop_names(body: &Expr) -> Vec<&Name> {
    match &body.kind {
        ExprKind::For(inner) => [Some(&inner.item), inner.index.as_ref()].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// Calls `add` for the values of a resource, except its scope and parent, whose cycles are reported elsewhere.
fn each_own_value<'a>(resource: &'a Resource, add: &mut dyn FnMut(&'a Expr)) {
    for item in resource.body.body().as_object().unwrap_or_default() {
        match item {
            Item::Property(own) if !matches!(own.name(), Some("scope" | "parent")) => add(&own.value),
            Item::Spread(value) => add(value),
            _ => {}
        }
    }
}

/// Returns the types that the types of a file require.
fn types<'a>(model: &Model<'a>) -> Graph<'a> {
    let mut graph = Graph::new();
    for declared in &model.types {
        let mut uses = Vec::new();
        if let Some(ty) = declared.ty {
            match &unnullable(ty).kind {
                // An array of itself is invalid, although one in an object could be empty.
                TypeKind::Array(item) => required(model, item, &mut uses),
                _ => required(model, unnullable(ty), &mut uses),
            }
        }
        graph.insert(&*declared.name.text, uses);
    }
    graph
}

fn required<'a>(model: &Model<'a>, ty: &'a TypeExpr, uses: &mut Vec<(&'a str, Span)>) {
    match &ty.kind {
        TypeKind::Name(name) => {
            if let Some(Symbol::Type(at)) = model.symbols.get(&*name.text)
                && !model
                    .types
                    .get(*at)
                    .and_then(|own| own.ty)
                    .is_some_and(|own| matches!(own.kind, TypeKind::Nullable(_)))
            {
                uses.push((&*name.text, name.span));
            }
        }
        TypeKind::Object { properties, .. } => {
            for property in properties {
                required(model, &property.item.ty, uses);
            }
        }
        TypeKind::Tuple(items) => items.iter().for_each(|item| required(model, &item.ty, uses)),
        TypeKind::Union(members) => members.iter().for_each(|member| required(model, member, uses)),
        TypeKind::Paren(inner) => required(model, inner, uses),
        TypeKind::Generic { arguments, .. } => arguments.iter().for_each(|ty| required(model, ty, uses)),
        // `!` removes null visit_from the type, however it is declared.
        TypeKind::NonNull(inner) => match &inner.kind {
            TypeKind::Name(name) if matches!(model.symbols.get(&*name.text), Some(Symbol::Type(_))) => {
                uses.push((&*name.text, name.span));
            }
            _ => required(model, inner, uses),
        },
        _ => {}
    }
}

/// Returns a type without the `?` after it.
fn unnullable(ty: &TypeExpr) -> &TypeExpr {
    match &ty.kind {
        TypeKind::Nullable(inner) | TypeKind::Paren(inner) => unnullable(inner),
        _ => ty,
    }
}

/// Returns the declarations that reach themselves, with a number for those that reach each other.
fn groups<'a>(graph: &Graph<'a>) -> BTreeMap<&'a str, usize> {
    let mut search = ComponentSearch::new(graph);
    for name in graph.keys() {
        search.visit_from(name);
    }
    search.groups
}

/// Tarjan's search for strongly connected components, without recursion.
struct ComponentSearch<'g, 'a> {
    graph: &'g Graph<'a>,
    next: usize,
    /// Visit order of a declaration, and the smallest order that it reaches.
    found: BTreeMap<&'a str, (usize, usize)>,
    /// Declarations without a group so far, in visit order.
    open: Vec<&'a str>,
    is_open: BTreeSet<&'a str>,
    groups: BTreeMap<&'a str, usize>,
}

impl<'g, 'a> ComponentSearch<'g, 'a> {
    fn new(graph: &'g Graph<'a>) -> Self {
        Self {
            graph,
            next: 0,
            found: BTreeMap::new(),
            open: Vec::new(),
            is_open: BTreeSet::new(),
            groups: BTreeMap::new(),
        }
    }

    fn enter(&mut self, name: &'a str) {
        self.found.insert(name, (self.next, self.next));
        self.next += 1;
        self.open.push(name);
        self.is_open.insert(name);
    }

    fn visit_from(&mut self, start: &'a str) {
        if self.found.contains_key(start) {
            return;
        }
        self.enter(start);
        let mut path: Vec<(&'a str, usize)> = vec![(start, 0)];
        while let Some((name, at)) = path.last().copied() {
            let uses = self.graph.get(name).map_or(&[][..], Vec::as_slice);
            let Some((used, _)) = uses.get(at) else {
                path.pop();
                self.leave(name, path.last().map(|(outer, _)| *outer));
                continue;
            };
            if let Some(last) = path.last_mut() {
                last.1 += 1;
            }
            if !self.graph.contains_key(used) {
                continue;
            }
            match self.found.get(used).copied() {
                None => {
                    self.enter(used);
                    path.push((used, 0));
                }
                Some((order, _)) if self.is_open.contains(used) => self.lower(name, order),
                Some(_) => {}
            }
        }
    }

    fn lower(&mut self, name: &'a str, order: usize) {
        if let Some(own) = self.found.get_mut(name) {
            own.1 = own.1.min(order);
        }
    }

    fn leave(&mut self, name: &'a str, outer: Option<&'a str>) {
        let Some((order, low)) = self.found.get(name).copied() else { return };
        if let Some(outer) = outer {
            self.lower(outer, low);
        }
        if order != low {
            return;
        }
        let Some(at) = self.open.iter().rposition(|open| *open == name) else { return };
        let members = self.open.split_off(at);
        for member in &members {
            self.is_open.remove(member);
        }
        if members.len() > 1 {
            self.groups.extend(members.into_iter().map(|member| (member, order)));
        }
    }
}
