//! Difference between two expansions of one deployment: resources that are new, gone, or changed, property by property.
//!
//! Resources pair by identity ([`pair`]), and their bodies are compared leaf by leaf ([`leaves`]). A change that a
//! parameter of the deployment made has that parameter as its cause ([`cause`]). Values that are only known after the
//! deployment are compared by their reasons. Tables list the risks of changes ([`risk`]).
//!
//! **Invariant:** a document does not differ from itself, and swapping two documents only swaps the sides of the
//! difference.

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

use self::allowed::AllowedChanges;
use self::digest::Rules;
pub use self::leaves::Changes;
pub use self::risk::{Risk, RiskKind};
pub use self::room::Room;
use self::room::Unlisted;

/// Change of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Only the new side deploys it.
    Create,
    /// Only the old side deploys it.
    Remove,
    /// Both sides deploy it, with other properties.
    Change,
    /// Only the deployment decides whether the resource is deployed, and not in the same way on both sides.
    Uncertain,
}

impl Outcome {
    /// All outcomes, in the order of the summary.
    pub const ALL: [Self; 4] = [Self::Create, Self::Change, Self::Remove, Self::Uncertain];
}

/// Effect on a resource that is not deployed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// An incremental deployment of Resource Manager does not touch it.
    Untouched,
    /// The deployment or the stack deletes it.
    Deleted,
    /// CloudFormation deletes it after making a snapshot of it.
    Snapshot,
    /// CloudFormation keeps it because of its `DeletionPolicy`.
    Kept,
}

/// A resource as one side deploys it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// ID in its document. `None` for the root deployment.
    pub at: Option<ResourceId>,
    /// Full name, with secret segments masked.
    pub name: String,
    /// ID in the cloud, with secret segments masked.
    pub id: String,
    /// True if a part of the name is only known after the deployment.
    pub is_approximate: bool,
    /// Span of the resource.
    pub span: Span,
    /// Reason why only the deployment decides whether it is deployed.
    pub maybe: Option<Arc<Unknown>>,
}

/// A property with different values.
#[derive(Clone, Debug)]
pub struct Change {
    /// Path on the side that has the property; on the new side if both have it.
    pub path: String,
    /// Path on the old side, if it differs because items were added or removed.
    pub old_path: Option<String>,
    /// The old value; `None` if only the new side has the property.
    pub old: Option<Value>,
    /// The new value; `None` if only the old side has the property.
    pub new: Option<Value>,
    /// True if neither value may be shown.
    pub is_secret: bool,
    /// Parameter that caused the change, as a position in [`Difference::causes`].
    pub cause: Option<usize>,
}

/// A resource that differs.
#[derive(Clone, Debug)]
pub struct ResourceChange {
    /// Change of the resource.
    pub outcome: Outcome,
    /// Fully qualified type.
    pub type_name: String,
    /// The resource on the old side.
    pub old: Option<Seen>,
    /// The resource on the new side.
    pub new: Option<Seen>,
    /// Properties that differ, if both sides deploy it.
    pub changes: Changes,
    /// Name of the counterpart on the other side, if that has another name.
    pub renamed: Option<String>,
    /// Effect of its removal, if only the old side deploys it and the new side still has the deployment.
    pub fate: Option<Fate>,
    /// Risks of the change, most severe first.
    pub risks: Vec<Risk>,
}

impl ResourceChange {
    /// Returns the resource on the new side, or on the old side if it is gone.
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
    /// True if neither value may be shown.
    pub is_secret: bool,
    /// Span of the new value, or of the old one if there is no new one.
    pub span: Option<Span>,
    /// True if `span` is in a file of the old side.
    pub is_old_span: bool,
}

/// Difference between two expansions of one deployment.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Resources that differ, sorted by type and name.
    pub resources: Vec<ResourceChange>,
    /// Parameters that caused changes.
    pub causes: Vec<Cause>,
    /// Number of resources that are equal.
    pub same: usize,
    /// Resources that differ and are not listed.
    unlisted: Unlisted,
}

impl Difference {
    /// True if all resources are equal.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.unlisted == Unlisted::default()
    }

    /// Counts the risks with a severity, of all resources.
    pub fn risks(&self, severity: Severity) -> usize {
        let risks = self.resources.iter().flat_map(|resource| &resource.risks);
        risks.filter(|risk| risk.severity == severity).count() + self.unlisted.risks(severity)
    }

    /// Counts the resources with an outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        let listed = self.resources.iter().filter(|resource| resource.outcome == outcome).count();
        listed + self.unlisted(outcome)
    }

    /// Counts the resources with an outcome that are not listed.
    pub fn unlisted(&self, outcome: Outcome) -> usize {
        self.unlisted.count(outcome)
    }
}

/// Compares two expansions. If one is missing, all resources are new or gone.
pub fn compare(old: Option<&Document>, new: Option<&Document>) -> Difference {
    let [old_items, new_items] = [old, new].map(|document| document.map(pair::items).unwrap_or_default());
    let causes = cause::Causes::between(old, new);
    let allowed = AllowedChanges::between(old, new, Rules::for_documents(old, new));
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
    let fates: Vec<Option<Fate>> =
        paired.old.iter().map(|(item, _)| new.map(|document| fate(document, item))).collect();
    difference.resources.extend(paired.old.iter().zip(fates).map(|((item, other), fate)| ResourceChange {
        outcome: alone(item.resource, Outcome::Remove),
        type_name: item.resource.type_name.to_string(),
        old: Some(item.seen()),
        new: None,
        changes: Changes::default(),
        renamed: other.map(|other| other.seen().name),
        fate,
        risks: risk::of_one(item, true, fate, *other),
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
    difference.resources.sort_by_cached_key(|change: &ResourceChange| {
        let first =
            [change.old.as_ref(), change.new.as_ref()].into_iter().flatten().map(|seen| seen.name.clone()).min();
        // The two halves of a resource with another name are shown together.
        let together = first.iter().chain(&change.renamed).min().cloned();
        (change.type_name.to_lowercase(), together, first, change.new.is_some())
    });
    difference.causes = causes.into_used(&mut difference.resources);
    difference
}

/// Returns the risks of what somebody changed without a deployment: from the body that a template declares to the one that
/// exists.
pub fn live_risks(type_name: &str, declared: &Value, live: &Value) -> Vec<Risk> {
    let is_of_stack = type_name.contains("::");
    let [declared, live] = [declared, live].map(|body| pair::TypedBody { type_name, body, is_of_stack });
    let mut risks = risk::of_change(declared, live);
    // The others are about what a deployment does.
    risks.retain(|risk| !matches!(risk.kind, RiskKind::Replacement | RiskKind::Immutable | RiskKind::Version));
    risks
}

/// Returns the change of a resource that both sides deploy. `kept` counts the changes that are listed so far.
fn both(
    old: &pair::ComparedResource<'_>,
    new: &pair::ComparedResource<'_>,
    allowed: &AllowedChanges,
    kept: &mut usize,
) -> Option<ResourceChange> {
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
        risks: risk::of_change(old.typed(), new.typed()),
    })
}

fn alone(resource: &Resource, outcome: Outcome) -> Outcome {
    if resource.presence.doubt().is_some() { Outcome::Uncertain } else { outcome }
}

/// Returns the effect of deploying `new` on a resource that only the old side has.
fn fate(new: &Document, item: &pair::ComparedResource<'_>) -> Fate {
    if item.is_of_stack {
        return fate_in_stack(item);
    }
    if new.deployments.iter().any(|deployment: &Deployment| {
        let resource = deployment.resource.map(|id| new.resource(id));
        let mode = resource.and_then(|resource| resource.body.get("properties")?.get("mode")?.as_str());
        mode.is_some_and(|mode| mode.eq_ignore_ascii_case("complete"))
            && deployment.scope.eq_ignore_ascii_case(&item.resource.scope)
    }) {
        Fate::Deleted
    } else {
        Fate::Untouched
    }
}

/// Returns the effect on a resource that a stack of CloudFormation no longer has.
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html>
fn fate_in_stack(item: &pair::ComparedResource<'_>) -> Fate {
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
