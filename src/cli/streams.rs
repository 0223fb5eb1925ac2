//! Standard output and standard error. No other code writes to them.
//!
//! In a workflow, a runner looks for commands in both streams, so all text passes a [`Guarded`], no matter how it is
//! printed. The exceptions are formwork's own commands.
//!
//! # Invariant
//!
//! Only this module writes to standard output and standard error, and all text passes a `text::escape::Guarded`, so
//! that none of it is a command to the runner of a workflow.

use std::io::{self, Write};

use crate::text::escape::{self, Guarded, Notation};

/// Returns standard output for this kind of text. Starts at the start of a line.
pub(super) fn out(notation: Notation) -> Guarded<io::StdoutLock<'static>> {
    Guarded::new(io::stdout().lock(), notation)
}

/// Returns standard error for people. Starts at the start of a line.
pub(super) fn err() -> Guarded<io::StderrLock<'static>> {
    Guarded::new(io::stderr().lock(), Notation::Plain)
}

/// Returns standard output for commands to the runner. Their parts must be escaped with `command_data` and
/// `command_property`.
pub(super) fn commands_out() -> io::Stdout {
    io::stdout()
}

/// Returns standard error for commands to the runner, like [`commands_out`].
pub(super) fn commands_err() -> io::Stderr {
    io::stderr()
}

/// Makes a panic print one line like any other error. Its message may quote a template.
pub(super) fn guard_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
        let payload = panic.payload();
        let message = payload.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        // If this fails, there is no other stream to report it on.
        let _ = writeln!(err(), "formwork panicked{place}: {}", escape::line(message));
    }));
}
