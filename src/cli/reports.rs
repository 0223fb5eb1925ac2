//! Writes the reports of a run to files and to standard output.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::cli::args::{CheckArguments, MergeArguments};
use crate::cli::exit::Error;
use crate::cli::notice::notice;
use crate::cli::terminal::Color;
use crate::cli::{Environment, settings, streams, terminal, workflow};
use crate::engine::Threads;
use crate::files::{Destination, repository_name, repository_of};
use crate::path::normalize;
use crate::report::{self, Format, Options, Report, SuiteResult};

/// Reports that a command writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReportRequest<'a> {
    format: Format,
    output: &'a [(Format, PathBuf)],
    color: Color,
    is_quiet: bool,
    show_passed: bool,
    category: Option<&'a str>,
    code_scanning: bool,
    /// Threads that render the reports.
    threads: &'a Threads,
}

impl<'a> ReportRequest<'a> {
    pub(super) fn of_check(arguments: &'a CheckArguments, threads: &'a Threads) -> Self {
        Self {
            format: arguments.format,
            output: &arguments.output,
            color: arguments.inputs.color,
            is_quiet: arguments.quiet,
            show_passed: arguments.show_passed,
            category: arguments.category.as_deref(),
            code_scanning: arguments.code_scanning,
            threads,
        }
    }

    /// Returns the reports of `merge`, which list everything that the reports of the parts list.
    pub(super) fn of_merge(arguments: &'a MergeArguments, threads: &'a Threads) -> Self {
        Self {
            format: arguments.format,
            output: &arguments.output,
            color: arguments.color,
            is_quiet: arguments.quiet,
            show_passed: true,
            category: arguments.category.as_deref(),
            code_scanning: arguments.code_scanning,
            threads,
        }
    }
}

/// Rejects report paths that cannot be written, before anything is checked.
pub(super) fn refuse(output: &[(Format, PathBuf)], environment: &Environment) -> Result<(), Error> {
    output.iter().try_for_each(|(_, path)| {
        let real = Destination::new(&environment.working, path).real();
        real.map(drop).map_err(|why| Error::Write { path: path.clone(), why })
    })
}

/// Writes the reports that go to files. Returns the errors of those that cannot be written; the others are written
/// anyway.
pub(super) fn write(wanted: ReportRequest<'_>, environment: &Environment, report: &Report) -> Vec<Error> {
    let is_sarif = wanted.output.iter().any(|(format, _)| *format == Format::Sarif);
    let has_names = wanted.output.iter().any(|(format, _)| format.has_repository_names());
    let names = names(environment, report, has_names);
    let run_url = workflow::run_url(environment);
    let options = match options(wanted, &names, report, is_sarif) {
        Ok(options) => Options { run_url: run_url.as_deref(), ..options },
        Err(error) => return vec![error],
    };
    if options.sarif.surplus > 0 && !wanted.is_quiet {
        notice(&format!("of the report for code scanning, {}", report::sarif_surplus_text(options.sarif.surplus)));
    }
    let outputs = wanted.output.par_iter();
    let written: Vec<Result<(), Error>> = wanted.threads.install(|| {
        let written = outputs.map(|(format, path)| {
            Destination::new(&environment.working, path)
                .write(&|mut out| report::render(*format, report, &options, &mut out))
                .map_err(|why| Error::Write { path: path.clone(), why })
        });
        written.collect()
    });
    written.into_iter().filter_map(Result::err).collect()
}

/// Writes the results of tests to files.
pub(super) fn write_tests(
    output: &[(Format, PathBuf)],
    environment: &Environment,
    suites: &[SuiteResult],
) -> Result<(), Error> {
    output.iter().try_for_each(|(_, path)| {
        Destination::new(&environment.working, path)
            .write(&|mut out| report::render_test_results(suites, &mut out))
            .map_err(|why| Error::Write { path: path.clone(), why })
    })
}

/// Writes the JSON report again.
pub(super) fn write_json(
    wanted: ReportRequest<'_>,
    environment: &Environment,
    report: &Report,
    path: &Path,
) -> Result<(), Error> {
    let options = settings::options(wanted.show_passed);
    let file = Destination::new(&environment.working, path);
    let written =
        wanted.threads.install(|| file.write(&|mut out| report::render(Format::Json, report, &options, &mut out)));
    written.map_err(|why| Error::Write { path: path.to_owned(), why })
}

/// Prints the report that goes to standard output.
pub(super) fn print(wanted: ReportRequest<'_>, environment: &Environment, report: &Report) -> Result<(), Error> {
    let is_sarif = wanted.format == Format::Sarif;
    let names = names(environment, report, wanted.format.has_repository_names());
    let run_url = workflow::run_url(environment);
    let mut options = Options { run_url: run_url.as_deref(), ..options(wanted, &names, report, is_sarif)? };
    options.color = terminal::stdout_wants_color(wanted.color, environment);
    Ok(wanted.threads.install(|| {
        let stream: Box<dyn Write> = match wanted.format.notation() {
            Some(notation) => Box::new(streams::out(notation)),
            None => Box::new(streams::commands_out()),
        };
        let mut out = BufWriter::new(stream);
        let written = report::render(wanted.format, report, &options, &mut out).and_then(|()| out.flush());
        match written {
            // The reader closed the pipe. The exit code still shows the result.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // Taking the buffer apart keeps its drop from writing the rest.
                drop(out.into_parts());
                Ok(())
            }
            other => other,
        }
    })?)
}

/// Returns the Markdown report for a page of at most `room` bytes.
pub(super) fn page(
    wanted: ReportRequest<'_>,
    environment: &Environment,
    report: &Report,
    room: usize,
) -> Result<String, Error> {
    let names = BTreeMap::new();
    let is_sarif_written = wanted.output.iter().any(|(format, _)| *format == Format::Sarif);
    let run_url = workflow::run_url(environment);
    let options = options(wanted, &names, report, is_sarif_written)?;
    let options = Options { page: room, run_url: run_url.as_deref(), ..options };
    let mut page = Vec::new();
    report::render(Format::Markdown, report, &options, &mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn options<'a>(
    wanted: ReportRequest<'a>,
    names: &'a BTreeMap<Arc<str>, String>,
    report: &Report,
    is_sarif: bool,
) -> Result<Options<'a>, Error> {
    let mut options = settings::options(wanted.show_passed);
    options.sarif.open_only = wanted.code_scanning;
    options.sarif.category = wanted.category;
    options.sarif.names = Some(names);
    if is_sarif {
        options.sarif.surplus = wanted.threads.install(|| report::sarif_surplus(report, &options))?;
    }
    Ok(options)
}

/// Returns the names of a report's files relative to the root of the repository, for any working folder. Empty unless
/// they are needed.
fn names(environment: &Environment, report: &Report, are_wanted: bool) -> BTreeMap<Arc<str>, String> {
    let working = &environment.working;
    let root = repository_of(working).unwrap_or_else(|| working.clone());
    let known = report.files().into_iter().filter(|_| are_wanted).filter_map(|name| {
        let path = normalize(working, Path::new(&*name));
        Some((name, repository_name(&root, &path)?))
    });
    known.collect()
}
