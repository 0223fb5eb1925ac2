//! Converts the arguments of `check` to the options of the engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Environment;
use crate::cli::args::{ChangeArguments, CheckArguments, ConfigSide, FailOnScope, FilterMode};
use crate::cli::clock;
use crate::cli::exit::Error;
use crate::cli::settings;
use crate::cli::supervise;
use crate::cli::workflow::Workflow;
use crate::engine::{
    ChangeOptions, CheckOptions, ConfigFrom, Deleted, Detail, Isolation, NewOnly, Query, WorkflowEvent,
};
use crate::files::{Overlay, Programs};
use crate::github::Event;
use crate::report::Format;

/// Path that means standard input.
const STDIN: &str = "-";

/// True if a template is read from standard input. Listing files reads none.
pub(super) fn reads_stdin(arguments: &CheckArguments) -> bool {
    !arguments.change.show_files && arguments.paths.iter().any(|path| path.as_os_str() == STDIN)
}

/// Returns the options for the arguments.
pub(super) fn of_arguments(arguments: &CheckArguments, environment: &Environment) -> Result<CheckOptions, Error> {
    refuse_fixing_stdin(arguments)?;
    refuse_sharing_stdin(arguments)?;
    let isolation = isolation(environment);
    let paths: Vec<PathBuf> = arguments.paths.iter().filter(|path| path.as_os_str() != STDIN).cloned().collect();
    Ok(CheckOptions {
        working: environment.working.clone(),
        variables: environment.variables.clone(),
        files: Arc::new(Overlay::of_command_line(Programs::of_command_line())),
        cache: None,
        paths,
        deleted: arguments.deleted.then(|| deleted(environment)),
        dependents: arguments.dependents,
        force_exclude: arguments.force_exclude,
        parameters: arguments.inputs.parameters.clone(),
        overrides: settings::overrides(&arguments.inputs)?,
        config: arguments.inputs.config.clone(),
        config_from: match arguments.change.config_from {
            ConfigSide::Base => ConfigFrom::Base(Query::Auto(Workflow::from_environment(environment).auto)),
            ConfigSide::Head => ConfigFrom::Head,
        },
        given: arguments.given_settings(),
        guard_strict: arguments.guard_strict,
        as_written: arguments.guard_raw,
        bicep_cache: settings::bicep_cache(&arguments.bicep, environment)?,
        module_cache: settings::module_cache(&arguments.bicep, environment)?,
        registry: settings::registry(&arguments.bicep),
        change: change(&arguments.change, environment)?,
        new_only: arguments.change.new_only.as_deref().map(new_only),
        shard: arguments.shard,
        list_unknown: arguments.show_unknown,
        require_inputs: arguments.require_inputs,
        write_baseline: arguments.write_baseline.clone(),
        today: arguments.today.or_else(clock::today),
        fix: arguments.fixes.fix,
        unsafe_fixes: arguments.fixes.unsafe_fixes,
        keep_passed: arguments.show_passed,
        keep_trees: arguments.shard.is_some() || wants(arguments, Format::Html) || wants(arguments, Format::Brief),
        lists_no_longer_deployed: wants(arguments, Format::Brief),
        describes_rules: describes_rules(arguments),
        threads: if isolation.is_probe() { 1 } else { arguments.threads },
        isolation: Arc::new(isolation),
    })
}

/// Returns the base of `--new-only`.
fn new_only(base: &str) -> NewOnly {
    if base.is_empty() { NewOnly::OfChange } else { NewOnly::Since(base.to_owned()) }
}

/// Returns the deletions for a hook. pre-commit sets two commits if it compares them.
fn deleted(environment: &Environment) -> Deleted {
    let (from, to) = (environment.get("PRE_COMMIT_FROM_REF"), environment.get("PRE_COMMIT_TO_REF"));
    match (from, to) {
        (Some(from), Some(to)) => Deleted::Between { from: from.to_owned(), to: to.to_owned() },
        _ => Deleted::Staged,
    }
}

/// Returns the isolation of the work on files. Without a usable journal, only panics are isolated.
fn isolation(environment: &Environment) -> Isolation {
    let folder = environment.get(supervise::VARIABLE);
    folder.and_then(|folder| Isolation::join(Path::new(folder)).ok()).unwrap_or_default()
}

fn refuse_fixing_stdin(arguments: &CheckArguments) -> Result<(), Error> {
    let flag = match arguments.fixes {
        fixes if fixes.fix => "--fix",
        fixes if fixes.diff => "--diff",
        _ => return Ok(()),
    };
    if arguments.paths.iter().any(|path| path.as_os_str() == STDIN) {
        return Err(Error::Usage(format!("`{flag}` changes files, and `-` is not a file; name the template instead")));
    }
    Ok(())
}
/// True if a report lists all rules that ran: a SARIF report, or that of a shard, from which the joined report is
/// made.
fn describes_rules(arguments: &CheckArguments) -> bool {
    arguments.shard.is_some() || wants(arguments, Format::Sarif)
}

/// True if a report with this format is requested.
fn wants(arguments: &CheckArguments, wanted: Format) -> bool {
    let mut formats = arguments.output.iter().map(|(format, _)| *format).chain([arguments.format]);
    formats.any(|format| format == wanted)
}

fn refuse_sharing_stdin(arguments: &CheckArguments) -> Result<(), Error> {
    if arguments.shard.is_some() && arguments.paths.iter().any(|path| path.as_os_str() == STDIN) {
        let message = "`--shard` splits files, and `-` is not a file; name the template instead";
        return Err(Error::Usage(message.to_owned()));
    }
    Ok(())
}

/// Returns the change to check, or `None` to check everything.
fn change(arguments: &ChangeArguments, environment: &Environment) -> Result<Option<ChangeOptions>, Error> {
    let needs_lines = arguments.filter_mode != FilterMode::None || arguments.fail_on_scope == FailOnScope::Changed;
    let is_auto = !arguments.staged && arguments.changed.as_deref() == Some("auto");
    let workflow = is_auto.then(|| Workflow::from_environment(environment));
    let query = match (&workflow, arguments.changed.as_deref()) {
        _ if arguments.staged => Query::Staged,
        (Some(workflow), _) => Query::Auto(workflow.auto.clone()),
        // Unlike a base, `HEAD` may be missing: in a repository without commits, all files are changed.
        (None, Some("HEAD")) => Query::Uncommitted,
        (None, Some(base)) => Query::Since(base.to_owned()),
        (None, None) if arguments.all || needs_lines => {
            let message = "`--all`, `--filter-mode` and `--fail-on-scope` need a change; add `--changed` or `--staged`";
            return Err(Error::Usage(message.to_owned()));
        }
        (None, None) => return Ok(None),
    };
    let (event, commit) = workflow.map_or((None, None), |workflow| (workflow.event, workflow.commit));
    Ok(Some(ChangeOptions {
        query,
        detail: match needs_lines {
            _ if arguments.show_files => Detail::Files,
            true => Detail::Lines,
            false => Detail::LinesIfThere,
        },
        checks_all: arguments.all,
        filter: arguments.filter_mode.filter(),
        counts_changed_only: arguments.fail_on_scope == FailOnScope::Changed,
        // In a workflow, annotations and outputs show new findings.
        compares: needs_lines || environment.get("GITHUB_ACTIONS") == Some("true"),
        event: event.as_ref().map(event_info),
        commit,
    }))
}

/// Returns the information about an event for reports.
fn event_info(event: &Event) -> WorkflowEvent {
    let head = match event {
        Event::PullRequest(pull_request) => Some(pull_request.head.sha.clone()),
        _ => None,
    };
    WorkflowEvent { name: event.name().to_owned(), pull_request: event.pull_request(), head }
}
