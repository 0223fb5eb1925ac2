//! A file with the facts that linter rules share.

use foldhash::HashSet;

use crate::compiler::emitter::World;
use crate::compiler::linter_settings::Linter;
use crate::compiler::model::{Declared, Model, ResourceId, ResourceInfo, Symbol};
use crate::compiler::semantics::Types;
use crate::language::ast::{DeclarationKind, Decorator, Expr, ExprKind, Name, TypeExpr, TypeItem, TypeKind};
use crate::language::walk::{each_child, each_type};
use crate::text::Span;

/// A finding of a rule: the text to change, and the message.
pub(super) type LintFinding = (Span, String);

/// Maximum number of resources in a template. Source:
/// <https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices>.
const MAX_RESOURCES: usize = 800;

/// A file, and facts about it that many rules need.
pub(super) struct LintFile<'w> {
    pub model: &'w Model<'w>,
    /// All files of the compilation.
    pub world: &'w World<'w>,
    pub types: &'w Types,
    /// All expressions in source order, except those of decorators, which come first.
    pub exprs: Vec<&'w Expr>,
    /// All type expressions.
    pub type_exprs: Vec<&'w TypeExpr>,
    /// Names of all values and functions that the file uses.
    pub used_values: HashSet<&'w str>,
    /// Names of all types that the file uses, and the namespaces before them.
    pub used_types: HashSet<&'w str>,
    /// Names in expressions that refer to a variable of a loop, a lambda, or a function.
    locals: HashSet<*const Expr>,
}

impl<'w> LintFile<'w> {
    pub(super) fn new(model: &'w Model<'w>, world: &'w World<'w>) -> Self {
        let mut file = Self {
            model,
            world,
            types: world.types,
            exprs: Vec::new(),
            type_exprs: Vec::new(),
            used_values: HashSet::default(),
            used_types: HashSet::default(),
            locals: HashSet::default(),
        };
        for declaration in model.declarations {
            let mut bound: Vec<&str> = Vec::new();
            match &declaration.kind {
                DeclarationKind::Param { ty, .. } | DeclarationKind::Var { ty, .. } => {
                    if let Some(ty) = ty {
                        file.add_type(ty);
                    }
                }
                DeclarationKind::Type { ty, .. } | DeclarationKind::Output { ty, .. } => file.add_type(ty),
                DeclarationKind::Func(function) => {
                    bound.extend(function.parameters.iter().map(|(name, _)| &*name.text));
                    let types = function.parameters.iter().map(|(_, ty)| ty).chain([&function.result]);
                    for ty in types {
                        file.add_type(ty);
                    }
                }
                _ => {}
            }
            declaration.each_value(&mut |value| file.add(value, &mut bound));
        }
        file
    }

    fn add(&mut self, expr: &'w Expr, bound: &mut Vec<&'w str>) {
        self.exprs.push(expr);
        let known = bound.len();
        match &expr.kind {
            ExprKind::Variable(name) => {
                if bound.contains(&&*name.text) {
                    self.locals.insert(expr);
                } else {
                    self.used_values.insert(&name.text);
                }
            }
            ExprKind::For(inner) => {
                self.add(&inner.source, bound);
                bound.extend([Some(&inner.item), inner.index.as_ref()].into_iter().flatten().map(|name| &*name.text));
                self.add(&inner.body, bound);
            }
            ExprKind::Lambda { parameters, body } => {
                bound.extend(parameters.iter().map(|name| &*name.text));
                self.add(body, bound);
            }
            kind => {
                if let ExprKind::Call { name, .. } = kind {
                    self.used_values.insert(&name.text);
                }
                each_child(expr, &mut |child| self.add(child, bound));
            }
        }
        bound.truncate(known);
    }

    fn add_type(&mut self, ty: &'w TypeExpr) {
        self.type_exprs.push(ty);
        if let TypeKind::Name(name) | TypeKind::Generic { name, .. } = &ty.kind {
            self.used_types.insert(&name.text);
        }
        each_type(ty, &mut |inner, _| self.add_type(inner));
    }

    pub(super) fn settings(&self) -> &'w Linter {
        &self.model.unit.configuration.linter
    }

    /// Returns the declaration that a name in an expression refers to. `None` if it is local, or not declared.
    pub(super) fn symbol(&self, expr: &Expr) -> Option<Symbol<'w>> {
        match &expr.kind {
            ExprKind::Variable(name) if !self.locals.contains(&std::ptr::from_ref(expr)) => {
                self.model.symbols.get(&*name.text).copied()
            }
            _ => None,
        }
    }

    /// Returns the resource that an expression names.
    pub(super) fn resource(&self, expr: &Expr) -> Option<&'w ResourceInfo<'w>> {
        self.model.resources.get(self.resource_id(expr)?)
    }

    pub(super) fn resource_id(&self, expr: &Expr) -> Option<ResourceId> {
        let is_local = self.locals.contains(&std::ptr::from_ref(expr));
        if is_local { None } else { self.model.resource_named(expr) }
    }

    /// Returns the name and the arguments of a call of a built-in function, with or without a namespace.
    pub(super) fn built_in(&self, expr: &'w Expr) -> Option<(&'w Name, &'w [Expr])> {
        match &expr.kind {
            ExprKind::Call { name, arguments } if !self.model.symbols.contains_key(&*name.text) => {
                Some((name, arguments))
            }
            ExprKind::Method { base, name, arguments } if self.is_namespace(base) => Some((name, arguments)),
            _ => None,
        }
    }

    /// True for `sys` and `az`.
    fn is_namespace(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Variable(name) => {
                self.model.namespace(&name.text).is_some() && !self.locals.contains(&std::ptr::from_ref(expr))
            }
            _ => false,
        }
    }

    /// Returns the variable that an expression names.
    pub(super) fn variable(&self, expr: &Expr) -> Option<&'w Declared<'w>> {
        match self.symbol(expr)? {
            Symbol::Variable(at) => self.model.variables.get(at),
            _ => None,
        }
    }

    /// Returns all decorators of declarations, and of the resources in them.
    pub(super) fn decorators(&self) -> impl Iterator<Item = &'w Decorator> {
        let of_declarations = self.model.declarations.iter().flat_map(|declaration| &declaration.decorators);
        of_declarations.chain(self.model.resources.iter().flat_map(|resource| &resource.declaration.decorators))
    }

    /// True if the file has more resources and modules than Azure accepts. Rules that compare them with each other
    /// skip it.
    pub(super) fn is_huge(&self) -> bool {
        self.model.resources.len() + self.model.modules.len() > MAX_RESOURCES
    }

    /// Returns the properties and items of all types, with their decorators.
    pub(super) fn type_items(&self) -> impl Iterator<Item = &'w TypeItem> {
        self.type_exprs.iter().flat_map(|ty| match &ty.kind {
            TypeKind::Object { properties, additional } => {
                properties.iter().chain(additional.as_deref()).map(|property| &property.item).collect()
            }
            TypeKind::Tuple(items) => items.iter().collect(),
            _ => Vec::new(),
        })
    }

    /// Returns the text of a span.
    pub(super) fn slice(&self, span: Span) -> &'w str {
        self.model.unit.slice(span)
    }
}
