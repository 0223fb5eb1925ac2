//! `formwork check`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::cli::args::CheckArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::progress::Progress;
use crate::cli::settings::{self, Session};
use crate::cli::{Environment, terminal};
use crate::config::{FailOn, PathFilter, PathGlobs};
use crate::diagnostic::{Outcome, Run, Severity};
use crate::engine::{self, Checker, Inputs};
use crate::report::{self, Format};
use crate::rules::RuleSet;

/// Checks templates and reports on them.
pub(super) fn run(arguments: &CheckArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut session = Session::open(arguments.inputs.config.as_deref(), arguments.inputs.color, environment)?;
    let filter = filter(arguments, &session)?;
    let rules = session.rules(&arguments.rules)?;
    let fail_on = arguments.fail_on.or(session.settings.fail_on).unwrap_or(FailOn::Severity(Severity::Low));
    let run = analyse(arguments, &mut session, &filter, rules)?;
    let exit = exit(&run, fail_on, arguments.require_inputs);
    if run.summary.templates == 0 && run.summary.errors == 0 && (!arguments.quiet || exit == Exit::Usage) {
        // A notice that cannot be written changes nothing.
        let _ = writeln!(io::stderr(), "notice: no template found");
    }
    report(arguments, environment, &run)?;
    Ok(exit)
}

fn analyse(
    arguments: &CheckArguments,
    session: &mut Session<'_>,
    filter: &PathFilter,
    rules: engine::LoadedRules,
) -> Result<Run, Error> {
    let paths = arguments.paths.iter().map(PathBuf::as_path);
    let inputs = Inputs {
        working: &session.environment.working,
        paths: &files(&arguments.paths),
        stdin: session.piped(paths, &arguments.stdin_filename)?,
        parameters: &arguments.inputs.parameters,
        overrides: &session.overrides(&arguments.inputs)?,
        context: &session.context(),
        filter,
        as_written: arguments.guard_raw,
        limits: &session.limits,
    };
    let progress = Progress::new(!arguments.quiet);
    let checker = Checker {
        rules: &RuleSet::new(rules.rules).guard_strict(arguments.guard_strict),
        checks: &rules.checks,
        infos: rules.infos,
        keep_passed: arguments.show_passed,
        threads: arguments.threads,
        observer: &progress,
    };
    let run = engine::check(&inputs, &checker, std::mem::take(&mut session.sources));
    progress.finish();
    Ok(run?)
}

/// All but `-`, which is standard input.
fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter(|it| it.as_os_str() != "-").cloned().collect()
}

fn filter(arguments: &CheckArguments, session: &Session<'_>) -> Result<PathFilter, Error> {
    let mut filter = session.settings.files.clone();
    filter.holds_for_named = arguments.force_exclude;
    let globs = |patterns: &[String]| {
        PathGlobs::new(&session.environment.working, patterns.iter().map(String::as_str))
            .map_err(|error| Error::Usage(format!("a glob cannot be used: {error}")))
    };
    if !arguments.include.is_empty() {
        filter.include = vec![globs(&arguments.include)?];
    }
    filter.exclude.push(globs(&arguments.exclude)?);
    Ok(filter)
}

fn exit(run: &Run, fail_on: FailOn, require_inputs: bool) -> Exit {
    let fails =
        |it: &crate::diagnostic::Finding| it.outcome == Outcome::Failed && fail_on.is_reached_by(it.rule.severity);
    if run.summary.errors > 0 {
        Exit::Unanalysed
    } else if require_inputs && run.summary.templates == 0 {
        Exit::Usage
    } else if run.findings.iter().any(fails) {
        Exit::Findings
    } else {
        Exit::Clean
    }
}

fn report(arguments: &CheckArguments, environment: &Environment, run: &Run) -> Result<(), Error> {
    let mut options = settings::options(arguments.show_passed);
    for (format, path) in &arguments.output {
        write_file(*format, &environment.working.join(path), run, &options)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
    }
    options.color = terminal::stdout_wants_color(arguments.inputs.color, environment);
    let mut out = BufWriter::new(io::stdout().lock());
    let written = report::render(arguments.format, run, &options, &mut out).and_then(|()| out.flush());
    match written {
        // The reader has seen enough; the exit code still tells what was found.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // The rest must not be written when the buffer goes away.
            drop(out.into_parts());
            Ok(())
        }
        other => Ok(other?),
    }
}

fn write_file(format: Format, path: &Path, run: &Run, options: &report::Options<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    report::render(format, run, options, &mut out)?;
    out.flush()
}
