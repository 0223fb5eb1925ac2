//! The names that are visible inside of loops, lambdas, functions and resources, with their types.

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
    /// The resources that are written in a resource.
    Nested(ResourceId),
}

/// What makes a name visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Loop,
    Lambda,
    Parameter,
}

/// What a name stands for.
#[derive(Debug)]
pub(super) enum Found<'s> {
    Name(&'s Type, NameKind),
    /// The resource whose children have to be searched for the name.
    Within(ResourceId),
}

/// What a name stands for. `is_child` says whether a resource has a child of this name.
pub(super) fn find<'s>(locals: Locals<'s>, name: &str, is_child: impl Fn(ResourceId) -> bool) -> Option<Found<'s>> {
    let mut next = locals;
    while let Some(local) = next {
        match &local.kind {
            LocalKind::Name(own, ty, kind) if *own == name => return Some(Found::Name(ty, *kind)),
            LocalKind::Nested(resource) if is_child(*resource) => return Some(Found::Within(*resource)),
            _ => {}
        }
        next = local.outer;
    }
    None
}

/// Whether the names are those in the body of a resource.
pub(super) fn is_in_resource(locals: Locals<'_>) -> bool {
    let outward = std::iter::successors(locals, |local| local.outer);
    outward.into_iter().any(|local| matches!(local.kind, LocalKind::Nested(_)))
}

/// Runs with more names.
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
