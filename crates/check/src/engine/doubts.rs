//! Conditions whose results are not known: how findings name them, and what is assumed of them.
//!
//! A resource under such a condition is checked as if it were deployed. What several resources under one condition say
//! together is checked once more, as if that condition held.
//!
//! # Invariant
//!
//! A verdict is unknown only if two values of the unknown give different verdicts. A resource whose condition is
//! unknown is checked as if it were deployed.

use foldhash::HashSet;

use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::model::{Condition, DeploymentId, Document, Presence, ResourceId};
use crate::text::{FileId, Sources, Span};

/// Maximum number of conditions of one template that are assumed to hold, one after the other.
const MAX_ASSUMED: usize = 8;

/// Maximum number of conditions that one finding names.
const MAX_NAMED: usize = 3;

/// The length of the longest expression that a finding quotes, in bytes.
const MAX_QUOTED: usize = 80;

/// Maximum number of enclosing deployments of a resource that are read. Front ends stop earlier.
const MAX_NESTING: usize = 64;

/// The condition of some resources of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    deployment: DeploymentId,
    condition: Condition,
}

/// The conditions of a document that are not known.
#[derive(Debug, Default)]
pub(super) struct UnknownConditions {
    /// The first ones, in the order of the text.
    pub(super) assumed: Vec<Shared>,
    /// The text of the first one beyond the maximum, which is not assumed.
    beyond: Option<Span>,
}

impl UnknownConditions {
    /// Returns the conditions of a document that are not known.
    pub(super) fn of_document(document: &Document) -> Self {
        let mut found = Self::default();
        for resource in &document.resources {
            let Some(condition) = resource.presence.doubt().and_then(|doubt| doubt.condition.as_ref()) else {
                continue;
            };
            let shared = Shared { deployment: resource.deployment, condition: condition.clone() };
            if found.assumed.contains(&shared) {
                continue;
            }
            if found.assumed.len() >= MAX_ASSUMED {
                found.beyond = Some(condition.span.unwrap_or(resource.span));
                break;
            }
            found.assumed.push(shared);
        }
        found
    }

    /// Returns the note that not all of them are assumed. `None` if they are.
    pub(super) fn problem(&self) -> Option<Diagnostic> {
        let message = format!(
            "the template has more than {MAX_ASSUMED} conditions that are not known; what several resources say \
             together is not checked as if the further ones held"
        );
        let problem = Diagnostic::new(Code::TemplateLimit, self.beyond?, message).with_level(Level::Note);
        Some(problem.not_checked(NotChecked::Branches))
    }
}

/// Replaces the presence of the resources under a condition. Returns the resources with what replaced it before.
pub(super) fn assume(document: &mut Document, shared: &Shared) -> Vec<(ResourceId, Presence)> {
    let mut replaced = Vec::new();
    for (at, resource) in document.resources.iter_mut().enumerate() {
        let condition = resource.presence.doubt().and_then(|doubt| doubt.condition.as_ref());
        if resource.deployment == shared.deployment && condition == Some(&shared.condition) {
            replaced.push((ResourceId(at), std::mem::replace(&mut resource.presence, Presence::Deployed)));
        }
    }
    replaced
}

/// Restores what [`assume`] replaced.
pub(super) fn restore(document: &mut Document, replaced: Vec<(ResourceId, Presence)>) {
    for (id, presence) in replaced {
        if let Some(resource) = document.resources.get_mut(id.0) {
            resource.presence = presence;
        }
    }
}

/// Names the conditions of findings.
pub(super) struct Namer<'a> {
    document: &'a Document,
    /// Maps a span to the place where the author wrote the text.
    authored: &'a (dyn Fn(Span) -> Span + Sync),
    sources: &'a Sources,
    /// The secret texts by their start, each with the greatest end of those up to it in its file.
    hidden: Vec<(FileId, u32, u32)>,
}

impl<'a> Namer<'a> {
    pub(super) fn new(
        document: &'a Document,
        authored: &'a (dyn Fn(Span) -> Span + Sync),
        sources: &'a Sources,
    ) -> Self {
        let spans = document.hidden.spans().iter().map(|&span| authored(span));
        let mut hidden: Vec<(FileId, u32, u32)> = spans.map(|span| (span.file, span.start, span.end)).collect();
        hidden.sort_unstable();
        let mut before: Option<(FileId, u32)> = None;
        for (file, _, end) in &mut hidden {
            *end = before.filter(|(other, _)| other == file).map_or(*end, |(_, greatest)| greatest.max(*end));
            before = Some((*file, *end));
        }
        Self { document, authored, sources, hidden }
    }

    /// True if a part of a text is secret.
    fn is_hidden(&self, place: Span) -> bool {
        let before = self.hidden.partition_point(|&(file, start, _)| (file, start) < (place.file, place.end));
        let last = before.checked_sub(1).and_then(|at| self.hidden.get(at));
        last.is_some_and(|&(file, _, end)| file == place.file && end > place.start)
    }

    /// Returns the conditions under which a finding about resources holds, ``if `IsProd` ``. `None` if one of them is
    /// deployed in any case, or if there is nothing to name.
    pub(super) fn reason_of(&self, resources: impl Iterator<Item = ResourceId>) -> Option<String> {
        let mut resources = resources;
        let (names, is_certain) = self.conditions(resources.next()?);
        if is_certain || resources.any(|id| self.is_certain(id)) {
            return None;
        }
        joined(names)
    }

    /// Returns the condition of a resource that is not deployed with the given values, as [`Self::reason_of`] does.
    pub(super) fn reason_of_presence(&self, presence: &Presence) -> Option<String> {
        joined(vec![self.name(presence.doubt()?.condition.as_ref()?)?])
    }

    /// True if a resource is deployed in any case.
    fn is_certain(&self, id: ResourceId) -> bool {
        self.around(id).all(|id| self.document.resource(id).presence.doubt().is_none())
    }

    /// Returns a resource and the deployments that it is nested in.
    fn around(&self, id: ResourceId) -> impl Iterator<Item = ResourceId> {
        let around = |id: &ResourceId| self.document.deployment(self.document.resource(*id).deployment).resource;
        std::iter::successors(Some(id), around).take(MAX_NESTING)
    }

    /// Returns the reason for an assumed condition, as [`Self::reason_of`] does for a resource.
    pub(super) fn reason(&self, shared: &Shared) -> Option<String> {
        joined(vec![self.name(&shared.condition)?])
    }

    /// Returns the names of the conditions of a resource and of the deployments around it, and `true` if there are no
    /// conditions.
    fn conditions(&self, id: ResourceId) -> (Vec<String>, bool) {
        let (mut names, mut is_certain) = (Vec::new(), true);
        for id in self.around(id) {
            let Some(doubt) = self.document.resource(id).presence.doubt() else { continue };
            is_certain = false;
            let name = doubt.condition.as_ref().and_then(|condition| self.name(condition));
            names.extend(name.filter(|name| !names.contains(name)));
        }
        (names, is_certain)
    }

    /// Returns the name of a condition, or its expression as its author wrote it; `None` if that is too long for a
    /// message.
    fn name(&self, condition: &Condition) -> Option<String> {
        let Some(span) = condition.span else { return Some(condition.text.to_string()) };
        let place = (self.authored)(span);
        if self.is_hidden(place) {
            return None;
        }
        let source = self.sources.get(place.file);
        let is_bicep = source.name().ends_with(".bicep");
        let written = || source.text().get(place.start as usize..place.end as usize);
        let text = if is_bicep { written()? } else { &*condition.text };
        let text = text.trim().trim_start_matches('[').trim_end_matches(']').trim();
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).filter(|_| is_bicep);
        let text = parameter(inner.unwrap_or(text));
        let is_short = !text.is_empty() && text.len() <= MAX_QUOTED && !text.contains(['`', '\n', '\r']);
        is_short.then(|| self.document.hidden.masked(text).into_owned())
    }
}

/// Returns the name of a parameter, if an expression is nothing but its value.
fn parameter(text: &str) -> &str {
    let name = text.strip_prefix("parameters('").and_then(|text| text.strip_suffix("')"));
    name.filter(|name| !name.contains('\'')).unwrap_or(text)
}

fn joined(mut names: Vec<String>) -> Option<String> {
    let mut seen = HashSet::default();
    names.retain(|name| seen.insert(name.clone()));
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let named = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    match (names.is_empty(), more) {
        (true, _) => None,
        (_, 0) => Some(format!("if {named}")),
        (_, more) => Some(format!("if {named} and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_named_by_its_parameter() {
        assert_eq!(parameter("parameters('on')"), "on");
        assert_eq!(parameter("not(parameters('on'))"), "not(parameters('on'))");
        assert_eq!(joined(vec!["a".to_owned(), "b".to_owned(), "a".to_owned()]).as_deref(), Some("if `a` and `b`"));
        assert_eq!(joined(Vec::new()), None);
    }
}
