//! Calls of functions, and the types of their arguments.

use crate::compiler::functions::{self, Namespace};
use crate::compiler::model::{ResourceId, Symbol};
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::assign::AssignmentTarget;
use crate::compiler::semantics::declared::is_built_in;
use crate::compiler::semantics::functions::{Overload, overloads, pairs};
use crate::compiler::semantics::locals::{LocalBinding, Locals, find};
use crate::compiler::semantics::types::{Limited, Type};
use crate::compiler::units::UnitId;
use crate::language::ast::{Expr, ExprKind, Name};

impl<'w> Checker<'_, 'w> {
    /// Checks a call without a namespace.
    pub(super) fn call(self, name: &'w Name, arguments: &'w [Expr], locals: Locals<'_>) -> Type {
        let local = find(locals, &name.text, |_| false);
        if matches!(local, Some(LocalBinding::Name(..))) {
            return self.not_a_function(name, arguments, locals);
        }
        match self.model.symbols.get(&*name.text) {
            Some(Symbol::Function(_)) => self.call_declared(self.model.id, &name.text, name, arguments, locals),
            Some(Symbol::Imported(unit, original)) => self.call_declared(*unit, original, name, arguments, locals),
            Some(Symbol::Param(_) | Symbol::Variable(_) | Symbol::Resource(_) | Symbol::Module(_)) => {
                self.not_a_function(name, arguments, locals)
            }
            Some(Symbol::Unknown) => self.arguments(arguments, locals),
            _ => self.call_built_in(name, None, arguments, locals),
        }
    }

    /// Checks a call after a namespace, a file, or a resource.
    pub(super) fn method(self, base: &'w Expr, name: &'w Name, arguments: &'w [Expr], locals: Locals<'_>) -> Type {
        if let Some(only) = self.namespace(base) {
            return self.call_built_in(name, Some(only), arguments, locals);
        }
        if self.is_this(base, locals) {
            self.arguments(arguments, locals);
            return if &*name.text == "exists" { Type::BOOL } else { Type::Any };
        }
        if self.is_optional(base, base.span, locals) {
            let message =
                format!("the resource may not be deployed, and then `{}()` fails; write `!` before it", name.text);
            self.warn(name.span, "BCP422", message);
        }
        let base = self.infer(base, locals);
        match self.force(&base) {
            Type::File(unit) => self.call_declared(unit, &name.text, name, arguments, locals),
            Type::Resource(id) => {
                self.arguments(arguments, locals);
                self.resource_function(id, name)
            }
            ty @ (Type::Bool(_) | Type::Int(_) | Type::Text(_) | Type::Array(_) | Type::Tuple(_) | Type::Each(_)) => {
                self.report(name.span, "BCP067", format!("a value of type `{ty}` has no functions"));
                self.arguments(arguments, locals)
            }
            ty @ (Type::Object(_) | Type::Module(_)) => {
                self.report(name.span, "BCP109", format!("a value of type `{ty}` has no function `{}`", name.text));
                self.arguments(arguments, locals)
            }
            _ => self.arguments(arguments, locals),
        }
    }

    /// Checks the name of a resource's function, and returns the type of its result.
    fn resource_function(self, id: ResourceId, name: &Name) -> Type {
        let Some(resource) = self.model.resources.get(id).filter(|own| own.is_azure()) else { return Type::Any };
        let has_secrets = resource.ty.eq_ignore_ascii_case("Microsoft.KeyVault/vaults");
        match &*name.text {
            "getSecret" if has_secrets => Type::TEXT,
            own if own.starts_with("list") => Type::Any,
            own => {
                let known = ["getSecret"].into_iter().filter(|_| has_secrets);
                let hint = self.did_you_mean(own, known);
                let code = if hint.is_empty() { "BCP109" } else { "BCP110" };
                self.report(name.span, code, format!("the resource has no function `{own}`{hint}"));
                Type::Any
            }
        }
    }

    /// Infers arguments whose parameters are unknown.
    fn arguments(self, arguments: &'w [Expr], locals: Locals<'_>) -> Type {
        for argument in arguments {
            // In an invalid call, misplaced lambdas are not reported too.
            let checker = if matches!(argument.kind, ExprKind::Lambda { .. }) { self.quiet() } else { self };
            checker.infer(argument, locals);
        }
        Type::Any
    }

    fn not_a_function(self, name: &'w Name, arguments: &'w [Expr], locals: Locals<'_>) -> Type {
        let own = &name.text;
        if is_built_in(own) {
            let namespace = if functions::find(own, Some(Namespace::Sys)).is_some() { "sys" } else { "az" };
            let message = format!("`{own}` is not a function here; write `{namespace}.{own}()` for the built-in one");
            self.report(name.span, "BCP265", message);
        } else {
            self.report(name.span, "BCP059", format!("`{own}` is not a function"));
        }
        self.arguments(arguments, locals)
    }

    /// Checks a call of a function that a file declares.
    fn call_declared(
        self,
        unit: UnitId,
        original: &str,
        name: &'w Name,
        arguments: &'w [Expr],
        locals: Locals<'_>,
    ) -> Type {
        let Some(inner) = self.within(unit) else { return self.arguments(arguments, locals) };
        let Some(Symbol::Function(at)) = inner.model.symbols.get(original) else {
            return self.arguments(arguments, locals);
        };
        let Some((function, _)) = inner.model.functions.get(*at) else { return self.arguments(arguments, locals) };
        let expected = function.parameters.len();
        if arguments.len() != expected {
            let message = format!("`{}` takes {expected} arguments, found {}", name.text, arguments.len());
            self.report(name.span, "BCP071", message);
            self.arguments(arguments, locals);
        } else {
            for (argument, (_, ty)) in arguments.iter().zip(&function.parameters) {
                self.argument(argument, &inner.declared(ty, &[]), locals);
            }
        }
        inner.declared(&function.result, &[])
    }

    /// Checks an argument against the type of its parameter.
    fn argument(self, argument: &'w Expr, expected: &Type, locals: Locals<'_>) {
        let target = self.force(expected);
        let is_object = matches!(argument.bare().kind, ExprKind::Object(_));
        if is_object && matches!(target.without_null(), Type::Object(_) | Type::Tagged(_)) {
            return self.assign(argument, &target, AssignmentTarget::Value, argument.span, locals);
        }
        let found = self.infer(argument, locals);
        if self.is_assignable(&found, &target) {
            self.warn_of_null(argument.span, &found, &target);
        } else {
            self.wrong_argument(argument, &found, &target);
        }
    }

    fn wrong_argument(self, argument: &Expr, found: &Type, expected: &Type) {
        let message = format!("expected an argument of type `{expected}`, found `{found}`");
        self.report(argument.span, "BCP070", message);
    }

    fn call_built_in(self, name: &'w Name, only: Option<Namespace>, arguments: &'w [Expr], locals: Locals<'_>) -> Type {
        let own = &*name.text;
        let Some(known) = functions::find(own, only) else {
            let hint = self.did_you_mean(own, functions::names());
            let (code, hint) = unknown_function(own, only.is_some(), hint);
            self.report(name.span, code, format!("there is no function `{own}`{hint}"));
            return self.arguments(arguments, locals);
        };
        if !(known.least..=known.most).contains(&arguments.len()) {
            // The compiler reports their number.
            return self.arguments(arguments, locals);
        }
        if let Some(ty) = self.call_with_lambda(own, arguments, locals) {
            return ty;
        }
        if own == "nameof" {
            return Type::TEXT;
        }
        if own == "providers" {
            self.warn(name.span, "BCP241", "`providers()` is deprecated, and will be removed");
        }
        let types: Vec<Type> = arguments.iter().map(|argument| self.infer(argument, locals)).collect();
        if functions::requires_inlining(own) {
            for argument in arguments {
                self.without_lambdas(
                    argument,
                    locals,
                    "BCP248",
                    "an argument of a function that is called at the start",
                );
            }
        }
        let overloads = overloads(own);
        if overloads.is_empty() {
            return Type::Any;
        }
        let mut fitting = overloads.iter().filter(|overload| self.mismatch_of(**overload, &types).is_none());
        match (fitting.next(), fitting.next()) {
            // The value decides which overload is called.
            (Some(first), Some(second)) if !first.result().is_same(&second.result()) => Type::Any,
            (Some(overload), _) => {
                for (at, (argument, ty)) in arguments.iter().zip(&types).enumerate() {
                    if let Some(expected) = overload.parameter(at) {
                        self.warn_of_null(argument.span, ty, &expected);
                    }
                }
                self.result(own, *overload, &types, arguments)
            }
            (None, _) => {
                self.report_mismatch(&overloads, &types, arguments);
                Type::Any
            }
        }
    }

    /// Returns the index of the first argument that does not fit an overload.
    fn mismatch_of(self, overload: Overload, types: &[Type]) -> Option<usize> {
        types.iter().enumerate().position(|(at, ty)| {
            overload.parameter(at).is_some_and(|expected| {
                // Bicep rejects null alone as a string.
                !self.is_assignable(ty, &expected)
            })
        })
    }

    fn report_mismatch(self, overloads: &[Overload], types: &[Type], arguments: &'w [Expr]) {
        // The overload that accepts most arguments is the intended one.
        let mismatches = overloads.iter().filter_map(|overload| self.mismatch_of(*overload, types));
        let Some(at) = mismatches.max() else { return };
        let meant = overloads.iter().filter(|overload| self.mismatch_of(**overload, types) == Some(at));
        let expected = Type::union(meant.filter_map(|overload| overload.parameter(at)));
        let (Some(argument), Some(found)) = (arguments.get(at), types.get(at)) else { return };
        if overloads.len() > 1 {
            let message = format!("expected an argument of type `{expected}`, found `{found}`");
            self.report(argument.span, "BCP048", message);
        } else {
            self.wrong_argument(argument, found, &expected);
        }
    }

    /// Returns the type of the result, as far as it depends on the arguments.
    fn result(self, name: &str, overload: Overload, types: &[Type], arguments: &'w [Expr]) -> Type {
        let first = types.first().map_or(Type::Any, |ty| self.forced_value(ty));
        match name {
            "array" => match &first {
                Type::Array(_) | Type::Tuple(_) => first,
                _ => Type::array(),
            },
            "concat" => match overload.result() {
                Type::Array(_) => Type::array(),
                other => other,
            },
            "take" | "skip" => match overload.result() {
                Type::Array(_) => Type::array(),
                _ => self.part_of_text(name, types),
            },
            "first" | "last" => match overload.result() {
                Type::Any => self.end_of(name, types.first().unwrap_or(&Type::Any)),
                _ => Type::text_of(None, Some(1)),
            },
            "flatten" => {
                let inner = self.force(&self.item_of(&first));
                if let (Type::Text(_) | Type::Int(_) | Type::Bool(_), Some(argument)) = (&inner, arguments.first()) {
                    let message = format!("`flatten()` needs an array of arrays, found items of type `{inner}`");
                    self.report(argument.span, "BCP309", message);
                }
                Type::array_of(self.item_of(&inner))
            }
            "items" => match &first {
                Type::Object(object) if object.properties.is_empty() => {
                    pairs(object.additional.clone().unwrap_or(Type::Any))
                }
                _ => pairs(Type::Any),
            },
            "substring" => {
                self.substring_bounds(types, arguments);
                let count = self.int_bounds(types.get(2));
                let most = types.first().and_then(|ty| self.printed_length(ty).1);
                Type::text_of(count.0.filter(|least| *least > 0), count.1.or(most))
            }
            "split" => Type::Limited(
                Limited { ty: Type::array_of(Type::TEXT), least: Some(1), most: None, pattern: None }.into(),
            ),
            "uniqueString" => Type::text_of(Some(13), Some(13)),
            "guid" | "newGuid" => Type::text_of(Some(36), Some(36)),
            "toLower" | "toUpper" => match types.first().map(|ty| self.printed_length(ty)) {
                Some((least, most)) => Type::text_of((least > 0).then_some(least), most),
                None => Type::TEXT,
            },
            "trim" => Type::text_of(None, types.first().and_then(|ty| self.printed_length(ty).1)),
            "padLeft" => self.padded(types),
            _ => overload.result(),
        }
    }

    /// Returns the type of the first or last item of an array.
    fn end_of(self, name: &str, array: &Type) -> Type {
        let Type::Tuple(items) = self.forced_value(array) else {
            let has_items = self.limited(array).is_some_and(|limited| limited.least.is_some_and(|least| least > 0));
            let item = self.item_of(array);
            return if has_items { item } else { item.or_null() };
        };
        let item = if name == "first" { items.first() } else { items.last() };
        item.cloned().unwrap_or(Type::Null)
    }

    /// Returns the type of the first characters of a string, or of those after them.
    fn part_of_text(self, name: &str, types: &[Type]) -> Type {
        let Some(text) = types.first() else { return Type::TEXT };
        let (least, most) = self.printed_length(text);
        let (count_least, count_most) = self.int_bounds(types.get(1));
        let (least, most) = if name == "take" {
            let kept = count_most.map(|count| count.max(0));
            let most = most.map_or(kept, |most| Some(kept.map_or(most, |kept| kept.min(most))));
            (count_least.map_or(0, |count| count.clamp(0, least.max(0))), most)
        } else {
            let left = count_most.map_or(0, |count| least.saturating_sub(count.max(0)));
            (left, most.map(|most| most.saturating_sub(count_least.unwrap_or(0).max(0)).max(0)))
        };
        Type::text_of((least > 0).then_some(least), most)
    }

    fn padded(self, types: &[Type]) -> Type {
        let Some(text) = types.first() else { return Type::TEXT };
        let (least, most) = self.printed_length(text);
        match self.int_bounds(types.get(1)) {
            (Some(count), Some(other)) if count == other => {
                Type::text_of(Some(least.max(count)).filter(|least| *least > 0), most.map(|most| most.max(count)))
            }
            _ => Type::text_of((least > 0).then_some(least), None),
        }
    }

    /// Returns the bounds of an integer.
    fn int_bounds(self, ty: Option<&Type>) -> (Option<i64>, Option<i64>) {
        match ty.map(|ty| (self.force(ty), self.limited(ty))) {
            Some((Type::Int(Some(value)), _)) => (Some(value), Some(value)),
            Some((Type::Int(None), Some(limited))) => (limited.least, limited.most),
            _ => (None, None),
        }
    }

    /// Reports a start or length outside of the string.
    fn substring_bounds(self, types: &[Type], arguments: &'w [Expr]) {
        let (Some(Type::Text(Some(text))), Some(argument)) = (types.first(), arguments.get(1)) else { return };
        let length = i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX);
        let start = self.least_argument(types, arguments, 1);
        if start > length {
            let message = format!("the string has {length} characters, so none begins at {start}");
            return self.report(argument.span, "BCP327", message);
        }
        if let Some(count) = arguments.get(2)
            && start.saturating_add(self.least_argument(types, arguments, 2)) > length
        {
            let message = format!("the string has {length} characters, too few for this length");
            self.report(count.span, "BCP327", message);
        }
    }

    /// Returns the least known value of an integer argument, or 0.
    fn least_argument(self, types: &[Type], arguments: &'w [Expr], at: usize) -> i64 {
        match (types.get(at), arguments.get(at)) {
            (Some(Type::Int(Some(value))), _) => *value,
            (_, Some(argument)) => self.least(argument).unwrap_or(0),
            _ => 0,
        }
    }

    /// Returns the least value of a parameter with `@minValue()`.
    fn least(self, expr: &Expr) -> Option<i64> {
        let ExprKind::Variable(name) = &expr.bare().kind else { return None };
        let Some(Symbol::Param(at)) = self.model.symbols.get(&*name.text) else { return None };
        let param = self.model.params.get(*at)?;
        crate::compiler::semantics::constraints::bound(param.decorators, "minValue")
    }
}

/// Functions of templates that have an operator or a literal in Bicep.
const OPERATORS: [(&str, &str); 14] = [
    ("add", "+"),
    ("and", "&&"),
    ("coalesce", "??"),
    ("div", "/"),
    ("equals", "=="),
    ("greater", ">"),
    ("greaterOrEquals", ">="),
    ("less", "<"),
    ("lessOrEquals", "<="),
    ("mod", "%"),
    ("mul", "*"),
    ("not", "!"),
    ("or", "||"),
    ("sub", "-"),
];

/// Returns the code for a function that does not exist, and the end of its message.
fn unknown_function(name: &str, has_namespace: bool, hint: String) -> (&'static str, String) {
    let operator = OPERATORS.iter().find(|(own, _)| *own == name);
    match name {
        "variables" => ("BCP060", "; write the name of the variable".to_owned()),
        "parameters" => ("BCP061", "; write the name of the parameter".to_owned()),
        "if" => ("BCP100", "; write `condition ? a : b`".to_owned()),
        "createArray" => ("BCP101", "; write an array: `[a, b]`".to_owned()),
        "createObject" => ("BCP102", "; write an object: `{ a: b }`".to_owned()),
        _ => match (operator, has_namespace, hint.is_empty()) {
            (Some((_, sign)), ..) => ("BCP069", format!("; write the operator `{sign}`")),
            (None, true, true) => ("BCP107", hint),
            (None, true, false) => ("BCP108", hint),
            (None, false, true) => ("BCP057", hint),
            (None, false, false) => ("BCP082", hint),
        },
    }
}
