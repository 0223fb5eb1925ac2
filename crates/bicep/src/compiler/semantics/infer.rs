//! Types of expressions.

use std::rc::Rc;

use foldhash::HashSet;

use crate::compiler::model::Symbol;
use crate::compiler::semantics::locals::{LocalBinding, Locals, NameKind, bind, find};
use crate::compiler::semantics::types::{Object, Property, Type};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::compiler::units::UnitId;
use crate::language::ast::{ArrayItem, Expr, ExprKind, For, Item, Name, Text};

/// Maximum length of a literal string in bytes. The values of longer ones are unknown.
const MAX_TEXT: usize = 10_000;

/// Maximum number of items of a tuple. Longer arrays have an item type only.
const MAX_TUPLE: usize = 200;

impl<'w> Checker<'_, 'w> {
    /// Infers the type of an expression, and reports its errors.
    pub(super) fn infer(self, expr: &'w Expr, locals: Locals<'_>) -> Type {
        let found = self.program.deeper(|| self.infer_one(expr, locals));
        self.note(expr, &found);
        found
    }

    fn infer_one(self, expr: &'w Expr, locals: Locals<'_>) -> Type {
        match &expr.kind {
            ExprKind::Skipped => Type::Any,
            ExprKind::Null => Type::Null,
            ExprKind::Bool(value) => Type::Bool(Some(*value)),
            ExprKind::Int(value) => Type::Int(i64::try_from(*value).ok()),
            ExprKind::Text(text) => self.text(text, locals),
            ExprKind::Variable(name) => self.variable(name, locals),
            ExprKind::Object(items) => self.object(items, locals),
            ExprKind::Array(items) => self.array(items, locals),
            ExprKind::For(iteration) => {
                let mut item = Type::Any;
                self.iterate(iteration, locals, &mut |inner| item = self.infer(&iteration.body, inner));
                Type::array_of(item)
            }
            ExprKind::If(inner) => {
                self.condition(&inner.0, locals);
                self.infer(&inner.1, locals)
            }
            ExprKind::Paren(inner) => self.infer(inner, locals),
            ExprKind::NonNull(inner) => self.infer(inner, locals).without_null(),
            ExprKind::Unary(operator, inner) => self.unary(expr.span, *operator, inner, locals),
            ExprKind::Binary(operator, inner) => self.binary(expr.span, *operator, &inner.0, &inner.1, locals),
            ExprKind::Ternary(parts) => self.ternary(parts, locals),
            ExprKind::Call { name, arguments } => self.call(name, arguments, locals),
            ExprKind::Method { base, name, arguments } => self.method(base, name, arguments, locals),
            ExprKind::Property { base, name, is_safe } => self.property_of(base, name, *is_safe, locals),
            ExprKind::Index { base, index, is_safe, from_end } => {
                self.index(base, index, (*is_safe, *from_end), locals)
            }
            ExprKind::Nested { base, name } => match self.infer(base, locals) {
                Type::Resource(id) => match self.model.child(id, &name.text) {
                    Some(child) => self.resource_type(child),
                    None => Type::Any,
                },
                _ => Type::Any,
            },
            ExprKind::Lambda { parameters, body } => {
                self.report(expr.span, "BCP242", "a lambda is only possible as the argument of a function");
                let names: Vec<(&str, Type)> = parameters.iter().map(|name| (&*name.text, Type::Any)).collect();
                bind(locals, &names, NameKind::Lambda, &mut |inner| {
                    self.infer(body, inner);
                });
                Type::Lambda
            }
        }
    }

    /// Infers the type of the branch that a literal condition selects, or the union of both branches.
    fn ternary(self, (condition, then, otherwise): &'w (Expr, Expr, Expr), locals: Locals<'_>) -> Type {
        let condition = self.condition(condition, locals);
        let (then, otherwise) = (self.infer(then, locals), self.infer(otherwise, locals));
        match condition {
            Some(Type::Bool(Some(true))) => then,
            Some(Type::Bool(Some(false))) => otherwise,
            Some(_) => Type::union([then, otherwise]),
            None => Type::Any,
        }
    }

    /// Infers the type of a condition. Reports a condition that is not Boolean, and returns `None`.
    pub(super) fn condition(self, expr: &'w Expr, locals: Locals<'_>) -> Option<Type> {
        let ty = self.infer(expr, locals);
        if !self.is_assignable(&ty, &Type::BOOL) {
            self.report(expr.span, "BCP046", format!("expected a condition of type `bool`, found `{ty}`"));
            return None;
        }
        Some(ty)
    }

    /// Checks the source of a loop, and calls `run` with its variables in scope.
    pub(super) fn iterate(self, iteration: &'w For, locals: Locals<'_>, run: &mut dyn FnMut(Locals<'_>)) {
        let source = self.force(&self.infer(&iteration.source, locals)).without_null();
        if !self.is_assignable(&source, &Type::array()) {
            let message = format!("a loop needs an array, found `{source}`");
            self.report(iteration.source.span, "BCP137", message);
        }
        let item = self.item_of(&source);
        let mut names = vec![(&*iteration.item.text, item)];
        names.extend(iteration.index.as_ref().map(|index| (&*index.text, Type::INT)));
        bind(locals, &names, NameKind::Loop, run);
    }

    /// Returns the type of the items of an array.
    pub(super) fn item_of(self, array: &Type) -> Type {
        match self.force(array).without_null() {
            Type::Array(item) => (*item).clone(),
            Type::Tuple(items) => Type::union(items.iter().cloned()),
            Type::Each(item) => (*item).clone(),
            Type::Union(members) => Type::union(members.iter().map(|member| self.item_of(member))),
            _ => Type::Any,
        }
    }

    fn text(self, text: &'w Text, locals: Locals<'_>) -> Type {
        let mut whole = Some(text.first.to_string());
        for part in &text.interpolations {
            let value = self.force(&self.infer(&part.value, locals));
            let value = match &value {
                Type::Text(Some(text)) => Some(text.to_string()),
                Type::Int(Some(value)) => Some(value.to_string()),
                _ => None,
            };
            whole = whole.zip(value).map(|(whole, value)| whole + &value + &part.text);
            // Variables that repeat each other would grow quickly.
            whole = whole.filter(|whole| whole.len() <= MAX_TEXT);
        }
        Type::Text(whole.map(Rc::from))
    }

    fn variable(self, name: &'w Name, locals: Locals<'_>) -> Type {
        match find(locals, &name.text, |resource| self.model.child(resource, &name.text).is_some()) {
            Some(LocalBinding::Name(ty, _)) => return ty.clone(),
            Some(LocalBinding::Within(parent)) => {
                let child = self.model.child(parent, &name.text);
                return child.map_or(Type::Any, |child| self.resource_type(child));
            }
            None => {}
        }
        match self.model.symbols.get(&*name.text) {
            Some(Symbol::Param(at)) => self.parameter_type(*at),
            Some(Symbol::Variable(at)) => self.variable_type(self.model.id, *at),
            Some(Symbol::Resource(id)) => self.resource_type(*id),
            Some(Symbol::Module(at)) => self.module_symbol(*at),
            Some(Symbol::Imported(unit, original)) => self.imported_value(name, *unit, original),
            Some(Symbol::Wildcard(unit)) => Type::File(*unit),
            Some(Symbol::Extension) => Type::Namespace,
            Some(Symbol::Unknown) => Type::Any,
            Some(Symbol::Type(_) | Symbol::Function(_)) => {
                self.report(name.span, "BCP063", format!("`{}` is not a value", name.text));
                Type::Any
            }
            None => self.undeclared(name),
        }
    }

    fn undeclared(self, name: &Name) -> Type {
        if ["sys", "az"].contains(&&*name.text) {
            return Type::Namespace;
        }
        if self.model.is_parameters() && &*name.text == "base" {
            return Type::Any;
        }
        // The message needs a search through all outputs and names.
        if !self.reports() {
            return Type::Any;
        }
        let (code, message) = if self.model.outputs.iter().any(|output| output.name.text == name.text) {
            ("BCP058", format!("`{}` is an output, which the file itself cannot read", name.text))
        } else {
            let hint = self.did_you_mean(&name.text, self.model.symbols.keys().copied());
            (if hint.is_empty() { "BCP057" } else { "BCP082" }, format!("`{}` is not declared{hint}", name.text))
        };
        self.report(name.span, code, message);
        Type::Any
    }

    /// Returns the type of a parameter of the file.
    fn parameter_type(self, at: usize) -> Type {
        self.program.once(TypeKey::Parameter(self.model.id, at), || {
            self.model.params.get(at).map_or(Type::Any, |param| self.quiet().parameter(param))
        })
    }

    /// Returns the type of a variable of a file.
    pub(super) fn variable_type(self, unit: UnitId, at: usize) -> Type {
        self.program.once(TypeKey::Variable(unit, at), || {
            let Some(inner) = self.within(unit) else { return Type::Any };
            let Some(variable) = inner.model.variables.get(at) else { return Type::Any };
            match (variable.ty, variable.value) {
                (Some(ty), _) => inner.declared(ty, variable.decorators),
                (None, Some(value)) => inner.infer(value, None),
                (None, None) => Type::Any,
            }
        })
    }

    /// Returns the type of a value that another file exports.
    fn imported_value(self, name: &Name, unit: UnitId, original: &str) -> Type {
        match self.program.model(unit).and_then(|model| model.symbols.get(original)) {
            Some(Symbol::Variable(at)) => self.variable_type(unit, *at),
            Some(Symbol::Type(_) | Symbol::Function(_)) => {
                self.report(name.span, "BCP288", format!("`{}` is not a value", name.text));
                Type::Any
            }
            _ => Type::Any,
        }
    }

    fn object(self, items: &'w [Item], locals: Locals<'_>) -> Type {
        self.duplicate_properties(items);
        let mut properties: Vec<Property> = Vec::new();
        let mut additional = None;
        let mut names: HashSet<String> = HashSet::default();
        for item in items {
            match item {
                Item::Property(property) => {
                    self.text(&property.key, locals);
                    let ty = self.infer(&property.value, locals);
                    match property.name() {
                        Some(name) if names.insert(name.to_lowercase()) => {
                            properties.push(Property { name: name.into(), ty, is_required: true });
                        }
                        Some(_) => {}
                        None => additional = Some(Type::Any),
                    }
                }
                Item::Spread(value) => {
                    let ty = self.infer(value, locals);
                    if !self.is_assignable(&ty, &Type::object()) {
                        self.report(
                            value.span,
                            "BCP397",
                            format!("only an object can be spread in an object, found `{ty}`"),
                        );
                    }
                    additional = Some(Type::Any);
                    // A later spread may replace what came before.
                    for property in &mut properties {
                        property.ty = Type::Any;
                    }
                }
                Item::Resource(_) => {}
            }
        }
        Type::Object(Rc::new(Object { properties, additional }))
    }

    fn array(self, items: &'w [ArrayItem], locals: Locals<'_>) -> Type {
        let mut types = Vec::with_capacity(items.len().min(MAX_TUPLE));
        let mut is_open = items.len() > MAX_TUPLE;
        for item in items {
            let ty = self.infer(&item.value, locals);
            if item.is_spread {
                is_open = true;
                if !self.is_assignable(&ty, &Type::array()) {
                    let message = format!("only an array can be spread in an array, found `{ty}`");
                    self.report(item.value.span, "BCP398", message);
                }
            } else if types.len() < MAX_TUPLE {
                types.push(ty);
            }
        }
        if is_open { Type::array() } else { Type::Tuple(types.into()) }
    }
}
