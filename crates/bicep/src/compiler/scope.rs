//! Names that are visible inside of loops, lambdas, functions, and resources.

use std::rc::Rc;

use crate::compiler::formula::Formula;
use crate::compiler::model::ResourceId;
use crate::language::ast::{For, Name, TypeExpr};

/// The innermost frame. `None` at the top of a file.
pub(super) type Scope<'a> = Option<Rc<Frame<'a>>>;

/// Names that one construct introduces.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    outer: Scope<'a>,
    kind: FrameKind<'a>,
}

#[derive(Debug)]
pub(super) enum FrameKind<'a> {
    /// A loop, and the formula for its index.
    Loop(&'a For, Formula),
    Lambda(&'a [Name]),
    Function(&'a [(Name, TypeExpr)]),
    /// Resources nested in a resource.
    Nested(ResourceId),
}

/// Meaning of a name in a scope.
#[derive(Debug)]
pub(super) enum Local<'a> {
    /// An item of a loop: its source, the scope of the source, and the index.
    Item(&'a For, Scope<'a>, Formula),
    Index(Formula),
    Lambda,
    Function,
    /// A resource that may have a nested resource of this name.
    Within(ResourceId),
}

/// Returns a scope inside of another one.
pub(super) fn inside<'a>(outer: &Scope<'a>, kind: FrameKind<'a>) -> Scope<'a> {
    Some(Rc::new(Frame { outer: outer.clone(), kind }))
}

/// Resolves a name. `is_child` returns `true` if a resource has a nested resource of this name.
pub(super) fn find<'a>(scope: &Scope<'a>, name: &str, is_child: impl Fn(ResourceId) -> bool) -> Option<Local<'a>> {
    let mut next = scope.as_ref();
    while let Some(frame) = next {
        match &frame.kind {
            FrameKind::Loop(iteration, index) => {
                if &*iteration.item.text == name {
                    return Some(Local::Item(iteration, frame.outer.clone(), index.clone()));
                }
                if iteration.index.as_ref().is_some_and(|own| &*own.text == name) {
                    return Some(Local::Index(index.clone()));
                }
            }
            FrameKind::Lambda(names) if names.iter().any(|own| &*own.text == name) => return Some(Local::Lambda),
            FrameKind::Function(names) if names.iter().any(|(own, _)| &*own.text == name) => {
                return Some(Local::Function);
            }
            FrameKind::Nested(resource) if is_child(*resource) => return Some(Local::Within(*resource)),
            _ => {}
        }
        next = frame.outer.as_ref();
    }
    None
}
