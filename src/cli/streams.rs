//! Standard output and standard error. Nothing else writes to them.
//!
//! In a workflow, a runner looks for commands in both, so all text passes a [`Guarded`], whoever printed it and in how many
//! pieces. The exceptions are the commands of formwork itself.

use std::io::{self, Write};

use crate::text::escape::{self, Guarded, Notation};

/// Standard output for this kind of text. Each begins at the start of a line.
pub(super) fn out(notation: Notation) -> Guarded<io::StdoutLock<'static>> {
    Guarded::new(io::stdout().lock(), notation)
}

/// Standard error, which is for people. Each begins at the start of a line.
pub(super) fn err() -> Guarded<io::StderrLock<'static>> {
    Guarded::new(io::stderr().lock(), Notation::Plain)
}

/// Standard output for commands to the runner. Their parts must be escaped with `command_data` and `command_property`.
pub(super) fn commands_out() -> io::Stdout {
    io::stdout()
}

/// As [`commands_out`], for standard error.
pub(super) fn commands_err() -> io::Stderr {
    io::stderr()
}

/// Lets a panic print one line like any other error. Its message may quote a template.
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
