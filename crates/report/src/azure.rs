//! Logging commands of Azure Pipelines, which the agent turns into issues of the build. See
//! <https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands#logissue-log-an-error-or-warning>.
//!
//! The agent reads the first `##vso[` of a line, wherever it is. Each line here begins with one of ours or has only our
//! own words, and texts stay on their line.

use std::io;

use crate::Options;
use crate::diagnostic::Level;
use crate::item;
use crate::model::Report;
use crate::tally;
use crate::text::escape::visible;

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for item in item::worth_annotating(report) {
        let place = item.place();
        let path = property(options.name_in_repository(place.file.name()));
        let (line, column) = (place.start.line, place.start.column);
        write!(out, "##vso[task.logissue type={};sourcepath={path};", kind(item.level()))?;
        if !place.is_whole_file() {
            write!(out, "linenumber={line};columnnumber={column};")?;
        }
        writeln!(out, "code={};]{}", property(item.id()), message(&item.text()))?;
    }
    if let Some(hidden) = tally::hidden(report) {
        writeln!(out, "{hidden}")?;
    }
    writeln!(out, "{}", tally::sentence(report))
}

/// Returns the type of an issue. Azure Pipelines has no level below a warning.
const fn kind(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning | Level::Note => "warning",
    }
}

/// Escapes the message of a command.
fn message(text: &str) -> String {
    let text = text.replace('%', "%AZP25").replace('\r', "%0D").replace('\n', "%0A");
    // Other readers of the log may look for a second command in the line. `###` has two pairs, one in the other.
    let text = text.replace("##", "# #").replace("##", "# #");
    visible(&text).into_owned()
}

/// Escapes the value of a property of a command.
fn property(text: &str) -> String {
    message(text).replace(']', "%5D").replace(';', "%3B")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Format, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Azure, "output", &sample::run());
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Azure, "empty", &sample::empty());
    }

    #[test]
    fn text_ends_no_command_and_begins_none() {
        let hostile = "a;b]%c\r\n##vso[task.setvariable variable=x]y";
        assert_eq!(message(hostile), "a;b]%AZP25c%0D%0A# #vso[task.setvariable variable=x]y");
        assert_eq!(message("###[x]####[y]"), "# # #[x]# # # #[y]");
        assert_eq!(property(hostile), "a%3Bb%5D%AZP25c%0D%0A# #vso[task.setvariable variable=x%5Dy");
    }

    proptest! {
        #[test]
        fn each_line_has_at_most_the_command_it_begins_with(run in sample::any_run()) {
            let text = sample::render(Format::Azure, &run, false, true);
            for line in text.split(['\n', '\r']) {
                let rest = line.strip_prefix("##vso[task.logissue ").unwrap_or(line);
                prop_assert!(!rest.contains("##"), "{}", line);
            }
        }
    }
}
