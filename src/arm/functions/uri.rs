//! Functions of the uri family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
