//! Types of expressions.

use std::rc::Rc;

use foldhash::HashMap;

use crate::compiler::model::Symbol;
use crate::compiler::semantics::locals::{Local, LocalBinding, LocalKind, Locals, NameKind, bind, find};
use crate::compiler::semantics::types::{Object, Property, Type};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::compiler::units::UnitId;
use crate::language::ast::{ArrayItem, Expr, ExprKind, For, Item, Name, Text};

/// Maximum length of a literal string in bytes. The values of longer ones are unknown.
const MAX_TEXT: usize = 10_000;

/// Maximum number of properties that a spread object adds. Objects that spread each other would grow quickly.
const MAX_SPREAD: usize = 500;

/// Maximum number of items of a tuple. Longer arrays have an item type only.
const MAX_TUPLE: usize = 200;

impl<'w> Checker<'_, 'w> {
    /// Infers the type of an expression, and reports its errors.
    pub(super) fn infer(self, expr: &'w Expr, locals: Locals<'_>) -> Type {
        let found = self.program.deeper(|| self.strict().infer_one(expr, locals));
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
            ExprKind::Property { .. } | ExprKind::Index { .. } => self.access_type(expr, locals),
            ExprKind::Nested { base, name } => match self.infer(base, locals) {
                Type::Resource(id) => match self.model.child(id, &name.text) {
                    Some(child) => self.resource_type(child),
                    None => Type::Any,
                },
                Type::Any | Type::Namespace | Type::File(_) => Type::Any,
                ty => {
                    self.report(name.span, "BCP158", format!("`::` needs a resource before it, found `{ty}`"));
                    Type::Any
                }
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
        let branch = Local { outer: locals, kind: LocalKind::Branch };
        let (then, otherwise) = (self.infer(then, Some(&branch)), self.infer(otherwise, Some(&branch)));
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
        self.warn_of_null(expr.span, &ty, &Type::BOOL);
        Some(ty)
    }

    /// Checks the source of a loop, and calls `run` with its variables in scope.
    pub(super) fn iterate(self, iteration: &'w For, locals: Locals<'_>, run: &mut dyn FnMut(Locals<'_>)) {
        let found = self.force(&self.infer(&iteration.source, locals));
        let source = found.without_null();
        if self.is_assignable(&source, &Type::array()) {
            self.warn_of_null(iteration.source.span, &found, &Type::array());
        } else {
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
        match self.forced_value(array) {
            Type::Array(item) => (*item).clone(),
            Type::Tuple(items) => Type::union(items.iter().cloned()),
            Type::Each(item) => (*item).clone(),
            Type::Union(members) => Type::union(members.iter().map(|member| self.item_of(member))),
            _ => Type::Any,
        }
    }

    fn text(self, text: &'w Text, locals: Locals<'_>) -> Type {
        let mut whole = Some(text.first.to_string());
        let (mut least, mut most) = (length(&text.first), Some(length(&text.first)));
        for part in &text.interpolations {
            let found = self.infer(&part.value, locals);
            let (part_least, part_most) = self.printed_length(&found);
            least = least.saturating_add(part_least).saturating_add(length(&part.text));
            most = most.zip(part_most).map(|(a, b)| a.saturating_add(b).saturating_add(length(&part.text)));
            let value = match self.force(&found) {
                Type::Text(Some(text)) => Some(text.to_string()),
                Type::Int(Some(value)) => Some(value.to_string()),
                _ => None,
            };
            whole = whole.zip(value).map(|(whole, value)| whole + &value + &part.text);
            // Variables that repeat each other would grow quickly.
            whole = whole.filter(|whole| whole.len() <= MAX_TEXT);
        }
        match whole {
            Some(whole) => Type::Text(Some(whole.into())),
            None => Type::text_of((least > 0).then_some(least), most),
        }
    }

    /// Returns the least and the greatest length of a value in a string.
    pub(super) fn printed_length(self, ty: &Type) -> (i64, Option<i64>) {
        match self.force(ty) {
            Type::Text(Some(text)) => (length(&text), Some(length(&text))),
            Type::Text(None) => {
                self.limited(ty).map_or((0, None), |limited| (limited.least.unwrap_or(0).max(0), limited.most))
            }
            Type::Int(Some(value)) => {
                let printed = length(&value.to_string());
                (printed, Some(printed))
            }
            Type::Int(None) => (1, Some(20)),
            Type::Bool(_) => (4, Some(5)),
            Type::Union(members) => {
                let lengths: Vec<(i64, Option<i64>)> =
                    members.iter().map(|member| self.printed_length(member)).collect();
                let least = lengths.iter().map(|(least, _)| *least).min().unwrap_or(0);
                let most = lengths.iter().try_fold(0, |all, (_, most)| most.map(|most| most.max(all)));
                (least, most)
            }
            _ => (0, None),
        }
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
            Some(symbol @ (Symbol::Type(_) | Symbol::Function(_))) => {
                let code = if matches!(symbol, Symbol::Type(_)) { "BCP288" } else { "BCP063" };
                self.report(name.span, code, format!("`{}` is not a value", name.text));
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
        let mut names: HashMap<Rc<str>, usize> = HashMap::default();
        for item in items {
            match item {
                Item::Property(property) => {
                    self.text(&property.key, locals);
                    let ty = self.infer(&property.value, locals);
                    match property.name() {
                        Some(name) => add_property(&mut properties, &mut names, Property::new(name, ty, true)),
                        None => additional = Some(Type::Any),
                    }
                }
                Item::Spread(value) => {
                    let ty = self.force(&self.infer(value, locals));
                    if !self.is_assignable(&ty, &Type::object()) {
                        let message = format!("only an object can be spread in an object, found `{ty}`");
                        self.report(value.span, "BCP402", message);
                    }
                    self.warn_of_null(value.span, &ty, &Type::object());
                    let object = if let Type::Object(object) = &ty { Some(object) } else { None };
                    if object.is_none_or(|object| object.additional.is_some()) {
                        additional = Some(Type::Any);
                        // The spread object may replace what came before.
                        for property in &mut properties {
                            property.ty = Type::Any;
                        }
                    }
                    let own = object.map(|object| object.properties.as_slice()).unwrap_or_default();
                    for property in own.iter().take(MAX_SPREAD) {
                        add_property(&mut properties, &mut names, property.clone());
                    }
                    if own.len() > MAX_SPREAD {
                        additional = Some(Type::Any);
                    }
                }
                Item::Resource(_) => {}
            }
        }
        Type::Object(Rc::new(Object { properties, additional, ..Object::default() }))
    }

    fn array(self, items: &'w [ArrayItem], locals: Locals<'_>) -> Type {
        let mut types = Vec::with_capacity(items.len().min(MAX_TUPLE));
        let mut others: Vec<Type> = Vec::new();
        let mut is_open = items.len() > MAX_TUPLE;
        for item in items {
            let ty = self.infer(&item.value, locals);
            if item.is_spread {
                let found = self.force(&ty);
                if !self.is_assignable(&found, &Type::array()) {
                    let message = format!("only an array can be spread in an array, found `{found}`");
                    self.report(item.value.span, "BCP402", message);
                }
                match &found {
                    Type::Tuple(items) if types.len() + items.len() <= MAX_TUPLE => types.extend(items.iter().cloned()),
                    Type::Tuple(_) | Type::Array(_) => others.push(self.item_of(&found)),
                    _ => is_open = true,
                }
            } else if types.len() < MAX_TUPLE {
                types.push(ty);
            } else {
                is_open = true;
            }
        }
        if is_open {
            return Type::array();
        }
        if others.is_empty() {
            Type::Tuple(types.into())
        } else {
            Type::array_of(Type::union(types.into_iter().chain(others)))
        }
    }
}

/// Adds a property to an object, or replaces the one with its name.
fn add_property(properties: &mut Vec<Property>, names: &mut HashMap<Rc<str>, usize>, property: Property) {
    if let Some(known) = names.get(&property.name).and_then(|at| properties.get_mut(*at)) {
        *known = property;
    } else {
        names.insert(property.name.clone(), properties.len());
        properties.push(property);
    }
}

/// Returns the number of UTF-16 units of a string.
fn length(text: &str) -> i64 {
    i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX)
}
