//! `formwork policy`: shows why an Azure policy does what it does with the resources of a template.

mod console;
mod json;

use std::io::{BufWriter, Write};

use crate::cli::Environment;
use crate::cli::args::{PolicyCommand, PolicyExplainArguments, PolicyFormat};
use crate::cli::exit::{Error, Exit};
use crate::cli::expand;
use crate::cli::explain::paths_of_name;
use crate::cli::notice::notice;
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::engine::{Expanded, Governance, PolicyAnswer};
use crate::model::{Document, Resource};
use crate::policy::judge::{Explained, Outcome};
use crate::report::counted;
use crate::text::Sources;
use crate::text::escape::{Notation, visible};

/// Runs one of the commands about policies.
pub(super) fn run(command: &PolicyCommand, environment: &Environment) -> Result<Exit, Error> {
    match command {
        PolicyCommand::Explain(it) => explain(it, environment),
    }
}

/// What the explanations are about.
#[derive(Debug)]
struct Page<'a> {
    answer: &'a PolicyAnswer<'a>,
    governance: &'a Governance<'a>,
    expanded: &'a Expanded,
    document: &'a Document,
    sources: &'a Sources,
}

fn explain(arguments: &PolicyExplainArguments, environment: &Environment) -> Result<Exit, Error> {
    let inputs = &arguments.template.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let assumptions = workspace.assumptions();
    let policies = workspace.policies(&arguments.policies.given, &arguments.template.bicep, true)?;
    let governance = workspace.governance(&policies).ok_or_else(|| {
        Error::Usage(
            "there are no policies; name them in `policy.paths` of the settings, or with `--policy`".to_owned(),
        )
    })?;
    let (expanded, exit) = expand::expand_and_tell(&arguments.template, &assumptions, &mut workspace)?;
    let Some((expanded, document)) =
        expanded.as_ref().and_then(|expanded| Some((expanded, expanded.expansion.document.as_ref()?)))
    else {
        return Ok(exit);
    };
    let wanted = arguments.resource.as_deref();
    let meant = meant(wanted, expanded, document, &workspace.sources)?;
    let is_meant = |resource: &Resource| meant.iter().any(|own| std::ptr::eq(*own, resource));
    let answer = governance.explain(document, &arguments.assignment, &is_meant, wanted.is_some())?;
    if answer.definitions == 0 {
        let name = visible(&arguments.assignment);
        let hint = governance.suggestion(&arguments.assignment);
        return Err(Error::Usage(format!("there is no assignment or assigned definition `{name}`{}", visible(&hint))));
    }
    let page = Page { answer: &answer, governance: &governance, expanded, document, sources: &workspace.sources };
    page.print(arguments.format)?;
    if answer.all.is_empty() {
        let what = if wanted.is_some() { "resource of this name" } else { "resource of the template" };
        notice(&format!("`{}` applies to no {what}", visible(&arguments.assignment)));
    } else if answer.is_cut {
        let shown = counted(answer.all.len(), "explanation");
        notice(&format!("only the first {shown} are shown; name a resource or a definition for others"));
    }
    Ok(exit)
}

impl Page<'_> {
    fn print(&self, format: PolicyFormat) -> Result<(), Error> {
        let mut out = BufWriter::new(streams::out(match format {
            PolicyFormat::Json => Notation::Json,
            PolicyFormat::Console => Notation::Plain,
        }));
        match format {
            PolicyFormat::Json => json::print(self, &mut out)?,
            PolicyFormat::Console => console::print(self, &mut out)?,
        }
        out.flush()?;
        Ok(())
    }
}

/// What a definition does with a resource: the name of an effect, `none`, or `unknown`.
fn outcome(explained: &Explained) -> &'static str {
    match explained.outcome {
        Outcome::None => "none",
        Outcome::Effect(effect) => effect.as_str(),
        Outcome::Unknown => "unknown",
    }
}

/// The resources that the user asks about.
fn meant<'d>(
    wanted: Option<&str>,
    expanded: &Expanded,
    document: &'d Document,
    sources: &Sources,
) -> Result<Vec<&'d Resource>, Error> {
    let Some(wanted) = wanted else { return Ok(document.resources.iter().collect()) };
    let declared = paths_of_name(wanted, expanded, document, sources);
    let is_meant = |resource: &&Resource| {
        // A name with a secret goes by what is shown of it.
        let shown = [&resource.name, &resource.id].map(|text| document.hidden.masked(text));
        shown.iter().any(|text| text.eq_ignore_ascii_case(wanted))
            || resource.type_name.eq_ignore_ascii_case(wanted)
            || resource.path == wanted
            || declared.contains(&resource.path)
    };
    let meant: Vec<&Resource> = document.resources.iter().filter(is_meant).collect();
    if meant.is_empty() {
        let expected = "expected its name, symbolic name, type, or ID";
        return Err(Error::Usage(format!("the template deploys no resource `{}`; {expected}", visible(wanted))));
    }
    Ok(meant)
}
