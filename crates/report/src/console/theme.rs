//! Colors of the console.

use annotate_snippets::Renderer;
use anstyle::{AnsiColor, Style};

use crate::diagnostic::{Level, Outcome};

/// Styles by role. Without colors, all are empty and print nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    color: bool,
    /// Style of messages.
    pub(super) strong: Style,
    /// Style of line numbers, arrows and bars.
    pub(super) frame: Style,
}

impl Theme {
    pub(super) fn new(color: bool) -> Self {
        let [strong, frame] =
            if color { [Style::new().bold(), AnsiColor::Blue.on_default()] } else { [Style::new(), Style::new()] };
        Self { color, strong, frame }
    }

    pub(super) fn level(self, level: Level) -> Style {
        let color = match level {
            Level::Error => AnsiColor::Red,
            Level::Warning => AnsiColor::Yellow,
            Level::Note => AnsiColor::Cyan,
        };
        self.bold(color)
    }

    pub(super) fn outcome(self, outcome: Outcome) -> Style {
        self.colored(match outcome {
            Outcome::Failed => AnsiColor::Red,
            Outcome::Unknown => AnsiColor::Magenta,
            Outcome::Suppressed => AnsiColor::BrightBlack,
            Outcome::Passed => AnsiColor::Green,
        })
    }

    pub(super) fn summary(self, is_clean: bool) -> Style {
        if is_clean { self.bold(AnsiColor::Green) } else { self.strong }
    }

    /// Returns the renderer of `annotate-snippets` with these styles. Its links (OSC 8) stay off, since they contain
    /// unescaped text of a rule.
    pub(super) fn renderer(self, level: Level, width: usize) -> Renderer {
        let renderer = Renderer::plain().term_width(width).hyperlink(false);
        if !self.color {
            return renderer;
        }
        let mark = self.level(level);
        renderer.error(mark).warning(mark).note(mark).line_num(self.frame).context(self.frame)
    }

    fn bold(self, color: AnsiColor) -> Style {
        if self.color { color.on_default().bold() } else { Style::new() }
    }

    fn colored(self, color: AnsiColor) -> Style {
        if self.color { color.on_default() } else { Style::new() }
    }
}
