//! Pairs the resources of both sides.
//!
//! Resources are the same if their scopes, types, and names are. If a name is only known after the deployment,
//! resources pair by their equal bodies, then by symbolic names, then by their paths in the template. Of the others,
//! resources at the same path are renamed, and so are resources with the same content.

use std::collections::BTreeSet;

use foldhash::HashMap;

use crate::Seen;
use crate::digest::Rules;
use crate::leaves::{Changes, LeafPath};
use crate::model::{Document, Resource, ResourceId};
use crate::symbols::Symbols;
use crate::value::{Member, Traits, Value};

/// Members of a body that are not properties of the resource: they identify it, or matter to the template only.
const NOT_COMPARED: [&str; 10] =
    ["type", "name", "id", "scope", "dependsOn", "condition", "copy", "resources", "comments", "metadata"];

/// Members like [`NOT_COMPARED`] in CloudFormation, where names are case-sensitive.
const NOT_COMPARED_OF_STACKS: [&str; 3] = ["Type", "DependsOn", "Condition"];

/// A resource, prepared for the comparison.
pub(super) struct ComparedResource<'a> {
    pub(super) resource: &'a Resource,
    /// Properties that the resource would be created with; secrets are marked.
    pub(super) body: Value,
    pub(super) digest: String,
    /// True if it belongs to a stack of CloudFormation.
    pub(super) is_of_stack: bool,
    /// Type and ID. Equal keys mean the same resource.
    key: String,
    is_name_known: bool,
    name: Value,
    scope: Value,
    seen: Seen,
}

impl ComparedResource<'_> {
    /// Returns the comparison rules of the resource's cloud.
    pub(super) fn rules(&self) -> Rules {
        Rules { ignores_case: !self.is_of_stack }
    }

    /// Returns the body with what the tables of risks need to know about it.
    pub(super) fn typed(&self) -> TypedBody<'_> {
        TypedBody { type_name: &self.resource.type_name, body: &self.body, is_of_stack: self.is_of_stack }
    }

    /// Returns the resource as its side deploys it.
    pub(super) fn seen(&self) -> Seen {
        self.seen.clone()
    }

    /// Returns everything that is compared.
    fn whole(&self) -> String {
        let maybe = self.seen.maybe.as_ref().map_or("", |why| &why.why);
        let parts = [&self.key, &self.rules().digest(&self.name), &self.digest, maybe];
        parts.join("\n")
    }

    /// Returns the key of a renamed resource: everything but the last segment of its name. `None` in a stack, which
    /// deletes a resource whose logical ID changes.
    fn content(&self) -> Option<String> {
        let (home, _) = self.key.rsplit_once('/')?;
        (self.is_name_known && !self.is_of_stack).then(|| format!("{home}\n{}", self.digest))
    }

    /// True if both are one resource under different names. Scope and parent do count: a lock of another resource
    /// protects another resource.
    pub(super) fn is_renamed(&self, other: &ComparedResource<'_>) -> bool {
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

/// The body of a resource, with what the tables need to know about it.
#[derive(Clone, Copy)]
pub(super) struct TypedBody<'a> {
    pub(super) type_name: &'a str,
    pub(super) body: &'a Value,
    /// True if it belongs to a stack of CloudFormation.
    pub(super) is_of_stack: bool,
}

impl TypedBody<'_> {
    /// Returns the comparison rules of the resource's cloud.
    pub(super) fn rules(self) -> Rules {
        Rules { ignores_case: !self.is_of_stack }
    }
}

/// Returns the resources of a document, without nested deployments, whose resources are listed themselves.
pub(super) fn items<'a>(document: &'a Document) -> Vec<ComparedResource<'a>> {
    let nested: BTreeSet<usize> =
        document.deployments.iter().filter_map(|deployment| Some(deployment.resource?.0)).collect();
    let symbols = Symbols::new(document);
    let resources = document.resources.iter().enumerate().filter(|(at, _)| !nested.contains(at));
    resources
        .map(|(at, resource): (usize, &'a Resource)| {
            item(document, (ResourceId(at), resource), &symbols, |is_of_stack| {
                compared(&document.hidden.marked(&resource.body), is_of_stack)
            })
        })
        .collect()
}

/// Returns the resource of a nested deployment, with the settings of the deployment as its body.
pub(super) fn nested<'a>(
    document: &'a Document,
    id: ResourceId,
    settings: &Value,
    symbols: &Symbols,
) -> ComparedResource<'a> {
    item(document, (id, document.resource(id)), symbols, |_| settings.clone())
}

fn item<'a>(
    document: &Document,
    (at, resource): (ResourceId, &'a Resource),
    symbols: &Symbols,
    body: impl FnOnce(bool) -> Value,
) -> ComparedResource<'a> {
    let is_of_stack = resource.type_name.contains("::");
    let body = symbols.resolved(&body(is_of_stack));
    let written = resource.body.get("name").filter(|_| !is_of_stack).filter(|name| name.traits.has(Traits::UNKNOWN));
    let known = document.hidden.named(&resource.name);
    let secret = if known.traits.has(Traits::SECRET) { Traits::SECRET } else { Traits::NONE };
    let id = format!("{} {}", resource.type_name, resource.id);
    let key = if is_of_stack { id } else { id.to_lowercase() };
    let maybe = resource.presence.doubt().map(|doubt| doubt.unknown.clone());
    let [masked_name, masked_id] = [&resource.name, &resource.id].map(|text| document.hidden.masked(text).into_owned());
    ComparedResource {
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
            name: masked_name,
            id: masked_id,
            is_approximate: written.is_some(),
            span: resource.span,
            maybe,
        },
    }
}

fn compared(body: &Value, is_of_stack: bool) -> Value {
    Value::object(
        body.as_object()
            .into_iter()
            .flatten()
            .filter(|member: &&Member| {
                if is_of_stack {
                    return !NOT_COMPARED_OF_STACKS.contains(&&*member.key);
                }
                !NOT_COMPARED.iter().any(|name| member.key.eq_ignore_ascii_case(name))
            })
            .cloned()
            .collect(),
    )
}

/// Adds the differences in name and scope between two paired resources.
pub(super) fn identity_changes(old: &ComparedResource<'_>, new: &ComparedResource<'_>, changes: &mut Changes) {
    let rules = old.rules();
    let parts = [("name", &old.name, &new.name), ("scope", &old.scope, &new.scope)];
    for (path, old, new) in parts {
        if rules.key(&rules.digest(old)) != rules.key(&rules.digest(new)) {
            changes.add(&LeafPath::path(path), Some(old), Some(new));
        }
    }
}

/// Result of pairing.
pub(super) struct PairedResources<'a, 'd> {
    /// Resources that both sides have.
    pub(super) both: Vec<(&'a ComparedResource<'d>, &'a ComparedResource<'d>)>,
    /// Resources that only the old side has, each with its renamed counterpart on the new side.
    pub(super) old: Vec<(&'a ComparedResource<'d>, Option<&'a ComparedResource<'d>>)>,
    /// Resources that only the new side has, each with its renamed counterpart on the old side.
    pub(super) new: Vec<(&'a ComparedResource<'d>, Option<&'a ComparedResource<'d>>)>,
}

/// Key by which a pass pairs resources. Resources without a key are left to the next pass.
type PairingKey = fn(&ComparedResource<'_>) -> Option<String>;

/// Passes that pair equal resources, each with the resources that the earlier ones left.
const SAME: [PairingKey; 6] = [
    |item| item.is_name_known.then(|| item.whole()),
    |item| item.is_name_known.then(|| format!("{}\n{}", item.key, item.resource.path)),
    |item| item.is_name_known.then(|| item.key.clone()),
    |item| (!item.is_name_known).then(|| item.whole()),
    |item| item.symbol().filter(|_| !item.is_name_known).map(|symbol| format!("{}\n{symbol}", item.key)),
    |item| (!item.is_name_known).then(|| format!("{}\n{}", item.key, item.rules().digest(&item.name))),
];

/// Condition on the numbers of resources with one key on both sides, under which a pass pairs them.
type PairingCondition = fn(usize, usize) -> bool;

/// Passes that pair renamed resources: those at the same path, and single ones with the same content.
const ALIKE: [(PairingKey, PairingCondition); 3] = [
    (|item| item.symbol(), |old, new| old == new),
    (|item| Some(item.place()), |old, new| old == new),
    (|item| item.content(), |old, new| (old, new) == (1, 1)),
];

/// Pairs the resources of both sides.
pub(super) fn pair<'a, 'd>(
    old: &'a [ComparedResource<'d>],
    new: &'a [ComparedResource<'d>],
) -> PairedResources<'a, 'd> {
    let mut left = Unpaired { old: old.iter().collect(), new: new.iter().collect() };
    let mut paired = PairedResources { both: Vec::new(), old: Vec::new(), new: Vec::new() };
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

/// Resources that are not paired yet.
struct Unpaired<'a, 'd> {
    old: Vec<&'a ComparedResource<'d>>,
    new: Vec<&'a ComparedResource<'d>>,
}

impl<'a, 'd> Unpaired<'a, 'd> {
    /// Takes out pairs with equal keys, in order.
    fn take(
        &mut self,
        key: PairingKey,
        fit: PairingCondition,
    ) -> Vec<(&'a ComparedResource<'d>, &'a ComparedResource<'d>)> {
        let mut groups: HashMap<String, [Vec<usize>; 2]> = HashMap::default();
        for (at, key) in self.old.iter().enumerate().filter_map(|(at, item)| Some((at, key(item)?))) {
            let [old, _] = groups.entry(key).or_default();
            old.push(at);
        }
        // A resource whose key no old one has is left over.
        for (at, key) in self.new.iter().enumerate().filter_map(|(at, item)| Some((at, key(item)?))) {
            if let Some([_, new]) = groups.get_mut(&key) {
                new.push(at);
            }
        }
        groups.retain(|_, [old, new]| !new.is_empty() && fit(old.len(), new.len()));
        let mut groups: Vec<(String, [Vec<usize>; 2])> = groups.into_iter().collect();
        groups.sort_unstable_by(|(key, _), (other, _)| key.cmp(other));
        let pairs = groups.iter().flat_map(|(_, [old, new])| old.iter().copied().zip(new.iter().copied()));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let taken = pairs.iter().filter_map(|&(old, new)| Some((*self.old.get(old)?, *self.new.get(new)?))).collect();
        let (old, new): (BTreeSet<usize>, BTreeSet<usize>) = pairs.into_iter().unzip();
        self.old = rest(&self.old, &old);
        self.new = rest(&self.new, &new);
        taken
    }
}

fn rest<'a, 'd>(items: &[&'a ComparedResource<'d>], taken: &BTreeSet<usize>) -> Vec<&'a ComparedResource<'d>> {
    items.iter().enumerate().filter(|(at, _)| !taken.contains(at)).map(|(_, item)| *item).collect()
}
