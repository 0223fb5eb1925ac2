//! Functions of the cidr family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
