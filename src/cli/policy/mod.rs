//! `formwork policy`: explains the effects of Azure policies on the resources of a template.

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

/// The explanations, with the data to show them.
#[derive(Debug)]
struct ExplanationPage<'a> {
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
    let (expanded, exit) = expand::expand_and_print(&arguments.template, &assumptions, &mut workspace)?;
    let Some((expanded, document)) =
        expanded.as_ref().and_then(|expanded| Some((expanded, expanded.expansion.document.as_ref()?)))
    else {
        return Ok(exit);
    };
    let selector = arguments.resource.as_deref();
    let selected = selected_resources(selector, expanded, document, &workspace.sources)?;
    let is_selected = |resource: &Resource| selected.iter().any(|own| std::ptr::eq(*own, resource));
    let answer = governance.explain(document, &arguments.assignment, &is_selected, selector.is_some())?;
    if answer.definitions == 0 {
        let name = visible(&arguments.assignment);
        let hint = governance.suggestion(&arguments.assignment);
        return Err(Error::Usage(format!("there is no assignment or assigned definition `{name}`{}", visible(&hint))));
    }
    let page =
        ExplanationPage { answer: &answer, governance: &governance, expanded, document, sources: &workspace.sources };
    page.print(arguments.format)?;
    if answer.all.is_empty() {
        let what = if selector.is_some() { "resource of this name" } else { "resource of the template" };
        notice(&format!("`{}` applies to no {what}", visible(&arguments.assignment)));
    } else if answer.is_cut {
        let shown = counted(answer.all.len(), "explanation");
        notice(&format!("only the first {shown} are shown; name a resource or a definition for others"));
    }
    Ok(exit)
}

impl ExplanationPage<'_> {
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

/// Returns the outcome of a definition for a resource: the name of an effect, `none`, or `unknown`.
fn outcome(explained: &Explained) -> &'static str {
    match explained.outcome {
        Outcome::None => "none",
        Outcome::Effect(effect) => effect.as_str(),
        Outcome::Unknown => "unknown",
    }
}

/// Returns the resources that the argument selects, by name, symbolic name, type, ID, or path.
fn selected_resources<'d>(
    selector: Option<&str>,
    expanded: &Expanded,
    document: &'d Document,
    sources: &Sources,
) -> Result<Vec<&'d Resource>, Error> {
    let Some(selector) = selector else { return Ok(document.resources.iter().collect()) };
    let declared = paths_of_name(selector, expanded, document, sources);
    let is_selected = |resource: &&Resource| {
        // A name with a secret is compared as it is shown.
        let shown = [&resource.name, &resource.id].map(|text| document.hidden.masked(text));
        shown.iter().any(|text| text.eq_ignore_ascii_case(selector))
            || resource.type_name.eq_ignore_ascii_case(selector)
            || resource.path == selector
            || declared.contains(&resource.path)
    };
    let selected: Vec<&Resource> = document.resources.iter().filter(is_selected).collect();
    if selected.is_empty() {
        let expected = "expected its name, symbolic name, type, or ID";
        return Err(Error::Usage(format!("the template deploys no resource `{}`; {expected}", visible(selector))));
    }
    Ok(selected)
}
