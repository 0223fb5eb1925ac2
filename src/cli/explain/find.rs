//! Finds the values at a path.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::explain::path::{Segment, after_prefix, parse};
use crate::model::{Deployment, Document, Resource, Walk, join_key};
use crate::text::{Sources, Span, Suggestions};
use crate::value::{Data, Object, Value};

/// Maximum number of names that a message lists.
const MAX_NAMES: usize = 8;

/// Relation of a value to the source at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueOrigin {
    /// The template contains the value, as a literal or an expression.
    Written,
    /// The template declares a parameter here, and the value is from elsewhere.
    Declared,
    /// Azure adds the value. The template has no such property.
    Added,
}

/// A value at the path.
#[derive(Debug)]
pub(super) struct Target<'a> {
    /// The resource that contains the value. `None` for a value of the template itself, such as an output.
    pub(super) resource: Option<&'a Resource>,
    /// The walk from the start of the path to the value.
    pub(super) walk: Walk<'a>,
    pub(super) value: &'a Value,
    /// Relation of the value to the source at its position.
    pub(super) origin: ValueOrigin,
}

impl Target<'_> {
    /// Returns the reason why the resource might not be deployed. `None` if it certainly is.
    pub(super) fn doubt(&self) -> Option<&str> {
        Some(&self.resource?.presence.doubt()?.unknown.why)
    }
}

/// A value that a path can begin at: a resource, the template of a deployment, or the values of its parameters.
pub(super) struct Start<'a> {
    pub(super) resource: Option<&'a Resource>,
    origin: ValueOrigin,
    pub(super) path: String,
    pub(super) value: &'a Value,
    pub(super) span: Span,
}

/// Finds the values at a path, one for each iteration of a loop.
///
/// # Errors
///
/// If there is no value at the path, the message contains the part of the path that exists.
pub(super) fn find<'a>(document: &'a Document, path: &[Segment]) -> Result<Vec<Target<'a>>, String> {
    Starts::from_document(document).find(path)
}

/// Starting points of walks, by path: a line can have thousands of values.
pub(super) struct Starts<'a> {
    document: &'a Document,
    all: Vec<(Start<'a>, Vec<Segment>)>,
    /// Indexes of those with each path.
    by_path: BTreeMap<Vec<Segment>, Vec<usize>>,
}

impl<'a> Starts<'a> {
    pub(super) fn from_document(document: &'a Document) -> Self {
        let all: Vec<_> =
            starts(document).filter_map(|start| parse(&start.path).ok().map(|path| (start, path))).collect();
        let mut by_path: BTreeMap<Vec<Segment>, Vec<usize>> = BTreeMap::default();
        for (at, (_, path)) in all.iter().enumerate() {
            by_path.entry(path.iter().map(Segment::folded).collect()).or_default().push(at);
        }
        Self { document, all, by_path }
    }

    /// The values that a path leads to: see [`find`].
    pub(super) fn find(&self, path: &[Segment]) -> Result<Vec<Target<'a>>, String> {
        let folded: Vec<Segment> = path.iter().map(Segment::folded).collect();
        let beginnings = (0..=folded.len()).filter_map(|end| self.by_path.get(folded.get(..end)?));
        let mut indexes: Vec<usize> = beginnings.flatten().copied().collect();
        indexes.sort_unstable();
        let starts = indexes.into_iter().filter_map(|at| {
            let (start, prefix) = self.all.get(at)?;
            Some((start, after_prefix(path, prefix)?))
        });
        nearest(self.document, starts.collect())
    }
}

/// The values that are reached from the starts whose paths are the longest, each with the rest of the path.
fn nearest<'a>(document: &Document, mut starts: Vec<(&Start<'a>, &[Segment])>) -> Result<Vec<Target<'a>>, String> {
    // The start that matches the longest part of the path comes first: `parameters.x` means the value of the parameter
    // before its declaration.
    starts.sort_by_key(|(_, rest)| rest.len());
    let mut obstacle = None;
    for nearest in starts.chunk_by(|(_, a), (_, b)| a.len() == b.len()) {
        let mut targets = Vec::new();
        for (start, rest) in nearest {
            match reach(document, start, rest) {
                Ok(target) => targets.push(target),
                Err(message) => obstacle = obstacle.or(Some(message)),
            }
        }
        if !targets.is_empty() {
            return Ok(targets);
        }
    }
    Err(obstacle.unwrap_or_else(|| "the template is empty".to_owned()))
}

pub(super) fn starts(document: &Document) -> impl Iterator<Item = Start<'_>> {
    let templates = document.deployments.iter().map(|deployment| Start {
        resource: None,
        origin: ValueOrigin::Written,
        path: deployment.path.clone(),
        value: &deployment.template,
        span: deployment.template.span.unwrap_or_else(|| Span::whole_file(document.file)),
    });
    let resources = document.resources.iter().map(|resource| Start {
        resource: Some(resource),
        origin: ValueOrigin::Written,
        path: resource.path.clone(),
        value: &resource.state,
        span: resource.span,
    });
    templates.chain(document.deployments.iter().filter_map(start_of_parameters)).chain(resources)
}

fn start_of_parameters(deployment: &Deployment) -> Option<Start<'_>> {
    Some(Start {
        resource: None,
        origin: ValueOrigin::Declared,
        path: join_key(&deployment.path, "parameters"),
        value: &deployment.parameters,
        span: deployment.parameters.span?,
    })
}

fn reach<'a>(document: &Document, start: &Start<'a>, rest: &[Segment]) -> Result<Target<'a>, String> {
    let mut walk = Walk::new(start.path.as_str(), start.value, start.span);
    // `outputs.x` means the value of the output, not its declaration.
    let value_of_output = Segment::Key("value".to_owned());
    let is_output = start.resource.is_none()
        && matches!(rest, [Segment::Key(outputs), Segment::Key(_)] if outputs.eq_ignore_ascii_case("outputs"));
    for (done, segment) in rest.iter().chain(is_output.then_some(&value_of_output)).enumerate() {
        let before = (walk.path().to_owned(), walk.value());
        match segment {
            Segment::Key(key) => walk.member(spelling(walk.members(), key)),
            Segment::Index(index) => walk.item(*index),
            Segment::Items => walk.unseen_items(),
        }
        if walk.value().is_none() {
            let lost = is_resource(start, &rest[done..]).then(|| no_resource(document, &start.path, &rest[done..]));
            return Err(lost.unwrap_or_else(|| obstacle(&before.0, before.1, segment)));
        }
    }
    let value = walk.value().ok_or("the template is empty")?;
    let is_added = start.resource.is_some_and(|resource| follow(&resource.body, rest).is_none());
    Ok(Target {
        resource: start.resource,
        walk,
        value,
        origin: if is_added { ValueOrigin::Added } else { start.origin },
    })
}

/// Returns a name as the template spells it. Names ignore case.
fn spelling<'n>(members: Option<&'n Object>, key: &'n str) -> &'n str {
    members.and_then(|member| member.member(key)).map_or(key, |member| &member.key)
}

fn follow<'a>(value: &'a Value, rest: &[Segment]) -> Option<&'a Value> {
    rest.iter().try_fold(value, |value, segment| match segment {
        Segment::Key(key) => value.get(key),
        Segment::Index(index) => value.as_array()?.get(*index),
        Segment::Items => None,
    })
}

/// Returns whether the rest of the path names a resource of the template instead of a value.
fn is_resource(start: &Start<'_>, rest: &[Segment]) -> bool {
    matches!(rest.first(), Some(Segment::Key(key)) if key.eq_ignore_ascii_case("resources"))
        && start.value.get("resources").is_none()
}

fn no_resource(document: &Document, above: &str, rest: &[Segment]) -> String {
    let wanted = rest.iter().take(2).fold(above.to_owned(), |path, segment| segment.join(&path));
    let mut seen = BTreeSet::new();
    let paths = document.resources.iter().map(|resource| resource.path.as_str());
    let below: Vec<&str> =
        paths.filter(|path| path.len() > above.len() && path.starts_with(above) && seen.insert(*path)).collect();
    if rest.len() == 1 {
        return format!("`{wanted}` is not a resource{}", listed(below.into_iter()));
    }
    // Only a name can be misspelled. Any index would be similar to any other.
    let is_name = matches!(rest.get(1), Some(Segment::Key(_)));
    let hint = Suggestions::default().did_you_mean(&wanted, below.iter().copied());
    let hint = if is_name && !hint.is_empty() { hint } else { listed(below.into_iter()) };
    format!("there is no resource `{wanted}`{hint}")
}

/// Returns the reason why a path cannot continue from `value` to `segment`.
fn obstacle(path: &str, value: Option<&Value>, segment: &Segment) -> String {
    let place = if path.is_empty() { "the template".to_owned() } else { format!("`{path}`") };
    let Some(value) = value else { return format!("{place} has no value") };
    let members = match &value.data {
        Data::Unknown(unknown) if !unknown.open => return format!("{place} is unknown: {}", unknown.why),
        Data::Unknown(unknown) => unknown.approximation.as_object(),
        _ => value.as_object(),
    };
    match (segment, members, value.as_array()) {
        (Segment::Key(key), Some(members), _) => {
            let names = || members.iter().map(|member| &*member.key);
            let hint = Some(Suggestions::default().did_you_mean(key, names())).filter(|name| !name.is_empty());
            format!("{place} has no property `{key}`{}", hint.unwrap_or_else(|| listed(names())))
        }
        (Segment::Index(index), _, Some(items)) => match items.len() {
            0 => format!("{place} has no items"),
            1 => format!("{place} has one item; there is no `[{index}]`"),
            count => format!("{place} has {count} items; there is no `[{index}]`"),
        },
        (Segment::Items, _, Some(_)) => format!("the items of {place} are known; expected an index instead of `[*]`"),
        (Segment::Key(key), None, Some(_)) => format!("{place} is an array; expected an index before `{key}`"),
        _ => format!("{place} is of kind {} and has no `{}`", value.kind().as_str(), segment.join("")),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => String::new(),
        1 => format!("; expected {}", names[0]),
        count if count <= MAX_NAMES => format!("; expected one of {}", names.join(", ")),
        _ => format!("; expected one of {}, …", names[..MAX_NAMES].join(", ")),
    }
}

fn is_key(segment: &Segment, name: &str) -> bool {
    matches!(segment, Segment::Key(key) if key.eq_ignore_ascii_case(name))
}

/// Explains why something in the source is not in the expansion. `None` if the source does not contain it either.
pub(super) fn hint_from_source(template: &Value, path: &[Segment], sources: &Sources) -> Option<String> {
    let span = follow(template, path)?.span?;
    let source = sources.get(span.file);
    let position = source.position(span.start);
    let place = format!("{}:{}:{}", source.name(), position.line, position.column);
    if path.last().is_some_and(|segment| is_key(segment, "resources")) {
        return None;
    }
    let directive = ["condition", "copy"].into_iter().find(|name| path.iter().any(|segment| is_key(segment, name)));
    Some(match directive {
        Some(name) => format!("`{name}` at {place} controls what is deployed and is not deployed itself"),
        None => format!("it is written at {place}, but a condition is false, a loop is empty, or it is `null`"),
    })
}
