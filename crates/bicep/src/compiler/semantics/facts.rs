//! Facts about the types of expressions, for emission and the linter.

use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::compiler::semantics::Checker;
use crate::compiler::semantics::types::Type;
use crate::language::ast::{Expr, ExprKind, Name};

/// Types of expressions in the files of the repository. The key of an expression is its address in the tree, which
/// outlives the analysis.
#[derive(Debug, Default)]
pub(in crate::compiler) struct Types {
    /// Expressions that are strings, with their constant value.
    texts: HashMap<*const Expr, Option<Rc<str>>>,
    /// Expressions that are objects, and never null.
    objects: HashSet<*const Expr>,
    /// Accesses to properties and items that may be missing in a value that is not null.
    unsafe_accesses: HashSet<*const Expr>,
    /// Accesses to the property `outputs` of modules, and the modules that it may belong to.
    module_outputs: HashMap<*const Name, Vec<usize>>,
}

impl Types {
    /// True if the value of an expression is a string.
    pub(in crate::compiler) fn is_text(&self, expr: &Expr) -> bool {
        self.texts.contains_key(&std::ptr::from_ref(expr))
    }

    /// Returns the constant string of an expression.
    pub(in crate::compiler) fn text(&self, expr: &Expr) -> Option<&str> {
        self.texts.get(&std::ptr::from_ref(expr))?.as_deref()
    }

    /// True if an expression accesses a property or item that may be missing, without `?`.
    pub(in crate::compiler) fn is_unsafe_access(&self, expr: &Expr) -> bool {
        self.unsafe_accesses.contains(&std::ptr::from_ref(expr))
    }

    /// Returns the modules that an access to `outputs` may read. `None` for another name, or if it may read something
    /// else.
    pub(in crate::compiler) fn modules_of_outputs(&self, name: &Name) -> Option<&[usize]> {
        self.module_outputs.get(&std::ptr::from_ref(name)).map(Vec::as_slice)
    }
}

impl<'w> Checker<'_, 'w> {
    /// Records facts about an expression.
    pub(super) fn note(self, expr: &'w Expr, ty: &Type) {
        if self.is_quiet || self.model.unit.registry.is_some() || ty.is_any() {
            return;
        }
        match self.force(ty) {
            Type::Text(value) => {
                self.program.types.borrow_mut().texts.insert(expr, value);
            }
            Type::Union(members) => {
                if members.iter().all(|member| matches!(self.force(member), Type::Text(_))) {
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

    /// Records an access to a property.
    pub(super) fn note_property(self, base: &Type, name: &'w Name) {
        if &*name.text != "outputs" {
            return;
        }
        let base = self.force(base);
        let modules: Option<Vec<usize>> = base
            .members()
            .iter()
            .map(|member| match member {
                Type::Module(at) => Some(*at),
                _ => None,
            })
            .collect();
        if let Some(modules) = modules {
            self.program.types.borrow_mut().module_outputs.insert(name, modules);
        }
    }

    /// True if an expression accesses a property or item of an object, without `?`.
    fn is_plain_access(self, expr: &'w Expr) -> bool {
        let (ExprKind::Property { base, is_safe: false, .. } | ExprKind::Index { base, is_safe: false, .. }) =
            &expr.kind
        else {
            return false;
        };
        self.program.types.borrow().objects.contains(&std::ptr::from_ref(&**base))
    }
}
