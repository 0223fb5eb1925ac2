//! Resources of a stack that need another one, although nothing in them refers to it.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-dependson.html>.

use foldhash::{HashMap, HashSet};

use crate::diagnostic::common_checks::ORDER_MISSING;
use crate::model::{DeploymentId, Document, Issue, Presence, Resource, ResourceId};
use crate::published::facts::{member, referred};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// Maximum number of resources of one type that are compared.
const MAX_COMPARED: usize = 500;

/// Maximum number of resources that searches for ways between resources visit in one document.
const MAX_VISITS: usize = 500_000;

/// Returns the issues of resources that may be created before what they need.
pub(in crate::published) fn check_order(document: &Document) -> Vec<Issue> {
    let mut order = Order { document, by_type: HashMap::default(), visits: 0, issues: Vec::new() };
    for (id, resource) in (0..).map(ResourceId).zip(&document.resources) {
        if matches!(resource.presence, Presence::Deployed) {
            order.by_type.entry(&resource.type_name).or_default().push(id);
        }
    }
    order.routes();
    order.addresses();
    order.deployments();
    order.services();
    order.web_acls();
    order.custom_resources();
    order.issues
}

struct Order<'d> {
    document: &'d Document,
    by_type: HashMap<&'d str, Vec<ResourceId>>,
    visits: usize,
    issues: Vec<Issue>,
}

impl<'d> Order<'d> {
    fn of_type(&self, type_name: &str) -> Vec<ResourceId> {
        self.by_type.get(type_name).into_iter().flatten().take(MAX_COMPARED).copied().collect()
    }

    fn resource(&self, id: ResourceId) -> &'d Resource {
        self.document.resource(id)
    }

    fn property(&self, id: ResourceId, name: &str) -> Option<&'d Value> {
        member(self.resource(id).body.get("Properties")?, name)
    }

    /// Returns the resource of the same stack that a value refers to.
    fn target(&self, from: ResourceId, value: &Value) -> Option<ResourceId> {
        let referred = referred(value)?;
        let deployment: DeploymentId = referred.deployment(self.document, self.resource(from).deployment)?;
        let is_it = |id: &ResourceId| {
            let resource = self.resource(*id);
            resource.deployment == deployment && *resource.name == *referred.name
        };
        self.resource(from).depends_on.iter().copied().find(is_it)
    }

    /// True if a resource is certainly created after another one. If the search would take too long, it counts as true.
    fn waits(&mut self, from: ResourceId, to: ResourceId) -> bool {
        let mut seen = HashSet::default();
        let mut open = vec![from];
        while let Some(next) = open.pop() {
            for other in &self.resource(next).depends_on {
                self.visits += 1;
                if *other == to || self.visits > MAX_VISITS {
                    return true;
                }
                if seen.insert(*other) {
                    open.push(*other);
                }
            }
        }
        false
    }

    /// Reports a resource that waits for none of those of which it needs one.
    fn need_one(&mut self, id: ResourceId, needed: &[ResourceId], property: &'static str, why: &str) {
        let Some(first) = needed.first().copied() else { return };
        if needed.iter().any(|needed| self.waits(id, *needed) || self.waits(*needed, id)) {
            return;
        }
        let (own, other) = (self.resource(id), self.resource(first));
        let name = &other.name;
        let message = format!("`{}` does not wait for `{name}`, {why}; add `{name}` to `DependsOn`", own.name);
        let steps = [MisfitStep::Member("Properties"), MisfitStep::Member(property)];
        let steps = if property.is_empty() { &[][..] } else { &steps[..] };
        self.issues.push(crate::published::issue(own, id, ORDER_MISSING, steps, message));
    }

    /// Returns the resources of a type that refer to one directly.
    fn referring(&self, type_name: &str, to: ResourceId) -> Vec<ResourceId> {
        let all = self.of_type(type_name).into_iter();
        all.filter(|id| self.resource(*id).depends_on.contains(&to)).collect()
    }

    /// Checks that routes through a gateway depend on the attachment of the gateway to the network.
    fn routes(&mut self) {
        for route in self.of_type("AWS::EC2::Route") {
            let gateway = self.property(route, "GatewayId").and_then(|gateway| self.target(route, gateway));
            let Some(gateway) = gateway else { continue };
            let attachments = self.referring("AWS::EC2::VPCGatewayAttachment", gateway);
            self.need_one(route, &attachments, "GatewayId", "which attaches its gateway to the network");
        }
    }

    /// Checks that addresses in a network of the stack depend on the attachment of the gateway.
    fn addresses(&mut self) {
        let attachments = self.of_type("AWS::EC2::VPCGatewayAttachment");
        for address in self.of_type("AWS::EC2::EIP") {
            let own = self.resource(address).deployment;
            let is_near = |id: &&ResourceId| {
                self.resource(**id).deployment == own && self.property(**id, "InternetGatewayId").is_some()
            };
            let near: Vec<ResourceId> = attachments.iter().filter(is_near).copied().collect();
            // The address is only allocated before, if what uses it waits.
            let gateways = self.referring("AWS::EC2::NatGateway", address);
            let mut waiting = gateways.iter().map(|gateway| near.iter().any(|near| self.waits(*gateway, *near)));
            if waiting.next() == Some(true) && waiting.all(|waits| waits) {
                continue;
            }
            self.need_one(address, &near, "", "without which the network has no addresses of the internet");
        }
    }

    /// Checks that deployments of an API depend on its methods.
    fn deployments(&mut self) {
        for deployment in self.of_type("AWS::ApiGateway::Deployment") {
            let api = self.property(deployment, "RestApiId").and_then(|api| self.target(deployment, api));
            let Some(api) = api else { continue };
            let is_imported = ["Body", "BodyS3Location"].iter().any(|name| self.property(api, name).is_some());
            if !is_imported {
                let methods = self.referring("AWS::ApiGateway::Method", api);
                self.need_one(deployment, &methods, "RestApiId", "a method of its API");
            }
        }
    }

    /// Checks that services behind a load balancer depend on the listener that leads to their target group.
    fn services(&mut self) {
        for service in self.of_type("AWS::ECS::Service") {
            let balancers = self.property(service, "LoadBalancers").and_then(Value::as_array).unwrap_or_default();
            for balancer in balancers.iter().take(MAX_COMPARED) {
                let group = member(balancer, "TargetGroupArn").and_then(|group| self.target(service, group));
                let Some(group) = group else { continue };
                let mut leading = self.referring("AWS::ElasticLoadBalancingV2::Listener", group);
                leading.extend(self.referring("AWS::ElasticLoadBalancingV2::ListenerRule", group));
                self.need_one(service, &leading, "LoadBalancers", "which leads to its target group");
            }
        }
    }

    /// Checks that an association of a web ACL with a stage of an API, whose ARN has the name of the stage, depends on it.
    fn web_acls(&mut self) {
        for association in self.of_type("AWS::WAFv2::WebACLAssociation") {
            let depends_on = &self.resource(association).depends_on;
            let apis = depends_on.iter().filter(|id| *self.resource(**id).type_name == *"AWS::ApiGateway::RestApi");
            let [api] = apis.copied().collect::<Vec<_>>()[..] else { continue };
            let stages = self.referring("AWS::ApiGateway::Stage", api);
            self.need_one(association, &stages, "ResourceArn", "the stage of its API");
        }
    }

    /// Checks that custom resources depend on the policies of the role of their function.
    fn custom_resources(&mut self) {
        let types = self.by_type.keys().copied();
        let is_custom = |name: &&str| name.starts_with("Custom::") || *name == "AWS::CloudFormation::CustomResource";
        let mut types: Vec<&str> = types.filter(is_custom).collect();
        types.sort_unstable();
        for custom in types.into_iter().flat_map(|name| self.of_type(name)).collect::<Vec<_>>() {
            let function = self.property(custom, "ServiceToken").and_then(|token| self.target(custom, token));
            let function = function.filter(|id| *self.resource(*id).type_name == *"AWS::Lambda::Function");
            let role = function.and_then(|id| self.target(id, self.property(id, "Role")?));
            let Some(role) = role.filter(|id| *self.resource(*id).type_name == *"AWS::IAM::Role") else { continue };
            let policies = self.referring("AWS::IAM::Policy", role);
            self.need_one(custom, &policies, "ServiceToken", "which gives its function permissions");
        }
    }
}
