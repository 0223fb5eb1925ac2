//! The settings of deployments that differ: what decides what is deployed or deleted, and is no property of a resource.
//!
//! A nested deployment that only deploys resources makes no difference by itself, so that a template may be split into
//! modules. One with settings does: it deletes what its template does not have, or takes secrets from a key vault.

use std::collections::{BTreeMap, BTreeSet};

use crate::allowed::Allowed;
use crate::digest::Rules;
use crate::model::{Deployment, Document};
use crate::pair::{self, Item};
use crate::symbols::Symbols;
use crate::text::Span;
use crate::value::{Object, Value};
use crate::{Changes, Outcome, ResourceChange, Seen, alone, leaves, risk};

/// The settings that say nothing about a deployment that only one side has: its resources have them, too.
const OF_RESOURCES: [&str; 4] = ["apiProfile", "extensions", "imports", "providers"];

/// A nested deployment, ready to be compared.
struct Nested<'a> {
    item: Item<'a>,
    deployment: &'a Deployment,
}

impl Nested<'_> {
    /// The settings of a deployment that only one side has.
    fn is_loud(&self) -> bool {
        let members = self.item.body.as_object().into_iter().flatten();
        members.into_iter().any(|member| !OF_RESOURCES.contains(&&*member.key))
    }

    /// What it deletes resources from, if it does.
    fn cleared(&self) -> Option<String> {
        Some(self.item.body.get("scope")?.as_str()?.to_lowercase())
    }

    /// Whether both can be the same deployment. One that deletes is another one in another scope.
    fn may_be(&self, other: &Self) -> bool {
        self.cleared().zip(other.cleared()).is_none_or(|(one, other)| one == other)
    }
}

/// What a pass compares; deployments without it are left to the next one.
type Key = fn(&Nested<'_>) -> Option<String>;

/// The passes that pair deployments, each on what the ones before left. The name of a deployment is not deployed.
const PASSES: [Key; 3] = [
    |nested| Some(nested.deployment.id.to_lowercase()),
    |nested| nested.is_loud().then(|| nested.item.rules().digest(&nested.item.body)),
    |nested| Some(nested.deployment.path.clone()),
];

/// The deployments whose settings differ. `kept` counts the changes that are listed so far.
pub(super) fn changes(old: &Document, new: &Document, allowed: &Allowed, kept: &mut usize) -> Vec<ResourceChange> {
    let mut found: Vec<ResourceChange> = root(old, new, allowed, kept).into_iter().collect();
    let [mut before, mut after] = [old, new].map(|document| nested(document).into_iter().map(Some).collect::<Vec<_>>());
    for key in PASSES {
        for (old, new) in pairs(&mut before, &mut after, key) {
            found.extend(both(&old, &new, allowed, kept));
        }
    }
    for (left, outcome) in [(before, Outcome::Remove), (after, Outcome::Create)] {
        let loud = left.into_iter().flatten().filter(Nested::is_loud);
        found.extend(loud.map(|nested| one(&nested.item, outcome)));
    }
    found
}

fn nested(document: &Document) -> Vec<Nested<'_>> {
    let symbols = Symbols::of(document);
    let nested = |deployment: &'_ Deployment| {
        let settings = document.hidden.marked(&deployment.settings);
        deployment.resource.map(|id| pair::nested(document, id, &settings, &symbols))
    };
    let all = document.deployments.iter();
    all.filter_map(|deployment| Some(Nested { item: nested(deployment)?, deployment })).collect()
}

/// Takes out pairs with equal keys, the first with the first.
fn pairs<'a, 'b>(
    old: &mut [Option<Nested<'a>>],
    new: &mut [Option<Nested<'b>>],
    key: Key,
) -> Vec<(Nested<'a>, Nested<'b>)> {
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

fn both(old: &Nested<'_>, new: &Nested<'_>, allowed: &Allowed, kept: &mut usize) -> Option<ResourceChange> {
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
        risks: risk::of_change(old, new),
    })
}

fn one(item: &Item<'_>, outcome: Outcome) -> ResourceChange {
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

/// The deployment that the user starts.
fn root(old: &Document, new: &Document, allowed: &Allowed, kept: &mut usize) -> Option<ResourceChange> {
    let [before, after] = [old, new].map(|document| document.deployments.first());
    let (before, after) = (before?, after?);
    let is_of_stack = after.scope.is_empty();
    let type_name = if is_of_stack { "AWS::CloudFormation::Stack" } else { "Microsoft.Resources/deployments" };
    let settings = |document: &Document, root: &Deployment| {
        Symbols::of(document).resolved(&document.hidden.marked(&root.settings))
    };
    let (from, to) = (settings(old, before), settings(new, after));
    let mut changes = compared(Rules { ignores_case: !is_of_stack }, type_name, allowed, [&from, &to])?;
    changes.bound(kept);
    let seen = |document: &Document, root: &Deployment| {
        let masked = |text: &str| document.hidden.masked(text).into_owned();
        Some(Seen {
            at: None,
            name: masked(&root.name),
            id: masked(&root.id),
            is_approximate: false,
            span: Span::whole_file(document.file),
            maybe: None,
        })
    };
    Some(ResourceChange {
        outcome: Outcome::Change,
        type_name: type_name.to_owned(),
        old: seen(old, before),
        new: seen(new, after),
        changes,
        renamed: None,
        fate: None,
        risks: Vec::new(),
    })
}

/// How settings differ; `None` if they do not.
fn compared(rules: Rules, type_name: &str, allowed: &Allowed, [old, new]: [&Value; 2]) -> Option<Changes> {
    let is_empty = |value: &Value| value.as_object().is_none_or(Object::is_empty);
    if is_empty(old) && is_empty(new) {
        return None;
    }
    let empty = Value::object(Vec::new());
    let or_empty = |value: &'_ Value| if is_empty(value) { empty.clone() } else { value.clone() };
    let changes = leaves::bodies(rules, type_name, allowed, &or_empty(old), &or_empty(new));
    (!changes.is_empty()).then_some(changes)
}
