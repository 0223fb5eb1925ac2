//! Checks of decorators: whether they exist, and whether they may precede a declaration.

use crate::compiler::functions;
use crate::compiler::model::Model;
use crate::diagnostic::{Code, Diagnostic};
use crate::language::ast::{DeclarationKind, Decorator, ExprKind, Resource, TypeExpr};
use crate::language::walk::each_type;
use crate::text::did_you_mean;

/// Maximum number of decorators of one declaration that are compared with each other.
const MAX_DECORATORS: usize = 50;

/// Kind of declaration that a decorator precedes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecoratorTarget {
    Param,
    Output,
    /// A type, or a part of one.
    Type,
    Variable,
    /// A variable with a declared type.
    TypedVariable,
    Function,
    Resource,
    Module,
    /// A statement of any other kind.
    Other,
}

use DecoratorTarget::{Function, Module, Output, Param, Resource as OfResource, Type, Variable};

const TYPED: &[DecoratorTarget] = &[Param, Output, Type];

/// REP 0010 lets `@validate()` decorate variables with a type, too.
const VALIDATED: &[DecoratorTarget] = &[Param, Output, Type, DecoratorTarget::TypedVariable];

/// Decorators: name, minimum and maximum number of arguments, and targets.
const DECORATORS: &[(&str, usize, usize, &[DecoratorTarget])] = &[
    ("allowed", 1, 1, &[Param]),
    ("batchSize", 1, 1, &[OfResource, Module]),
    ("description", 1, 1, &[Param, Output, Type, Variable, Function, OfResource, Module, DecoratorTarget::Other]),
    ("discriminator", 1, 1, TYPED),
    ("export", 0, 0, &[Type, Variable, Function]),
    ("maxLength", 1, 1, TYPED),
    ("maxValue", 1, 1, TYPED),
    ("metadata", 1, 1, TYPED),
    ("minLength", 1, 1, TYPED),
    ("minValue", 1, 1, TYPED),
    ("nullIfNotFound", 0, 0, &[OfResource]),
    ("onlyIfNotExists", 0, 0, &[OfResource]),
    ("patch", 0, 0, &[OfResource]),
    ("retryOn", 1, 2, &[OfResource]),
    ("sealed", 0, 0, TYPED),
    ("secure", 0, 0, TYPED),
    ("validate", 1, usize::MAX, VALIDATED),
    ("waitUntil", 1, 2, &[OfResource]),
];

impl DecoratorTarget {
    fn is_among(self, targets: &[Self]) -> bool {
        targets.contains(&self) || self == Self::TypedVariable && targets.contains(&Variable)
    }

    /// Returns the code for a decorator that the declaration cannot have.
    const fn code(self) -> &'static str {
        match self {
            Param => "BCP125",
            Variable | Self::TypedVariable => "BCP126",
            OfResource => "BCP127",
            Module => "BCP128",
            Output => "BCP129",
            Type => "BCP297",
            Function => "BCP152",
            Self::Other => "BCP269",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Param => "a parameter",
            Output => "an output",
            Type => "a type",
            Variable | Self::TypedVariable => "a variable",
            Function => "a function",
            OfResource => "a resource",
            Module => "a module",
            Self::Other => "this statement",
        }
    }
}

/// Reports unknown decorators, and decorators that are not allowed on their targets.
pub(super) fn problems(model: &Model<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for statement in model.declarations {
        let (target, types): (DecoratorTarget, Vec<&TypeExpr>) = match &statement.kind {
            DeclarationKind::Param { ty, .. } => (Param, ty.iter().collect()),
            DeclarationKind::Var { ty: None, .. } => (Variable, Vec::new()),
            DeclarationKind::Var { ty: Some(ty), .. } => (DecoratorTarget::TypedVariable, vec![ty]),
            DeclarationKind::Output { ty, .. } => (Output, vec![ty]),
            DeclarationKind::Type { ty, .. } => (Type, vec![ty]),
            DeclarationKind::Func(function) => {
                let types = function.parameters.iter().map(|(_, ty)| ty).chain([&function.result]);
                (Function, types.collect())
            }
            // Resources are checked below, with those nested in them.
            DeclarationKind::Resource(_) => continue,
            DeclarationKind::Module(module) => {
                check_decorators(&statement.decorators, Module, is_loop(&module.body.kind), &mut found);
                continue;
            }
            DeclarationKind::TargetScope(_) | DeclarationKind::Using { .. } | DeclarationKind::Extends(_) => {
                found.extend(statement.decorators.iter().map(|decorator| {
                    let message = "this statement cannot have a decorator; remove it";
                    Diagnostic::new(Code::BicepDiagnostic, decorator.span, message).with_bicep_code("BCP130")
                }));
                continue;
            }
            _ => (DecoratorTarget::Other, Vec::new()),
        };
        check_decorators(&statement.decorators, target, false, &mut found);
        for ty in types {
            check_type(ty, &mut found);
        }
    }
    for resource in &model.resources {
        let Resource { decorators, body, .. } = resource.declaration;
        check_decorators(decorators, OfResource, is_loop(&body.kind), &mut found);
    }
    found
}

fn is_loop(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::For(_) => true,
        ExprKind::Paren(inner) => is_loop(&inner.kind),
        _ => false,
    }
}

fn check_decorators(decorators: &[Decorator], target: DecoratorTarget, is_loop: bool, found: &mut Vec<Diagnostic>) {
    for (at, own) in decorators.iter().enumerate().take(MAX_DECORATORS) {
        let mut others = decorators.iter().enumerate().take(MAX_DECORATORS);
        if others.any(|(other, decorator)| other != at && decorator.name.text == own.name.text) {
            let message = format!("`@{}` is written more than once; remove one", own.name.text);
            found.push(Diagnostic::new(Code::BicepDiagnostic, own.span, message).with_bicep_code("BCP166"));
        }
    }
    for decorator in decorators {
        check_one(decorator, target, is_loop, false, found);
    }
}

fn check_one(
    decorator: &Decorator,
    target: DecoratorTarget,
    is_loop: bool,
    is_lenient: bool,
    found: &mut Vec<Diagnostic>,
) {
    let name = &*decorator.name.text;
    let message = match DECORATORS.iter().find(|(own, ..)| *own == name) {
        None => {
            let names = DECORATORS.iter().map(|(own, ..)| *own);
            let hint = did_you_mean(name, names);
            let is_function = functions::find(name, None).is_some();
            let code = match (is_function, hint.is_empty()) {
                (true, _) => target.code(),
                (false, true) => "BCP057",
                (false, false) => "BCP082",
            };
            Some((code, format!("there is no decorator `{name}`{hint}")))
        }
        Some((_, _, _, targets)) if !target.is_among(targets) && !is_lenient => {
            Some((target.code(), format!("`@{name}` cannot decorate {}", target.name())))
        }
        Some((_, least, most, _)) if !(*least..=*most).contains(&decorator.arguments.len()) => {
            Some(("BCP071", format!("`@{name}` does not take {} arguments", decorator.arguments.len())))
        }
        Some(_) if name == "batchSize" && !is_loop => {
            Some(("BCP155", format!("`@{name}` can decorate only a loop of resources or modules")))
        }
        Some(_) => None,
    };
    found.extend(message.map(|(code, message)| {
        Diagnostic::new(Code::BicepDiagnostic, decorator.name.span, message).with_bicep_code(code)
    }));
}

fn check_type(ty: &TypeExpr, found: &mut Vec<Diagnostic>) {
    each_type(ty, &mut |inner, decorators| {
        for decorator in decorators {
            // With a namespace, the Bicep CLI takes any decorator of a part of a type, and ignores it if it means nothing.
            check_one(decorator, Type, false, decorator.is_qualified, found);
        }
        check_type(inner, found);
    });
}
