//! Resources of one stack that contradict each other.

use std::net::Ipv4Addr;

use foldhash::HashMap;

use crate::checks::SCHEMA_CONFLICT;
use crate::diagnostic::Check;
use crate::model::{Document, Issue, Presence, Resource, ResourceId};
use crate::published::attributes;
use crate::published::facts::references::{is_same, referred};
use crate::published::facts::{member, number, text};
use crate::published::misfit::MisfitStep;
use crate::published::tolerance::is_boolean;
use crate::value::Value;

/// Resources of one type that are compared with each other.
const MAX_COMPARED: usize = 500;

/// Timeout of a function without `Timeout`, in seconds.
const DEFAULT_TIMEOUT: i64 = 3;

/// Visibility timeout of a queue without `VisibilityTimeout`, in seconds.
const DEFAULT_VISIBILITY: i64 = 30;

/// Finds resources that contradict each other.
pub(in crate::published) fn check_contradictions(document: &Document) -> Vec<Issue> {
    let mut stack =
        StackResources { document, by_name: HashMap::default(), by_type: HashMap::default(), issues: Vec::new() };
    for (at, resource) in document.resources.iter().enumerate() {
        if matches!(resource.presence, Presence::Deployed) {
            let placed = DeployedResource { id: ResourceId(at), resource };
            stack.by_name.insert((resource.deployment, &resource.name), placed);
            stack.by_type.entry(&resource.type_name).or_default().push(placed);
        }
    }
    stack.identifiers();
    stack.associations();
    stack.subnets();
    stack.dead_letters();
    stack.timeouts();
    stack.roles();
    stack.networks();
    stack.endpoints();
    stack.filters();
    stack.apis();
    stack.issues.sort_by_key(|issue| issue.resource);
    stack.issues
}

#[derive(Clone, Copy)]
pub(super) struct DeployedResource<'d> {
    pub(super) id: ResourceId,
    pub(super) resource: &'d Resource,
}

impl<'d> DeployedResource<'d> {
    pub(super) fn property(self, name: &str) -> Option<&'d Value> {
        member(self.resource.body.get("Properties")?, name)
    }
}

pub(super) struct StackResources<'d> {
    document: &'d Document,
    by_name: HashMap<(crate::model::DeploymentId, &'d str), DeployedResource<'d>>,
    by_type: HashMap<&'d str, Vec<DeployedResource<'d>>>,
    issues: Vec<Issue>,
}

impl<'d> StackResources<'d> {
    pub(super) fn of_type(&self, type_name: &str) -> Vec<DeployedResource<'d>> {
        self.by_type.get(type_name).into_iter().flatten().take(MAX_COMPARED).copied().collect()
    }

    /// Returns the resource that a value refers to, if it has this type.
    pub(super) fn target(
        &self,
        from: DeployedResource<'d>,
        value: &Value,
        type_name: &str,
    ) -> Option<DeployedResource<'d>> {
        let referred = referred(value)?;
        let deployment = referred.deployment(self.document, from.resource.deployment)?;
        let found = self.by_name.get(&(deployment, referred.name)).copied()?;
        (*found.resource.type_name == *type_name).then_some(found)
    }

    pub(super) fn report(&mut self, at: DeployedResource<'d>, check: Check, property: &'static str, message: String) {
        let steps = [MisfitStep::Member("Properties"), MisfitStep::Member(property)];
        self.issues.push(crate::published::issue(at.resource, at.id, check, &steps, message));
    }

    /// Reports resources of one type with the same identifier.
    fn identifiers(&mut self) {
        let mut issues = Vec::new();
        for (type_name, all) in &self.by_type {
            let Some(names) = attributes::identifier(type_name).filter(|names| !names.is_empty()) else { continue };
            let mut seen: HashMap<(crate::model::DeploymentId, Vec<&'d str>), DeployedResource<'d>> =
                HashMap::default();
            for one in all {
                let values = names.iter().map(|name| one.property(name).and_then(text)).collect::<Option<Vec<&str>>>();
                let Some(values) = values.filter(|values| !values.iter().any(|value| value.is_empty())) else {
                    continue;
                };
                let first = *seen.entry((one.resource.deployment, values)).or_insert(*one);
                if first.id != one.id {
                    issues.extend(names.first().map(|name| (*one, first, *name)));
                }
            }
        }
        for (one, first, name) in issues {
            let message = format!("`{}` has the same identifier", first.resource.name);
            self.report(one, SCHEMA_CONFLICT, name, message);
        }
    }

    /// Reports subnets that are associated with several route tables.
    fn associations(&mut self) {
        let all = self.of_type("AWS::EC2::SubnetRouteTableAssociation");
        for one in &all {
            let Some(subnet) = one.property("SubnetId") else { continue };
            if let Some(other) = all.iter().find(|other: &&DeployedResource<'d>| {
                other.id != one.id
                    && other.resource.deployment == one.resource.deployment
                    && other.property("SubnetId").is_some_and(|other| is_same(subnet, other))
            }) {
                let message = format!("`{}` associates the same subnet with a route table", other.resource.name);
                self.report(*one, SCHEMA_CONFLICT, "SubnetId", message);
            }
        }
    }

    /// Reports subnets of one network that overlap.
    fn subnets(&mut self) {
        let all = self.of_type("AWS::EC2::Subnet");
        for (index, one) in all.iter().enumerate() {
            let (Some(vpc), Some(block)) = (one.property("VpcId"), one.property("CidrBlock")) else { continue };
            if let Some(other) = all.iter().take(index).find(|other: &&DeployedResource<'d>| {
                other.resource.deployment == one.resource.deployment
                    && other.property("VpcId").is_some_and(|other| is_same(vpc, other))
                    && other.property("CidrBlock").is_some_and(|other| overlap(block, other))
            }) {
                let message =
                    format!("the network overlaps that of `{}`, which is in the same VPC", other.resource.name);
                self.report(*one, SCHEMA_CONFLICT, "CidrBlock", message);
            }
        }
    }

    /// Reports a FIFO queue whose dead-letter queue is not one, and the reverse.
    fn dead_letters(&mut self) {
        for queue in self.of_type("AWS::SQS::Queue") {
            let target = queue.property("RedrivePolicy").and_then(|policy| member(policy, "deadLetterTargetArn"));
            let Some(dead) = target.and_then(|target| self.target(queue, target, "AWS::SQS::Queue")) else { continue };
            let (Some(own), Some(other)) = (is_fifo(queue), is_fifo(dead)) else { continue };
            if own != other {
                let name = &dead.resource.name;
                let message = format!("`FifoQueue` is {own}, but {other} for `{name}`, the queue for dead letters");
                let property = if own { "FifoQueue" } else { "RedrivePolicy" };
                self.report(queue, SCHEMA_CONFLICT, property, message);
            }
        }
    }

    /// Reports a project that names its role by `Ref` although the role has a path, which only the ARN includes.
    fn roles(&mut self) {
        for project in self.of_type("AWS::CodeBuild::Project") {
            let Some(value) = project.property("ServiceRole") else { continue };
            let is_id = referred(value).is_some_and(|referred| referred.attribute.is_empty());
            let role = self.target(project, value, "AWS::IAM::Role").filter(|_| is_id);
            let path = role.and_then(|role| role.property("Path")).and_then(text).filter(|path| *path != "/");
            if let (Some(role), Some(path)) = (role, path) {
                let name = &role.resource.name;
                let message = format!(
                    "`Ref` returns the name of `{name}` without its path, `{path}`; use `Fn::GetAtt` for its ARN"
                );
                self.report(project, SCHEMA_CONFLICT, "ServiceRole", message);
            }
        }
    }

    /// Reports a queue whose messages become visible again before the function that processes them has timed out.
    fn timeouts(&mut self) {
        for mapping in self.of_type("AWS::Lambda::EventSourceMapping") {
            let queue = mapping.property("EventSourceArn").and_then(|at| self.target(mapping, at, "AWS::SQS::Queue"));
            let function =
                mapping.property("FunctionName").and_then(|at| self.target(mapping, at, "AWS::Lambda::Function"));
            let (Some(queue), Some(function)) = (queue, function) else { continue };
            let (Some(hidden), Some(timeout)) = (
                queue.property("VisibilityTimeout").map_or(Some(DEFAULT_VISIBILITY), number),
                function.property("Timeout").map_or(Some(DEFAULT_TIMEOUT), number),
            ) else {
                continue;
            };
            if hidden < timeout {
                let name = &function.resource.name;
                let message =
                    format!("`VisibilityTimeout` is {hidden}; expected at least {timeout}, the `Timeout` of `{name}`");
                self.report(queue, SCHEMA_CONFLICT, "VisibilityTimeout", message);
            }
        }
    }
}

/// True if a queue is a FIFO queue. `None` if that is not known.
fn is_fifo(queue: DeployedResource<'_>) -> Option<bool> {
    match queue.property("FifoQueue") {
        None => Some(false),
        Some(value) if value.as_unknown().is_none() && is_boolean(value) => Some(
            value.as_bool().unwrap_or_else(|| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"))),
        ),
        Some(_) => None,
    }
}

/// True if a network is known, and all of it is in the other.
pub(super) fn is_inside(inner: &Value, outer: &Value) -> Option<bool> {
    let (inner, outer) = (text(inner).and_then(network)?, text(outer).and_then(network)?);
    let mask = u32::MAX.checked_shl(32 - outer.1).unwrap_or(0);
    Some(outer.1 <= inner.1 && inner.0 & mask == outer.0 & mask)
}

/// True if two networks are known and share an address.
fn overlap(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (text(one).and_then(network), text(other).and_then(network)) else { return false };
    let bits = one.1.min(other.1);
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
    one.0 & mask == other.0 & mask
}

/// Returns the address and the prefix length of a network such as `10.0.0.0/16`.
fn network(text: &str) -> Option<(u32, u32)> {
    let (address, prefix) = text.split_once('/')?;
    let prefix = prefix.parse().ok().filter(|prefix| *prefix <= 32)?;
    Some((u32::from(address.parse::<Ipv4Addr>().ok()?), prefix))
}

#[cfg(test)]
mod tests {
    use super::overlap;
    use crate::value::Value;

    #[test]
    fn networks_overlap_if_one_has_the_other() {
        let overlaps = |one: &str, other: &str| overlap(&Value::from(one), &Value::from(other));
        assert!(overlaps("10.0.0.0/24", "10.0.0.128/25"));
        assert!(overlaps("0.0.0.0/0", "10.0.0.128/25"));
        assert!(!overlaps("10.0.0.0/24", "10.0.1.0/24"));
        assert!(!overlaps("10.0.0.0/24", "x"));
    }
}
