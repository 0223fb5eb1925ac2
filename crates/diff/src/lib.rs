//! The difference between two expansions of one deployment: which resources are new, gone, or changed, property by property.
//!
//! Resources pair by identity ([`pair`]), their bodies are compared leaf by leaf ([`leaves`]), and a difference that a
//! parameter of the deployment made has it as its cause ([`cause`]). What is only known after the deployment is compared
//! by its reason, and equal reasons are no difference. Tables say what a change puts at risk ([`risk`]).
//!
//! **Invariant:** comparing a document with itself finds nothing, and swapping the documents swaps the sides of what is
//! found, and changes nothing else.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod allowed;
mod cause;
mod deployments;
mod digest;
mod items;
mod leaves;
mod pair;
mod risk;
mod room;
mod sets;
mod symbols;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use foldhash::HashSet;
use formwork_model::{diagnostic, model, text, value};

use crate::diagnostic::Severity;
use crate::model::{Deployment, Document, Resource, ResourceId};
use crate::text::Span;
use crate::value::{Unknown, Value};

use self::allowed::Allowed;
use self::digest::Rules;
pub use self::leaves::Changes;
pub use self::risk::Risk;
pub use self::room::Room;
use self::room::Unlisted;

/// What happens to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Only the new side deploys it.
    Create,
    /// Only the old side deploys it.
    Remove,
    /// Both sides deploy it, with other properties.
    Change,
    /// Whether it is deployed depends on what is only known after the deployment, and not in the same way on both sides.
    Uncertain,
}

impl Outcome {
    /// All of them, in the order of the summary.
    pub const ALL: [Self; 4] = [Self::Create, Self::Change, Self::Remove, Self::Uncertain];
}

/// What becomes of a resource that is not deployed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// An incremental deployment of Resource Manager does not touch it.
    Untouched,
    /// The deployment or the stack deletes it.
    Deleted,
    /// CloudFormation deletes it after it made a snapshot of it.
    Snapshot,
    /// Its `DeletionPolicy` says that CloudFormation keeps it.
    Kept,
}

/// A resource as one side deploys it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which resource of its document it is. `None` for the deployment itself.
    pub at: Option<ResourceId>,
    /// Its full name, with secret segments masked.
    pub name: String,
    /// Its ID, with secret segments masked.
    pub id: String,
    /// Whether a part of the name is only known after the deployment.
    pub is_approximate: bool,
    /// The text of the resource.
    pub span: Span,
    /// Why it is not certain that it is deployed.
    pub maybe: Option<Arc<Unknown>>,
}

/// A property with different values.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where the property is on the side that has it, and on the new one if both have it.
    pub path: String,
    /// Where it is on the old side, if items before it came or went.
    pub old_path: Option<String>,
    /// The old value; `None` if only the new side has the property.
    pub old: Option<Value>,
    /// The new value; `None` if only the old side has the property.
    pub new: Option<Value>,
    /// Whether neither value may be shown.
    pub is_secret: bool,
    /// The parameter that made the difference, as its position in [`Difference::causes`].
    pub cause: Option<usize>,
}

/// A resource that differs.
#[derive(Clone, Debug)]
pub struct ResourceChange {
    /// What happens to it.
    pub outcome: Outcome,
    /// Its fully qualified type.
    pub type_name: String,
    /// As the old side deploys it.
    pub old: Option<Seen>,
    /// As the new side deploys it.
    pub new: Option<Seen>,
    /// The properties that differ, if both sides deploy it.
    pub changes: Changes,
    /// The name of the resource at the same place on the other side, if this one has another name there.
    pub renamed: Option<String>,
    /// What becomes of it if only the old side deploys it, and the deployment itself is still there.
    pub fate: Option<Fate>,
    /// What that puts at risk, the worst first.
    pub risks: Vec<Risk>,
}

impl ResourceChange {
    /// The resource on the side that is deployed, or on the old side if it is gone.
    pub fn seen(&self) -> Option<&Seen> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A parameter of the deployment whose value differs.
#[derive(Clone, Debug)]
pub struct Cause {
    /// The name of the parameter.
    pub parameter: String,
    /// The old value; `None` if only the new side declares it.
    pub old: Option<Value>,
    /// The new value; `None` if only the old side declares it.
    pub new: Option<Value>,
    /// Whether neither value may be shown.
    pub is_secret: bool,
    /// Where the new value is written, or the old one if there is no other.
    pub span: Option<Span>,
    /// Whether `span` is a text of the old side.
    pub is_old_span: bool,
}

/// How one deployment differs.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// The resources that differ, by type and name.
    pub resources: Vec<ResourceChange>,
    /// The parameters that explain changes of properties.
    pub causes: Vec<Cause>,
    /// How many resources are the same.
    pub same: usize,
    /// The resources that differ, and for which there was no room.
    unlisted: Unlisted,
}

impl Difference {
    /// Whether all resources are the same.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.unlisted == Unlisted::default()
    }

    /// How many risks have a severity, in all resources.
    pub fn risks(&self, severity: Severity) -> usize {
        let risks = self.resources.iter().flat_map(|resource| &resource.risks);
        risks.filter(|risk| risk.severity == severity).count() + self.unlisted.risks(severity)
    }

    /// How many resources have an outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        let listed = self.resources.iter().filter(|resource| resource.outcome == outcome).count();
        listed + self.unlisted(outcome)
    }

    /// How many of them are not listed.
    pub fn unlisted(&self, outcome: Outcome) -> usize {
        self.unlisted.count(outcome)
    }
}

/// Compares two expansions. Without one of them, everything is new or gone.
pub fn compare(old: Option<&Document>, new: Option<&Document>) -> Difference {
    let [old_items, new_items] = [old, new].map(|document| document.map(pair::items).unwrap_or_default());
    let causes = cause::Causes::of(old, new);
    let allowed = Allowed::of(old, new, Rules::of(old, new));
    let mut difference = Difference::default();
    let paired = pair::pair(&old_items, &new_items);
    let mut kept = 0;
    for (old, new) in paired.both {
        match both(old, new, &allowed, &mut kept) {
            Some(change) => difference.resources.push(change),
            None => difference.same += 1,
        }
    }
    if let (Some(old), Some(new)) = (old, new) {
        difference.resources.extend(deployments::changes(old, new, &allowed, &mut kept));
        for change in &mut difference.resources {
            causes.explain(&mut change.changes.list);
        }
    }
    let fate = |item: &pair::Item<'_>| new.map(|document| fate(document, item));
    difference.resources.extend(paired.old.iter().map(|(item, other)| ResourceChange {
        outcome: alone(item.resource, Outcome::Remove),
        type_name: item.resource.type_name.to_string(),
        old: Some(item.seen()),
        new: None,
        changes: Changes::default(),
        renamed: other.map(|other| other.seen().name),
        fate: fate(item),
        risks: risk::of_one(item, true, fate(item), *other),
    }));
    let gone: HashSet<&str> = paired.old.iter().map(|(item, _)| &*item.resource.id).collect();
    difference.resources.extend(paired.new.iter().map(|(item, other)| ResourceChange {
        outcome: alone(item.resource, Outcome::Create),
        type_name: item.resource.type_name.to_string(),
        old: None,
        new: Some(item.seen()),
        changes: Changes::default(),
        renamed: other.map(|other| other.seen().name),
        fate: None,
        risks: if item.is_of_stack && gone.contains(&*item.resource.id) {
            vec![risk::other_type()]
        } else {
            risk::of_one(item, false, None, *other)
        },
    }));
    let key = |change: &ResourceChange| {
        let first =
            [change.old.as_ref(), change.new.as_ref()].into_iter().flatten().map(|seen| seen.name.clone()).min();
        // The two halves of a resource with another name are shown together.
        let together = first.iter().chain(&change.renamed).min().cloned();
        (change.type_name.to_lowercase(), together, first, change.new.is_some())
    };
    difference.resources.sort_by_cached_key(key);
    difference.causes = causes.into_used(&mut difference.resources);
    difference
}

/// The change of a resource that both sides deploy. `kept` counts the changes that are listed so far.
fn both(old: &pair::Item<'_>, new: &pair::Item<'_>, allowed: &Allowed, kept: &mut usize) -> Option<ResourceChange> {
    let mut changes = if old.digest == new.digest {
        Changes::default()
    } else {
        leaves::bodies(old.rules(), &new.resource.type_name, allowed, &old.body, &new.body)
    };
    pair::identity_changes(old, new, &mut changes);
    let is_same_presence = match (old.resource.presence.doubt(), new.resource.presence.doubt()) {
        (None, None) => true,
        (Some(old), Some(new)) => old.unknown.why == new.unknown.why,
        _ => false,
    };
    if changes.is_empty() && is_same_presence {
        return None;
    }
    changes.bound(kept);
    Some(ResourceChange {
        outcome: if is_same_presence { Outcome::Change } else { Outcome::Uncertain },
        type_name: new.resource.type_name.to_string(),
        old: Some(old.seen()),
        new: Some(new.seen()),
        changes,
        renamed: None,
        fate: None,
        risks: risk::of_change(old, new),
    })
}

fn alone(resource: &Resource, outcome: Outcome) -> Outcome {
    if resource.presence.doubt().is_some() { Outcome::Uncertain } else { outcome }
}

/// What becomes of a resource that only the old side deploys, if `new` is deployed.
fn fate(new: &Document, item: &pair::Item<'_>) -> Fate {
    if item.is_of_stack {
        return fate_in_stack(item);
    }
    let is_complete = |deployment: &Deployment| {
        let resource = deployment.resource.map(|id| new.resource(id));
        let mode = resource.and_then(|resource| resource.body.get("properties")?.get("mode")?.as_str());
        mode.is_some_and(|mode| mode.eq_ignore_ascii_case("complete"))
            && deployment.scope.eq_ignore_ascii_case(&item.resource.scope)
    };
    if new.deployments.iter().any(is_complete) { Fate::Deleted } else { Fate::Untouched }
}

/// What CloudFormation does with a resource that the stack does not have any more.
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html>
fn fate_in_stack(item: &pair::Item<'_>) -> Fate {
    let body = &item.resource.body;
    let is_in_cluster =
        || body.get("Properties").and_then(|properties| properties.get("DBClusterIdentifier")).is_some();
    match body.get("DeletionPolicy").and_then(Value::as_str) {
        Some("Retain" | "RetainExceptOnCreate") => Fate::Kept,
        Some("Snapshot") => Fate::Snapshot,
        None if item.resource.type_name == *"AWS::RDS::DBCluster" => Fate::Snapshot,
        None if item.resource.type_name == *"AWS::RDS::DBInstance" && !is_in_cluster() => Fate::Snapshot,
        _ => Fate::Deleted,
    }
}
