//! `formwork check`: converts arguments to options, and the result to reports and an exit code. The check itself is
//! [`engine::Session`](Session).

mod hook;
mod options;
mod tell;

use std::io::{self, BufWriter, Write};

use crate::cli::args::CheckArguments;
use crate::cli::check::tell::Listener;
use crate::cli::exit::{Error, Exit, of_error};
use crate::cli::notice::notice;
use crate::cli::progress::Progress;
use crate::cli::reports::ReportRequest;
use crate::cli::streams;
use crate::cli::{Environment, reports, upgrade};
use crate::diagnostic::Run;
use crate::engine::{CheckOptions, FixPlan, SelectedFiles, Session, Status, Threads, Warning, proposed_fixes};
use crate::report::{Report, counted};
use crate::text::escape::Notation;

pub(super) use self::tell::nothing_to_check;

/// Result of a check.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) exit: Exit,
    /// Report, and the threads that render reports. `None` if files were only listed.
    pub(super) report: Option<(Report, Threads)>,
    /// Names of the checked files that the change touches, sorted.
    pub(super) changed_files: Vec<String>,
    /// True if the settings request a report about the deployed changes.
    pub(super) tells_difference: bool,
    /// Changes of `--fix`, if they are only shown.
    pub(super) proposed: Option<ProposedFixes>,
    /// Errors of writing reports and the baseline.
    pub(super) unwritten: Vec<Error>,
}

impl Checked {
    /// Returns a result with an exit code and a report only.
    pub(super) fn new(exit: Exit, report: Option<(Report, Threads)>) -> Self {
        let (changed_files, unwritten) = (Vec::new(), Vec::new());
        Self { exit, report, changed_files, tells_difference: false, proposed: None, unwritten }
    }

    /// Returns the exit code, after the report on standard output. Prints the errors of writing files: everything
    /// else was done, because the check may have taken minutes.
    pub(super) fn into_exit(self) -> Exit {
        let exit = self.unwritten.iter().fold(self.exit, |_, error| of_error(error));
        // The process ends, and the system frees its memory and threads at once.
        std::mem::forget(self.report);
        exit
    }
}

/// Checks templates and reports on them.
pub(super) fn run(arguments: &CheckArguments, environment: &Environment) -> Result<Exit, Error> {
    if arguments.hook {
        return hook::run(arguments, environment);
    }
    let options = options::of_arguments(arguments, environment)?;
    if arguments.fixes.upgrade {
        upgrade::raise(arguments, environment)?;
    }
    let checked = check_with_options(&options, arguments, environment)?;
    let printed = match (&checked.report, &checked.proposed) {
        (_, Some(proposed)) => proposed.print(arguments.quiet),
        (Some((report, threads)), _) => {
            reports::print(ReportRequest::of_check(arguments, threads), environment, report)
        }
        (None, None) => Ok(()),
    };
    let exit = checked.into_exit();
    printed.map(|()| exit)
}

/// Checks templates and writes reports to files. Prints only to standard error.
pub(super) fn check_templates(arguments: &CheckArguments, environment: &Environment) -> Result<Checked, Error> {
    check_with_options(&options::of_arguments(arguments, environment)?, arguments, environment)
}

fn check_with_options(
    options: &CheckOptions,
    arguments: &CheckArguments,
    environment: &Environment,
) -> Result<Checked, Error> {
    reports::refuse(&arguments.output, environment)?;
    let listener = Listener { progress: Progress::new(!arguments.quiet), color: arguments.inputs.color, environment };
    let mut session = Session::open(options, &listener)?;
    if arguments.change.show_files {
        let exit = list_files(&session.selected_files(&listener), arguments.quiet)?;
        return Ok(Checked::new(exit, None));
    }
    if options::reads_stdin(arguments) {
        session.pipe(&arguments.stdin_filename, io::stdin().lock())?;
    }
    let finished = session.check(&listener)?;
    tell::summarize(&finished, arguments.quiet);
    let mut unwritten: Vec<Error> = finished.unwritten.into_iter().map(Error::from).collect();
    let proposed = arguments.fixes.diff.then(|| ProposedFixes::new(&finished.run, options));
    let threads = finished.threads;
    let report = threads.install(|| Report::from_run(finished.run));
    unwritten.extend(reports::write(ReportRequest::of_check(arguments, &threads), environment, &report));
    Ok(Checked {
        changed_files: finished.changed_files,
        tells_difference: finished.tells_difference,
        proposed,
        unwritten,
        ..Checked::new(exit(finished.status), Some((report, threads)))
    })
}

/// Returns the exit code of a check with this status.
pub(super) fn exit(status: Status) -> Exit {
    match status {
        Status::Passed => Exit::Clean,
        Status::Failed => Exit::Findings,
        Status::NoInputs => Exit::Usage,
        Status::Incomplete => Exit::Unanalysed,
    }
}

/// Prints the files that would be checked, and the reasons.
fn list_files(selected: &SelectedFiles, is_quiet: bool) -> Result<Exit, Error> {
    if selected.files.is_empty() && selected.is_whole && !is_quiet {
        notice(nothing_to_check(selected.is_narrow));
    }
    let mut out = BufWriter::new(streams::out(Notation::Plain));
    for (name, reason) in &selected.files {
        writeln!(out, "{name}: {reason}")?;
    }
    out.flush()?;
    Ok(if selected.is_whole { Exit::Clean } else { Exit::Unanalysed })
}

/// Changes that `--fix` would make.
#[derive(Debug)]
pub(super) struct ProposedFixes {
    /// Unified diff of the changes.
    diff: String,
    plan: FixPlan,
}

impl ProposedFixes {
    fn new(run: &Run, options: &CheckOptions) -> Self {
        let mut plan = proposed_fixes(run, options);
        Self { diff: plan.diff(run), plan }
    }

    fn print(&self, is_quiet: bool) -> Result<(), Error> {
        let mut out = streams::out(Notation::Plain);
        out.write_all(self.diff.as_bytes())?;
        out.flush()?;
        for (file, why) in &self.plan.refused {
            tell::print_warning(&Warning::NotFixed { file, why: why.to_string() });
        }
        if !is_quiet && !self.plan.postponed.is_empty() {
            let count = counted(self.plan.postponed.len(), "finding");
            notice(&format!("the fixes of {count} conflict with these and are not shown; `--fix` applies them too"));
        }
        Ok(())
    }
}
