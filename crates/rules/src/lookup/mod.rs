//! Finds what rules look at: resources by type, values by path, and the text that the author wrote for them.
//!
//! Both rule languages read a [`Document`](crate::model::Document) through this module. JSON rules use all of it; Guard
//! follows paths of its own, and uses [`TypeIndex::doubt`] and [`locate()`].
//!
//! A [`Position`] is what a rule has reached: an [`Owner`] (a resource or a deployment), the steps from there, and the
//! [`Target`] at their end. Positions may lead beyond what exists or is known, since rules judge that, too.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod children;
mod locate;
mod path;
mod position;
mod references;
mod type_index;

pub(super) use self::children::is_below;
pub(super) use self::locate::{Located, locate, walk_along, walk_from};
pub(super) use self::path::{Path, Segment};
pub(super) use self::position::{Owner, PathStep, Position, Target};
pub(super) use self::references::{ReferenceTarget, References};
pub(super) use self::type_index::{ANY_TYPE, TypeIndex};

use crate::value::{Data, Value};

/// True if two names mean one location of Azure: `West Europe` and `westeurope`.
pub(super) fn is_same_location(one: &str, other: &str) -> bool {
    let letters =
        |text: &str| text.chars().filter(|letter| *letter != ' ').flat_map(char::to_lowercase).collect::<String>();
    letters(one) == letters(other)
}

/// Returns a name of a location of Azure without spaces, and other values unchanged.
pub(super) fn compared_location(value: &Value) -> Value {
    match &value.data {
        Data::String(text) if text.contains(' ') => {
            Value { data: Value::from(text.replace(' ', "")).data, ..value.clone() }
        }
        _ => value.clone(),
    }
}
