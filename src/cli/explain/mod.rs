//! `formwork explain`: prints why a property has its value.

mod chain;
mod console;
mod declared;
mod find;
mod json;
mod path;
mod place;
mod secret;

use std::io::{BufWriter, Write};

use crate::cli::Environment;
use crate::cli::args::{ExplainArguments, ExplainFormat, TemplateArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::expand;
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::engine::Expanded;
use crate::model::{Document, Hidden};
use crate::text::escape::Notation;
use crate::text::escape::{file_name, visible};
use crate::text::{Sources, Suggestions};

use self::chain::Chain;
use self::find::{Starts, Target};
use self::path::Segment;
use self::secret::Secrets;

/// Prints the values at a path of an expanded template, and the steps that produced them.
pub(super) fn run(arguments: &ExplainArguments, environment: &Environment) -> Result<Exit, Error> {
    let (wanted, template) = wanted(arguments, environment)?;
    let inputs = &template.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let assumptions = workspace.assumptions();
    let (expanded, exit) = expand::expand_and_tell(&template, &assumptions, &mut workspace)?;
    let Some((expanded, document)) =
        expanded.as_ref().and_then(|expanded| Some((expanded, expanded.expansion.document.as_ref()?)))
    else {
        return Ok(exit);
    };
    let targets = targets(&wanted, expanded, document, &workspace.sources)?;
    let targets = of_name(targets, arguments.name.as_deref(), &document.hidden)?;
    let secrets = Secrets::of(document, &workspace.sources);
    let explained: Vec<Explained<'_>> = targets
        .into_iter()
        .map(|target| {
            let mut chain = Chain::of(&target, &secrets, &workspace.sources);
            chain.move_to(|span| expanded.place(span, &workspace.sources));
            Explained { target, chain }
        })
        .collect();
    let mut out = BufWriter::new(streams::out(match arguments.format {
        ExplainFormat::Json => Notation::Json,
        ExplainFormat::Console => Notation::Plain,
    }));
    match arguments.format {
        ExplainFormat::Json => json::print(&explained, &document.hidden, &workspace.sources, &mut out)?,
        ExplainFormat::Console => console::print(&explained, &document.hidden, &workspace, &mut out)?,
    }
    out.flush()?;
    Ok(exit)
}

/// The paths of the resources that a template or a module declares by a symbolic name or a logical ID.
pub(super) fn paths_of_name(name: &str, expanded: &Expanded, document: &Document, sources: &Sources) -> Vec<String> {
    let paths = place::paths_of_name(&[Segment::Key(name.to_owned())], expanded, document, sources);
    paths.iter().map(|path| path.iter().fold(String::new(), |path, segment| segment.join(&path))).collect()
}

/// A value and the steps that produced it.
#[derive(Debug)]
struct Explained<'a> {
    target: Target<'a>,
    chain: Chain,
}

/// What is to be explained.
enum Wanted {
    /// The value at a path.
    Path(Vec<Segment>),
    /// What begins on a line of the template.
    Line(u32),
}

/// What is to be explained, and of which template.
fn wanted(arguments: &ExplainArguments, environment: &Environment) -> Result<(Wanted, TemplateArguments), Error> {
    let mut template = arguments.template.clone();
    if let Some(path) = &arguments.path {
        return Ok((Wanted::Path(wanted_path(path)?), template));
    }
    let (file, line) = place::line_of(&template.file, &environment.working).ok_or_else(|| {
        let example = "`main.bicep store.properties.sku`, or the number of a line, such as `main.bicep:12`";
        Error::Usage(format!("a path is missing after the file; expected for example {example}"))
    })?;
    template.file = file;
    Ok((Wanted::Line(line), template))
}

/// The values that are meant.
fn targets<'a>(
    wanted: &Wanted,
    expanded: &'a Expanded,
    document: &'a Document,
    sources: &Sources,
) -> Result<Vec<Target<'a>>, Error> {
    let all = |paths: Vec<Vec<Segment>>| -> Vec<Target<'a>> {
        let starts = Starts::of(document);
        paths.iter().filter_map(|path| starts.find(path).ok()).flatten().collect()
    };
    match wanted {
        Wanted::Path(path) => find::find(document, path).or_else(|why| {
            let named = all(place::paths_of_name(path, expanded, document, sources));
            if named.is_empty() { Err(wrong_path(&why, expanded, path, sources)) } else { Ok(named) }
        }),
        Wanted::Line(line) => match all(place::paths_on(*line, expanded, document, sources)) {
            none if none.is_empty() => {
                let name = file_name(sources.get(expanded.named).name()).into_owned();
                let is_template = expanded.named == expanded.file;
                let what = if is_template { "nothing that is deployed" } else { "no value of a parameter" };
                Err(Error::Usage(format!("{what} begins on line {line} of `{name}`")))
            }
            found => Ok(found),
        },
    }
}

fn wanted_path(text: &str) -> Result<Vec<Segment>, Error> {
    let wrong = |why: &str| Error::Usage(format!("`{}` is not a path: {}", visible(text), visible(why)));
    let path = path::parse(text).map_err(|why| wrong(&why))?;
    if path.is_empty() { Err(wrong("a name is missing, such as `resources[0].name`")) } else { Ok(path) }
}

fn wrong_path(why: &str, expanded: &Expanded, path: &[Segment], sources: &Sources) -> Error {
    let hint = find::hint_at_text(&expanded.template, path, sources);
    let message = hint.map_or_else(|| why.to_owned(), |hint| format!("{why}; {hint}"));
    Error::Usage(visible(&message).into_owned())
}

/// The targets whose resource has this name; all of them if no name is given.
fn of_name<'a>(targets: Vec<Target<'a>>, name: Option<&str>, hidden: &Hidden) -> Result<Vec<Target<'a>>, Error> {
    let Some(name) = name else { return Ok(targets) };
    let shown = |target: &Target<'a>| Some(hidden.masked(&target.resource?.name));
    let names: Vec<_> = targets.iter().filter_map(shown).collect();
    let hint = Suggestions::default().did_you_mean(name, names.iter().map(|name| &**name));
    // A name with a secret goes by what is shown of it.
    let is_meant = |target: &Target<'a>| shown(target).is_some_and(|shown| shown.eq_ignore_ascii_case(name));
    let kept: Vec<Target<'a>> = targets.into_iter().filter(is_meant).collect();
    if kept.is_empty() {
        let message = format!("the path leads to no resource with the name `{name}`{hint}");
        return Err(Error::Usage(visible(&message).into_owned()));
    }
    Ok(kept)
}
