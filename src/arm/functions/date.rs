//! Functions of the date family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
