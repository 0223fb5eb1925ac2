//! Resources of one stack that must belong together: subnets and networks, endpoints, filters of logs, and the parts of
//! an API.

use crate::checks::{SCHEMA_CONFLICT, SERVICE_LIMIT};
use crate::published::facts::between::{StackResources, is_inside};
use crate::published::facts::references::{is_same, referred};
use crate::published::tolerance::is_boolean;

/// Greatest number of subscription filters of a log group. Reference:
/// <https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html>.
const MAX_FILTERS: usize = 5;

impl StackResources<'_> {
    /// Reports subnets that are outside of their network.
    pub(super) fn networks(&mut self) {
        let more = self.of_type("AWS::EC2::VPCCidrBlock");
        for subnet in self.of_type("AWS::EC2::Subnet") {
            let Some(vpc) = subnet.property("VpcId").and_then(|value| self.target(subnet, value, "AWS::EC2::VPC"))
            else {
                continue;
            };
            let (Some(inner), Some(outer)) = (subnet.property("CidrBlock"), vpc.property("CidrBlock")) else {
                continue;
            };
            if is_inside(inner, outer) == Some(false) && more.is_empty() {
                let message = format!("the network is outside of that of `{}`", vpc.resource.name);
                self.report(subnet, SCHEMA_CONFLICT, "CidrBlock", message);
            }
        }
    }

    /// Reports interface endpoints of one network with private names of the same service.
    pub(super) fn endpoints(&mut self) {
        let all = self.of_type("AWS::EC2::VPCEndpoint");
        let has_names = |value: &crate::value::Value| {
            is_boolean(value) && value.as_bool() != Some(false) && value.as_str() != Some("false")
        };
        let all: Vec<_> =
            all.into_iter().filter(|one| one.property("PrivateDnsEnabled").is_some_and(has_names)).collect();
        for (index, one) in all.iter().enumerate() {
            let other = all.iter().take(index).find(|other| {
                other.resource.deployment == one.resource.deployment
                    && ["VpcId", "ServiceName"].iter().all(|name| {
                        one.property(name).zip(other.property(name)).is_some_and(|(one, other)| is_same(one, other))
                    })
            });
            if let Some(other) = other {
                let message =
                    format!("`{}` has the private names of the same service in the same VPC", other.resource.name);
                self.report(*one, SCHEMA_CONFLICT, "PrivateDnsEnabled", message);
            }
        }
    }

    /// Reports subscription filters of a log group beyond those that it may have.
    pub(super) fn filters(&mut self) {
        let all = self.of_type("AWS::Logs::SubscriptionFilter");
        for (index, one) in all.iter().enumerate() {
            let Some(group) = one.property("LogGroupName") else { continue };
            let earlier = all.iter().take(index).filter(|other| {
                other.resource.deployment == one.resource.deployment
                    && other.property("LogGroupName").is_some_and(|other| is_same(group, other))
            });
            if earlier.count() == MAX_FILTERS {
                let message = format!("a log group has at most {MAX_FILTERS} subscription filters");
                self.report(*one, SERVICE_LIMIT, "LogGroupName", message);
            }
        }
    }

    /// Reports parts of an API that refer to parts of another one.
    pub(super) fn apis(&mut self) {
        let parts = [
            ("AWS::ApiGateway::Stage", "DeploymentId", "AWS::ApiGateway::Deployment"),
            ("AWS::ApiGateway::Method", "AuthorizerId", "AWS::ApiGateway::Authorizer"),
            ("AWS::ApiGateway::Method", "ResourceId", "AWS::ApiGateway::Resource"),
            ("AWS::ApiGateway::Method", "RequestValidatorId", "AWS::ApiGateway::RequestValidator"),
        ];
        for (type_name, property, target) in parts {
            for one in self.of_type(type_name) {
                let other = one.property(property).and_then(|value| self.target(one, value, target));
                let apis = other.and_then(|other| Some((one.property("RestApiId")?, other.property("RestApiId")?)));
                let (Some(other), Some((own, theirs))) = (other, apis) else { continue };
                let is_known = referred(own).is_some() && referred(theirs).is_some();
                if is_known && !is_same(own, theirs) {
                    let message = format!("`{}` is of another API; expected the same `RestApiId`", other.resource.name);
                    self.report(one, SCHEMA_CONFLICT, property, message);
                }
            }
        }
    }
}
