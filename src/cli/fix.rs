//! `check --fix` and `check --diff`.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::cli::Environment;
use crate::cli::args::CheckArguments;
use crate::cli::check::notice;
use crate::cli::exit::Error;
use crate::diagnostic::{Finding, Run};
use crate::engine::{Plan, Territory};
use crate::report::counted;
use crate::text::Sources;
use crate::text::escape::visible;

/// How often what got into the way of something else is tried again.
const MAX_ROUNDS: usize = 16;

/// Fails where there is no file to change.
pub(super) fn refuse(arguments: &CheckArguments) -> Result<(), Error> {
    let is_piped = arguments.paths.iter().any(|it| it.as_os_str() == "-");
    if (arguments.fixes.fix || arguments.fixes.diff) && is_piped {
        let flag = if arguments.fixes.fix { "--fix" } else { "--diff" };
        return Err(Error::Usage(format!("`{flag}` changes files, and `-` is none")));
    }
    Ok(())
}

/// Changes the files, and checks them again by `check_again`, which gets the run before for the texts that it holds.
/// Gives the last run, and nothing is left in it that was fixed.
pub(super) fn apply(
    mut run: Run,
    environment: &Environment,
    arguments: &CheckArguments,
    is_asked_for: impl Fn(&Finding, &Sources) -> bool,
    mut check_again: impl FnMut(Run) -> Result<Run, Error>,
) -> Result<Run, Error> {
    let territory = Territory { working: &environment.working, named: &arguments.paths };
    let (mut findings, mut files) = (0, BTreeSet::new());
    let mut waiting: Option<BTreeSet<String>> = None;
    for _ in 0..MAX_ROUNDS {
        let mut plan = Plan::new(&run, &territory, |it| match &waiting {
            None => is_asked_for(it, &run.sources),
            Some(prints) => prints.contains(&it.fingerprint),
        });
        let (fixed, written) = plan.write(&run);
        report_refused(&plan);
        findings += fixed;
        if !written.is_empty() {
            files.extend(written);
            run = check_again(run)?;
        }
        if plan.postponed.is_empty() || fixed == 0 {
            break;
        }
        waiting = Some(plan.postponed);
    }
    if !arguments.quiet && findings > 0 {
        notice(&format!("fixed {} in {}", counted(findings, "finding"), counted(files.len(), "file")));
    }
    Ok(run)
}

/// Prints what [`apply`] would change, and changes nothing.
pub(super) fn print(run: &Run, environment: &Environment, arguments: &CheckArguments) -> Result<(), Error> {
    let territory = Territory { working: &environment.working, named: &arguments.paths };
    let mut plan = Plan::new(run, &territory, |_| true);
    let mut out = io::stdout().lock();
    out.write_all(plan.diff(run).as_bytes())?;
    out.flush()?;
    report_refused(&plan);
    if !arguments.quiet && !plan.postponed.is_empty() {
        let count = counted(plan.postponed.len(), "finding");
        notice(&format!("the changes of {count} get into the way of these; `--fix` makes them as well"));
    }
    Ok(())
}

fn report_refused(plan: &Plan) {
    for (name, why) in &plan.refused {
        // A warning that cannot be written changes nothing.
        let _ = writeln!(io::stderr(), "warning: `{}` is left as it is: {why}", visible(name));
    }
}
