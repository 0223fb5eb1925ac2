//! What the names of loops, lambdas and function arguments stand for at one place of an evaluation.

use std::rc::Rc;

use crate::value::{Str, Value};

/// The innermost frame, if there is any.
pub(crate) type Frames = Option<Rc<Frame>>;

/// One binding and what lies around it.
#[derive(Debug)]
pub struct Frame {
    outer: Frames,
    binding: Binding,
}

/// What a frame binds.
#[derive(Debug)]
pub enum Binding {
    /// One iteration of a `copy` loop.
    Loop(Loop),
    /// The variable of a lambda.
    Lambda(Str, Value),
    /// The arguments of a user-defined function. What lies around a call is not seen inside.
    Arguments(Vec<(Str, Value)>),
}

/// One iteration of a `copy` loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The name of the loop. `None` for the loop of an output.
    pub name: Option<Str>,
    /// The iteration, from 0.
    pub index: i64,
    /// Whether it makes resources: `copyIndex()` without a name means the innermost of those.
    pub makes_resources: bool,
}

impl Frame {
    /// `outer` with one more binding.
    pub fn push(outer: &Frames, binding: Binding) -> Frames {
        Some(Rc::new(Self { outer: outer.clone(), binding }))
    }
}

/// The bindings that are seen from `frames`, innermost first. The arguments of a function are the last.
fn visible(frames: &Frames) -> impl Iterator<Item = &Binding> {
    let mut next = frames.as_deref();
    std::iter::from_fn(move || {
        let frame = next?;
        let is_call = matches!(frame.binding, Binding::Arguments(_));
        next = if is_call { None } else { frame.outer.as_deref() };
        Some(&frame.binding)
    })
}

/// The loop that `copyIndex(name)` means.
pub(crate) fn find_loop<'a>(frames: &'a Frames, name: Option<&str>) -> Option<&'a Loop> {
    let loops = || visible(frames).filter_map(|it| if let Binding::Loop(it) = it { Some(it) } else { None });
    match name {
        Some(name) => loops().find(|it| it.name.as_deref().is_some_and(|found| found.eq_ignore_ascii_case(name))),
        None => loops().find(|it| it.makes_resources).or_else(|| loops().next()),
    }
}

/// The value of a lambda's variable.
pub(crate) fn find_lambda_variable<'a>(frames: &'a Frames, name: &str) -> Option<&'a Value> {
    visible(frames).find_map(|it| match it {
        Binding::Lambda(found, value) if found.eq_ignore_ascii_case(name) => Some(value),
        _ => None,
    })
}

/// The arguments of the user-defined function that is being evaluated, if one is.
pub(crate) fn arguments(frames: &Frames) -> Option<&[(Str, Value)]> {
    visible(frames).find_map(|it| if let Binding::Arguments(it) = it { Some(it.as_slice()) } else { None })
}
