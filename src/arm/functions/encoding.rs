//! Functions of the encoding family.

use crate::arm::functions::Function;

pub(super) const FUNCTIONS: &[Function] = &[];
