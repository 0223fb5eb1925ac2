//! Workflow commands to the runner. The runner reads the output of a step line by line. It interprets `::name::` at
//! the start of a line, and `##[name]` anywhere in a line, as commands.

use std::io::{self, Write};

use crate::text::escape::command_data;

/// Prints an error, which the summary of the workflow run shows.
pub(super) fn error(out: &mut dyn Write, message: &str) -> io::Result<()> {
    writeln!(out, "::error title=formwork::{}", command_data(message))
}

/// Prints a line that is shown only with debug logging.
pub(super) fn debug(out: &mut dyn Write, message: &str) -> io::Result<()> {
    writeln!(out, "::debug::{}", command_data(message))
}

/// Disables commands while `work` prints to `out`. The word that enables commands again must be random.
pub(super) fn muted<T>(out: &mut dyn Write, word: &str, work: impl FnOnce(&mut dyn Write) -> T) -> io::Result<T> {
    writeln!(out, "::stop-commands::{word}")?;
    out.flush()?;
    let done = work(out);
    // The output may not end with a line break.
    writeln!(out, "\n::{word}::")?;
    out.flush()?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_on_its_line() {
        let mut out = Vec::new();
        error(&mut out, "50%\r\n::error::b").unwrap();
        assert_eq!(out, b"::error title=formwork::50%25%0A::error::b\n");
    }

    #[test]
    fn what_is_muted_stands_between_a_word_and_its_end() {
        let mut out = Vec::new();
        muted(&mut out, "w-1", |out| write!(out, "::error::forged")).unwrap().unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, ["::stop-commands::w-1", "::error::forged", "::w-1::"]);
    }
}
