//! Functions of the comparison family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
