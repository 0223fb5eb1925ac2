//! Decorators that constrain values.

use crate::compiler::model::{Symbol, decorator};
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::assign::AssignmentTarget;
use crate::compiler::semantics::declared::literal;
use crate::compiler::semantics::types::{Limited, Type};
use crate::language::ast::{
    Declaration, DeclarationKind, Decorator, Expr, ExprKind, Item, Resource, TypeExpr, TypeKind, Unary,
};
use crate::language::walk::each_type;

/// Pairs of decorators for the lower and the upper bound of a range.
const RANGES: [(&str, &str); 2] = [("minLength", "maxLength"), ("minValue", "maxValue")];

/// Decorators that are invalid on a reference to a declared type.
const NOT_OF_NAMES: [&str; 6] = ["minLength", "maxLength", "minValue", "maxValue", "secure", "allowed"];

/// Decorators whose arguments have to be literals.
const CONSTANT: [&str; 9] = [
    "allowed",
    "batchSize",
    "description",
    "discriminator",
    "maxLength",
    "maxValue",
    "metadata",
    "minLength",
    "minValue",
];

/// Returns the integer argument of a decorator.
pub(super) fn bound(decorators: &[Decorator], name: &str) -> Option<i64> {
    let argument = decorator(decorators, name)?.arguments.first()?.bare();
    match &argument.kind {
        ExprKind::Int(value) => i64::try_from(*value).ok(),
        ExprKind::Unary(Unary::Minus, inner) => match &inner.bare().kind {
            ExprKind::Int(value) => i64::try_from(-i128::from(*value)).ok(),
            _ => None,
        },
        _ => None,
    }
}

impl<'w> Checker<'_, 'w> {
    /// Checks the decorators of a declaration, and of the parts of its types.
    pub(super) fn decorators_of(self, declaration: &'w Declaration) {
        let decorators = &declaration.decorators;
        self.hidden_decorators(decorators);
        match &declaration.kind {
            DeclarationKind::Param { ty: Some(ty), .. } => {
                self.type_decorators(ty, decorators);
                self.allowed(ty, decorators);
            }
            DeclarationKind::Output { ty, .. } | DeclarationKind::Type { ty, .. } => {
                self.type_decorators(ty, decorators);
            }
            DeclarationKind::Var { ty, .. } => {
                self.constants(decorators);
                if let Some(ty) = ty {
                    self.validators(decorators, &self.declared(ty, &[]));
                    self.inner_decorators(ty);
                }
            }
            DeclarationKind::Func(function) => {
                self.constants(decorators);
                for (_, ty) in &function.parameters {
                    self.inner_decorators(ty);
                }
                self.inner_decorators(&function.result);
            }
            DeclarationKind::Resource(resource) => {
                self.hidden_decorators(&resource.decorators);
                self.resource_decorators(resource);
            }
            _ => self.constants(decorators),
        }
    }

    /// Checks the decorators of a resource, and of those nested in it.
    fn resource_decorators(self, resource: &'w Resource) {
        self.constants(&resource.decorators);
        for own in &resource.decorators {
            match &*own.name.text {
                "nullIfNotFound" if !resource.is_existing => {
                    let message = "only an existing resource can be null if it is not found; remove the decorator";
                    self.report(own.span, "BCP445", message);
                }
                "retryOn" => self.retry_on(own),
                _ => {}
            }
        }
        for inner in resource.nested() {
            self.resource_decorators(inner);
        }
    }

    /// Checks the arguments of `@retryOn()`.
    fn retry_on(self, own: &'w Decorator) {
        let count = Type::Limited(Limited { ty: Type::INT, least: Some(1), most: None, pattern: None }.into());
        for (argument, expected) in own.arguments.iter().zip([Type::array_of(Type::TEXT), count]) {
            let found = self.quiet().infer(argument, None);
            let whole = if matches!(self.force(&expected), Type::Array(_)) { Type::array() } else { Type::INT };
            if self.is_assignable(&found, &whole) {
                self.assign(argument, &expected, AssignmentTarget::Value, argument.span, None);
            } else {
                let message = format!("expected an argument of type `{whole}`, found `{found}`");
                self.report(argument.span, "BCP070", message);
            }
        }
    }

    /// Reports decorators that a declaration of the file hides.
    fn hidden_decorators(self, decorators: &[Decorator]) {
        for own in decorators.iter().filter(|own| !own.is_qualified) {
            let name = &*own.name.text;
            if self.model.symbols.contains_key(name) {
                let message = format!("the file declares `{name}`, which is not a decorator; write `@sys.{name}`");
                self.report(own.name.span, "BCP265", message);
            }
        }
    }

    fn inner_decorators(self, ty: &'w TypeExpr) {
        each_type(ty, &mut |inner, decorators| self.type_decorators(inner, decorators));
    }

    fn type_decorators(self, ty: &'w TypeExpr, decorators: &'w [Decorator]) {
        self.inner_decorators(ty);
        if decorators.is_empty() {
            return;
        }
        self.constants(decorators);
        let is_name = self.is_declared_type(ty);
        let found = self.forced_value(&self.declared(ty, &[]));
        for own in decorators {
            let name = &*own.name.text;
            if is_name && NOT_OF_NAMES.contains(&name) {
                let message = format!("`@{name}` cannot decorate what has a declared type; decorate that type instead");
                self.report(own.name.span, "BCP308", message);
            } else if !accepts_type(name, &found) {
                let message = format!("`@{name}` cannot decorate the type `{found}`");
                self.report(own.name.span, "BCP124", message);
            }
            if name == "sealed" && matches!(&ty.bare().kind, TypeKind::Object { additional: Some(_), .. }) {
                let message = "`@sealed` cannot decorate a type with additional properties; remove one of the two";
                self.report(own.span, "BCP316", message);
            }
            if name == "discriminator" {
                self.discriminator(ty, own);
            }
            if name == "secure" && is_untyped(ty) {
                let message = "`@secure` needs a type: `string` or `object`";
                self.report(own.name.span, "BCP440", message);
            }
        }
        for (low, high) in RANGES {
            if let (Some(least), Some(most), Some(own)) =
                (bound(decorators, low), bound(decorators, high), decorator(decorators, low))
                && least > most
            {
                let message = format!("no value has `@{low}({least})` and `@{high}({most})`");
                self.report(own.span, "BCP331", message);
            }
        }
        self.validators(decorators, &self.declared(ty, decorators));
    }

    /// True if a type is a reference to a declaration.
    fn is_declared_type(self, ty: &TypeExpr) -> bool {
        match &ty.kind {
            TypeKind::Paren(inner) | TypeKind::Nullable(inner) | TypeKind::NonNull(inner) => {
                self.is_declared_type(inner)
            }
            TypeKind::Name(name) => {
                matches!(self.model.symbols.get(&*name.text), Some(Symbol::Type(_) | Symbol::Imported(..)))
            }
            TypeKind::Property { base, .. } => match &base.kind {
                TypeKind::Name(name) => self.model.symbols.contains_key(&*name.text),
                _ => self.is_declared_type(base),
            },
            TypeKind::Element { base, .. } | TypeKind::Items(base) | TypeKind::Additional(base) => {
                self.is_declared_type(base)
            }
            _ => false,
        }
    }

    /// Checks that the arguments of decorators are literals of the expected type.
    fn constants(self, decorators: &'w [Decorator]) {
        for own in decorators {
            let name = &*own.name.text;
            if !CONSTANT.contains(&name) {
                continue;
            }
            for argument in &own.arguments {
                self.constant(argument);
            }
            let expected = match name {
                "description" | "discriminator" => Type::TEXT,
                "allowed" => Type::array(),
                "metadata" => Type::object(),
                _ => Type::INT,
            };
            if let (Some(argument), Some(value)) = (own.arguments.first(), bound(decorators, name)) {
                if name == "batchSize" && value < 1 {
                    self.report(argument.span, "BCP154", format!("the batch size has to be at least 1, found {value}"));
                } else if name.ends_with("Length") && value < 0 {
                    self.report(argument.span, "BCP168", format!("a length cannot be negative, found {value}"));
                }
            }
            if let Some(argument) = own.arguments.first() {
                let found = self.quiet().infer(argument, None);
                if !self.is_assignable(&found, &expected) {
                    let message = format!("expected an argument of type `{expected}`, found `{found}`");
                    self.report(argument.span, "BCP070", message);
                }
            }
        }
    }

    fn constant(self, expr: &'w Expr) {
        match &expr.kind {
            ExprKind::Skipped | ExprKind::Null | ExprKind::Bool(_) | ExprKind::Int(_) => {}
            ExprKind::Text(text) if text.literal().is_some() => {}
            ExprKind::Paren(inner) => self.constant(inner),
            ExprKind::Unary(Unary::Minus, inner) if matches!(inner.bare().kind, ExprKind::Int(_)) => {}
            ExprKind::Array(items) => items.iter().for_each(|item| self.constant(&item.value)),
            ExprKind::Object(items) => {
                self.duplicate_properties(items);
                for item in items {
                    if let Item::Property(property) = item {
                        self.constant(&property.value);
                    }
                }
            }
            _ => self.report(expr.span, "BCP032", "the argument of a decorator has to be a literal"),
        }
    }

    /// Checks `@allowed()` of a parameter.
    fn allowed(self, ty: &'w TypeExpr, decorators: &'w [Decorator]) {
        let Some(own) = decorator(decorators, "allowed") else { return };
        let Some(argument) = own.arguments.first() else { return };
        let found = self.forced_value(&self.declared(ty, &[]));
        if found.members().iter().any(Type::is_literal) || matches!(&ty.bare().kind, TypeKind::Object { .. }) {
            let message = "`@allowed` cannot decorate a literal or a union of literals; write the values in the type";
            return self.report(own.name.span, "BCP295", message);
        }
        let ExprKind::Array(items) = &argument.bare().kind else { return };
        if items.is_empty() {
            self.report(argument.span, "BCP099", "`@allowed` needs at least one value");
        }
        for item in items {
            let expected = match &found {
                // Each value may be one item, or a whole array.
                Type::Array(_) | Type::Tuple(_) => Type::Any,
                other => other.clone(),
            };
            self.assign(&item.value, &expected, AssignmentTarget::Item, item.value.span, None);
        }
    }

    /// Checks the lambdas of `@validate()`, and the messages after them.
    fn validators(self, decorators: &'w [Decorator], ty: &Type) {
        let Some(own) = decorator(decorators, "validate") else { return };
        let count = own.arguments.len();
        if count > 1 && count % 2 == 1 {
            let message = "`@validate` takes a lambda, or pairs of a lambda and its message";
            self.report(own.span, "BCP071", message);
        }
        for (at, argument) in own.arguments.iter().enumerate() {
            let (found, expected) = if at % 2 == 0 {
                let value = self.forced_value(ty);
                (self.lambda(argument, &[value], 1, None), Type::BOOL)
            } else {
                (self.infer(argument, None), Type::TEXT)
            };
            if !self.is_assignable(&found, &expected) {
                let what = if at % 2 == 0 { "the lambda has to return" } else { "the message has to be" };
                self.report(argument.span, "BCP070", format!("{what} a value of type `{expected}`, found `{found}`"));
            } else if at % 2 == 1 && literal(argument).is_none() {
                self.report(argument.span, "BCP032", "the message has to be a literal");
            }
        }
    }
}

/// True if a decorator is valid on a type.
fn accepts_type(name: &str, ty: &Type) -> bool {
    ty.members().iter().all(|ty| match (name, ty) {
        (_, Type::Any | Type::Named(..) | Type::Published(..)) => true,
        ("minLength" | "maxLength", Type::Text(_) | Type::Array(_) | Type::Tuple(_)) => true,
        ("minLength" | "maxLength", _) => false,
        ("minValue" | "maxValue", Type::Int(_)) => true,
        ("minValue" | "maxValue", _) => false,
        ("secure", Type::Text(_) | Type::Object(_) | Type::Tagged(_)) => true,
        ("secure", _) => false,
        ("sealed", Type::Object(_) | Type::Tagged(_)) => true,
        ("sealed", _) => false,
        _ => true,
    })
}

/// True if a type is `any`.
fn is_untyped(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Paren(inner) | TypeKind::Nullable(inner) | TypeKind::NonNull(inner) => is_untyped(inner),
        TypeKind::Name(name) => &*name.text == "any",
        _ => false,
    }
}
