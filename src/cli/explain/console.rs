//! The explanation as text.

use std::collections::BTreeMap;
use std::io;

use crate::cli::exit::Error;
use crate::cli::explain::Explained;
use crate::cli::explain::chain::Chain;
use crate::cli::explain::declared;
use crate::cli::explain::find::Target;
use crate::cli::settings::{self, Workspace};
use crate::cli::terminal;
use crate::diagnostic::ResourceRef;
use crate::model::Hidden;
use crate::report::model::{Label, Resolver};
use crate::report::{self, Explanation};
use crate::text::Sources;
use crate::value::{JsonStyle, Value};

/// Number of characters above which a value is shown on several lines.
const LONG_VALUE: usize = 80;

/// Maximum number of other iterations that are listed.
const MAX_ALSO: usize = 8;

/// Prints excerpts with numbered steps. Iterations of a loop with the same explanation are shown once.
pub(super) fn print(
    explained: &[Explained<'_>],
    hidden: &Hidden,
    workspace: &Workspace<'_>,
    out: &mut dyn io::Write,
) -> Result<(), Error> {
    let mut shown: Vec<(Explanation, Vec<String>)> = Vec::new();
    let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::default();
    for it in explained {
        let new = explanation(it, hidden, &workspace.sources);
        let same_path = by_path.entry(new.path.clone()).or_default();
        let alike = same_path.iter().find(|at| shown.get(**at).is_some_and(|(old, _)| is_alike(old, &new)));
        if let Some((_, also)) = alike.and_then(|at| shown.get_mut(*at)) {
            also.extend(new.resource.map(|resource| resource.name));
        } else {
            same_path.push(shown.len());
            shown.push((new, Vec::new()));
        }
    }
    let color = terminal::stdout_wants_color(workspace.color, workspace.environment);
    let options = report::Options { color, ..settings::options(false) };
    for (at, (mut explanation, also)) in shown.into_iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        if !also.is_empty() {
            explanation.notes.push(("also in", listed(&also)));
        }
        report::render_explanation(&explanation, &options, out)?;
    }
    Ok(())
}

fn is_alike(a: &Explanation, b: &Explanation) -> bool {
    a.resource.is_some() && (&a.path, &a.value, &a.steps, &a.notes) == (&b.path, &b.value, &b.steps, &b.notes)
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().take(MAX_ALSO).map(|name| format!("`{name}`")).collect();
    let rest = names.len() - quoted.len();
    if rest > 0 { format!("{} and {rest} more", quoted.join(", ")) } else { quoted.join(", ") }
}

fn explanation(explained: &Explained<'_>, hidden: &Hidden, sources: &Sources) -> Explanation {
    let Explained { target, chain } = explained;
    let mut resolver = Resolver::new(sources);
    Explanation {
        resource: target.resource.map(|resource| ResourceRef {
            type_name: resource.type_name.to_string(),
            name: hidden.masked(&resource.name).into_owned(),
            id: hidden.masked(&resource.id).into_owned(),
            declared: None,
        }),
        path: target.walk.path().to_owned(),
        value: shown(&hidden.marked(target.value)),
        place: resolver.place(chain.nearest().unwrap_or_else(|| target.walk.span())),
        steps: if chain.is_secret { Vec::new() } else { steps(chain, &mut resolver) },
        notes: notes(target, chain, sources),
    }
}

/// Returns the JSON of a value. Long values are indented.
fn shown(value: &Value) -> String {
    let compact = value.to_json();
    if compact.len() <= LONG_VALUE { compact } else { value.to_json_as(JsonStyle::INDENTED) }
}

fn steps(chain: &Chain, resolver: &mut Resolver<'_>) -> Vec<Label> {
    chain.links.iter().filter_map(|link| Some(Label::new(resolver.place(link.span?), link.label.clone()))).collect()
}

fn notes(target: &Target<'_>, chain: &Chain, sources: &Sources) -> Vec<(&'static str, String)> {
    let mut notes: Vec<(&'static str, String)> =
        declared::declared_type(target).map(|declared| ("type", declared)).into_iter().collect();
    for link in chain.links.iter().filter(|link| chain.is_secret || link.span.is_none()) {
        let place = link.span.map_or_else(
            || "given by the settings, the environment or the command line".to_owned(),
            |span| {
                let source = sources.get(span.file);
                let place = source.position(span.start);
                format!("at {}:{}:{}", source.name(), place.line, place.column)
            },
        );
        notes.push(("step", format!("{}, {place}", link.label)));
    }
    if chain.is_secret {
        notes.push(("note", "source text is not shown because it contains a secret".to_owned()));
    }
    if let Some(unknown) = target.value.first_unknown() {
        notes.push(("unknown", format!("{}; the value shown is an approximation", unknown.why)));
    }
    if let Some(why) = target.doubt() {
        notes.push(("note", format!("whether the resource is deployed is unknown: {why}")));
    }
    notes
}
