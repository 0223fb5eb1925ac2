//! Changes that would make a check pass.

use crate::text::Span;
use crate::value::{Str, Value};

/// One change to the text of the author that would make a leaf pass.
#[derive(Clone, Debug)]
pub struct ValueFix {
    /// The name of the value in messages: that of its property, with any indexes after it.
    pub name: String,
    /// The value to write: a Boolean, a number or a string. Of a member that is renamed, the new name.
    pub value: Value,
    /// The text to change.
    pub site: FixSite,
    /// Whether it is only likely that the author wants this.
    pub is_guess: bool,
}

/// Where a fix puts its value. Spans are of the text that was checked, which for a compiled file is what the compiler
/// made of it.
#[derive(Clone, Debug)]
pub enum FixSite {
    /// Replaces an existing value.
    Value {
        /// The text of the value to replace.
        span: Span,
        /// The value to replace, as it was found.
        found: Value,
    },
    /// Adds a member to an object.
    Member {
        /// The text of the object.
        object: Span,
        /// The name of the new member.
        key: Str,
    },
    /// Gives a member of an object another name.
    Key {
        /// The text of the name, with any quotes.
        key: Span,
        /// The text of the value.
        value: Span,
        /// The name, as it was found.
        found: Str,
    },
}
