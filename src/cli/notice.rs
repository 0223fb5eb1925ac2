//! Notices: information about a command that is not part of its result.

use std::io::Write;

use crate::cli::streams;
use crate::text::escape;

/// Prints a notice to standard error. A failure to print it is ignored.
pub(super) fn notice(text: &str) {
    let _ = writeln!(streams::err(), "notice: {}", escape::line(text));
}
