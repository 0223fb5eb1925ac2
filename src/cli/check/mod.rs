//! `formwork check`.

mod work;

use std::io::{self, Write};

use crate::cli::args::{CheckArguments, RuleArguments};
use crate::cli::baseline::Accepted;
use crate::cli::changed::Change;
use crate::cli::check::work::{Rules, Work};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Session;
use crate::cli::{Environment, fix, reports};
use crate::config::FailOn;
use crate::diagnostic::{Finding, Outcome, Run, Severity};
use crate::report::counted;
use crate::text::Sources;
use crate::text::escape;

/// How a check ended.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) exit: Exit,
    /// What there is to report; nothing where files were listed, and not checked.
    pub(super) run: Option<Run>,
    /// The names of the checked files that the change touches, sorted.
    pub(super) changed_files: Vec<String>,
}

/// Checks templates and reports on them.
pub(super) fn run(arguments: &CheckArguments, environment: &Environment) -> Result<Exit, Error> {
    let checked = check(arguments, environment)?;
    match &checked.run {
        Some(run) if arguments.fixes.diff => fix::print(run, environment, arguments)?,
        Some(run) => reports::print(arguments, environment, run)?,
        None => {}
    }
    Ok(checked.exit)
}

/// Checks templates and writes the files of the report. What is printed goes to standard error.
pub(super) fn check(arguments: &CheckArguments, environment: &Environment) -> Result<Checked, Error> {
    fix::refuse(arguments)?;
    let change = Change::open(&arguments.change, environment)?;
    let config = arguments.inputs.config.as_deref().map(|it| change.place(it));
    let mut session = Session::open(config.as_deref(), arguments.inputs.color, change.environment())?;
    let mut work = Work::new(arguments, &mut session, &change)?;
    if arguments.change.show_files {
        work.show_files()?;
        return Ok(Checked { exit: Exit::Clean, run: None, changed_files: Vec::new() });
    }
    let no_builtin_rules = arguments.rules.no_builtin_rules;
    let rules = RuleArguments { rules: change.places(&arguments.rules.rules), no_builtin_rules };
    let rules = Rules::new(work.session.rules(&rules)?, arguments);
    let accepted = Accepted::open(arguments, work.session, &change)?;
    let settings = &work.session.settings;
    let gate = Gate {
        arguments,
        environment,
        accepted: &accepted,
        reported: arguments.min_severity.or(settings.min_severity).unwrap_or(Severity::Low),
        failing: arguments.fail_on.or(settings.fail_on).unwrap_or(FailOn::Severity(Severity::Low)),
        // What was read so far are settings, rules and the baseline.
        own: work.session.sources.ids().count(),
    };
    let mut run = work.analyse(&rules)?;
    if !arguments.fixes.fix {
        return gate.pass(run, &change);
    }
    accepted.accept(&mut run);
    let is_asked_for = |it: &Finding, sources: &Sources| {
        it.rule.severity <= gate.reported && change.asks_for(it, sources, &arguments.change)
    };
    let run = fix::apply(run, environment, arguments, is_asked_for, |before| {
        work.session.sources = before.sources;
        let mut run = work.analyse(&rules)?;
        accepted.accept(&mut run);
        Ok(run)
    })?;
    // The lines of the change are others now.
    gate.pass(run, &Change::open(&arguments.change, environment)?)
}

/// What is reported of a run, and what fails it.
struct Gate<'a> {
    arguments: &'a CheckArguments,
    environment: &'a Environment,
    accepted: &'a Accepted,
    /// From which severity on a finding is reported.
    reported: Severity,
    /// From which severity on it fails the run.
    failing: FailOn,
    /// How many texts were read before the first template.
    own: usize,
}

impl Gate<'_> {
    /// From all that was found to what is reported of it, and to the exit code.
    fn pass(&self, mut run: Run, change: &Change) -> Result<Checked, Error> {
        let Self { arguments, environment, .. } = *self;
        self.accepted.apply(&mut run, self.reported)?;
        let below = leave_out_below(&mut run, self.reported);
        change.mark(&mut run);
        let weighs = |it: &Finding| change.weighs(it, &run.sources, &arguments.change);
        let exit = exit(&run, self.failing, arguments.require_inputs, weighs);
        if run.summary.templates == 0 && run.summary.errors == 0 && (!arguments.quiet || exit == Exit::Usage) {
            notice(nothing(change));
        }
        let hidden = change.filter(&mut run, &arguments.change);
        if hidden > 0 && !arguments.quiet {
            notice(&format!("{} outside the change, not shown", counted(hidden, "finding")));
        }
        if below > 0 && !arguments.quiet {
            notice(&format!("{} below `{}`, not shown", counted(below, "finding"), self.reported.as_str()));
        }
        let changed_files = change.touched(&run.sources, self.own);
        change.restore_names(&mut run);
        reports::write(arguments, environment, &run)?;
        Ok(Checked { exit, run: Some(run), changed_files })
    }
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

/// What is said where there is nothing to check.
fn nothing(change: &Change) -> &'static str {
    if change.narrows() { "the change touches no template" } else { "no template found" }
}

/// Tells something about the run.
pub(super) fn notice(text: &str) {
    // A notice that cannot be written changes nothing.
    let _ = writeln!(io::stderr(), "notice: {}", escape::line(text));
}
