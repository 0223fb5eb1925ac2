//! References to resources and modules, and accesses to their properties.

use crate::compiler::calls::formula_of;
use crate::compiler::emitter::{BaseValue, Emitter, Made};
use crate::compiler::formula::Formula;
use crate::compiler::model::{ResourceId, Symbol};
use crate::compiler::scope::{Local, Scope, find};
use crate::language::ast::{Expr, ExprKind, Name};
use crate::text::Span;

/// API version of nested deployments.
pub(super) const DEPLOYMENTS: &str = "2025-04-01";

/// A resource or module that an expression refers to. The formula is the index, for one item of a loop.
#[derive(Clone, Debug)]
pub(super) enum Referent {
    Resource(ResourceId, Option<Formula>),
    Module(usize, Option<Formula>),
}

/// Variables that are followed to a resource or module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    /// Variables that are written out where they are used.
    Inlined,
    All,
}

/// Kind of an access to a property or item.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    is_safe: bool,
    from_end: bool,
    /// True if it follows another access.
    is_chained: bool,
}

impl<'w> Emitter<'w> {
    /// Returns the resource or module that an expression refers to.
    pub(super) fn subject(&self, expr: &'w Expr, scope: &Scope<'w>, via: Via) -> Made<Option<Referent>> {
        self.deeper(expr.span, || self.subject_of(expr, scope, via))
    }

    fn subject_of(&self, expr: &'w Expr, scope: &Scope<'w>, via: Via) -> Made<Option<Referent>> {
        let expr = transparent(expr);
        match &expr.kind {
            ExprKind::Variable(name) => {
                match find(scope, &name.text, |resource| self.model.child(resource, &name.text).is_some()) {
                    Some(Local::Within(parent)) => {
                        return Ok(self.model.child(parent, &name.text).map(|id| Referent::Resource(id, None)));
                    }
                    Some(_) => return Ok(None),
                    None => {}
                }
                match self.model.symbols.get(&*name.text) {
                    Some(Symbol::Resource(id)) => Ok(Some(Referent::Resource(*id, None))),
                    Some(Symbol::Module(at)) => Ok(Some(Referent::Module(*at, None))),
                    Some(Symbol::Variable(at)) if via == Via::All || self.settings.inlined.contains(at) => {
                        match self.model.variables.get(*at).and_then(|variable| variable.value) {
                            Some(value) => self.subject(value, &None, via),
                            None => Ok(None),
                        }
                    }
                    _ => Ok(None),
                }
            }
            ExprKind::Nested { base, name } => match self.subject(base, scope, via)? {
                Some(Referent::Resource(parent, index)) => {
                    Ok(self.model.child(parent, &name.text).map(|id| Referent::Resource(id, index)))
                }
                _ => Ok(None),
            },
            ExprKind::Index { base, index, .. } => {
                if !matches!(base.kind, ExprKind::Variable(_) | ExprKind::Nested { .. }) {
                    return Ok(None);
                }
                match self.subject(base, scope, Via::Inlined)? {
                    Some(Referent::Resource(id, None)) if self.is_collection(id) => {
                        Ok(Some(Referent::Resource(id, Some(self.convert(index, scope)?))))
                    }
                    Some(Referent::Module(at, None)) if self.is_module_collection(at) => {
                        Ok(Some(Referent::Module(at, Some(self.convert(index, scope)?))))
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    pub(super) fn is_collection(&self, id: ResourceId) -> bool {
        self.model.resources.get(id).is_some_and(crate::compiler::model::ResourceInfo::is_collection)
    }

    pub(super) fn is_module_collection(&self, at: usize) -> bool {
        self.model.modules.get(at).is_some_and(|module| module.body.iteration.is_some())
    }

    /// Returns the formula for a whole resource or module.
    pub(super) fn whole(&self, subject: &Referent) -> Made<Formula> {
        match subject {
            Referent::Resource(id, index) => self.reference(*id, index.as_ref(), true),
            Referent::Module(at, index) => self.module_reference(*at, index.as_ref()),
        }
    }

    /// Returns the name of a resource or module in a template with symbolic names.
    pub(super) fn symbolic(name: &str, index: Option<&Formula>) -> Formula {
        match index {
            None => Formula::text(name),
            Some(index) => Formula::call("format", vec![Formula::text(&format!("{name}[{{0}}]")), index.clone()]),
        }
    }

    /// Returns the call of `reference()` for a resource.
    pub(super) fn reference(&self, id: ResourceId, index: Option<&Formula>, is_full: bool) -> Made<Formula> {
        let Some(resource) = self.model.resources.get(id) else { return Ok(Formula::null()) };
        let is_whole_loop = resource.is_collection() && index.is_none();
        let name = self.model.symbolic_name(id);
        let target = if self.settings.is_symbolic {
            Self::symbolic(&name, index)
        } else if is_whole_loop {
            Formula::text(&name)
        } else {
            self.resource_id(id, &self.resource_scope(id, index))?
        };
        let function = if is_whole_loop { "references" } else { "reference" };
        let mut arguments = vec![target];
        if !resource.is_azure() {
            return Ok(Formula::call(function, arguments));
        }
        if !is_whole_loop && (is_full || !self.settings.is_symbolic) {
            arguments.push(Formula::text(resource.version.as_deref().unwrap_or_default()));
        }
        if is_full {
            arguments.push(Formula::text("full"));
        }
        Ok(Formula::call(function, arguments))
    }

    /// Returns the call of `reference()` for a module.
    pub(super) fn module_reference(&self, at: usize, index: Option<&Formula>) -> Made<Formula> {
        let Some(module) = self.model.modules.get(at) else { return Ok(Formula::null()) };
        let name = &module.declaration.name.text;
        let is_whole_loop = module.body.iteration.is_some() && index.is_none();
        let function = if is_whole_loop { "references" } else { "reference" };
        if self.settings.is_symbolic {
            return Ok(Formula::call(function, vec![Self::symbolic(name, index)]));
        }
        if is_whole_loop {
            return Ok(Formula::named(function, name));
        }
        Ok(Formula::call(function, vec![self.module_id(at, index)?, Formula::text(DEPLOYMENTS)]))
    }

    /// Converts `base.name` and `base[index]`.
    pub(super) fn access(&self, expr: &'w Expr, scope: &Scope<'w>) -> Made<Formula> {
        match &expr.kind {
            ExprKind::Property { base, name, is_safe } => {
                let access = Access { is_safe: *is_safe, from_end: false, is_chained: is_access(base) };
                if let Some(value) = self.base_parameter(base, &name.text, name.span)? {
                    return Ok(value);
                }
                if let Some(variable) = self.wildcard_variable(base, &name.text, scope) {
                    return Ok(variable);
                }
                if let Some(formula) = self.module_output(base, name, access, scope)? {
                    return Ok(formula);
                }
                self.property(base, &name.text, access, scope)
            }
            ExprKind::Index { base, index, is_safe, from_end } => {
                let access = Access { is_safe: *is_safe, from_end: *from_end, is_chained: is_access(base) };
                if let Some(subject) = self.subject(expr, scope, Via::Inlined)? {
                    return self.whole(&subject);
                }
                match index.literal() {
                    Some(name) if !from_end => match self.base_parameter(base, name, index.span)? {
                        Some(value) => Ok(value),
                        None => self.property(base, name, access, scope),
                    },
                    _ => {
                        let base = self.convert(base, scope)?;
                        Ok(apply(base, self.convert(index, scope)?, access))
                    }
                }
            }
            _ => self.convert(expr, scope),
        }
    }

    /// Reads the property `name` of `base`, which may be a resource or module.
    fn property(&self, base: &'w Expr, name: &str, access: Access, scope: &Scope<'w>) -> Made<Formula> {
        match self.subject(base, scope, Via::Inlined)? {
            Some(Referent::Resource(id, index)) => self.resource_property(id, index.as_ref(), name, access.is_safe),
            Some(Referent::Module(at, index)) => {
                match self.module_property(at, index.as_ref(), name, access.is_safe, None)? {
                    Some(formula) => Ok(formula),
                    None => self.fail_as(
                        "BCP053",
                        base.span,
                        format!("modules have no property `{name}`; expected `name` or `outputs`"),
                    ),
                }
            }
            None => Ok(apply(self.convert(base, scope)?, Formula::text(name), access)),
        }
    }

    fn resource_property(&self, id: ResourceId, index: Option<&Formula>, name: &str, is_safe: bool) -> Made<Formula> {
        let Some(resource) = self.model.resources.get(id) else { return Ok(Formula::null()) };
        if !resource.is_azure() {
            let reference = self.reference(id, index, false)?;
            return Ok(if is_safe {
                Formula::call("tryGet", vec![reference, Formula::text(name)])
            } else {
                reference.dot(name)
            });
        }
        let scope = self.resource_scope(id, index);
        let condition = if is_safe { self.condition_of(id, &scope)? } else { None };
        match name {
            "id" => Ok(guarded(self.resource_id(id, &scope)?, condition)),
            "name" => Ok(guarded(self.own_name(id, &scope)?, condition)),
            "type" => Ok(Formula::text(&resource.ty)),
            "apiVersion" => Ok(Formula::text(resource.version.as_deref().unwrap_or_default())),
            "properties" if !is_safe => self.reference(id, index, false),
            _ => {
                let reference = guarded(self.reference(id, index, true)?, condition);
                Ok(if is_safe {
                    Formula::call("tryGet", vec![reference, Formula::text(name)])
                } else {
                    reference.dot(name)
                })
            }
        }
    }

    /// Reads `name` or `outputs` of a module. Returns `None` for other properties. `is_secure` is `true` if an output
    /// to be read is secure, and `None` if all of them are read.
    fn module_property(
        &self,
        at: usize,
        index: Option<&Formula>,
        name: &str,
        is_safe: bool,
        is_secure: Option<bool>,
    ) -> Made<Option<Formula>> {
        let Some(module) = self.model.modules.get(at) else { return Ok(None) };
        let scope = self.module_scope(at, index);
        let condition = match module.body.condition.filter(|_| is_safe) {
            Some(test) => Some(self.convert(test, &scope)?),
            None => None,
        };
        match name {
            "name" => Ok(Some(guarded(self.module_name(at, index)?, condition))),
            "outputs" => {
                let is_secure = is_secure.unwrap_or_else(|| !self.world.secure_outputs(module.unit).is_empty());
                if is_secure {
                    let target = if self.settings.is_symbolic {
                        Self::symbolic(&module.declaration.name.text, index)
                    } else {
                        self.module_id(at, index)?
                    };
                    let call = Formula::call("listOutputsWithSecureValues", vec![target, Formula::text(DEPLOYMENTS)]);
                    return Ok(Some(guarded(call, condition)));
                }
                let reference = self.module_reference(at, index)?;
                Ok(Some(if is_safe {
                    Formula::call("tryGet", vec![guarded(reference, condition), Formula::text("outputs")])
                } else {
                    reference.dot("outputs")
                }))
            }
            _ => Ok(None),
        }
    }

    /// Converts `module.outputs.name`.
    fn module_output(&self, base: &'w Expr, name: &Name, access: Access, scope: &Scope<'w>) -> Made<Option<Formula>> {
        let ExprKind::Property { base: module, name: outputs, is_safe } = &base.kind else { return Ok(None) };
        if &*outputs.text != "outputs" {
            return Ok(None);
        }
        let output = &*name.text;
        let is_secure = |at: &usize| {
            let module = self.model.modules.get(*at);
            module.is_some_and(|module| self.world.secure_outputs(module.unit).contains(output))
        };
        let Some(Referent::Module(at, index)) = self.subject(module, scope, Via::Inlined)? else {
            let Some(modules) = self.world.types.modules_of_outputs(outputs) else { return Ok(None) };
            if modules.iter().any(is_secure) {
                return self.indirect_secret(name);
            }
            return Ok(Some(output_of(self.convert(base, scope)?, output, true, access.is_safe)));
        };
        let is_secure = is_secure(&at);
        if is_secure && !self.is_module(module, scope) {
            return self.indirect_secret(name);
        }
        let Some(base) = self.module_property(at, index.as_ref(), "outputs", *is_safe, Some(is_secure))? else {
            return Ok(None);
        };
        Ok(Some(output_of(base, output, !is_secure, access.is_safe)))
    }

    /// Reports a secure output that is read through a variable or an expression.
    fn indirect_secret<T>(&self, output: &Name) -> Made<T> {
        let message = format!("the output `{}` is secure, so it can only be read from the module itself", output.text);
        self.fail(output.span, message)
    }

    /// True if an expression is the name of a module, or an item of a loop of modules.
    fn is_module(&self, expr: &Expr, scope: &Scope<'w>) -> bool {
        match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::NonNull(inner) | ExprKind::Index { base: inner, .. } => {
                self.is_module(inner, scope)
            }
            ExprKind::Variable(name) => {
                let is_declared = matches!(self.model.symbols.get(&*name.text), Some(Symbol::Module(_)));
                is_declared && find(scope, &name.text, |_| false).is_none()
            }
            _ => false,
        }
    }

    /// Reads `base.name` or `base['name']` in a parameter file: the value in the files that it extends.
    fn base_parameter(&self, base: &Expr, name: &str, span: Span) -> Made<Option<Formula>> {
        let ExprKind::Variable(keyword) = &base.kind else { return Ok(None) };
        if &*keyword.text != "base" || self.model.extends.is_empty() || self.model.symbols.contains_key("base") {
            return Ok(None);
        }
        match self.world.base.borrow().get(name) {
            Some(BaseValue::Known(value)) => Ok(Some(formula_of(value))),
            Some(BaseValue::Input(formula)) => Ok(Some(formula.clone())),
            Some(BaseValue::Secret) => self.fail(span, "the value is only known in a deployment"),
            None => self.fail_as("BCP053", span, format!("no file that this one extends sets `{name}`")),
        }
    }

    /// Reads `namespace.name`, if the namespace is that of `import * as namespace`.
    fn wildcard_variable(&self, base: &Expr, name: &str, scope: &Scope<'w>) -> Option<Formula> {
        let ExprKind::Variable(namespace) = &base.kind else { return None };
        if find(scope, &namespace.text, |_| false).is_some() {
            return None;
        }
        match self.model.symbols.get(&*namespace.text) {
            Some(Symbol::Wildcard(unit)) => Some(Formula::named("variables", &self.name_of(*unit, name))),
            _ => None,
        }
    }
}

/// Functions that return null instead of failing.
const SAFE: [&str; 2] = ["tryGet", "tryIndexFromEnd"];

/// Returns the value of a module's output. `has_value` is `true` if it is in the property `value` of the output.
fn output_of(outputs: Formula, name: &str, has_value: bool, is_safe: bool) -> Formula {
    let mut tail = vec![Formula::text(name)];
    if has_value {
        tail.push(Formula::text("value"));
    }
    if is_safe {
        tail.into_iter().fold(outputs, |base, part| Formula::call("tryGet", vec![base, part]))
    } else if outputs.is_bare_call(&SAFE) {
        outputs.with_arguments(tail)
    } else if ends_in_null(&outputs) {
        Formula::call("tryGet", std::iter::once(outputs).chain(tail).collect())
    } else {
        tail.into_iter().fold(outputs, Formula::member)
    }
}

fn ends_in_null(formula: &Formula) -> bool {
    match formula {
        Formula::Call(call) if &*call.name == "if" => {
            call.arguments.last().is_some_and(|last| last.is_bare_call(&["null"]))
        }
        _ => false,
    }
}

/// Reads a property or an item.
fn apply(base: Formula, accessor: Formula, access: Access) -> Formula {
    if access.is_safe {
        return Formula::call(if access.from_end { "tryIndexFromEnd" } else { "tryGet" }, vec![base, accessor]);
    }
    if access.is_chained && base.is_bare_call(&SAFE) {
        let argument = if access.from_end {
            let truth = Formula::call("true", Vec::new());
            Formula::call("createObject", vec![Formula::text("value"), accessor, Formula::text("fromEnd"), truth])
        } else {
            accessor
        };
        return base.with_arguments([argument]);
    }
    if access.from_end {
        return Formula::call("indexFromEnd", vec![base, accessor]);
    }
    base.member(accessor)
}

/// Returns the expression inside parentheses, before `!`, or in `any()`.
pub(super) fn transparent(expr: &Expr) -> &Expr {
    let mut expr = expr.bare();
    while let Some(inner) = in_any(expr) {
        expr = inner.bare();
    }
    expr
}

/// Returns the argument of `any()`.
pub(super) fn in_any(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call { name, arguments } if &*name.text == "any" => arguments.first(),
        ExprKind::Method { base, name, arguments } if &*name.text == "any" => match &base.kind {
            ExprKind::Variable(namespace) if &*namespace.text == "sys" => arguments.first(),
            _ => None,
        },
        _ => None,
    }
}

/// True if an expression reads a property or an item.
fn is_access(expr: &Expr) -> bool {
    let mut expr = expr;
    loop {
        expr = match &expr.kind {
            ExprKind::Property { .. } | ExprKind::Index { .. } => return true,
            ExprKind::NonNull(inner) => inner,
            _ => match in_any(expr) {
                Some(inner) => inner,
                None => return false,
            },
        };
    }
}

/// Returns `inner` if the condition holds, and null otherwise.
fn guarded(inner: Formula, condition: Option<Formula>) -> Formula {
    match condition {
        Some(test) => Formula::call("if", vec![test, inner, Formula::null()]),
        None => inner,
    }
}
