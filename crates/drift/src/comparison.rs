//! Compares the expansions of templates with an export, one after the other.

use foldhash::{HashMap, HashSet};
use formwork_schema::{BodyLookup, PublishedShape};

use crate::body::{BodyComparison, BodyDrift, UnsetProperty};
use crate::drift::{Drift, DriftChange, DriftOutcome, DriftedResource};
use crate::export::{Export, LiveResource};
use crate::ids;
use crate::model::{Document, Resource};
use crate::pair::{self, Pairer, Pairing};
use crate::scalars::CloudRules;
use crate::text::Span;
use crate::value::Value;

/// The type of a nested deployment, which lists of resources do not have.
const DEPLOYMENT: &str = "Microsoft.Resources/deployments";

/// Resources that may be the one of a template, and are compared with it.
const MAX_COMPARED: usize = 50;

/// Options of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriftOptions {
    /// True if properties that could be set, and that the template leaves out, are listed.
    pub lists_unset: bool,
}

/// A comparison of templates with an export.
#[derive(Debug)]
pub struct Comparison<'e> {
    export: &'e Export,
    options: DriftOptions,
    resources: Vec<DriftedResource>,
    /// Positions in `resources`, by the position in the export.
    of_live: HashMap<usize, usize>,
    /// Positions in `resources` of those that are not in the export, by ID in lower case.
    of_id: HashMap<String, usize>,
    /// IDs of the resources of templates, in lower case. A name that is not known is `*`.
    declared: HashSet<String>,
    /// IDs of the children that templates have in the bodies of resources, like `declared`.
    parts: HashSet<String>,
    /// IDs of `resources` in their templates, in lower case.
    own_ids: Vec<String>,
    /// Resources that the cloud creates with those of templates.
    implied: HashSet<usize>,
    /// Scopes of nested deployments that delete what they do not have.
    complete: Vec<String>,
}

impl<'e> Comparison<'e> {
    /// Starts a comparison with an export.
    pub fn new(export: &'e Export, options: DriftOptions) -> Self {
        Self {
            export,
            options,
            resources: Vec::new(),
            of_live: HashMap::default(),
            of_id: HashMap::default(),
            declared: HashSet::default(),
            parts: HashSet::default(),
            own_ids: Vec::new(),
            implied: HashSet::default(),
            complete: Vec::new(),
        }
    }

    /// Adds the resources of a deployment. `place` maps a span of the document to a file of the user.
    pub fn add(&mut self, document: &Document, place: impl Fn(Span) -> Span) {
        let resources: Vec<&Resource> = document.resources.iter().filter(|resource| is_compared(resource)).collect();
        let pairings = Pairer::new(self.export, document).pair(&resources);
        let paired: HashMap<String, usize> = resources
            .iter()
            .zip(&pairings)
            .filter_map(|(resource, pairing)| {
                let Pairing::One(at) = pairing else { return None };
                Some((resource.id.to_lowercase(), *at))
            })
            .collect();
        for (resource, pairing) in resources.iter().zip(pairings) {
            self.declare(resource, document);
            let body = document.hidden.marked(&resource.body);
            if let Some((mut found, live)) = self.find(&body, resource, (pairing, &paired)) {
                // The resources of a nested template are compared themselves, and Azure does not return the template.
                if live.is_some() && is_nested_template(resource) {
                    found.unseen.push("properties.template".to_owned());
                }
                found.span = Some(place(resource.span));
                found.name = document.hidden.masked(&found.name).into_owned();
                found.id = document.hidden.masked(&found.id).into_owned();
                self.keep((found, live), resource);
                self.add_parts(&body, live);
            }
            let ids = resource.implied.iter().filter_map(|implied| implied.get("id")?.as_str());
            self.implied.extend(ids.filter_map(|id| self.export.with_id(id)));
        }
        self.complete.extend(document.deployments.iter().filter_map(|deployment| {
            let body = &document.resource(deployment.resource?).body;
            let mode = body.get("properties")?.get("mode")?.as_str()?;
            mode.eq_ignore_ascii_case("complete").then(|| deployment.scope.to_lowercase())
        }));
    }

    /// Notes the ID of a resource. If its name is known only after a deployment, it may be any child of its parent.
    fn declare(&mut self, resource: &Resource, document: &Document) {
        let id = resource.id.to_lowercase();
        if !pair::is_name_certain(resource)
            && resource.parent.is_none_or(|at| pair::is_name_certain(document.resource(at)))
        {
            let (list, _) = id.rsplit_once('/').unwrap_or_default();
            self.declared.insert(format!("{list}/*"));
        }
        self.declared.insert(id);
    }

    /// Notes the children in the body of a resource that exists, such as subnets.
    fn add_parts(&mut self, body: &Value, live: Option<usize>) {
        let Some(live) = live.and_then(|at| self.export.resources().get(at)).filter(|live| !live.is_of_aws()) else {
            return;
        };
        let id = live.id.to_lowercase();
        for member in body.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let list = format!("{id}/{}", member.key.to_lowercase());
            if member.value.as_unknown().is_some() {
                self.parts.insert(format!("{list}/*"));
            }
            let names = member.value.as_array().into_iter().flatten().filter_map(|item| item.get("name")?.as_str());
            self.parts.extend(names.map(|name| format!("{list}/{}", name.to_lowercase())));
        }
    }

    /// Returns the result: the resources of the templates, and those of the export that no template declares.
    pub fn finish(mut self) -> Drift {
        for (resource, own_id) in self.resources.iter_mut().zip(&self.own_ids) {
            resource
                .changes
                .retain(|change| !change.is_child(|child| has_child(&self.declared, &format!("{own_id}/{child}"))));
            let has_changes = !resource.changes.is_empty() || resource.more > 0;
            if resource.outcome == DriftOutcome::Drifted && !has_changes {
                resource.outcome = DriftOutcome::Same;
            }
        }
        let unmanaged = self.export.resources().iter().enumerate().filter(|(at, live)| {
            let is_managed = self.of_live.contains_key(at) || self.implied.contains(at);
            !is_managed && !has_child(&self.parts, &live.id.to_lowercase())
        });
        let unmanaged: Vec<DriftedResource> = unmanaged.map(|(_, live)| self.unmanaged(live)).collect();
        self.resources.extend(unmanaged);
        Drift { resources: self.resources }
    }

    fn unmanaged(&self, live: &LiveResource) -> DriftedResource {
        let scope = ids::split(&live.id).scope;
        let is_doomed = self.complete.iter().any(|complete| ids::admits(complete, scope, formwork_arm::is_assumed));
        DriftedResource {
            outcome: DriftOutcome::Unmanaged,
            is_doomed: is_doomed && !live.is_of_aws(),
            ..described(&live.type_name, &live.name, &live.id)
        }
    }

    /// Returns a resource of a template as it exists, and its position in the export. `None` for one that exports do not
    /// have.
    fn find(
        &self,
        body: &Value,
        resource: &Resource,
        (pairing, paired): (Pairing, &HashMap<String, usize>),
    ) -> Option<(DriftedResource, Option<usize>)> {
        let own = described(&resource.type_name, &resource.name, &resource.id);
        match pairing {
            Pairing::NotExported => None,
            Pairing::One(at) => Some((self.compare(body, &own, at)?, Some(at))),
            Pairing::Several(candidates) => {
                let free = candidates.iter().filter(|at| !self.of_live.contains_key(at)).take(MAX_COMPARED);
                let mut compared = free.filter_map(|at| Some((self.compare(body, &own, *at)?, Some(*at))));
                let same = compared.find(|(found, _)| found.outcome == DriftOutcome::Same);
                Some(same.unwrap_or_else(|| {
                    let reason = format!("{} resources of the export may be this one", candidates.len());
                    (uncertain(&own, reason), None)
                }))
            }
            Pairing::None => {
                if let Some(item) = self.item_of_parent(resource, paired) {
                    return Some((self.compare_bodies(body, &own, item, &own.id), None));
                }
                let is_deployment = resource.type_name.eq_ignore_ascii_case(DEPLOYMENT);
                (!is_deployment).then(|| (self.missing(resource, own), None))
            }
        }
    }

    /// Returns a resource of a template that the export does not have.
    fn missing(&self, resource: &Resource, own: DriftedResource) -> DriftedResource {
        const NONE_OF_TYPE: &str = "the export has no resource of its type";
        if let Some(doubt) = resource.presence.doubt() {
            return uncertain(&own, format!("only a deployment knows whether it is deployed: {}", doubt.unknown.why));
        }
        let reason = self.export.of_type(&resource.type_name).is_empty().then(|| NONE_OF_TYPE.to_owned());
        // Exports of AWS have some types, and not all resources.
        let is_of_stack = resource.type_name.contains("::");
        let outcome = if is_of_stack && reason.is_some() { DriftOutcome::Uncertain } else { DriftOutcome::Missing };
        DriftedResource { outcome, reason, ..own }
    }

    /// Returns the item of the parent's body that is the resource, such as a subnet of a virtual network.
    fn item_of_parent(&self, resource: &Resource, paired: &HashMap<String, usize>) -> Option<&'e Value> {
        let (list_id, name) = resource.id.rsplit_once('/')?;
        let (parent_id, list) = list_id.rsplit_once('/').filter(|_| resource.name.contains('/'))?;
        let at = paired.get(&parent_id.to_lowercase()).copied().or_else(|| self.export.with_id(parent_id))?;
        let items = self.export.resources().get(at)?.body.get("properties")?.get(list)?.as_array()?;
        items
            .iter()
            .find(|item| item.get("name").and_then(Value::as_str).is_some_and(|own| own.eq_ignore_ascii_case(name)))
    }

    /// Compares a resource with one of the export.
    fn compare(&self, body: &Value, own: &DriftedResource, at: usize) -> Option<DriftedResource> {
        let live = self.export.resources().get(at)?;
        let found = self.compare_bodies(body, own, &live.body, &live.id);
        // A part of the name in the template may be invented.
        let is_invented = !live.is_of_aws() && !live.name.eq_ignore_ascii_case(&own.name);
        Some(if is_invented { DriftedResource { name: live.name.clone(), ..found } } else { found })
    }

    fn compare_bodies(&self, body: &Value, own: &DriftedResource, live: &Value, id: &str) -> DriftedResource {
        let rules = if own.type_name.contains("::") { CloudRules::Aws } else { CloudRules::Azure };
        let comparison = BodyComparison::new(rules, self.options.lists_unset);
        let BodyDrift { mut changes, more, unseen, uncompared, unset } = comparison.resource(body, live);
        raise(&mut changes, &own.type_name, body, live);
        let version = body.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let settable = unset.into_iter().filter(|property| is_settable(&own.type_name, version, property));
        let unset = settable.map(|property| property.path).collect();
        let outcome = if changes.is_empty() && more == 0 { DriftOutcome::Same } else { DriftOutcome::Drifted };
        let id = id.to_owned();
        DriftedResource { outcome, id, changes, more, unseen, uncompared, unset, ..own.clone() }
    }

    /// Keeps a resource of a deployment. Of several deployments that declare one, the one with the fewest differences
    /// counts.
    fn keep(&mut self, (found, live): (DriftedResource, Option<usize>), resource: &Resource) {
        let next = self.resources.len();
        let at = match live {
            Some(live) => *self.of_live.entry(live).or_insert(next),
            None => *self.of_id.entry(resource.id.to_lowercase()).or_insert(next),
        };
        match self.resources.get_mut(at) {
            None => {
                self.resources.push(found);
                self.own_ids.push(resource.id.to_lowercase());
            }
            Some(known) if found.changes.len() + found.more < known.changes.len() + known.more => *known = found,
            Some(_) => {}
        }
    }
}

/// Sets the severity of differences that put something at risk.
fn raise(changes: &mut [DriftChange], type_name: &str, declared: &Value, live: &Value) {
    if changes.is_empty() {
        return;
    }
    let risks = formwork_diff::live_risks(type_name, declared, live);
    for change in changes {
        let about = risks.iter().filter(|risk| {
            risk.path.as_deref().is_some_and(|path| is_below(path, &change.path) || is_below(&change.path, path))
        });
        change.severity = about.map(|risk| risk.severity).chain([change.severity]).min().unwrap_or(change.severity);
    }
}

/// True unless the types that Azure publishes say that nobody sets a property.
fn is_settable(type_name: &str, version: &str, property: &UnsetProperty) -> bool {
    let BodyLookup::Body(mut node, _) = formwork_schema::body_of(type_name, version) else { return true };
    for name in &property.names {
        let (members, is_open) = match node.shape() {
            PublishedShape::Object { members, additional } => (members, additional.is_some()),
            PublishedShape::Tagged { base, .. } => (base, true),
            _ => return true,
        };
        match members.iter().find(|member| member.name.eq_ignore_ascii_case(name)) {
            Some(member) if member.is_read_only => return false,
            Some(member) => node = member.ty,
            None => return is_open,
        }
    }
    true
}

/// True if a path is another one, or leads to something in it.
fn is_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// True if a resource of a template can be in an export: resources of extensions are not in Resource Manager.
fn is_compared(resource: &Resource) -> bool {
    !["extension", "import"].iter().any(|name| resource.body.get(name).is_some())
}

/// True for a nested deployment whose template is in its body.
fn is_nested_template(resource: &Resource) -> bool {
    let link = resource.body.get("properties").and_then(|properties| properties.get("templateLink"));
    resource.type_name.eq_ignore_ascii_case(DEPLOYMENT) && link.is_none()
}

/// True if a set has an ID, or the list that it is in has a name that is not known.
fn has_child(ids: &HashSet<String>, id: &str) -> bool {
    ids.contains(id) || id.rsplit_once('/').is_some_and(|(list, _)| ids.contains(&format!("{list}/*")))
}

/// Returns a resource that is as declared, as far as nothing was compared.
fn described(type_name: &str, name: &str, id: &str) -> DriftedResource {
    DriftedResource {
        outcome: DriftOutcome::Same,
        type_name: type_name.to_owned(),
        name: name.to_owned(),
        id: id.to_owned(),
        span: None,
        changes: Vec::new(),
        more: 0,
        unseen: Vec::new(),
        uncompared: Vec::new(),
        unset: Vec::new(),
        reason: None,
        is_doomed: false,
    }
}

fn uncertain(own: &DriftedResource, reason: String) -> DriftedResource {
    DriftedResource { outcome: DriftOutcome::Uncertain, reason: Some(reason), ..own.clone() }
}
