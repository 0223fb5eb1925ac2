//! `--baseline` and `--write-baseline`: the file of accepted findings, read before a run and used after it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::args::CheckArguments;
use crate::cli::changed::Change;
use crate::cli::check::notice;
use crate::cli::exit::Error;
use crate::cli::settings::Session;
use crate::diagnostic::{Diagnostic, Run, Severity};
use crate::engine::{Baseline, Renewal};
use crate::files::{display_name, normalize, read_bytes, register, replace};
use crate::report::counted;
use crate::text::Span;

/// The findings that are accepted, if any are.
#[derive(Debug)]
pub(super) struct Accepted {
    baseline: Option<Baseline>,
    /// The name of its file, as the user knows it.
    name: String,
    /// Where the baseline is written, if that is wanted.
    target: Option<PathBuf>,
    /// The current folder of the run, which may be that of staged files.
    working: PathBuf,
    is_quiet: bool,
}

impl Accepted {
    /// Reads the baseline that the arguments or the settings name. One that is wrong ends the run.
    pub(super) fn open(arguments: &CheckArguments, session: &mut Session<'_>, change: &Change) -> Result<Self, Error> {
        let own = change.own_folder();
        // What is written goes to the working tree, and so what was there comes from it.
        let target = arguments.write_baseline.as_deref().map(|it| normalize(own, it));
        let named = arguments.baseline.as_deref().map(|it| (normalize(own, &change.place(it)), None));
        let of_settings = || session.settings.baseline.clone().map(|(path, span)| (path, Some(span)));
        let file = match &target {
            Some(path) => path.exists().then(|| (path.clone(), None)),
            None => named.or_else(of_settings),
        };
        let working = session.environment.working.clone();
        let name = match (&target, &file) {
            (Some(path), _) => display_name(own, path),
            (None, Some((path, _))) => change.own_names(&display_name(&working, path)),
            (None, None) => String::new(),
        };
        let baseline = match file {
            Some((path, span)) => Some(read(&path, span, session)?),
            None => target.is_some().then(Baseline::default),
        };
        Ok(Self { baseline, name, target, working, is_quiet: arguments.quiet })
    }

    /// Suppresses what is accepted already, so that nothing repairs it.
    pub(super) fn accept(&self, run: &mut Run) {
        if let Some(baseline) = &self.baseline {
            baseline.accept(run);
        }
    }

    /// Suppresses what is accepted. With `--write-baseline`, that is what the file accepts from now on: findings of at
    /// least `least`.
    pub(super) fn apply(&self, run: &mut Run, least: Severity) -> Result<(), Error> {
        let Some(baseline) = &self.baseline else { return Ok(()) };
        let Some(path) = &self.target else {
            baseline.accept(run);
            baseline.report_stale(run, &self.working, &self.name);
            return Ok(());
        };
        let (renewed, renewal) = baseline.renewed(run, &self.working, least);
        write(path, &renewed.text()).map_err(|source| Error::Write { path: path.clone(), source })?;
        if !self.is_quiet {
            notice(&format!("{}: {}", self.name, counts(renewal)));
        }
        renewed.accept(run);
        Ok(())
    }
}

fn counts(renewal: Renewal) -> String {
    let new = if renewal.added > 0 { format!(", {} of them new", renewal.added) } else { String::new() };
    let gone = match renewal.removed {
        0 => String::new(),
        removed => format!("; {removed} not found any more and left out"),
    };
    format!("{} accepted{new}{gone}", counted(renewal.total, "finding"))
}

/// Reads a baseline. What is wrong with it is printed, and ends the run.
pub(super) fn read(path: &Path, named_at: Option<Span>, session: &mut Session<'_>) -> Result<Baseline, Error> {
    let name = display_name(&session.environment.working, path);
    let file = read_bytes(path, session.limits.file_bytes)
        .map_err(|problem| problem.into_diagnostic(&name, &session.sources))
        .and_then(|bytes| register(&name, bytes, &session.sources));
    let file = match file {
        Ok(file) => file,
        Err(problem) => {
            let help = format!("`--write-baseline {name}` makes one");
            let problem = named_at.into_iter().fold(problem, |it, span| it.with_label(span, "named here"));
            session.print_or_fail(vec![if path.exists() { problem } else { problem.with_help(help) }])?;
            return Err(Error::Reported);
        }
    };
    let (baseline, problems): (_, Vec<Diagnostic>) = Baseline::read(file, &session.sources);
    session.print_or_fail(problems)?;
    Ok(baseline)
}

/// Writes the file, if it is not there already. Through a link the file behind it is replaced.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::read(&path).is_ok_and(|it| it == text.as_bytes()) {
        return Ok(());
    }
    replace(&path, text.as_bytes())
}
