//! Functions that call a lambda for each item.

use crate::compiler::semantics::Checker;
use crate::compiler::semantics::locals::{LocalBinding, Locals, NameKind, bind, find};
use crate::compiler::semantics::names::{Use, each_use};
use crate::compiler::semantics::types::Type;
use crate::language::ast::{Expr, ExprKind};

/// Kind of an argument of a lambda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LambdaArgument {
    Item,
    Index,
    /// The accumulated value of `reduce()`.
    Sum,
    /// A value of an object.
    Value,
}

use LambdaArgument::{Index, Item, Sum, Value};

/// Functions with lambdas: index of the first lambda, minimum number of its parameters, and their kinds.
const FUNCTIONS: &[(&str, usize, usize, &[LambdaArgument])] = &[
    ("filter", 1, 1, &[Item, Index]),
    ("groupBy", 1, 1, &[Item]),
    ("map", 1, 1, &[Item, Index]),
    ("mapValues", 1, 1, &[Value]),
    ("reduce", 2, 2, &[Sum, Item, Index]),
    ("sort", 1, 2, &[Item, Item]),
    ("toObject", 1, 1, &[Item]),
];

impl<'w> Checker<'_, 'w> {
    /// Infers the type of a call with lambdas. `None` for other functions.
    pub(super) fn call_with_lambda(self, name: &str, arguments: &'w [Expr], locals: Locals<'_>) -> Option<Type> {
        let (_, at, least, given) = FUNCTIONS.iter().find(|(own, ..)| *own == name)?;
        let source = arguments.first()?;
        let ty = self.infer(source, locals);
        let expected = if name == "mapValues" { Type::object() } else { Type::array() };
        if !self.is_assignable(&ty, &expected) {
            let message = format!("expected an argument of type `{expected}`, found `{ty}`");
            self.report(source.span, "BCP070", message);
        }
        let item = self.item_of(&ty);
        let sum = if *at == 2 { self.infer(arguments.get(1)?, locals).widened() } else { Type::Any };
        let mut result = Type::Any;
        for (index, argument) in arguments.iter().enumerate().skip(*at) {
            let types: Vec<Type> = given
                .iter()
                .map(|given| match given {
                    Item => item.clone(),
                    Index => Type::INT,
                    // The lambda may return another type than the first value has.
                    Sum if matches!(sum, Type::Text(_) | Type::Int(_) | Type::Bool(_)) => sum.clone(),
                    Sum | Value => Type::Any,
                })
                .collect();
            let found = self.lambda(argument, &types, *least, locals);
            self.lambda_result(name, index, argument, &found);
            if index == *at {
                result = found;
            }
        }
        Some(match name {
            "filter" | "sort" => Type::array_of(item),
            "map" => Type::array_of(result),
            "reduce" => Type::Any,
            _ => Type::object(),
        })
    }

    /// Checks the result of a lambda.
    fn lambda_result(self, name: &str, index: usize, argument: &Expr, found: &Type) {
        let expected = match (name, index) {
            ("filter" | "sort", 1) => Type::BOOL,
            ("toObject" | "groupBy", 1) => Type::TEXT,
            _ => return,
        };
        if !self.is_assignable(found, &expected) {
            let message = format!("the lambda has to return a value of type `{expected}`, found `{found}`");
            self.report(argument.span, "BCP070", message);
        }
    }

    /// Reports parameters of lambdas in an expression that is evaluated before the lambda is called.
    pub(super) fn without_lambdas(self, expr: &'w Expr, locals: Locals<'_>, code: &'static str, what: &str) {
        each_use(expr, &mut |used| {
            let Use::Value(name) = used else { return };
            if let Some(LocalBinding::Name(_, NameKind::Lambda)) = find(locals, &name.text, |_| false) {
                let message = format!("`{}` is a parameter of a lambda, which cannot be used in {what}", name.text);
                self.report(name.span, code, message);
            }
        });
    }

    /// Infers the type of a lambda's result.
    pub(super) fn lambda(self, argument: &'w Expr, types: &[Type], least: usize, locals: Locals<'_>) -> Type {
        let ExprKind::Lambda { parameters, body } = &argument.bare().kind else {
            let ty = self.infer(argument, locals);
            if !matches!(ty, Type::Any | Type::Lambda) {
                self.report(argument.span, "BCP070", format!("expected a lambda, such as `x => x`, found `{ty}`"));
            }
            return Type::Any;
        };
        if !(least..=types.len()).contains(&parameters.len()) {
            let expected = if least == types.len() { least.to_string() } else { format!("{least} to {}", types.len()) };
            let message = format!("expected a lambda with {expected} parameters, found {}", parameters.len());
            self.report(argument.span, "BCP070", message);
        }
        let types = types.iter().cloned().chain(std::iter::repeat(Type::Any));
        let names: Vec<(&str, Type)> = parameters.iter().map(|name| &*name.text).zip(types).collect();
        bind(locals, &names, NameKind::Lambda, &mut |inner| self.infer(body, inner))
    }
}
