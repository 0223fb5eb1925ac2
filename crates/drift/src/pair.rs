//! Pairs the resources of a template with those of an export.
//!
//! In Azure, resources pair by ID. A subscription or a group that the settings do not name stands for any, and so do the
//! parts of a name that are known only after a deployment. In AWS, resources pair by the logical ID that CloudFormation
//! writes into their tags, by primary identifier, or by name.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};

use crate::aws_names;
use crate::export::{Export, LiveResource};
use crate::ids;
use crate::model::{Document, Resource};
use crate::value::Traits;

/// Resources of an export that are compared with one resource of a template.
const MAX_CANDIDATES: usize = 1_000;

/// The resource of an export that a template declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    One(usize),
    None,
    /// Several fit, the likeliest first.
    Several(Vec<usize>),
    /// The export would not have it.
    NotExported,
}

/// Pairs the resources of one template.
pub(crate) struct Pairer<'a> {
    export: &'a Export,
    /// Names of resources that are known only after a deployment, in lower case.
    invented: HashSet<String>,
    taken: HashSet<usize>,
}

impl<'a> Pairer<'a> {
    /// Creates a pairer for the resources of a document.
    pub(crate) fn new(export: &'a Export, document: &Document) -> Self {
        let all = document.resources.iter().chain(&document.existing);
        let invented = all.filter(|resource| !is_name_certain(resource));
        let segments = invented.flat_map(|resource| resource.name.split('/').map(str::to_lowercase));
        Self { export, invented: segments.collect(), taken: HashSet::default() }
    }

    /// Returns the resources of the export that are the given ones. Those with certain names come first.
    pub(crate) fn pair(&mut self, resources: &[&Resource]) -> Vec<Pairing> {
        let mut pairings: Vec<Pairing> = vec![Pairing::None; resources.len()];
        let (certain, vague): (Vec<_>, Vec<_>) =
            resources.iter().zip(&mut pairings).partition(|(resource, _)| is_name_certain(resource));
        for (resource, pairing) in certain.into_iter().chain(vague) {
            *pairing = if resource.type_name.contains("::") { self.stack(resource) } else { self.azure(resource) };
            if let Pairing::One(at) = pairing {
                self.taken.insert(*at);
            }
        }
        self.singles(resources, &mut pairings);
        pairings
    }

    fn azure(&self, resource: &Resource) -> Pairing {
        if let Some(at) = self.export.with_id(&resource.id) {
            return Pairing::One(at);
        }
        let is_certain = is_name_certain(resource);
        let positions = if is_certain {
            self.export.with_tail(ids::split(&resource.id).tail)
        } else {
            self.export.of_type(&resource.type_name)
        };
        let candidates = positions.iter().copied().filter(|at| !self.taken.contains(at)).take(MAX_CANDIDATES);
        let mut found: Vec<usize> = candidates.filter(|at| self.is_admitted(resource, *at)).collect();
        match found.as_slice() {
            [] => Pairing::None,
            [one] => Pairing::One(*one),
            _ => {
                found.sort_by_cached_key(|at| (std::cmp::Reverse(self.likeness(resource, *at)), *at));
                match found.as_slice() {
                    [one, two, ..] if !is_certain && self.likeness(resource, *one) > self.likeness(resource, *two) => {
                        Pairing::One(*one)
                    }
                    _ => Pairing::Several(found),
                }
            }
        }
    }

    /// True if a resource of the export may be the one of a template, whose ID has other names in it.
    fn is_admitted(&self, resource: &Resource, at: usize) -> bool {
        let Some(live) = self.export.resources().get(at) else { return false };
        if !is_name_certain(resource) && !admits_name(resource, &live.name) {
            return false;
        }
        let [own, other] = [&*resource.id, &live.id].map(|id| ids::split(id).scope);
        ids::admits(own, other, |segment| {
            formwork_arm::is_assumed(segment) || self.invented.contains(segment.to_lowercase().as_str())
        })
    }

    /// Returns how much the names of two resources have in common.
    fn likeness(&self, resource: &Resource, at: usize) -> usize {
        self.export.resources().get(at).map_or(0, |live| shared_ends(&resource.name, &live.name))
    }

    fn stack(&self, resource: &Resource) -> Pairing {
        let type_name = &*resource.type_name;
        if aws_names::is_of_stack_only(type_name) {
            return Pairing::NotExported;
        }
        match self.export.with_logical_id(type_name, &resource.name) {
            [] => {}
            [one] => return Pairing::One(*one),
            several => return Pairing::Several(several.to_vec()),
        }
        let Some(properties) = resource.body.get("Properties") else { return Pairing::None };
        let texts = properties.as_object().into_iter().flatten().filter_map(|member| member.value.as_str());
        let mut lists: Vec<&[usize]> = texts.map(|text| self.export.with_word(type_name, text)).collect();
        lists.sort_by_key(|list| list.len());
        let candidates: BTreeSet<usize> = lists.into_iter().flatten().copied().take(MAX_CANDIDATES).collect();
        let found = candidates.into_iter().filter(|at| {
            let live = self.export.resources().get(*at);
            let other = live.and_then(|live| Some((&live.name, live.properties()?)));
            other.is_some_and(|(name, other)| aws_names::is_identified(type_name, properties, name, other))
        });
        match found.collect::<Vec<_>>().as_slice() {
            [] => Pairing::None,
            [one] => Pairing::One(*one),
            several => Pairing::Several(several.to_vec()),
        }
    }

    /// Pairs the resources of a stack that have no name: one of a type, if the export has one of the type left.
    fn singles(&self, resources: &[&Resource], pairings: &mut [Pairing]) {
        let mut open: HashMap<&str, Vec<usize>> = HashMap::default();
        for (at, (resource, pairing)) in resources.iter().zip(pairings.iter()).enumerate() {
            if *pairing == Pairing::None && resource.type_name.contains("::") {
                open.entry(&resource.type_name).or_default().push(at);
            }
        }
        for (type_name, positions) in open {
            let free: Vec<usize> = self.free(type_name);
            let nameless: Vec<usize> =
                positions.into_iter().filter(|at| resources.get(*at).is_some_and(|own| !has_name(own))).collect();
            for at in &nameless {
                let Some(pairing) = pairings.get_mut(*at) else { continue };
                *pairing = match (free.as_slice(), nameless.len()) {
                    ([], _) => Pairing::None,
                    ([one], 1) => Pairing::One(*one),
                    (several, _) => Pairing::Several(several.to_vec()),
                };
            }
        }
    }

    /// Returns the resources of a type in AWS that no stack deployed, and that are not paired yet.
    fn free(&self, type_name: &str) -> Vec<usize> {
        let positions = self.export.of_type(type_name).iter().copied().filter(|at| !self.taken.contains(at));
        let is_free = positions.filter(|at| {
            let properties = self.export.resources().get(*at).and_then(LiveResource::properties);
            properties.is_some_and(|properties| aws_names::logical_id(properties).is_none())
        });
        is_free.take(MAX_CANDIDATES).collect()
    }
}

/// True if the template of a stack names a resource.
fn has_name(resource: &Resource) -> bool {
    let properties = resource.body.get("Properties");
    properties.is_some_and(|properties| aws_names::has_name(&resource.type_name, properties))
}

/// True if the name of a resource is known before a deployment.
pub(crate) fn is_name_certain(resource: &Resource) -> bool {
    let name = resource.body.get("name").filter(|_| !resource.type_name.contains("::"));
    name.is_none_or(|name| !name.traits.has(Traits::UNKNOWN) && !name.traits.has(Traits::PLACEHOLDER))
}

/// True if a resource may have this name. The name in the template is not certain.
fn admits_name(resource: &Resource, live: &str) -> bool {
    let Some(name) = resource.body.get("name") else { return false };
    if let Some(ends) = name.as_unknown().and_then(|unknown| unknown.ends.as_ref()) {
        return ends.admit(live, str::eq_ignore_ascii_case);
    }
    if name.as_unknown().is_some() {
        return resource.name.split('/').count() == live.split('/').count();
    }
    let (mut own, mut other) = (resource.name.split('/'), live.split('/'));
    loop {
        match (own.next(), other.next()) {
            (None, None) => return true,
            (Some(own), Some(other)) if own.eq_ignore_ascii_case(other) || is_like(own, other) => {}
            _ => return false,
        }
    }
}

/// True if a name is like an invented one: letters and digits may be others, as in a hash.
fn is_like(own: &str, other: &str) -> bool {
    let mut pairs = own.chars().zip(other.chars());
    own.len() == other.len()
        && pairs.all(|(own, other)| own == other || own.is_ascii_alphanumeric() && other.is_ascii_alphanumeric())
}

/// Returns how many characters two names share at their beginnings and ends.
fn shared_ends(own: &str, other: &str) -> usize {
    let is_same = |(own, other): &(char, char)| own.eq_ignore_ascii_case(other);
    let start = own.chars().zip(other.chars()).take_while(is_same).count();
    let end = own.chars().rev().zip(other.chars().rev()).take_while(is_same).count();
    start + end
}
