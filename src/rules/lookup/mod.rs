//! Finds the resources and values that rules ask for, and the text that the author wrote for them. Both rule languages
//! read documents through this module.

mod children;
mod locate;
mod path;
mod place;
mod type_index;

pub(in crate::rules) use self::children::is_below;
pub(in crate::rules) use self::locate::{locate, start, step};
pub(in crate::rules) use self::path::{Path, Segment};
pub(in crate::rules) use self::place::{Link, Node, Place};
pub(in crate::rules) use self::type_index::TypeIndex;
