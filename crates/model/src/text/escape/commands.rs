//! Workflow commands to a runner.
//!
//! The runner reads the output of a step line by line. It interprets `::name::` at the start of a line, after blanks,
//! and `##[name]` anywhere in a line as commands. Azure Pipelines also interprets `##vso[name]`. See
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.

use std::borrow::Cow;

use crate::text::escape::terminal::{is_written_out, written_out};

/// Starts a command at the start of a line.
const COMMAND: &str = "::";

/// Starts a command of the older form, and one of Azure Pipelines. Case is ignored.
const OLD_COMMANDS: [&str; 2] = ["##[", "##vso["];

/// Escapes `text` for any position in a line except its start. Characters that a terminal or a runner interprets are
/// escaped, for example as `\u{1b}` for ESC. The result is one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    let shown = written_out(text);
    if !has_old_command(&shown) {
        return shown;
    }
    let mut kept = String::with_capacity(shown.len() + 8);
    for part in shown.split_inclusive('[') {
        match part.strip_suffix('[').filter(|_| has_old_command(part)) {
            Some(start) => kept.extend([start, "\\u{5b}"]),
            None => kept.push_str(part),
        }
    }
    Cow::Owned(kept)
}

/// Returns each line of `text` as [`visible`] shows it, with a line feed between them.
pub fn visible_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(|line| visible(line.strip_suffix('\r').unwrap_or(line))).collect();
    lines.join("\n")
}

fn has_old_command(text: &str) -> bool {
    text.contains("##") && OLD_COMMANDS.iter().any(|command| text.to_ascii_lowercase().contains(command))
}

/// Escapes `text` like [`visible`], and also for the start of a line.
pub fn line(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    let blanks = shown.len() - shown.trim_start().len();
    match shown.split_at_checked(blanks) {
        Some((blanks, rest)) if rest.starts_with(COMMAND) => {
            Cow::Owned(format!("{blanks}\\u{{3a}}{}", rest.strip_prefix(':').unwrap_or(rest)))
        }
        _ => shown,
    }
}

/// Escapes the name of a file for the start of a line. A name that starts like a command stays valid as a path.
pub fn file_name(name: &str) -> Cow<'_, str> {
    let shown = visible(name);
    if shown.trim_start().starts_with(COMMAND) { Cow::Owned(format!("./{shown}")) } else { shown }
}

/// Returns whether a line can be printed unchanged, because neither a terminal nor a runner interprets anything in
/// it. Tabs and the `\r` of a line ending are allowed.
pub fn is_plain_line(line: &str) -> bool {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let is_command = line.trim_start().starts_with(COMMAND) || has_old_command(line);
    !is_command && !line.contains(|c: char| is_written_out(c) && c != '\t')
}

/// Escapes `text` as the message of a command. The runner decodes its lines. Other characters that a terminal
/// interprets stay escaped, because the log is read in a terminal.
pub fn command_data(text: &str) -> String {
    visible_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// Escapes `text` as the value of a property of a command, like [`command_data`].
pub fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_runner_obeys_anywhere_is_written_out() {
        assert_eq!(visible("a ##[error]b"), "a ##\\u{5b}error]b");
        assert_eq!(visible("##VSO[a]##[[b]#[c]"), "##VSO\\u{5b}a]##\\u{5b}[b]#[c]");
        assert_eq!(visible("a ::error::b"), "a ::error::b");
    }

    #[test]
    fn a_line_starts_no_command() {
        assert_eq!(line("::error::x"), "\\u{3a}:error::x");
        assert_eq!(line("  ::error::x"), "  \\u{3a}:error::x");
        assert_eq!(line("a\n::error::x"), "a\\n::error::x");
        assert_eq!(line("\x1b[2J"), "\\u{1b}[2J");
        assert_eq!(line("größe: 5 %"), "größe: 5 %");
    }

    #[test]
    fn file_names_stay_on_their_line_and_command_nothing() {
        for (name, expected) in [
            ("a b/ü.json", "a b/ü.json"),
            ("a\nb\u{1b}.json", "a\\nb\\u{1b}.json"),
            ("::error::x.json", "./::error::x.json"),
            ("##[error]x.json", "##\\u{5b}error]x.json"),
        ] {
            assert_eq!(file_name(name), expected);
        }
    }

    #[test]
    fn only_a_plain_line_is_printed_as_it_is() {
        for plain in ["", "\ta: 1 # [x]", "größe\r", "a::b"] {
            assert!(is_plain_line(plain), "{plain:?}");
        }
        for wrong in
            ["::error::x", "  ::add-mask::x", "x ##[error]y", "##vso[x]", "\x1b[2J", "x\u{202e}", "a\rb", "\u{2028}"]
        {
            assert!(!is_plain_line(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn the_parts_of_a_command_cannot_end_early() {
        assert_eq!(command_data("50%\r\n::error::b"), "50%25%0A::error::b");
        assert_eq!(command_data("a\x1b[2Jb\rc\t##[group]"), "a\\u{1b}[2Jb\\rc\\t##\\u{5b}group]");
        assert_eq!(command_property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
