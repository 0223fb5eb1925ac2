//! Functions of the array family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
