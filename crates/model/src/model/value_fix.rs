//! Changes that would fix a finding.

use crate::text::Span;
use crate::value::{Str, Value};

/// A change to the template that would fix a failed leaf.
#[derive(Clone, Debug)]
pub struct ValueFix {
    /// The name of the value in messages: that of its property, followed by its indexes.
    pub name: String,
    /// The value to write: a Boolean, a number, or a string. For a renamed member, the new name.
    pub value: Value,
    /// The location of the change.
    pub site: FixSite,
    /// True if the author probably, but not certainly, wants the change.
    pub is_guess: bool,
}

/// The location of a fix. Spans refer to the checked text, which for a compiled file is the output of the compiler.
#[derive(Clone, Debug)]
pub enum FixSite {
    /// Replaces an existing value.
    Value {
        /// The text of the value to replace.
        span: Span,
        /// The existing value.
        found: Value,
    },
    /// Adds a member to an object.
    Member {
        /// The text of the object.
        object: Span,
        /// The name of the new member.
        key: Str,
    },
    /// Renames a member of an object.
    Key {
        /// The text of the name, with any quotes.
        key: Span,
        /// The text of the value.
        value: Span,
        /// The existing name.
        found: Str,
    },
}
