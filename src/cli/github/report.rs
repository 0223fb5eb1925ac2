//! `formwork github report`: publishes a finished report to a pull request.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::cli::args::GithubReportArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::github::outputs::Outputs;
use crate::cli::streams;
use crate::cli::{Environment, workflow};
use crate::config::{Choices, RuleSettings};
use crate::engine::{RuleSource, load_rules};
use crate::files::{Destination, Disk};
use crate::github::{self, Access, Log, Published, Report, RepositoryName, Task, Token};
use crate::model::Limits;
use crate::report::difference::Difference;
use crate::text::Sources;
use crate::text::escape::Notation;
use formwork_check::checks::CHECKS;

/// Publishes the report, or with `--dry-run` prints the requests that would be sent.
pub(super) fn run(arguments: &GithubReportArguments, environment: &Environment) -> Result<Exit, Error> {
    if !arguments.review && !arguments.summary && !arguments.check_run {
        let message = "nothing to publish: expected `--review`, `--summary`, or `--check-run`";
        return Err(Error::Usage(message.to_owned()));
    }
    let repository = required_variable(environment, "GITHUB_REPOSITORY")?;
    let repository = RepositoryName::read(repository)
        .ok_or_else(|| Error::Usage("`GITHUB_REPOSITORY` is invalid; expected `owner/name`".to_owned()))?;
    let server_url = environment.get("GITHUB_SERVER_URL").unwrap_or("https://github.com");
    let bytes = content(&environment.working.join(&arguments.from), github::MAX_REPORT_BYTES)?;
    let mut report = Report::read(&bytes, &CHECKS).map_err(|error| report_error(&error.to_string()))?;
    let difference = match (&arguments.difference, &report.difference) {
        (Some(path), _) => Some(difference(&content(&environment.working.join(path), Difference::MAX_BYTES)?)?),
        (None, Some(embedded)) => Some(difference(embedded.to_string().as_bytes())?),
        (None, None) => None,
    };
    let event = workflow::event(environment).transpose().map_err(Error::Usage)?;
    report.keep_links(&builtin_links(), !matches!(event, Some(github::Event::WorkflowRun(_))));
    let task = Task {
        access: &access(environment)?,
        repository: &repository,
        report: &report,
        difference,
        event: event.as_ref(),
        commit: environment.get("GITHUB_SHA"),
        pull_request: arguments.pull_request,
        review: arguments.review,
        summary: arguments.summary,
        check_run: arguments.check_run,
        category: &arguments.category,
        server_url,
        run_url: workflow::run_url(environment),
        dry_run: arguments.dry_run,
        max_wait: Duration::from_secs(arguments.max_wait),
        pace: Duration::from_millis(arguments.pace),
    };
    let published = github::publish(&task, &Stderr)?;
    print(&published, arguments.dry_run, environment)?;
    if let Some(path) = arguments.or_annotate.as_ref().filter(|_| published.is_check_run_denied) {
        // The check wrote this file in the same job. It consists of workflow commands.
        let commands = fs::read(environment.working.join(path))?;
        streams::commands_out().write_all(&commands)?;
    }
    Ok(Exit::Clean)
}

/// Prints the result. Sets the address of the summary as an output for later steps.
fn print(published: &Published, dry_run: bool, environment: &Environment) -> Result<(), Error> {
    let mut out = streams::out(Notation::Json);
    for request in &published.requests {
        writeln!(out, "{}", request.json_line())?;
    }
    for line in &published.lines {
        Stderr.line(line);
    }
    for notice in &published.notices {
        // Programs read the requests from standard output, so nothing else is printed there.
        if environment.get("GITHUB_ACTIONS") == Some("true") && !dry_run {
            writeln!(streams::commands_out(), "{}", github::notice_command(notice))?;
        } else {
            Stderr.line(&format!("notice: {notice}"));
        }
    }
    let (Some(url), Some(path)) = (&published.url, environment.get("GITHUB_OUTPUT")) else { return Ok(()) };
    let mut outputs = Outputs::default();
    outputs.set("comment-url", url);
    let file = Destination::new(&environment.working, Path::new(path));
    outputs.write(&file).map_err(|why| Error::Write { path: path.into(), why })
}

/// Prints the log to standard error. A failure to print is ignored.
#[derive(Debug)]
struct Stderr;

impl Log for Stderr {
    fn line(&self, text: &str) {
        let _ = writeln!(streams::err(), "{}", github::log_line(text));
    }
}

fn access(environment: &Environment) -> Result<Access, Error> {
    let token = workflow::token(environment).ok_or_else(|| {
        let message = "no token found; set `GITHUB_TOKEN` or `FORMWORK_TOKEN`, in a workflow to `${{ github.token }}`";
        Error::Usage(message.to_owned())
    })?;
    let api = environment.get("GITHUB_API_URL").unwrap_or("https://api.github.com");
    let graphql = environment.get("GITHUB_GRAPHQL_URL").unwrap_or("https://api.github.com/graphql");
    Ok(Access { api: api.to_owned(), graphql: graphql.to_owned(), token: Token::new(token.trim()) })
}

fn report_error(why: &str) -> Error {
    Error::Github(github::Error::Report(github::log_line(why)))
}

fn difference(json: &[u8]) -> Result<Arc<Difference>, Error> {
    Difference::read(json).map(Arc::new).map_err(|error| report_error(&error.to_string()))
}

/// Reads a file of another job. Untrusted code may have replaced it with a link to a secret, so links are refused.
fn content(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let shown = path.display();
    let kind = fs::symlink_metadata(path).map_err(|error| report_error(&format!("`{shown}`: {error}")))?;
    if !kind.is_file() {
        return Err(report_error(&format!("`{shown}` is not a regular file but a link, a folder, or a device")));
    }
    workflow::read(path, limit).map_err(|error| report_error(&format!("`{shown}`: {error}")))
}

/// Returns the documentation pages of the embedded rules, by rule ID.
fn builtin_links() -> BTreeMap<String, String> {
    let (working, settings, limits) = (Path::new("/"), RuleSettings::default(), Limits::default());
    let source = RuleSource {
        working,
        tree: &Disk,
        choices: Choices::default(),
        needs_texts: true,
        paths: &[],
        settings: &settings,
        environment: &BTreeMap::new(),
        limits: &limits,
    };
    let (loaded, _) = load_rules(&source, &Sources::new());
    loaded.infos.iter().filter_map(|rule| Some((rule.id.clone(), rule.help_uri.clone()?))).collect()
}

fn required_variable<'a>(environment: &'a Environment, name: &str) -> Result<&'a str, Error> {
    environment.get(name).ok_or_else(|| Error::Usage(format!("`{name}` is not set; in a workflow of GitHub it is")))
}
