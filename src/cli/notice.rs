//! Notices: information about a command that is not part of its result.

use std::io::{self, Write};

use crate::text::escape;

/// Prints a notice to standard error. A failure to print it is ignored.
pub(super) fn notice(text: &str) {
    let _ = writeln!(io::stderr(), "notice: {}", escape::line(text));
}
