//! Functions of the string family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
