//! Functions of the numeric family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
