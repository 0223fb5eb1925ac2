//! A line for each finding: `file:line:column: severity[rule] message`, as compilers print and editors parse.

use std::io;

use anstyle::{AnsiColor, Style};

use crate::Options;
use crate::diagnostic::Level;
use crate::item::{self, Item};
use crate::model::Report;
use crate::text::escape::{file_name, visible};

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for item in item::worst_first(item::listed(report)) {
        let place = item.place();
        let style = if options.color { style(item.level()) } else { Style::new() };
        let level = item.word();
        let (id, message) = (visible(item.id()), visible(item.message()));
        let elsewhere = match &item {
            Item::Finding(fault) => fault.spread().sentence().map_or_else(String::new, |text| format!(" ({text})")),
            Item::Problem(_) => String::new(),
        };
        writeln!(
            out,
            "{}:{}:{}: {style}{level}[{id}]{style:#} {message}{elsewhere}",
            file_name(place.file.name()),
            place.start.line,
            place.start.column,
        )?;
    }
    Ok(())
}

fn style(level: Level) -> Style {
    let color = match level {
        Level::Error => AnsiColor::Red,
        Level::Warning => AnsiColor::Yellow,
        Level::Note => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Format, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Concise, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::assert_report(Format::Concise, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Concise, "empty", &sample::empty());
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_steers_the_terminal(run in sample::any_run(), color: bool) {
            let text = sample::render(Format::Concise, &run, color, true);
            prop_assert_eq!(sample::obeyed_by_a_terminal(&text, color), None);
        }
    }
}
