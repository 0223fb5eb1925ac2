//! Output of a check on standard error, in addition to its report.

use std::io::Write;

use crate::cli::Environment;
use crate::cli::notice::notice;
use crate::cli::progress::Progress;
use crate::cli::settings::print_problems;
use crate::cli::streams;
use crate::cli::terminal::Color;
use crate::diagnostic::Run;
use crate::engine::{Finished, Observer, Renewal, Status, Warning};
use crate::report::{Report, counted};
use crate::text::escape;

/// Prints progress, problems, and warnings of a check.
#[derive(Debug)]
pub(super) struct Listener<'a> {
    pub(super) progress: Progress,
    pub(super) color: Color,
    pub(super) environment: &'a Environment,
}

impl Observer for Listener<'_> {
    fn begin(&self, templates: usize) {
        self.progress.begin(templates);
    }

    fn advance(&self) {
        self.progress.advance();
    }

    fn end(&self) {
        self.progress.end();
    }

    fn problems(&self, run: &Run) {
        // If printing fails, the exit code still shows the problem.
        let report = Report::of_problems(Vec::new(), run.diagnostics.clone(), &run.sources);
        let _ = print_problems(&report, self.color, self.environment);
    }

    fn warning(&self, warning: &Warning<'_>) {
        print_warning(warning);
    }
}

/// Prints a warning. A failure to print it is ignored.
pub(super) fn print_warning(warning: &Warning<'_>) {
    let _ = match warning {
        Warning::Change(notice) => writeln!(streams::err(), "warning: {}", escape::line(notice)),
        Warning::NotFixed { file, why } => {
            writeln!(streams::err(), "warning: `{}` is left unchanged: {why}", escape::visible(file))
        }
    };
}

/// Prints the changed and written files, and the number of findings that the report does not show.
pub(super) fn summarize(finished: &Finished, is_quiet: bool) {
    let summary = &finished.run.summary;
    let has_nothing = summary.templates == 0 && summary.errors == 0 && summary.unreadable == 0;
    if is_quiet {
        // No other output explains this exit code.
        if has_nothing && finished.status == Status::NoInputs {
            notice(nothing_to_check(finished.is_narrow));
        }
        return;
    }
    if let Some(fixed) = finished.fixed.as_ref().filter(|fixed| fixed.findings > 0) {
        notice(&format!("fixed {} in {}", counted(fixed.findings, "finding"), counted(fixed.files.len(), "file")));
    }
    if let Some(written) = &finished.written {
        notice(&format!("{}: {}", written.name, renewal(written.renewal)));
        let is_new = written.renewal.added == written.renewal.total;
        if is_new && !written.is_in_settings {
            let name = &written.name;
            notice(&format!(
                "to use it in later checks, add `baseline: {name}` to `formwork.yaml`, or `--baseline={name}`"
            ));
        }
    }
    if has_nothing {
        notice(nothing_to_check(finished.is_narrow));
    }
    let hidden = finished.hidden;
    if hidden.outside > 0 {
        notice(&format!("{} outside the change, not shown", counted(hidden.outside, "finding")));
    }
    if hidden.known > 0 {
        notice(&format!("{} that the base has too, not shown", counted(hidden.known, "finding")));
    }
    if hidden.below > 0 {
        notice(&format!("{} below `{}`, not shown", counted(hidden.below, "finding"), hidden.least.as_str()));
    }
}

/// Returns the notice for a check without templates.
pub(in crate::cli) fn nothing_to_check(is_narrow: bool) -> &'static str {
    if is_narrow { "the change touches no template" } else { "no template found" }
}

fn renewal(renewal: Renewal) -> String {
    let new = if renewal.added > 0 { format!(", {} of them new", renewal.added) } else { String::new() };
    let gone = match renewal.removed {
        0 => String::new(),
        removed => format!("; {removed} no longer found and removed"),
    };
    format!("{} accepted{new}{gone}", counted(renewal.total, "finding"))
}
