//! Follows a path in a resource.

use std::sync::Arc;

use crate::guard::json_text::compound;
use crate::guard::path::{Path, Root, Segment, TrailStep};
use crate::model::Resource;
use crate::value::{Data, Member, Unknown, Value};

/// Rest of a path with a wildcard after a scalar. In messages of cfn-guard, the path of the scalar then ends with a
/// dot.
const ITSELF: &[Segment] = &[Segment::Empty];

/// A target of a path in a resource.
#[derive(Debug)]
pub(super) struct PathTarget<'s> {
    /// Steps taken from the root of the path.
    pub(super) trail: &'s [TrailStep],
    /// Rest of the path; empty if the path was followed to its end.
    pub(super) rest: &'s [Segment],
    pub(super) found: TargetValue<'s>,
}

/// Target of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum TargetValue<'s> {
    Value(&'s Value),
    /// A value inside of an unknown value.
    Unseen(&'s Arc<Unknown>),
    Missing,
    /// An empty list or object under a wildcard.
    Empty,
}

/// True if a resource is in Azure, where names and types are case-insensitive.
pub(super) fn is_azure(resource: &Resource) -> bool {
    resource.type_name.contains('/')
}

/// Returns the name of the member with the properties.
pub(super) fn properties(resource: &Resource) -> &'static str {
    if is_azure(resource) { "properties" } else { "Properties" }
}

/// Visits all targets of a path: one without a wildcard, any number with one.
///
/// A wildcard is expanded for each resource separately. The path continues into strings with JSON, since policies are
/// often written so.
pub(super) fn visit(resource: &Resource, path: &Path, visitor: &mut dyn FnMut(PathTarget<'_>)) {
    let mut walk = Walk { ignores_case: is_azure(resource), trail: Vec::new(), visitor };
    let root = match path.root {
        Root::Resource => Some(&resource.body),
        Root::Properties => walk.member(&resource.body, properties(resource)).map(|member| &member.value),
    };
    match root.filter(|value| !value.is_null()) {
        Some(value) => walk.follow(value, &path.segments),
        None => walk.emit(&path.segments, TargetValue::Missing),
    }
}

struct Walk<'v> {
    ignores_case: bool,
    trail: Vec<TrailStep>,
    visitor: &'v mut dyn FnMut(PathTarget<'_>),
}

impl Walk<'_> {
    fn emit(&mut self, rest: &[Segment], found: TargetValue<'_>) {
        (self.visitor)(PathTarget { trail: &self.trail, rest, found });
    }

    fn follow(&mut self, value: &Value, path: &[Segment]) {
        let at_end = matches!(path, [] | [Segment::Empty, ..]);
        match (&value.data, path) {
            _ if at_end => self.emit(path, TargetValue::Value(value)),
            (Data::Unknown(unknown), [Segment::Any]) if unknown.ends.is_some() => {
                self.emit(ITSELF, TargetValue::Value(value));
            }
            (Data::Unknown(unknown), _) if !unknown.open => self.emit(path, TargetValue::Unseen(unknown)),
            (Data::Unknown(unknown), _) => self.follow_open(unknown, path),
            (Data::String(text), _) => match compound(text) {
                Some(value) => self.step(&value, path),
                None => self.step(value, path),
            },
            _ => self.step(value, path),
        }
    }

    /// Continues into a value that is only partly known.
    fn follow_open(&mut self, unknown: &Arc<Unknown>, path: &[Segment]) {
        let known = match path.first() {
            Some(Segment::Name { key, .. }) => self.member(&unknown.approximation, key).is_some(),
            _ => false,
        };
        if known { self.follow(&unknown.approximation, path) } else { self.emit(path, TargetValue::Unseen(unknown)) }
    }

    fn step(&mut self, value: &Value, path: &[Segment]) {
        let Some((segment, rest)) = path.split_first() else { return };
        match (segment, &value.data) {
            (Segment::Name { key, .. }, Data::Object(_)) => match self.member(value, key) {
                Some(member) => self.enter(TrailStep::Key(member.key.clone()), &member.value, rest),
                None => self.emit(path, TargetValue::Missing),
            },
            (Segment::Name { index: Some(index), .. }, Data::Array(items)) => match items.get(*index) {
                Some(item) => self.enter(TrailStep::Index(*index), item, rest),
                None => self.emit(path, TargetValue::Missing),
            },
            (Segment::Any, Data::Object(object)) if object.is_empty() => self.emit(path, TargetValue::Empty),
            (Segment::Any, Data::Array(items)) if items.is_empty() => self.emit(path, TargetValue::Empty),
            (Segment::Any, Data::Object(object)) => {
                for member in &**object {
                    self.enter(TrailStep::Key(member.key.clone()), &member.value, rest);
                }
            }
            (Segment::Any, Data::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.enter(TrailStep::Index(index), item, rest);
                }
            }
            // A list with one element may be written as the element.
            (Segment::Any, _) if rest.iter().all(|segment| matches!(segment, Segment::Any | Segment::Empty)) => {
                self.emit(ITSELF, TargetValue::Value(value));
            }
            (Segment::Prefix(start), Data::Object(object)) => {
                let mut any = false;
                for member in object.iter().filter(|member| member.key.starts_with(&**start)) {
                    any = true;
                    self.enter(TrailStep::Key(member.key.clone()), &member.value, rest);
                }
                if !any {
                    self.emit(path, TargetValue::Missing);
                }
            }
            _ => self.emit(path, TargetValue::Missing),
        }
    }

    fn member<'a>(&self, value: &'a Value, key: &str) -> Option<&'a Member> {
        let member = value.as_object()?.member(key)?;
        (self.ignores_case || *member.key == *key).then_some(member)
    }

    fn enter(&mut self, step: TrailStep, value: &Value, rest: &[Segment]) {
        self.trail.push(step);
        self.follow(value, rest);
        self.trail.pop();
    }
}
