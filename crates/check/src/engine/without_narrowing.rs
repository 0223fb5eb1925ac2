//! Restrictions of runs without an operating system, of which there are none: nobody knows what changed.

use std::convert::Infallible;
use std::marker::PhantomData;

/// Restriction of a run to a part of its files.
#[derive(Debug)]
pub struct Narrowing<'a>(Infallible, PhantomData<&'a ()>);
