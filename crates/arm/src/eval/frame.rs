//! The bindings of loop indexes, lambda variables and function arguments during an evaluation.

use std::rc::Rc;

use crate::value::{Str, Value};

/// The innermost frame, or `None` outside of loops, lambdas and functions.
pub type Frames = Option<Rc<Frame>>;

/// A binding in the list of those that are visible to an expression.
#[derive(Debug)]
pub struct Frame {
    outer: Frames,
    binding: Binding,
}

/// The names that a frame binds to values.
#[derive(Debug)]
pub enum Binding {
    /// An iteration of a `copy` loop.
    Loop(Loop),
    /// A variable of a lambda and its value.
    Lambda(Str, Value),
    /// The arguments of a user-defined function, by name. Its body does not see the bindings around the call.
    Arguments(Vec<(Str, Value)>),
}

/// An iteration of a `copy` loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The name of the loop. `None` for the loop of an output.
    pub name: Option<Str>,
    /// The iteration, from 0.
    pub index: i64,
    /// True if the loop creates resources: `copyIndex()` without a name means the innermost such loop.
    pub makes_resources: bool,
}

impl Frame {
    /// Adds a binding inside `outer`, which stays unchanged.
    pub fn push(outer: &Frames, binding: Binding) -> Frames {
        Some(Rc::new(Self { outer: outer.clone(), binding }))
    }
}

/// Returns the visible bindings, innermost first. The arguments of a function hide all bindings outside of it.
fn visible(frames: &Frames) -> impl Iterator<Item = &Binding> {
    let mut next = frames.as_deref();
    std::iter::from_fn(move || {
        let frame = next?;
        let is_call = matches!(frame.binding, Binding::Arguments(_));
        next = if is_call { None } else { frame.outer.as_deref() };
        Some(&frame.binding)
    })
}

/// Returns the loop that `copyIndex(name)` refers to.
pub fn find_loop<'a>(frames: &'a Frames, name: Option<&str>) -> Option<&'a Loop> {
    let loops = || {
        visible(frames).filter_map(|binding| match binding {
            Binding::Loop(found) => Some(found),
            Binding::Lambda(..) | Binding::Arguments(_) => None,
        })
    };
    let has_name =
        |candidate: &&Loop, name: &str| candidate.name.as_deref().is_some_and(|found| found.eq_ignore_ascii_case(name));
    match name {
        Some(name) => loops().find(|candidate| has_name(candidate, name)),
        None => loops().find(|candidate| candidate.makes_resources).or_else(|| loops().next()),
    }
}

/// Returns the value of a lambda variable, case-insensitively. `None` if no visible lambda declares it.
pub fn find_lambda_variable<'a>(frames: &'a Frames, name: &str) -> Option<&'a Value> {
    visible(frames).find_map(|binding| match binding {
        Binding::Lambda(found, value) if found.eq_ignore_ascii_case(name) => Some(value),
        _ => None,
    })
}

/// Returns the arguments of the user-defined function that is being evaluated, if one is.
pub fn arguments(frames: &Frames) -> Option<&[(Str, Value)]> {
    visible(frames).find_map(|binding| match binding {
        Binding::Arguments(values) => Some(values.as_slice()),
        Binding::Loop(_) | Binding::Lambda(..) => None,
    })
}
