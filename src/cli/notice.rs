//! Notices: what a user should know of a command beside its result.

use std::io::{self, Write};

use crate::text::escape;

/// Prints a notice to standard error. One that cannot be printed changes nothing.
pub(super) fn notice(text: &str) {
    let _ = writeln!(io::stderr(), "notice: {}", escape::line(text));
}
