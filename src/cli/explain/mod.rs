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
use self::find::Target;
use self::path::Segment;
use self::secret::Secrets;

/// Prints the values at a path of an expanded template, and the steps that resulted in each.
pub(super) fn run(arguments: &ExplainArguments, environment: &Environment) -> Result<Exit, Error> {
    let (request, template) = explain_request(arguments, environment)?;
    let inputs = &template.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let assumptions = workspace.assumptions();
    let (expanded, exit) = expand::expand_and_print(&template, &assumptions, &mut workspace)?;
    let Some((expanded, document)) =
        expanded.as_ref().and_then(|expanded| Some((expanded, expanded.expansion.document.as_ref()?)))
    else {
        return Ok(exit);
    };
    let targets = targets(&request, expanded, document, &workspace.sources)?;
    let targets = filter_by_name(targets, arguments.name.as_deref(), &document.hidden)?;
    let secrets = Secrets::from_document(document, &workspace.sources);
    let explained: Vec<Explained<'_>> = targets
        .into_iter()
        .map(|target| {
            let mut chain = Chain::new(&target, &secrets, &workspace.sources);
            chain.map_spans(|span| expanded.place(span, &workspace.sources));
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

/// Returns the paths of the resources that a template or a module declares with this symbolic name or logical ID.
pub(super) fn paths_of_name(name: &str, expanded: &Expanded, document: &Document, sources: &Sources) -> Vec<String> {
    let paths = place::paths_of_name(&[Segment::Key(name.to_owned())], expanded, document, sources);
    paths.iter().map(|path| path.iter().fold(String::new(), |path, segment| segment.join(&path))).collect()
}

/// A value that begins on a line, with the steps that resulted in it.
#[cfg(feature = "mcp")]
#[derive(Debug)]
pub(super) struct ValueOrigin {
    pub(super) path: String,
    /// Type and name of the resource.
    pub(super) resource: Option<(String, String)>,
    /// The value: a string as it is, and other values as JSON.
    pub(super) value: String,
    /// Steps, nearest first, each with its file and line.
    pub(super) steps: Vec<(String, Option<(String, u32)>)>,
    /// Reason why only a deployment knows the value.
    pub(super) unknown: Option<String>,
}

/// Returns the values that begin on a line of the file that was expanded.
#[cfg(feature = "mcp")]
pub(super) fn steps_on_line(expanded: &Expanded, line: u32, sources: &Sources) -> Vec<ValueOrigin> {
    let Some(document) = &expanded.expansion.document else { return Vec::new() };
    let targets = find_all(document, place::paths_on(line, expanded, document, sources));
    let secrets = Secrets::from_document(document, sources);
    let steps = |target: Target<'_>| {
        let mut chain = Chain::new(&target, &secrets, sources);
        chain.map_spans(|span| expanded.place(span, sources));
        let place = |span: crate::text::Span| {
            let source = sources.get(span.file);
            (source.name().to_string(), source.position(span.start).line)
        };
        let masked = |text: &str| document.hidden.masked(text).into_owned();
        ValueOrigin {
            path: target.walk.path().to_owned(),
            resource: target.resource.map(|resource| (resource.type_name.to_string(), masked(&resource.name))),
            value: masked(&crate::value::plain(&document.hidden.marked(target.value))),
            steps: chain.links.iter().map(|link| (link.label.clone(), link.span.map(place))).collect(),
            unknown: target.value.first_unknown().map(|unknown| masked(&unknown.why)),
        }
    };
    targets.into_iter().map(steps).collect()
}

/// A value and the steps that resulted in it.
#[derive(Debug)]
struct Explained<'a> {
    target: Target<'a>,
    chain: Chain,
}

/// The value to explain.
enum ExplainRequest {
    /// The value at a path.
    Path(Vec<Segment>),
    /// The values that begin on this line of the template.
    Line(u32),
}

/// Reads the value to explain and its template from the arguments.
fn explain_request(
    arguments: &ExplainArguments,
    environment: &Environment,
) -> Result<(ExplainRequest, TemplateArguments), Error> {
    let mut template = arguments.template.clone();
    if let Some(path) = &arguments.path {
        return Ok((ExplainRequest::Path(parse_path(path)?), template));
    }
    let (file, line) = place::line_of(&template.file, &environment.working).ok_or_else(|| {
        let example = "`main.bicep store.properties.sku`, or the number of a line, such as `main.bicep:12`";
        Error::Usage(format!("a path is missing after the file; expected for example {example}"))
    })?;
    template.file = file;
    Ok((ExplainRequest::Line(line), template))
}

/// Returns the values to explain.
fn targets<'a>(
    request: &ExplainRequest,
    expanded: &'a Expanded,
    document: &'a Document,
    sources: &Sources,
) -> Result<Vec<Target<'a>>, Error> {
    match request {
        ExplainRequest::Path(path) => find::find(document, path).or_else(|why| {
            let named = find_all(document, place::paths_of_name(path, expanded, document, sources));
            if named.is_empty() { Err(path_error(&why, expanded, path, sources)) } else { Ok(named) }
        }),
        ExplainRequest::Line(line) => match find_all(document, place::paths_on(*line, expanded, document, sources)) {
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

fn find_all(document: &Document, paths: Vec<Vec<Segment>>) -> Vec<Target<'_>> {
    let starts = find::Starts::from_document(document);
    paths.iter().filter_map(|path| starts.find(path).ok()).flatten().collect()
}

fn parse_path(text: &str) -> Result<Vec<Segment>, Error> {
    let wrong = |why: &str| Error::Usage(format!("`{}` is not a path: {}", visible(text), visible(why)));
    let path = path::parse(text).map_err(|why| wrong(&why))?;
    if path.is_empty() { Err(wrong("a name is missing, such as `resources[0].name`")) } else { Ok(path) }
}

fn path_error(why: &str, expanded: &Expanded, path: &[Segment], sources: &Sources) -> Error {
    let hint = find::hint_from_source(&expanded.template, path, sources);
    let message = hint.map_or_else(|| why.to_owned(), |hint| format!("{why}; {hint}"));
    Error::Usage(visible(&message).into_owned())
}

/// Returns the targets whose resource has this name, or all if there is no name.
fn filter_by_name<'a>(targets: Vec<Target<'a>>, name: Option<&str>, hidden: &Hidden) -> Result<Vec<Target<'a>>, Error> {
    let Some(name) = name else { return Ok(targets) };
    let shown = |target: &Target<'a>| Some(hidden.masked(&target.resource?.name));
    let names: Vec<_> = targets.iter().filter_map(shown).collect();
    let hint = Suggestions::default().did_you_mean(name, names.iter().map(|name| &**name));
    // A name with a secret is compared as it is shown.
    let is_meant = |target: &Target<'a>| shown(target).is_some_and(|shown| shown.eq_ignore_ascii_case(name));
    let kept: Vec<Target<'a>> = targets.into_iter().filter(is_meant).collect();
    if kept.is_empty() {
        let message = format!("the path leads to no resource with the name `{name}`{hint}");
        return Err(Error::Usage(visible(&message).into_owned()));
    }
    Ok(kept)
}
