//! Resources that use others of their deployment without waiting for them.
//!
//! A resource uses another one if it has the ID of that, if it reads it with `reference()` or `list*()`, or if it is its
//! child. Resource Manager does not derive an order from any of this: only `dependsOn`, and `reference()` by name. Reference:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/resource-dependency>.

use std::cell::OnceCell;

use foldhash::{HashMap, HashSet};

use crate::checks::{each_call, is_inner_template};
use crate::diagnostic::Severity;
use crate::diagnostic::common_checks::ORDER_MISSING;
use crate::expand::Expander;
use crate::expand::declared::relative;
use crate::expand::registry::{Deployed, Instance};
use crate::model::{DeploymentId, Document, Issue, Resource, ResourceId, join_index, join_key};
use crate::text::Span;
use crate::value::{Data, Member, Object, Traits, Value};

/// Members of a resource whose contents do not make it use another one.
const UNUSED: &[&str] = &[
    "comments",
    "condition",
    "copy",
    "dependson",
    "metadata",
    "name",
    "outputs",
    "resources",
    "tags",
    "template",
    "type",
];

/// Maximum number of resources that the searches for paths between resources may visit in one document. After that,
/// nothing more is reported.
const MAX_VISITS: usize = 2_000_000;

/// Maximum number of items of one array to search for a child.
const MAX_ITEMS: usize = 500;

/// Use of another resource.
struct Use {
    target: ResourceId,
    /// The words between both names, as in "`a` reads `b`".
    verb: &'static str,
    path: String,
    span: Option<Span>,
}

/// The resources of a document, and the dependencies between them.
struct Graph<'d> {
    document: &'d Document,
    /// Resources by ID in lower case. `None` for an ID that several have.
    by_id: HashMap<String, Option<ResourceId>>,
    /// Resources by the index of their instance.
    by_instance: HashMap<usize, ResourceId>,
    /// Cache: resources by deployment and by the further names that `dependsOn` may give them, in lower case.
    names: OnceCell<HashMap<(DeploymentId, String), Vec<ResourceId>>>,
    /// Resources with unknown dependencies.
    is_open: HashSet<ResourceId>,
    /// For each resource, the ones that it waits for.
    waits: Vec<Vec<ResourceId>>,
    visits: usize,
}

impl Expander<'_> {
    /// Reports each resource that uses another one of its deployment and does not wait for it.
    pub(super) fn check_order(&self, document: &Document) {
        let order = self.registry.order.borrow();
        if order.len() < 2 {
            return;
        }
        let by_instance = (0..).map(ResourceId).zip(order.iter()).map(|(id, index)| (*index, id)).collect();
        let mut graph = Graph::new(document, by_instance);
        let mut uses: Vec<(ResourceId, Vec<Use>)> = Vec::new();
        for (id, index) in (0..).map(ResourceId).zip(order.iter()) {
            let instance = self.registry.instance(*index);
            let enclosing = instance.parent.and_then(|parent| graph.by_instance.get(&parent).copied());
            graph.wait(id, enclosing);
            self.declared_waits(id, &instance, &mut graph);
            // The iterations of a loop have the same text.
            if !matches!(instance.presence, Deployed::Yes(_)) || instance.iteration.is_some_and(|index| index > 0) {
                continue;
            }
            let found = self.uses(id, &instance, &mut graph);
            uses.push((id, found));
        }
        let pairs: HashSet<(ResourceId, ResourceId)> =
            uses.iter().flat_map(|(user, found)| found.iter().map(|one| (*user, one.target))).collect();
        for (user, found) in uses {
            for one in found {
                let is_mutual = pairs.contains(&(one.target, user));
                match graph.leads(user, one.target) {
                    Some(true) => {}
                    Some(false) => {
                        let Some(is_cycle) = graph.leads(one.target, user) else { return };
                        self.report_order(document, user, &one, is_mutual || is_cycle);
                    }
                    None => return,
                }
            }
        }
    }

    /// Adds the resources that entries of `dependsOn` refer to in ways that do not order an expansion.
    fn declared_waits(&self, id: ResourceId, instance: &Instance, graph: &mut Graph<'_>) {
        let node = self.registry.node(instance.node);
        let list = graph.document.resource(id).body.get("dependsOn");
        if list.is_some_and(|list| list.as_array().is_none()) {
            graph.is_open.insert(id);
        }
        for entry in list.and_then(Value::as_array).unwrap_or_default() {
            let is_found = entry.as_str().is_some_and(|text| !self.registry.find(&node, text).is_empty());
            if is_found {
                continue;
            }
            match text_of(entry).map(|text| graph.named(id, text)) {
                Some(others) if !others.is_empty() => graph.wait(id, others),
                _ if entry.as_str().is_none() => {
                    graph.is_open.insert(id);
                }
                _ => {}
            }
        }
    }

    /// Returns the resources of the same deployment that a resource uses, each once. Adds the resources that it waits
    /// for because of `reference()` to `graph`.
    fn uses(&self, id: ResourceId, instance: &Instance, graph: &mut Graph<'_>) -> Vec<Use> {
        let resource = graph.document.resource(id);
        let mut uses = Vec::new();
        if let Some(parent) = resource.parent.filter(|_| instance.parent.is_none()) {
            let span = instance.declaration.get("name").and_then(|name| name.span);
            uses.push(Use { target: parent, verb: "is a child of", path: join_key(&resource.path, "name"), span });
        }
        self.calls(id, instance, graph, &mut uses);
        for member in resource.body.as_object().into_iter().flatten().filter(|member| is_used(member)) {
            ids(graph, &member.value, &join_key(&resource.path, &member.key), member.value.span, &mut uses);
        }
        let deployment = resource.deployment;
        let mut seen = HashSet::default();
        uses.retain(|one| {
            let is_own = graph.document.resource(one.target).deployment == deployment && one.target != id;
            is_own && seen.insert(one.target)
        });
        uses
    }

    /// Finds the resources that a resource reads with `reference()` and `list*()`.
    fn calls(&self, id: ResourceId, instance: &Instance, graph: &mut Graph<'_>, uses: &mut Vec<Use>) {
        let node = self.registry.node(instance.node);
        let evaluator = self.evaluator_of(instance);
        let resource = graph.document.resource(id);
        let enters = |object: &Object, member: &Member| is_used(member) && !is_inner_template(object, member);
        let members = instance.declaration.as_object().into_iter().flatten();
        for member in members.filter(|member| is_used(member)) {
            let path = join_key(&resource.path, &member.key);
            each_call(self.world, &member.value, &enters, &mut |call| {
                let is_read = call.function == "reference" || call.function.starts_with("list");
                let Some(argument) = call.arguments.first().filter(|_| is_read) else { return };
                let Ok(target) = evaluator.eval(argument, &instance.frames) else { return };
                let Some(text) = text_of(&target) else { return };
                if let Some(target) = graph.find(text) {
                    uses.push(Use { target, verb: "reads", path: path.clone(), span: call.span() });
                } else if call.function == "reference" && !text.starts_with('/') {
                    let found = self.registry.find(&node, text);
                    let found = found.iter().filter_map(|index| graph.by_instance.get(index).copied());
                    let found: Vec<ResourceId> = found.take(MAX_ITEMS).collect();
                    graph.wait(id, found);
                }
            });
        }
    }

    fn report_order(&self, document: &Document, user: ResourceId, used: &Use, is_cycle: bool) {
        let (own, other) = (document.resource(user), document.resource(used.target));
        let name = |resource: &Resource| {
            let name = resource.symbolic_name.as_ref().unwrap_or(&resource.name);
            format!("`{}`", self.world.masked(name))
        };
        let verb = used.verb;
        let message = if is_cycle {
            format!("{} {verb} {} and does not wait for it; both refer to each other", name(own), name(other))
        } else {
            format!("{} {verb} {} and does not wait for it; add {} to `dependsOn`", name(own), name(other), name(other))
        };
        let span = used.span.unwrap_or(own.span);
        let mut issue = Issue::new(ORDER_MISSING, used.path.as_str(), span, message).of_resource(user);
        issue.severity = is_cycle.then_some(Severity::Low);
        let place = other.body.get("name").and_then(|name| name.span).unwrap_or(other.span);
        self.world.issue(if place == span { issue } else { issue.with_label(place, "the other resource is here") });
    }
}

/// True if the contents of a member can make a resource use others.
fn is_used(member: &Member) -> bool {
    !UNUSED.iter().any(|name| name.eq_ignore_ascii_case(&member.key))
}

/// Returns the string of a known value, or the approximation of an unknown one. `None` if it is empty or secret.
fn text_of(value: &Value) -> Option<&str> {
    let text = match &value.data {
        Data::Unknown(unknown) => unknown.approximation.as_str()?,
        _ => value.as_str()?,
    };
    (!text.is_empty() && !value.traits.has(Traits::SECRET)).then_some(text)
}

/// A step from a value into it.
#[derive(Clone, Copy)]
enum Inward<'v> {
    Member(&'v str),
    Item(usize),
}

/// Finds the IDs of resources in a value at a path. `outer` is the text around it.
fn ids(graph: &Graph<'_>, value: &Value, path: &str, outer: Option<Span>, uses: &mut Vec<Use>) {
    const VERB: &str = "has the ID of";
    // The way to each value, by the index of the way that it continues. Most values need no path.
    let mut ways: Vec<(usize, Inward<'_>)> = Vec::new();
    let mut open = vec![(value, 0, outer)];
    while let Some((value, way, outer)) = open.pop() {
        let span = value.span.or(outer);
        match &value.data {
            Data::Array(items) => {
                for (at, item) in items.iter().enumerate().rev() {
                    ways.push((way, Inward::Item(at)));
                    open.push((item, ways.len(), span));
                }
            }
            Data::Object(object) => {
                for member in object.iter().rev().filter(|member| is_used(member)) {
                    ways.push((way, Inward::Member(&member.key)));
                    open.push((&member.value, ways.len(), span));
                    if let Some(target) = graph.find_near(&member.key) {
                        let path = path_of(&ways, ways.len(), path);
                        uses.push(Use { target, verb: VERB, path, span: member.key_span.or(span) });
                    }
                }
            }
            _ => {
                if let Some(target) = text_of(value).and_then(|text| graph.find_near(text)) {
                    uses.push(Use { target, verb: VERB, path: path_of(&ways, way, path), span });
                }
            }
        }
    }
}

/// Returns the path of a way, which is counted from one, below the path `start`.
fn path_of(ways: &[(usize, Inward<'_>)], way: usize, start: &str) -> String {
    let mut steps = Vec::new();
    let mut next = way;
    while let Some((before, step)) = next.checked_sub(1).and_then(|at| ways.get(at)) {
        steps.push(*step);
        next = *before;
    }
    steps.into_iter().rev().fold(start.to_owned(), |path, step| match step {
        Inward::Member(name) => join_key(&path, name),
        Inward::Item(index) => join_index(&path, index),
    })
}

impl<'d> Graph<'d> {
    fn new(document: &'d Document, by_instance: HashMap<usize, ResourceId>) -> Self {
        let mut by_id: HashMap<String, Option<ResourceId>> = HashMap::default();
        for (id, resource) in (0..).map(ResourceId).zip(&document.resources).filter(|(_, one)| !one.id.is_empty()) {
            let same = by_id.entry(resource.id.to_ascii_lowercase()).or_insert(Some(id));
            if *same != Some(id) {
                *same = None;
            }
        }
        let waits = document.resources.iter().map(|resource| resource.depends_on.clone()).collect();
        Self { document, by_id, by_instance, names: OnceCell::new(), is_open: HashSet::default(), waits, visits: 0 }
    }

    /// Returns the resource with an ID.
    fn find(&self, id: &str) -> Option<ResourceId> {
        if !id.starts_with('/') {
            return None;
        }
        self.by_id.get(&id.to_ascii_lowercase()).copied().flatten()
    }

    /// Returns the resource with an ID, or the one whose body declares the child that has it.
    fn find_near(&self, text: &str) -> Option<ResourceId> {
        if !text.starts_with('/') || !text.contains("/providers/") {
            return None;
        }
        self.find(text).or_else(|| {
            let (rest, name) = text.rsplit_once('/')?;
            let (above, kind) = rest.rsplit_once('/')?;
            let parent = self.find(above)?;
            let items = self.document.resource(parent).body.get("properties")?.get(kind)?.as_array()?;
            let has_name = |item: &Value| {
                item.get("name").and_then(Value::as_str).is_some_and(|own| own.eq_ignore_ascii_case(name))
            };
            items.iter().take(MAX_ITEMS).any(has_name).then_some(parent)
        })
    }

    /// Returns the resources in the deployment of `from` that a text of `dependsOn` names: by an ID in any scope, by
    /// type and name, or by the last segment of the name.
    fn named(&self, from: ResourceId, text: &str) -> Vec<ResourceId> {
        let deployment = self.document.resource(from).deployment;
        let names = self.names.get_or_init(|| {
            let mut names: HashMap<(DeploymentId, String), Vec<ResourceId>> = HashMap::default();
            for (id, resource) in (0..).map(ResourceId).zip(&self.document.resources) {
                let last = resource.name.rsplit('/').next().unwrap_or_default();
                let typed = format!("{}/{}", resource.type_name, resource.name);
                for name in [relative(&resource.id), &typed, last] {
                    names.entry((resource.deployment, name.to_ascii_lowercase())).or_default().push(id);
                }
            }
            names
        });
        let own = relative(text).to_ascii_lowercase();
        names.get(&(deployment, own)).into_iter().flatten().copied().take(MAX_ITEMS).collect()
    }

    fn wait(&mut self, id: ResourceId, others: impl IntoIterator<Item = ResourceId>) {
        if let Some(waits) = self.waits.get_mut(id.0) {
            waits.extend(others);
        }
    }

    /// True if a resource waits for another one, directly or through others. `None` if the search would take too long.
    fn leads(&mut self, from: ResourceId, to: ResourceId) -> Option<bool> {
        let mut seen = HashSet::default();
        let mut open = vec![from];
        while let Some(next) = open.pop() {
            if self.is_open.contains(&next) {
                return Some(true);
            }
            for other in self.waits.get(next.0).into_iter().flatten() {
                self.visits += 1;
                if *other == to {
                    return Some(true);
                }
                if seen.insert(*other) {
                    open.push(*other);
                }
            }
            if self.visits > MAX_VISITS {
                return None;
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::common_checks::ORDER_MISSING;
    use crate::expand::testing::expanded;

    /// Checks the reported problems with the order of resources.
    #[track_caller]
    fn check(resources: &str, expected: &[&str]) {
        let template = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [{resources}]}}"#
        );
        let (_, expansion) = expanded(&template);
        let issues = expansion.issues.iter().filter(|issue| issue.check == ORDER_MISSING);
        let messages: Vec<String> = issues
            .map(|issue| format!("{}{}", if issue.severity.is_some() { "low: " } else { "" }, issue.message))
            .collect();
        assert_eq!(messages, expected, "{template}");
    }

    fn resource(name: &str, more: &str) -> String {
        format!(r#"{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "{name}", {more}}}"#)
    }

    const ID_OF_B: &str = "[resourceId('A.B/c', 'b')]";

    fn two(of_a: &str) -> String {
        format!("{}, {}", resource("b", r#""properties": {"parts": [{"name": "p"}]}"#), resource("a", of_a))
    }

    #[test]
    fn an_id_makes_a_resource_use_another_one() {
        let missing = "`a` has the ID of `b` and does not wait for it; add `b` to `dependsOn`";
        let uses = |value: &str| two(&format!(r#""properties": {{"x": [{{"id": "{value}"}}]}}"#));
        check(&uses(ID_OF_B), &[missing]);
        check(&uses("[concat(resourceId('A.B/c', 'b'), '/parts/p')]"), &[missing]);
        check(&uses("[concat(resourceId('A.B/c', 'b'), '/parts/q')]"), &[]);
        check(&uses("[resourceId('A.B/c', 'other')]"), &[]);
        check(&two(&format!(r#""identity": {{"userAssignedIdentities": {{"{ID_OF_B}": {{}}}}}}"#)), &[missing]);
        check(&two(&format!(r#""tags": {{"{ID_OF_B}": "{ID_OF_B}"}}"#)), &[]);
    }

    #[test]
    fn a_dependency_may_be_by_way_of_others() {
        let depends = |entry: &str| two(&format!(r#""dependsOn": ["{entry}"], "properties": {{"x": "{ID_OF_B}"}}"#));
        for entry in [ID_OF_B, "b", "A.B/c/b"] {
            check(&depends(entry), &[]);
        }
        let between = resource("m", r#""dependsOn": ["b"]"#);
        check(&format!("{}, {between}", depends("m")), &[]);
        check(&two(&format!(r#""properties": {{"x": "{ID_OF_B}", "y": "[reference('b').z]"}}"#)), &[]);
    }

    #[test]
    fn functions_read_resources() {
        let missing = "`a` reads `b` and does not wait for it; add `b` to `dependsOn`";
        let reads = |call: &str| two(&format!(r#""properties": {{"x": "[{call}]"}}"#));
        check(&reads("reference(resourceId('A.B/c', 'b'), '2020-01-01').z"), &[missing]);
        check(&reads("listKeys(resourceId('A.B/c', 'b'), '2020-01-01').keys[0].value"), &[missing]);
        check(&reads("reference('b').z"), &[]);
    }

    #[test]
    fn a_child_waits_for_its_parent() {
        let child = |more: &str| {
            format!(r#"{}, {{"type": "A.B/c/d", "apiVersion": "2020-01-01", "name": "b/x"{more}}}"#, two(""))
                .replace(", }", "}")
        };
        check(&child(""), &["`b/x` is a child of `b` and does not wait for it; add `b` to `dependsOn`"]);
        check(&child(r#", "dependsOn": ["b"]"#), &[]);
    }

    #[test]
    fn resources_that_refer_to_each_other_cannot_wait() {
        let other = |name: &str, other: &str| {
            resource(name, &format!(r#""properties": {{"x": "[resourceId('A.B/c', '{other}')]"}}"#))
        };
        check(
            &format!("{}, {}", other("a", "b"), other("b", "a")),
            &[
                "low: `a` has the ID of `b` and does not wait for it; both refer to each other",
                "low: `b` has the ID of `a` and does not wait for it; both refer to each other",
            ],
        );
    }

    #[test]
    fn what_is_not_deployed_is_not_waited_for() {
        let without = two(&format!(r#""properties": {{"x": "{ID_OF_B}"}}"#)).replacen(
            r#""name": "b","#,
            r#""name": "b", "condition": false,"#,
            1,
        );
        check(&without, &[]);
    }
}
