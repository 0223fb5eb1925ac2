//! What emission and the linter ask of the types of expressions.

use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::compiler::semantics::Checker;
use crate::compiler::semantics::types::Type;
use crate::language::ast::{Expr, ExprKind, Name};

/// What is known of the types of the expressions in the files of the repository. An expression is known by its address in the
/// tree, which outlives the analysis.
#[derive(Debug, Default)]
pub(in crate::compiler) struct Types {
    /// Expressions that are strings; the value, if it is always the same.
    texts: HashMap<*const Expr, Option<Rc<str>>>,
    /// Expressions that are objects, and never null.
    objects: HashSet<*const Expr>,
    /// Accesses to properties and items that may be missing from a value that is not null.
    unsafe_accesses: HashSet<*const Expr>,
    /// The names `outputs` that are read from modules, and which modules these may be.
    module_outputs: HashMap<*const Name, Vec<usize>>,
}

impl Types {
    /// Whether the value of an expression is a string.
    pub(in crate::compiler) fn is_text(&self, expr: &Expr) -> bool {
        self.texts.contains_key(&std::ptr::from_ref(expr))
    }

    /// The string that the value of an expression always is.
    pub(in crate::compiler) fn text(&self, expr: &Expr) -> Option<&str> {
        self.texts.get(&std::ptr::from_ref(expr))?.as_deref()
    }

    /// Whether an expression reads a property or an item that its type lets be missing, without `?`.
    pub(in crate::compiler) fn is_unsafe_access(&self, expr: &Expr) -> bool {
        self.unsafe_accesses.contains(&std::ptr::from_ref(expr))
    }

    /// The modules from one of which a property `outputs` is read. `None` if its name is another, or if it may be read from
    /// something else.
    pub(in crate::compiler) fn modules_of_outputs(&self, name: &Name) -> Option<&[usize]> {
        self.module_outputs.get(&std::ptr::from_ref(name)).map(Vec::as_slice)
    }
}

impl<'w> Checker<'_, 'w> {
    /// Notes what is found of an expression.
    pub(super) fn note(self, expr: &'w Expr, ty: &Type) {
        if self.is_quiet || self.model.unit.registry.is_some() || ty.is_any() {
            return;
        }
        match self.force(ty) {
            Type::Text(value) => {
                self.program.types.borrow_mut().texts.insert(expr, value);
            }
            Type::Union(members) => {
                let is_text = |member: &Type| matches!(self.force(member), Type::Text(_));
                if members.iter().all(is_text) {
                    self.program.types.borrow_mut().texts.insert(expr, None);
                } else if members.iter().any(Type::is_null) && self.is_plain_access(expr) {
                    self.program.types.borrow_mut().unsafe_accesses.insert(expr);
                }
            }
            Type::Object(_) => {
                self.program.types.borrow_mut().objects.insert(expr);
            }
            _ => {}
        }
    }

    /// Notes that a property is read from a value of a type.
    pub(super) fn note_property(self, base: &Type, name: &'w Name) {
        if &*name.text != "outputs" {
            return;
        }
        let module = |member: &Type| match member {
            Type::Module(at) => Some(*at),
            _ => None,
        };
        let modules: Option<Vec<usize>> = self.force(base).members().iter().map(module).collect();
        if let Some(modules) = modules {
            self.program.types.borrow_mut().module_outputs.insert(name, modules);
        }
    }

    /// Whether an expression reads a property or an item of a value that is an object, without `?`.
    fn is_plain_access(self, expr: &'w Expr) -> bool {
        let (ExprKind::Property { base, is_safe: false, .. } | ExprKind::Index { base, is_safe: false, .. }) =
            &expr.kind
        else {
            return false;
        };
        self.program.types.borrow().objects.contains(&std::ptr::from_ref(&**base))
    }
}
