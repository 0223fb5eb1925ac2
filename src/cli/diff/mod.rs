//! `formwork diff`: shows the deployments and resources that differ between two states.

mod json;
mod pairs;
mod shown;
mod sides;
mod versions;

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use crate::cli::Environment;
use crate::cli::args::{ConfigSide, DiffArguments, DiffFormat};
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal;
use crate::cli::workflow::{self, Workflow};
use crate::diagnostic::{Diagnostic, Level};
use crate::engine::{CheckOptions, ConfigFrom, Policy, Query};
use crate::files::{Overlay, Programs};
use crate::report::difference::{self, Difference, Places};
use crate::text::escape::Notation;

use self::pairs::PairedDeployments;
pub(super) use self::shown::shown_value;
use self::sides::{Comparand, Sides};

/// Maximum length of a section in Markdown, in bytes. A comment on GitHub has space for such a section, a header, and
/// a footer.
const MAX_PAGE: usize = 60_000;

/// Reads a difference, to write a page from it.
pub(super) fn read(json: &[u8]) -> Result<Difference, Error> {
    Difference::read(json).map_err(|error| Error::Usage(error.to_string()))
}

/// Expands both sides, and prints the difference between them.
pub(super) fn run(arguments: &DiffArguments, environment: &Environment) -> Result<Exit, Error> {
    let asked = Comparand::from_arguments(arguments, &environment.working);
    let policy = policy(&asked, arguments, environment)?;
    let config = policy.config(&environment.working, arguments.config.clone())?;
    let mut workspace = Workspace::open_in(policy.tree(), config.as_deref(), arguments.color, environment)?;
    let mut sides = Sides::find(&asked, arguments, environment)?;
    if let Some(notice) = &sides.notice {
        writeln!(streams::err(), "note: {notice}")?;
    }
    let comparison = sides.compare(arguments, &workspace, &policy)?;
    let has_errors = comparison.diagnostics.iter().flatten().any(|problem| problem.level == Level::Error);
    print(&comparison, &sides, arguments, environment)?;
    let fails = arguments.exit_code && comparison.differs()
        || arguments.fail_on_risk.is_some_and(|least| comparison.worst_risk().is_some_and(|worst| worst <= least));
    let [old, new] = comparison.diagnostics;
    let mut printed: BTreeSet<(&str, String)> = BTreeSet::new();
    for (side, diagnostics) in [(&mut sides.old, old), (&mut sides.new, new)] {
        let (sources, mut problems) = side.problems(diagnostics);
        // A note, such as that on what builds Bicep files, is shown for one side only.
        let key = |problem: &Diagnostic| (problem.code.as_str(), problem.message.clone());
        problems.retain(|problem| problem.level != Level::Note || !printed.contains(&key(problem)));
        printed.extend(problems.iter().filter(|problem| problem.level == Level::Note).map(key));
        workspace.sources = sources;
        workspace.print(Vec::new(), problems)?;
    }
    Ok(match fails {
        _ if has_errors => Exit::Unanalysed,
        true => Exit::Findings,
        false => Exit::Clean,
    })
}

/// Returns where to read the settings from. The author of a pull request must not choose the settings for its
/// comparison. In a workflow, the event determines the base. Otherwise, the user chooses it.
fn policy(asked: &Comparand<'_>, arguments: &DiffArguments, environment: &Environment) -> Result<Policy, Error> {
    let base = || match (asked, asked.base()) {
        (Comparand::Revisions { .. }, Some(base)) if workflow::event(environment).is_none() => {
            Query::Since(base.to_owned())
        }
        (Comparand::Revisions { .. }, None) if workflow::event(environment).is_none() => Query::Uncommitted,
        _ => Query::Auto(Workflow::from_environment(environment).auto),
    };
    let options = CheckOptions {
        variables: environment.variables.clone(),
        files: Arc::new(Overlay::of_command_line(Programs::of_command_line())),
        config: arguments.config.clone(),
        config_from: match arguments.config_from {
            ConfigSide::Base => ConfigFrom::Base(base()),
            ConfigSide::Head => ConfigFrom::Head,
        },
        ..CheckOptions::new(environment.working.clone())
    };
    Ok(Policy::of_command(&options)?)
}

fn print(
    comparison: &PairedDeployments,
    sides: &Sides,
    arguments: &DiffArguments,
    environment: &Environment,
) -> Result<(), Error> {
    let notation = match arguments.format {
        DiffFormat::Console => Notation::Plain,
        DiffFormat::Markdown | DiffFormat::Html => Notation::Markup,
        DiffFormat::Json => Notation::Json,
    };
    let mut out = BufWriter::new(streams::out(notation));
    match arguments.format {
        DiffFormat::Console => {
            let is_colored = terminal::stdout_wants_color(arguments.color, environment);
            write!(out, "{}", difference::text(&json::document(comparison, sides), is_colored))?;
        }
        DiffFormat::Markdown => {
            let shown = json::document(comparison, sides).worst_first();
            write!(out, "{}", difference::section(&shown, MAX_PAGE, Places::Lines))?;
        }
        DiffFormat::Html => {
            write!(out, "{}", difference::page(&json::document(comparison, sides).worst_first()))?;
        }
        DiffFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &json::document(comparison, sides)).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}
