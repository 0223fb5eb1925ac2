//! Changes of the settings of deployments: what decides which resources are deployed or deleted, and is not a property
//! of a resource.
//!
//! A nested deployment that only deploys resources makes no difference by itself, so a template may be split into
//! modules. One with settings does: it deletes resources that its template does not have, or reads secrets from a key
//! vault.

use std::collections::{BTreeMap, BTreeSet};

use crate::allowed::AllowedChanges;
use crate::digest::Rules;
use crate::model::{Deployment, Document};
use crate::pair::{self, ComparedResource};
use crate::symbols::Symbols;
use crate::text::Span;
use crate::value::Value;
use crate::{Changes, Outcome, ResourceChange, Seen, alone, leaves, risk};

/// Settings that do not matter for a deployment that only one side has, since its resources have them, too.
const OF_RESOURCES: [&str; 4] = ["apiProfile", "extensions", "imports", "providers"];

/// A nested deployment, ready to be compared.
struct NestedDeployment<'a> {
    item: ComparedResource<'a>,
    deployment: &'a Deployment,
}

impl NestedDeployment<'_> {
    /// True if the settings matter for a deployment that only one side has.
    fn is_loud(&self) -> bool {
        let members = self.item.body.as_object().into_iter().flatten();
        members.into_iter().any(|member| !OF_RESOURCES.contains(&&*member.key))
    }

    /// Returns the scope from which it deletes resources, if it does.
    fn cleared(&self) -> Option<String> {
        Some(self.item.body.get("scope")?.as_str()?.to_lowercase())
    }

    /// True if both can be the same deployment. Deployments that delete resources differ if their scopes do.
    fn may_be(&self, other: &Self) -> bool {
        self.cleared().zip(other.cleared()).is_none_or(|(one, other)| one == other)
    }
}

/// Key by which a pass pairs deployments. Deployments without a key are left to the next pass.
type PairingKey = fn(&NestedDeployment<'_>) -> Option<String>;

/// Passes that pair deployments, each with the deployments that the earlier ones left. The name of a deployment does
/// not matter.
const PASSES: [PairingKey; 3] = [
    |nested| Some(nested.deployment.id.to_lowercase()),
    |nested| nested.is_loud().then(|| nested.item.rules().digest(&nested.item.body)),
    |nested| Some(nested.deployment.path.clone()),
];

/// Returns the deployments whose settings differ. `kept` counts the changes that are listed so far.
pub(super) fn changes(
    old: &Document,
    new: &Document,
    allowed: &AllowedChanges,
    kept: &mut usize,
) -> Vec<ResourceChange> {
    let mut found: Vec<ResourceChange> = root(old, new, allowed, kept).into_iter().collect();
    let [mut before, mut after] = [old, new].map(|document| nested(document).into_iter().map(Some).collect::<Vec<_>>());
    for key in PASSES {
        for (old, new) in pairs(&mut before, &mut after, key) {
            found.extend(both(&old, &new, allowed, kept));
        }
    }
    for (left, outcome) in [(before, Outcome::Remove), (after, Outcome::Create)] {
        let loud = left.into_iter().flatten().filter(NestedDeployment::is_loud);
        found.extend(loud.map(|nested| one(&nested.item, outcome)));
    }
    found
}

fn nested(document: &Document) -> Vec<NestedDeployment<'_>> {
    let symbols = Symbols::new(document);
    let nested = document.deployments.iter().filter_map(|deployment| {
        let settings = document.hidden.marked(&deployment.settings);
        let item = pair::nested(document, deployment.resource?, &settings, &symbols);
        Some(NestedDeployment { item, deployment })
    });
    nested.collect()
}

/// Takes out pairs with equal keys, in order.
fn pairs<'a, 'b>(
    old: &mut [Option<NestedDeployment<'a>>],
    new: &mut [Option<NestedDeployment<'b>>],
    key: PairingKey,
) -> Vec<(NestedDeployment<'a>, NestedDeployment<'b>)> {
    let mut places: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (at, nested) in old.iter().enumerate() {
        if let Some(key) = nested.as_ref().and_then(key) {
            places.entry(key).or_default().insert(at);
        }
    }
    let mut pairs = Vec::new();
    for slot in new {
        let Some(nested) = slot else { continue };
        let Some(same) = key(nested).and_then(|key| places.get_mut(&key)) else { continue };
        let other = same.first().copied().and_then(|at| old.get_mut(at));
        if let Some(other) = other.filter(|other| other.as_ref().is_some_and(|other| other.may_be(nested))) {
            same.pop_first();
            pairs.extend(other.take().zip(slot.take()));
        }
    }
    pairs
}

fn both(
    old: &NestedDeployment<'_>,
    new: &NestedDeployment<'_>,
    allowed: &AllowedChanges,
    kept: &mut usize,
) -> Option<ResourceChange> {
    let [old, new] = [&old.item, &new.item];
    let mut changes = compared(old.rules(), &new.resource.type_name, allowed, [&old.body, &new.body])?;
    changes.bound(kept);
    Some(ResourceChange {
        outcome: Outcome::Change,
        type_name: new.resource.type_name.to_string(),
        old: Some(old.seen()),
        new: Some(new.seen()),
        changes,
        renamed: None,
        fate: None,
        risks: risk::of_change(old.typed(), new.typed()),
    })
}

fn one(item: &ComparedResource<'_>, outcome: Outcome) -> ResourceChange {
    let is_gone = outcome == Outcome::Remove;
    let seen = Some(item.seen());
    let (old, new) = if is_gone { (seen, None) } else { (None, seen) };
    ResourceChange {
        outcome: alone(item.resource, outcome),
        type_name: item.resource.type_name.to_string(),
        old,
        new,
        changes: Changes::default(),
        renamed: None,
        fate: None,
        risks: risk::of_one(item, is_gone, None, None),
    }
}

/// Returns the change of the root deployment.
fn root(old: &Document, new: &Document, allowed: &AllowedChanges, kept: &mut usize) -> Option<ResourceChange> {
    let [before, after] = [old, new].map(|document| document.deployments.first());
    let (before, after) = (before?, after?);
    let is_of_stack = after.scope.is_empty();
    let type_name = if is_of_stack { "AWS::CloudFormation::Stack" } else { "Microsoft.Resources/deployments" };
    let [from, to] = [(old, before), (new, after)]
        .map(|(document, root)| Symbols::new(document).resolved(&document.hidden.marked(&root.settings)));
    let mut changes = compared(Rules { ignores_case: !is_of_stack }, type_name, allowed, [&from, &to])?;
    changes.bound(kept);
    let [old, new] = [(old, before), (new, after)].map(|(document, root)| {
        let [name, id] = [&root.name, &root.id].map(|text| document.hidden.masked(text).into_owned());
        Some(Seen { at: None, name, id, is_approximate: false, span: Span::whole_file(document.file), maybe: None })
    });
    Some(ResourceChange {
        outcome: Outcome::Change,
        type_name: type_name.to_owned(),
        old,
        new,
        changes,
        renamed: None,
        fate: None,
        risks: Vec::new(),
    })
}

/// Returns the changes of settings, or `None` if there are none.
fn compared(rules: Rules, type_name: &str, allowed: &AllowedChanges, [old, new]: [&Value; 2]) -> Option<Changes> {
    let settings = [old, new].map(|value| value.as_object().filter(|object| !object.is_empty()).map(|_| value));
    if settings.iter().all(Option::is_none) {
        return None;
    }
    let empty = Value::object(Vec::new());
    let [old, new] = settings.map(|value| value.unwrap_or(&empty));
    let changes = leaves::bodies(rules, type_name, allowed, old, new);
    (!changes.is_empty()).then_some(changes)
}
