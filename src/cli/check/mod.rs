//! `formwork check`: arguments in, reports and an exit code out. The check itself is [`engine::Session`](Session).

mod options;
mod tell;

use std::io::{self, BufWriter, Write};

use crate::cli::args::CheckArguments;
use crate::cli::check::tell::Listener;
use crate::cli::exit::{Error, Exit, of_error};
use crate::cli::notice::notice;
use crate::cli::progress::Progress;
use crate::cli::reports::Wanted;
use crate::cli::streams;
use crate::cli::{Environment, reports};
use crate::diagnostic::Run;
use crate::engine::{CheckOptions, FixPlan, SelectedFiles, Session, Status, Threads, Warning, proposed_fixes};
use crate::report::{Report, counted};
use crate::text::escape::Notation;

pub(super) use self::tell::nothing_to_check;

/// How a check ended.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) exit: Exit,
    /// The result to report, and what draws the reports. `None` if files were only listed.
    pub(super) report: Option<(Report, Threads)>,
    /// The names of the checked files that the change touches, sorted.
    pub(super) changed_files: Vec<String>,
    /// Whether the settings ask for what the change deploys.
    pub(super) tells_difference: bool,
    /// What `--fix` would change, if that is asked for.
    pub(super) proposed: Option<Proposed>,
    /// Why reports and the baseline could not be written.
    pub(super) unwritten: Vec<Error>,
}

impl Checked {
    /// What ended in a way, and no more is known of it.
    pub(super) fn new(exit: Exit, report: Option<(Report, Threads)>) -> Self {
        let (changed_files, unwritten) = (Vec::new(), Vec::new());
        Self { exit, report, changed_files, tells_difference: false, proposed: None, unwritten }
    }

    /// The exit code, after the report on standard output. Reports the errors of all that could not be written: the check
    /// may have taken minutes, and they cost only themselves.
    pub(super) fn end(self) -> Exit {
        let exit = self.unwritten.iter().fold(self.exit, |_, error| of_error(error));
        // The process ends, and the system takes its memory and its threads back at once.
        std::mem::forget(self.report);
        exit
    }
}

/// Checks templates and reports on them.
pub(super) fn run(arguments: &CheckArguments, environment: &Environment) -> Result<Exit, Error> {
    let options = options::of_arguments(arguments, environment)?;
    let checked = check_with(&options, arguments, environment)?;
    let printed = match (&checked.report, &checked.proposed) {
        (_, Some(proposed)) => proposed.print(arguments.quiet),
        (Some((report, threads)), _) => reports::print(Wanted::of_check(arguments, threads), environment, report),
        (None, None) => Ok(()),
    };
    let exit = checked.end();
    printed.map(|()| exit)
}

/// Checks templates and writes reports to files. Prints only to standard error.
pub(super) fn check(arguments: &CheckArguments, environment: &Environment) -> Result<Checked, Error> {
    check_with(&options::of_arguments(arguments, environment)?, arguments, environment)
}

fn check_with(options: &CheckOptions, arguments: &CheckArguments, environment: &Environment) -> Result<Checked, Error> {
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
    let proposed = arguments.fixes.diff.then(|| Proposed::of(&finished.run, options));
    let threads = finished.threads;
    let report = threads.install(|| Report::from_run(finished.run));
    unwritten.extend(reports::write(Wanted::of_check(arguments, &threads), environment, &report));
    Ok(Checked {
        changed_files: finished.changed_files,
        tells_difference: finished.tells_difference,
        proposed,
        unwritten,
        ..Checked::new(exit(finished.status), Some((report, threads)))
    })
}

/// The exit code of a check with this status.
pub(super) fn exit(status: Status) -> Exit {
    match status {
        Status::Passed => Exit::Clean,
        Status::Failed => Exit::Findings,
        Status::NoInputs => Exit::Usage,
        Status::Incomplete => Exit::Unanalysed,
    }
}

/// Prints which files would be checked, and why.
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

/// What `--fix` would change.
#[derive(Debug)]
pub(super) struct Proposed {
    /// The changes as a unified diff.
    diff: String,
    plan: FixPlan,
}

impl Proposed {
    fn of(run: &Run, options: &CheckOptions) -> Self {
        let mut plan = proposed_fixes(run, options);
        Self { diff: plan.diff(run), plan }
    }

    fn print(&self, is_quiet: bool) -> Result<(), Error> {
        let mut out = streams::out(Notation::Plain);
        out.write_all(self.diff.as_bytes())?;
        out.flush()?;
        for (file, why) in &self.plan.refused {
            tell::print_warning(&Warning::NotFixed { file, why });
        }
        if !is_quiet && !self.plan.postponed.is_empty() {
            let count = counted(self.plan.postponed.len(), "finding");
            notice(&format!("the fixes of {count} conflict with these and are not shown; `--fix` applies them too"));
        }
        Ok(())
    }
}
