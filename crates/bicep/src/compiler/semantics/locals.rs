//! Names that are visible inside of loops, lambdas, functions, and resources, with their types.

use crate::compiler::model::ResourceId;
use crate::compiler::semantics::types::Type;

/// The innermost name. `None` at the top of a file.
pub(super) type Locals<'s> = Option<&'s Local<'s>>;

#[derive(Debug)]
pub(super) struct Local<'s> {
    pub outer: Locals<'s>,
    pub kind: LocalKind<'s>,
}

#[derive(Debug)]
pub(super) enum LocalKind<'s> {
    /// A name and its type.
    Name(&'s str, Type, NameKind),
    /// Resources nested in a resource.
    Nested(ResourceId),
    /// A branch of a choice, which may be chosen only for a value that is not null.
    Branch,
}

/// Construct that declares a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Loop,
    Lambda,
    Parameter,
}

/// Meaning of a local name.
#[derive(Debug)]
pub(super) enum LocalBinding<'s> {
    Name(&'s Type, NameKind),
    /// A resource that may have a nested resource of this name.
    Within(ResourceId),
}

/// Resolves a local name. `is_child` returns `true` if a resource has a nested resource of this name.
pub(super) fn find<'s>(
    locals: Locals<'s>,
    name: &str,
    is_child: impl Fn(ResourceId) -> bool,
) -> Option<LocalBinding<'s>> {
    let mut next = locals;
    while let Some(local) = next {
        match &local.kind {
            LocalKind::Name(own, ty, kind) if *own == name => return Some(LocalBinding::Name(ty, *kind)),
            LocalKind::Nested(resource) if is_child(*resource) => return Some(LocalBinding::Within(*resource)),
            _ => {}
        }
        next = local.outer;
    }
    None
}

/// Returns the innermost resource in whose body the names are visible.
pub(super) fn enclosing_resource(locals: Locals<'_>) -> Option<ResourceId> {
    let mut outward = std::iter::successors(locals, |local| local.outer);
    outward.find_map(|local| match local.kind {
        LocalKind::Nested(id) => Some(id),
        _ => None,
    })
}

/// True if an expression is part of a branch of a choice.
pub(super) fn is_in_branch(locals: Locals<'_>) -> bool {
    let outward = std::iter::successors(locals, |local| local.outer);
    outward.into_iter().any(|local| matches!(local.kind, LocalKind::Branch))
}

/// Calls `run` with more names in scope.
pub(super) fn bind<R>(
    outer: Locals<'_>,
    names: &[(&str, Type)],
    kind: NameKind,
    run: &mut dyn FnMut(Locals<'_>) -> R,
) -> R {
    let Some(((name, ty), rest)) = names.split_first() else { return run(outer) };
    let local = Local { outer, kind: LocalKind::Name(name, ty.clone(), kind) };
    bind(Some(&local), rest, kind, run)
}
