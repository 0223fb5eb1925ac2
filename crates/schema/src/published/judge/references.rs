//! Values that refer to a resource of the same stack: what they are is known only together with that resource.

use crate::published::facts::referred;
use crate::published::judge::Judge;
use crate::published::misfit::Step;
use crate::published::tolerance::Cloud;
use crate::value::Value;

/// A value that refers to a resource, where the type says what its value must be.
#[derive(Debug)]
pub(in crate::published) struct Reference<'a> {
    /// As in a misfit.
    pub(in crate::published) steps: Vec<Step<'a>>,
    pub(in crate::published) chosen: Vec<(usize, &'a Value)>,
    pub(in crate::published) found: &'a Value,
    pub(in crate::published) demand: Demand,
}

/// What the value of a reference must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::published) enum Demand {
    Array,
    Object,
    /// A string of this format.
    Format(&'static str),
}

impl<'a> Judge<'a> {
    /// Notes a value that may be a reference.
    pub(super) fn refer(&mut self, found: &'a Value, demand: Demand) {
        if self.cloud == Cloud::Aws && referred(found).is_some() {
            let (steps, chosen) = (self.steps.clone(), self.chosen.clone());
            self.references.push(Reference { steps, chosen, found, demand });
        }
    }
}
