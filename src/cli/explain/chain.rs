//! The steps that resulted in a value, nearest first.

use std::ops::Range;

use crate::cli::explain::find::{Target, ValueOrigin};
use crate::cli::explain::secret::Secrets;
use crate::model::Cause;
use crate::text::{Sources, Span};
use crate::value::{Step, Traits};

/// Maximum number of steps. A value can depend on any number of others.
const MAX_STEPS: usize = 64;

/// Maximum length of a line, in characters. Of a longer line, only the source of the step is shown, cut to this
/// length.
const LONG_LINE: usize = 200;

/// The steps that resulted in a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// The position of the value, followed by the steps that led to it.
    pub(super) links: Vec<Link>,
    /// True if the source of a step may contain a secret. Then no source is shown.
    pub(super) is_secret: bool,
}

/// A step: a parameter, a variable, a function call, or another source of a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The kind of the step. The words are a stable interface of the JSON output.
    pub(super) kind: &'static str,
    /// The name of the parameter or variable. `None` for a step without a name.
    pub(super) name: Option<String>,
    /// The kind and the name, for text output.
    pub(super) label: String,
    /// The source of the step. `None` for a value that is not in a file, such as that of `--set`.
    pub(super) span: Option<Span>,
}

impl Chain {
    /// Collects the steps that led to a target.
    pub(super) fn new(target: &Target<'_>, secrets: &Secrets, sources: &Sources) -> Self {
        let here = Link::position(target, sources);
        let mut links: Vec<Link> = target.walk.causes(MAX_STEPS).into_iter().map(Link::from).collect();
        // The first step of a variable, or of a parameter with a default value, is within its declaration. Then the
        // declaration adds nothing.
        let nearest = links.first().and_then(|link| link.span);
        let repeats = nearest.is_some_and(|nearest| here.span.is_some_and(|span| span.contains(nearest)));
        if target.origin == ValueOrigin::Added || !repeats {
            links.insert(0, here);
        }
        let is_secret = target.value.traits.has(Traits::SECRET)
            || links.iter().filter_map(|link| link.span).any(|span| secrets.stand_in_lines_of(span, sources));
        Self { links, is_secret }
    }

    /// Maps the steps of compiled files to the Bicep files that they were compiled from.
    pub(super) fn map_spans(&mut self, map: impl Fn(Span) -> Span) {
        for link in &mut self.links {
            link.span = link.span.map(&map);
        }
        // Several steps in compiled JSON can come from the same source.
        self.links.dedup_by(|a, b| a.span == b.span && a.label == b.label);
    }

    /// The position to show first. `None` if no step is in a file.
    pub(super) fn nearest(&self) -> Option<Span> {
        self.links.iter().find_map(|link| link.span)
    }
}

impl Link {
    fn position(target: &Target<'_>, sources: &Sources) -> Self {
        let span = target.walk.span();
        let (kind, label) = match target.origin {
            ValueOrigin::Added => ("added", "not written here: Azure adds it"),
            ValueOrigin::Declared => ("declaration", "declared here"),
            ValueOrigin::Written if is_expression(span, sources) => ("expression", "written here"),
            ValueOrigin::Written => ("text", "written here"),
        };
        // The added property has no source. Show the start of the object that contains it.
        let end = if target.origin == ValueOrigin::Added { span.end.min(span.start + 1) } else { span.end };
        Self { kind, name: None, label: label.to_owned(), span: Some(Span { end, ..span }) }
    }
}

impl From<Cause<'_>> for Link {
    fn from(cause: Cause<'_>) -> Self {
        let (kind, name) = match cause.step {
            None => ("text", None),
            Some(Step::Parameter(name)) => ("parameter", Some(name)),
            Some(Step::Default(name)) => ("default", Some(name)),
            Some(Step::Variable(name)) => ("variable", Some(name)),
            Some(Step::Mapping(name)) => ("mapping", Some(name)),
            Some(Step::Output(name)) => ("output", Some(name)),
            Some(Step::Reference(name)) => ("resource", Some(name)),
            Some(Step::Function(name)) => ("function", Some(name)),
            Some(Step::Combined | Step::Condition) => ("combination", None),
        };
        let label = cause.step.map_or_else(|| "the text of the value".to_owned(), Step::describe);
        Self { kind, name: name.map(|name| (**name).to_owned()), label, span: cause.span }
    }
}

/// Returns whether a span, with or without a property name, is an expression.
fn is_expression(span: Span, sources: &Sources) -> bool {
    let source = sources.get(span.file);
    let text = source.text().get(span.start as usize..span.end as usize).unwrap_or_default();
    let Some((before, inside)) = text.strip_suffix("]\"").and_then(|text| text.split_once("\"[")) else { return false };
    (before.is_empty() || before.trim_end().ends_with(':')) && !inside.starts_with('[')
}

/// Returns the line of a step. If the line is long, returns only the source of the step.
pub(super) fn line_of(span: Span, sources: &Sources) -> String {
    let source = sources.get(span.file);
    let line = source.line_range(source.position(span.start).line);
    // A long line, which may have thousands of steps, is not copied.
    let is_short =
        |line: &Range<usize>| source.text().get(line.clone()).is_none_or(|text| text.trim().len() <= LONG_LINE);
    if let Some(line) = line.filter(is_short) {
        return source.shown(line).unwrap_or_default().trim().to_owned();
    }
    let text = source.shown(span.start as usize..span.end as usize).unwrap_or_default();
    text.lines().next().unwrap_or_default().chars().take(LONG_LINE).collect()
}
