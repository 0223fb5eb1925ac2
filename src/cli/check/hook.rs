//! `formwork check --hook`: checks the file that a coding agent has just edited, and answers with an exit code that
//! makes the agent read the findings.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::cli::Environment;
use crate::cli::args::CheckArguments;
use crate::cli::check::options;
use crate::cli::check::tell::Listener;
use crate::cli::exit::{Error, Exit};
use crate::cli::progress::Progress;
use crate::cli::streams;
use crate::diagnostic::{Level, Outcome, Severity};
use crate::engine::{ChangeFilter, ChangeOptions, CheckOptions, Detail, Finished, NewOnly, Query, Session, Status};
use crate::files::repository_of;
use crate::path::normalize;
use crate::report::model::Finding;
use crate::report::{BriefOptions, Report, brief};

/// Maximum length of an event, in bytes. It may have the whole text of a file.
const MAX_EVENT: u64 = 16 << 20;

/// Maximum length of the answer, in tokens.
const MAX_TOKENS: usize = 500;

/// The endings of the files that a check reads.
const ENDINGS: [&str; 8] = ["bicep", "bicepparam", "json", "jsonc", "template", "toml", "yaml", "yml"];

/// Checks the file of an event on standard input, and its dependents. Findings that are new since the last commit are
/// printed on standard error.
pub(super) fn run(arguments: &CheckArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut event = Vec::new();
    io::stdin().lock().take(MAX_EVENT).read_to_end(&mut event)?;
    let Some(path) = edited_path(&event)?.map(|path| normalize(&environment.working, &path)) else {
        return Ok(Exit::Clean);
    };
    if !may_be_template(&path) || !path.starts_with(&environment.working) {
        return Ok(Exit::Clean);
    }
    let options = hook_options(&path, options::of_arguments(arguments, environment)?);
    let listener = Listener { progress: Progress::new(false), color: arguments.inputs.color, environment };
    let Finished { run, status, threads, .. } = Session::open(&options, &listener)?.check(&listener)?;
    let report = threads.install(|| Report::from_run(run));
    let is_broken = report.problems.iter().any(|problem| {
        problem.level == Level::Error
            && normalize(&environment.working, Path::new(&**problem.place.file.name())) == path
    });
    // What could not be read elsewhere does not hide what is found.
    let fails = match status {
        Status::Incomplete => has_findings(&report),
        status => status == Status::Failed,
    };
    let stops = is_broken || fails;
    if stops || brief::hides_something(&report) {
        let length = MAX_TOKENS * brief::BYTES_PER_TOKEN;
        let text = brief::text(&report, &BriefOptions { length, ..BriefOptions::default() });
        streams::err().write_all(text.as_bytes())?;
    }
    Ok(if stops { Exit::Stopped } else { Exit::Clean })
}

/// True if a finding failed that is more than advice.
fn has_findings(report: &Report) -> bool {
    let is_bad = |finding: &Finding| finding.outcome == Outcome::Failed && finding.rule.severity < Severity::Low;
    report.findings.iter().any(is_bad)
}

/// Returns the path of the edited file in an event. `None` if the event is not about a file.
fn edited_path(event: &[u8]) -> Result<Option<PathBuf>, Error> {
    let event: serde_json::Value = serde_json::from_slice(event)
        .map_err(|error| Error::Usage(format!("`--hook` expects the event of an agent as JSON: {error}")))?;
    let input = &event["tool_input"];
    let names = [&input["file_path"], &input["path"], &event["file_path"], &event["path"]];
    Ok(names.into_iter().find_map(|name| name.as_str()).filter(|name| !name.is_empty()).map(PathBuf::from))
}

fn may_be_template(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Returns the options of a check of one file and its dependents, of which only new findings are reported. Outside of a
/// repository, all of them are.
fn hook_options(path: &Path, options: CheckOptions) -> CheckOptions {
    let is_tracked = repository_of(&options.working).is_some();
    let change = ChangeOptions {
        query: Query::Uncommitted,
        detail: Detail::LinesIfThere,
        checks_all: true,
        filter: ChangeFilter::None,
        counts_changed_only: false,
        compares: false,
        event: None,
        commit: None,
    };
    CheckOptions {
        paths: vec![path.to_path_buf()],
        dependents: true,
        change: is_tracked.then_some(change),
        new_only: is_tracked.then_some(NewOnly::OfChange),
        keep_trees: true,
        lists_no_longer_deployed: is_tracked,
        ..options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_where_agents_write_it() {
        let check = |event: &str, expected: Option<&str>| {
            assert_eq!(edited_path(event.as_bytes()).unwrap(), expected.map(PathBuf::from), "{event}");
        };
        check(r#"{"tool_input": {"file_path": "a.bicep"}, "path": "b"}"#, Some("a.bicep"));
        check(r#"{"tool_input": {"path": "a.bicep"}}"#, Some("a.bicep"));
        check(r#"{"file_path": "a.bicep"}"#, Some("a.bicep"));
        check(r#"{"path": "a.bicep"}"#, Some("a.bicep"));
        check(r#"{"tool_input": {"command": "ls"}}"#, None);
        check(r#"{"path": ""}"#, None);
        check("[1]", None);
        assert!(edited_path(b"{").is_err());
    }

    #[test]
    fn other_files_are_known_by_their_names() {
        assert!(may_be_template(Path::new("a/main.BICEP")) && may_be_template(Path::new("x.template")));
        assert!(!may_be_template(Path::new("main.rs")) && !may_be_template(Path::new("json")));
    }
}
