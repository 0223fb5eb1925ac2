//! Functions of the format family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
