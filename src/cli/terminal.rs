//! Colors, and the width of the terminal.

use std::io::{self, IsTerminal};

use crate::cli::Environment;

/// When output is colored: the values of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless an environment variable such as `NO_COLOR` says otherwise
    #[default]
    Auto,
    /// Use colors
    Always,
    /// Use no colors
    Never,
}

/// Width of output that is not a terminal.
const DEFAULT_WIDTH: usize = 100;

/// True if output to a stream is colored. See <https://no-color.org> and <https://bixense.com/clicolors>.
pub(super) fn wants_color(choice: Color, environment: &Environment, is_terminal: bool) -> bool {
    let is_forced =
        ["CLICOLOR_FORCE", "FORCE_COLOR"].iter().any(|name| environment.get(name).is_some_and(|value| value != "0"));
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if environment.get("NO_COLOR").is_some() => false,
        Color::Auto if is_forced => true,
        Color::Auto => {
            is_terminal && environment.get("CLICOLOR") != Some("0") && environment.get("TERM") != Some("dumb")
        }
    }
}

/// True if standard output is colored.
pub(super) fn stdout_wants_color(choice: Color, environment: &Environment) -> bool {
    wants_color(choice, environment, io::stdout().is_terminal())
}

/// True if standard error is colored.
pub(super) fn stderr_wants_color(choice: Color, environment: &Environment) -> bool {
    wants_color(choice, environment, io::stderr().is_terminal())
}

/// Returns the width of the terminal in columns.
pub(super) fn width() -> usize {
    terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(choice: Color, variables: &[(&str, &str)], is_terminal: bool, expected: bool) {
        let variables = variables.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let environment = Environment { variables, working: "/".into() };
        assert_eq!(wants_color(choice, &environment, is_terminal), expected);
    }

    #[test]
    fn a_terminal_is_colored_and_a_pipe_is_not() {
        check(Color::Auto, &[], true, true);
        check(Color::Auto, &[], false, false);
        check(Color::Auto, &[("TERM", "dumb")], true, false);
    }

    #[test]
    fn the_environment_decides_before_the_terminal() {
        check(Color::Auto, &[("NO_COLOR", "1")], true, false);
        check(Color::Auto, &[("NO_COLOR", "")], true, true);
        check(Color::Auto, &[("FORCE_COLOR", "1")], false, true);
        check(Color::Auto, &[("CLICOLOR_FORCE", "0")], false, false);
        check(Color::Auto, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], true, false);
    }

    #[test]
    fn the_flag_decides_before_the_environment() {
        check(Color::Always, &[("NO_COLOR", "1")], false, true);
        check(Color::Never, &[("FORCE_COLOR", "1")], true, false);
    }
}
