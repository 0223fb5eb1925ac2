//! Which resource of one side is which of the other.
//!
//! Resources are the same if their scopes, types, and names are. If a name is only known after the deployment, what the
//! template says decides: equal bodies, then symbolic names, then places. What is left at the same place of the template
//! has another name, and so has what is left with the same content.

use std::collections::{BTreeMap, BTreeSet};

use crate::Seen;
use crate::digest::Rules;
use crate::leaves::{At, Changes};
use crate::model::{Document, Resource, ResourceId};
use crate::symbols::Symbols;
use crate::value::{Member, Traits, Value};

/// What is not a property of the resource: what identifies it, and what is only about the template.
const NOT_COMPARED: [&str; 10] =
    ["type", "name", "id", "scope", "dependsOn", "condition", "copy", "resources", "comments", "metadata"];

/// As [`NOT_COMPARED`], for CloudFormation, where names have an exact case.
const NOT_COMPARED_OF_STACKS: [&str; 3] = ["Type", "DependsOn", "Condition"];

/// A resource, ready to be compared.
pub(super) struct Item<'a> {
    pub(super) resource: &'a Resource,
    /// What the resource would be created with, its secrets marked.
    pub(super) body: Value,
    pub(super) digest: String,
    /// Whether it belongs to a stack of CloudFormation.
    pub(super) is_of_stack: bool,
    /// The type and the ID, so that equal texts mean the same resource.
    key: String,
    is_name_known: bool,
    name: Value,
    scope: Value,
    seen: Seen,
}

impl Item<'_> {
    /// How its values are compared.
    pub(super) fn rules(&self) -> Rules {
        Rules { ignores_case: !self.is_of_stack }
    }

    /// The resource as its side deploys it.
    pub(super) fn seen(&self) -> Seen {
        self.seen.clone()
    }

    /// All that is compared.
    fn whole(&self) -> String {
        let maybe = self.seen.maybe.as_ref().map_or("", |why| &why.why);
        let parts = [&self.key, &self.rules().digest(&self.name), &self.digest, maybe];
        parts.join("\n")
    }

    /// What it is beside the last segment of its name: its type, where it is deployed to, and its content. A stack deletes what
    /// has another logical ID, so there it is not the same under another name.
    fn content(&self) -> Option<String> {
        let (home, _) = self.key.rsplit_once('/')?;
        (self.is_name_known && !self.is_of_stack).then(|| format!("{home}\n{}", self.digest))
    }

    /// Whether it is the same as another one under another name. Where it is, and whose part it is, are not only names: a lock of
    /// another resource protects another one.
    pub(super) fn is_renamed(&self, other: &Item<'_>) -> bool {
        self.content().is_some_and(|content| other.content() == Some(content))
    }

    fn place(&self) -> String {
        format!("{} {}", self.resource.type_name.to_ascii_lowercase(), self.resource.path)
    }

    fn symbol(&self) -> Option<String> {
        let symbol = self.resource.symbolic_name.as_ref()?;
        let (module, _) = self.resource.path.rsplit_once("resources").unwrap_or_default();
        Some(format!("{} {module} {symbol}", self.resource.type_name.to_ascii_lowercase()))
    }
}

/// The resources of a document, without the nested deployments whose resources are among them.
pub(super) fn items<'a>(document: &'a Document) -> Vec<Item<'a>> {
    let nested: BTreeSet<usize> =
        document.deployments.iter().filter_map(|deployment| Some(deployment.resource?.0)).collect();
    let symbols = Symbols::of(document);
    let resources = document.resources.iter().enumerate().filter(|(at, _)| !nested.contains(at));
    let item = |(at, resource): (usize, &'a Resource)| {
        let body = |is_of_stack| compared(&document.hidden.marked(&resource.body), is_of_stack);
        item(document, (ResourceId(at), resource), &symbols, body)
    };
    resources.map(item).collect()
}

/// The resource of a nested deployment, with the settings of the deployment as its body.
pub(super) fn nested<'a>(document: &'a Document, id: ResourceId, settings: &Value, symbols: &Symbols) -> Item<'a> {
    item(document, (id, document.resource(id)), symbols, |_| settings.clone())
}

fn item<'a>(
    document: &Document,
    (at, resource): (ResourceId, &'a Resource),
    symbols: &Symbols,
    body: impl FnOnce(bool) -> Value,
) -> Item<'a> {
    let is_of_stack = resource.type_name.contains("::");
    let body = symbols.resolved(&body(is_of_stack));
    let written = resource.body.get("name").filter(|_| !is_of_stack).filter(|name| name.traits.has(Traits::UNKNOWN));
    let known = document.hidden.named(&resource.name);
    let secret = if known.traits.has(Traits::SECRET) { Traits::SECRET } else { Traits::NONE };
    let id = format!("{} {}", resource.type_name, resource.id);
    let key = if is_of_stack { id } else { id.to_lowercase() };
    let masked = |text: &str| document.hidden.masked(text).into_owned();
    let maybe = resource.presence.doubt().map(|doubt| doubt.unknown.clone());
    Item {
        resource,
        digest: Rules { ignores_case: !is_of_stack }.digest(&body),
        body,
        is_of_stack,
        key,
        is_name_known: written.is_none(),
        name: written.map(|name| symbols.resolved(name)).map_or(known, |name| name.with_traits(secret)),
        scope: document.hidden.named(&resource.scope),
        seen: Seen {
            at: Some(at),
            name: masked(&resource.name),
            id: masked(&resource.id),
            is_approximate: written.is_some(),
            span: resource.span,
            maybe,
        },
    }
}

fn compared(body: &Value, is_of_stack: bool) -> Value {
    let is_property = |member: &&Member| {
        if is_of_stack {
            return !NOT_COMPARED_OF_STACKS.contains(&&*member.key);
        }
        !NOT_COMPARED.iter().any(|name| member.key.eq_ignore_ascii_case(name))
    };
    Value::object(body.as_object().into_iter().flatten().filter(is_property).cloned().collect())
}

/// Adds the parts of the identity that differ between two resources that are the same by their place.
pub(super) fn identity_changes(old: &Item<'_>, new: &Item<'_>, changes: &mut Changes) {
    let rules = old.rules();
    let parts = [("name", &old.name, &new.name), ("scope", &old.scope, &new.scope)];
    for (path, old, new) in parts {
        if rules.key(&rules.digest(old)) != rules.key(&rules.digest(new)) {
            changes.add(&At::path(path), Some(old), Some(new));
        }
    }
}

/// The result of pairing.
pub(super) struct Paired<'a, 'd> {
    /// The resources that both sides have.
    pub(super) both: Vec<(&'a Item<'d>, &'a Item<'d>)>,
    /// Those that only the old side has, each with the one that the new side has under another name.
    pub(super) old: Vec<(&'a Item<'d>, Option<&'a Item<'d>>)>,
    /// Those that only the new side has, each with the one that the old side has under another name.
    pub(super) new: Vec<(&'a Item<'d>, Option<&'a Item<'d>>)>,
}

/// What a pass compares; resources without it are left to the next one.
type Key = fn(&Item<'_>) -> Option<String>;

/// The passes for resources that are the same in spite of everything else, each on what the ones before left.
const SAME: [Key; 6] = [
    |item| item.is_name_known.then(|| item.whole()),
    |item| item.is_name_known.then(|| format!("{}\n{}", item.key, item.resource.path)),
    |item| item.is_name_known.then(|| item.key.clone()),
    |item| (!item.is_name_known).then(|| item.whole()),
    |item| item.symbol().filter(|_| !item.is_name_known).map(|symbol| format!("{}\n{symbol}", item.key)),
    |item| (!item.is_name_known).then(|| format!("{}\n{}", item.key, item.rules().digest(&item.name))),
];

/// How many resources with one key each side may have left for a pass to pair them.
type Fit = fn(usize, usize) -> bool;

/// The passes for resources with another name: those at the same place, and the only one with the same content.
const ALIKE: [(Key, Fit); 3] = [
    (|item| item.symbol(), |old, new| old == new),
    (|item| Some(item.place()), |old, new| old == new),
    (|item| item.content(), |old, new| (old, new) == (1, 1)),
];

/// Pairs the resources of both sides.
pub(super) fn pair<'a, 'd>(old: &'a [Item<'d>], new: &'a [Item<'d>]) -> Paired<'a, 'd> {
    let mut left = Left { old: old.iter().collect(), new: new.iter().collect() };
    let mut paired = Paired { both: Vec::new(), old: Vec::new(), new: Vec::new() };
    for key in SAME {
        paired.both.extend(left.take(key, |_, _| true));
    }
    for (key, fit) in ALIKE {
        for (old, new) in left.take(key, fit) {
            if old.is_name_known && new.is_name_known {
                paired.old.push((old, Some(new)));
                paired.new.push((new, Some(old)));
            } else {
                paired.both.push((old, new));
            }
        }
    }
    paired.old.extend(left.old.into_iter().map(|item| (item, None)));
    paired.new.extend(left.new.into_iter().map(|item| (item, None)));
    paired
}

/// What is not paired yet.
struct Left<'a, 'd> {
    old: Vec<&'a Item<'d>>,
    new: Vec<&'a Item<'d>>,
}

impl<'a, 'd> Left<'a, 'd> {
    /// Takes out pairs with equal keys, the first with the first.
    fn take(&mut self, key: Key, fit: Fit) -> Vec<(&'a Item<'d>, &'a Item<'d>)> {
        let mut groups: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
        for (at, key) in self.old.iter().enumerate().filter_map(|(at, item)| Some((at, key(item)?))) {
            let [old, _] = groups.entry(key).or_default();
            old.push(at);
        }
        for (at, key) in self.new.iter().enumerate().filter_map(|(at, item)| Some((at, key(item)?))) {
            let [_, new] = groups.entry(key).or_default();
            new.push(at);
        }
        let fits = |[old, new]: &&[Vec<usize>; 2]| fit(old.len(), new.len());
        let pairs = groups.values().filter(fits).flat_map(|[old, new]| old.iter().copied().zip(new.iter().copied()));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let taken = pairs.iter().filter_map(|&(old, new)| Some((*self.old.get(old)?, *self.new.get(new)?))).collect();
        let (old, new): (BTreeSet<usize>, BTreeSet<usize>) = pairs.into_iter().unzip();
        self.old = rest(&self.old, &old);
        self.new = rest(&self.new, &new);
        taken
    }
}

fn rest<'a, 'd>(items: &[&'a Item<'d>], taken: &BTreeSet<usize>) -> Vec<&'a Item<'d>> {
    items.iter().enumerate().filter(|(at, _)| !taken.contains(at)).map(|(_, item)| *item).collect()
}
