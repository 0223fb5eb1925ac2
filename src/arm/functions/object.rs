//! Functions of the object family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
