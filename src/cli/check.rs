//! `formwork check`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::args::{CheckArguments, RuleArguments};
use crate::cli::baseline::Accepted;
use crate::cli::changed::Change;
use crate::cli::exit::{Error, Exit};
use crate::cli::progress::Progress;
use crate::cli::settings::{self, Session};
use crate::cli::{Environment, fix, terminal, workflow};
use crate::config::{FailOn, PathFilter, PathGlobs};
use crate::diagnostic::{Finding, Outcome, RuleInfo, Run, Severity};
use crate::engine::{self, Checker, Inputs};
use crate::report::{self, Format};
use crate::rules::RuleSet;
use crate::text::Sources;

/// Checks templates and reports on them.
pub(super) fn run(arguments: &CheckArguments, environment: &Environment) -> Result<Exit, Error> {
    fix::refuse(arguments)?;
    let mut change = Change::open(&arguments.change, environment)?;
    let config = arguments.inputs.config.as_deref().map(|it| change.place(it));
    let mut session = Session::open(config.as_deref(), arguments.inputs.color, change.environment())?;
    let filter = filter(arguments, &session)?;
    if arguments.change.show_files {
        return show_files(arguments, &session, &filter, &change);
    }
    let no_builtin_rules = arguments.rules.no_builtin_rules;
    let rules = session.rules(&RuleArguments { rules: change.places(&arguments.rules.rules), no_builtin_rules })?;
    let fail_on = arguments.fail_on.or(session.settings.fail_on).unwrap_or(FailOn::Severity(Severity::Low));
    let rules = Compiled::new(rules, arguments);
    let least = arguments.min_severity.or(session.settings.min_severity).unwrap_or(Severity::Low);
    let accepted = Accepted::open(arguments, &mut session, &change)?;
    let mut run = analyse(arguments, &mut session, &filter, &rules, &change)?;
    if arguments.fixes.fix {
        accepted.accept(&mut run);
        let is_asked_for = |it: &Finding, sources: &Sources| {
            it.rule.severity <= least && change.asks_for(it, sources, &arguments.change)
        };
        run = fix::apply(run, environment, arguments, is_asked_for, |before| {
            session.sources = before.sources;
            let mut run = analyse(arguments, &mut session, &filter, &rules, &change)?;
            accepted.accept(&mut run);
            Ok(run)
        })?;
        // The lines of the change are others now.
        change = Change::open(&arguments.change, environment)?;
    }
    accepted.apply(&mut run, least)?;
    let below = leave_out_below(&mut run, least);
    change.mark(&mut run);
    let weighs = |it: &Finding| change.weighs(it, &run.sources, &arguments.change);
    let exit = exit(&run, fail_on, arguments.require_inputs, weighs);
    if run.summary.templates == 0 && run.summary.errors == 0 && (!arguments.quiet || exit == Exit::Usage) {
        notice(nothing(&change));
    }
    let hidden = change.filter(&mut run, &arguments.change);
    if hidden > 0 && !arguments.quiet {
        notice(&format!("{} outside the change, not shown", findings(hidden)));
    }
    if below > 0 && !arguments.quiet {
        notice(&format!("{} below `{}`, not shown", findings(below), least.as_str()));
    }
    change.restore_names(&mut run);
    if arguments.fixes.diff {
        fix::print(&run, environment, arguments)?;
    }
    report(arguments, environment, &run)?;
    Ok(exit)
}

/// Leaves out what weighs less, and says how many findings these are.
fn leave_out_below(run: &mut Run, least: Severity) -> usize {
    let Run { findings, summary, .. } = run;
    let mut failed = 0;
    findings.retain(|it| {
        let stays = it.rule.severity <= least || it.outcome == Outcome::Passed;
        if !stays {
            summary.forget(it.outcome);
            failed += usize::from(it.outcome == Outcome::Failed);
        }
        stays
    });
    failed
}

pub(super) fn findings(count: usize) -> String {
    if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") }
}

/// What is said where there is nothing to check.
fn nothing(change: &Change) -> &'static str {
    if change.narrows() { "the change touches no template" } else { "no template found" }
}

pub(super) fn notice(text: &str) {
    // A notice that cannot be written changes nothing.
    let _ = writeln!(io::stderr(), "notice: {text}");
}

fn show_files(
    arguments: &CheckArguments,
    session: &Session<'_>,
    filter: &PathFilter,
    change: &Change,
) -> Result<Exit, Error> {
    let inputs = Inputs {
        working: &session.environment.working,
        paths: &places(arguments, &change.places(&arguments.paths)),
        stdin: None,
        parameters: &[],
        overrides: &[],
        context: &session.context(),
        filter,
        only: None,
        as_written: arguments.guard_raw,
        bicep: &session.bicep(&arguments.bicep),
        limits: &session.limits,
    };
    let selection = change.select(&inputs, arguments, session);
    let files = selection.explain(&inputs);
    if files.is_empty() && !arguments.quiet {
        notice(nothing(change));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for (name, reason) in files {
        writeln!(out, "{}", change.own_names(&format!("{name}: {reason}")))?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// The rules of a run, ready to be run more than once.
struct Compiled {
    rules: RuleSet,
    checks: engine::Checks,
    infos: Vec<Arc<RuleInfo>>,
}

impl Compiled {
    fn new(loaded: engine::LoadedRules, arguments: &CheckArguments) -> Self {
        let rules = RuleSet::new(loaded.rules).guard_strict(arguments.guard_strict);
        Self { rules, checks: loaded.checks, infos: loaded.infos }
    }
}

fn analyse(
    arguments: &CheckArguments,
    session: &mut Session<'_>,
    filter: &PathFilter,
    rules: &Compiled,
    change: &Change,
) -> Result<Run, Error> {
    let paths = arguments.paths.iter().map(PathBuf::as_path);
    let mut inputs = Inputs {
        working: &session.environment.working,
        paths: &places(arguments, &change.places(&arguments.paths)),
        stdin: session.piped(paths, &arguments.stdin_filename)?,
        parameters: &change.places(&arguments.inputs.parameters),
        overrides: &session.overrides(&arguments.inputs)?,
        context: &session.context(),
        filter,
        only: None,
        as_written: arguments.guard_raw,
        bicep: &session.bicep(&arguments.bicep),
        limits: &session.limits,
    };
    let only = (change.narrows() || arguments.dependents).then(|| change.select(&inputs, arguments, session).paths());
    inputs.only = only.as_ref();
    let progress = Progress::new(!arguments.quiet);
    let checker = Checker {
        rules: &rules.rules,
        checks: &rules.checks,
        infos: rules.infos.clone(),
        keep_passed: arguments.show_passed,
        threads: arguments.threads,
        observer: &progress,
    };
    let run = engine::check(&inputs, &checker, std::mem::take(&mut session.sources));
    progress.finish();
    Ok(run?)
}

/// Where files are looked for. Standard input, `-`, is no such place; what hangs on a file may be anywhere.
fn places(arguments: &CheckArguments, given: &[PathBuf]) -> Vec<PathBuf> {
    let everywhere = arguments.dependents.then(|| PathBuf::from("."));
    everywhere.into_iter().chain(given.iter().filter(|it| it.as_os_str() != "-").cloned()).collect()
}

fn filter(arguments: &CheckArguments, session: &Session<'_>) -> Result<PathFilter, Error> {
    let mut filter = session.settings.files.clone();
    filter.holds_for_named = arguments.force_exclude || arguments.dependents;
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

fn exit(run: &Run, fail_on: FailOn, require_inputs: bool, weighs: impl Fn(&Finding) -> bool) -> Exit {
    let fails = |it: &Finding| it.outcome == Outcome::Failed && fail_on.is_reached_by(it.rule.severity) && weighs(it);
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
    let run_url = workflow::run_url(environment);
    let mut options = report::Options { run_url: run_url.as_deref(), ..settings::options(arguments.show_passed) };
    for (format, path) in &arguments.output {
        write_file(*format, &environment.working.join(path), run, &options)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
    }
    if arguments.fixes.diff {
        return Ok(());
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
