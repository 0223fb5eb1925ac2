//! Values that refer to a resource of the same stack. They can only be checked together with that resource.

use crate::published::facts::referred;
use crate::published::judge::Judge;
use crate::published::misfit::MisfitStep;
use crate::published::tolerance::Cloud;
use crate::value::Value;

/// A reference to a resource in a place where the type restricts the value.
#[derive(Debug)]
pub(in crate::published) struct Reference<'a> {
    /// Path of the value, as in a misfit.
    pub(in crate::published) steps: Vec<MisfitStep<'a>>,
    pub(in crate::published) chosen: Vec<(usize, &'a Value)>,
    pub(in crate::published) found: &'a Value,
    pub(in crate::published) demand: Demand,
}

/// Requirement on the value of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::published) enum Demand {
    Array,
    Object,
    /// A string with this format.
    Format(&'static str),
}

impl<'a> Judge<'a> {
    /// Records a value that may be a reference.
    pub(super) fn refer(&mut self, found: &'a Value, demand: Demand) {
        if self.cloud == Cloud::Aws && referred(found).is_some() {
            let (steps, chosen) = (self.steps.clone(), self.chosen.clone());
            self.references.push(Reference { steps, chosen, found, demand });
        }
    }
}
