//! Checks references between the resources of a stack against the types of the properties that hold them.
//!
//! `Ref` returns the identifier of a resource, and `Fn::GetAtt` a property that AWS sets; the schemas describe both.
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-ref.html>.

use foldhash::HashMap;

use crate::checks::{SCHEMA_FORMAT, SCHEMA_TYPE};
use crate::diagnostic::Check;
use crate::model::{DeploymentId, Document, Resource};
use crate::published::attributes;
use crate::published::catalog::{DescribedType, cloudformation};
use crate::published::cloudformation::provider_of;
use crate::published::facts::referred;
use crate::published::formats;
use crate::published::judge::{Demand, Reference};
use crate::published::misfit::MisfitStep;
use crate::published::pack::{Block, Clause, Id, Node};

/// Formats that only IDs of EC2 have. Other resources, such as roles and keys, may be named in several ways, so their
/// formats say too little.
const IDS: [&str; 6] = [
    "AWS::EC2::Image.Id",
    "AWS::EC2::SecurityGroup.Id",
    "AWS::EC2::SecurityGroup.Ids",
    "AWS::EC2::SecurityGroup.Name",
    "AWS::EC2::Subnet.Id",
    "AWS::EC2::VPC.Id",
];

/// Types of EC2 whose `Ref` is an ID that AWS assigns, according to the page of each type. `Ref` of a security group
/// without a VPC used to be its name.
const ASSIGNED: [&str; 15] = [
    "AWS::EC2::CustomerGateway",
    "AWS::EC2::Instance",
    "AWS::EC2::InternetGateway",
    "AWS::EC2::LaunchTemplate",
    "AWS::EC2::NatGateway",
    "AWS::EC2::NetworkAcl",
    "AWS::EC2::NetworkInterface",
    "AWS::EC2::RouteTable",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::Subnet",
    "AWS::EC2::TransitGateway",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCEndpoint",
    "AWS::EC2::VPNGateway",
    "AWS::EC2::Volume",
];

/// Types whose `Ref` is a name, an ID, or a URL, and not an ARN, according to the page of each type.
const NAMED: [&str; 12] = [
    "AWS::DynamoDB::Table",
    "AWS::ECS::Cluster",
    "AWS::Events::Rule",
    "AWS::IAM::InstanceProfile",
    "AWS::IAM::Role",
    "AWS::IAM::User",
    "AWS::Kinesis::Stream",
    "AWS::KinesisFirehose::DeliveryStream",
    "AWS::Lambda::Function",
    "AWS::Logs::LogGroup",
    "AWS::S3::Bucket",
    "AWS::SQS::Queue",
];

/// Types whose properties for ARNs take names as well.
const TAKES_NAMES: [&str; 4] =
    ["AWS::Batch::ComputeEnvironment", "AWS::Batch::JobDefinition", "AWS::ECS::Service", "AWS::ECS::TaskDefinition"];

/// Types of the resources of a document, to which references lead.
pub(super) struct Targets<'d> {
    document: &'d Document,
    /// Types, by stack and logical ID.
    types: HashMap<(DeploymentId, &'d str), &'d str>,
}

impl<'d> Targets<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        let resources = document.resources.iter();
        let types = resources.map(|resource| ((resource.deployment, &*resource.name), &*resource.type_name)).collect();
        Self { document, types }
    }

    /// Returns the check that a reference in a resource certainly fails, with a message.
    pub(super) fn contradiction(&self, from: &Resource, reference: &Reference<'_>) -> Option<(Check, String)> {
        let referred = referred(reference.found)?;
        let (name, attribute) = (referred.name, referred.attribute);
        let deployment = referred.deployment(self.document, from.deployment)?;
        let type_name = *self.types.get(&(deployment, name))?;
        let returned = ReturnedValue::new(type_name, attribute)?;
        let what = match attribute {
            "" => format!("what `Ref` returns of `{name}`, an `{type_name}`"),
            attribute => format!("`{attribute}` of `{name}`, an `{type_name}`"),
        };
        let property = reference.steps.iter().rev().find_map(|step| match step {
            MisfitStep::Member(name) => Some(*name),
            MisfitStep::Item(_) => None,
        })?;
        let (check, why) = match reference.demand {
            Demand::Array if returned.is_scalar => (SCHEMA_TYPE, "which is a string; expected an array".to_owned()),
            Demand::Object if returned.is_scalar => (SCHEMA_TYPE, "which is a string; expected an object".to_owned()),
            Demand::Format(wanted)
                if returned.is_other(wanted)
                    || returned.is_name
                        && is_arn(wanted)
                        && !TAKES_NAMES.contains(&&*from.type_name)
                        && is_for_arn(property) =>
            {
                // A hyphen has none of the formats.
                (SCHEMA_FORMAT, format!("expected {}", formats::expected(wanted, "-")?))
            }
            _ => return None,
        };
        let separator = if check == SCHEMA_TYPE { "," } else { ";" };
        Some((check, format!("`{property}` is {what}{separator} {why}")))
    }
}

/// Value that a reference returns.
struct ReturnedValue {
    is_scalar: bool,
    /// Format of the string, if the schema declares one.
    format: Option<&'static str>,
    /// True if the value identifies the resource. Wherever another type requires such an identifier, its schema
    /// declares the format.
    is_identifier: bool,
    /// Type of the resource, if the value is an ID that AWS assigns.
    assigned: Option<&'static str>,
    /// True if the value is `Ref` of a type for which it is not an ARN.
    is_name: bool,
}

impl ReturnedValue {
    fn new(type_name: &str, attribute: &str) -> Option<Self> {
        let assigned = ASSIGNED.iter().find(|known| attribute.is_empty() && **known == type_name).copied();
        if assigned.is_some() {
            return Some(Self { is_scalar: true, format: None, is_identifier: true, assigned, is_name: false });
        }
        let is_name = attribute.is_empty() && NAMED.contains(&type_name);
        let (property, is_identifier) = match attribute {
            "" => match attributes::identifier(type_name)?.as_slice() {
                [only] => (*only, true),
                _ => return None,
            },
            attribute => (attribute, false),
        };
        let block = cloudformation()?.provider(provider_of(type_name))?;
        let found =
            DescribedType::new(block, type_name).filter(|found| found.block.text(found.kind.name) == type_name)?;
        let node = found.bodies(None).into_iter().find_map(|body| property_of(block, body, property))?;
        let is_scalar = matches!(
            block.node(node),
            Node::Boolean | Node::Number | Node::Integer { .. } | Node::Text { .. } | Node::Choice { .. }
        );
        let mut clauses = block.rules(node).iter().flat_map(|rule| block.rule(*rule));
        let format = clauses.find_map(|clause| if let Clause::Format(format) = clause { Some(*format) } else { None });
        let format = format.map(|format| block.text(format));
        Some(Self { is_scalar, format, is_identifier, assigned: None, is_name })
    }

    /// True if the value certainly does not have the format `wanted`.
    fn is_other(&self, wanted: &str) -> bool {
        if let Some(own) = self.assigned {
            return (is_id(wanted) || is_arn(wanted)) && wanted.rsplit_once('.').is_some_and(|(other, _)| other != own);
        }
        match self.format {
            Some(format) => {
                let is_certain = is_id(wanted) && is_id(format) || is_arn(wanted) && is_arn(format);
                is_certain && format.trim_end_matches('s') != wanted.trim_end_matches('s')
            }
            None => is_id(wanted) && self.is_identifier && self.is_scalar,
        }
    }
}

fn is_id(format: &str) -> bool {
    IDS.contains(&format)
}

/// True if the name of a property means an ARN. A function calls its role `Role`.
fn is_for_arn(property: &str) -> bool {
    let name = property.to_ascii_lowercase();
    name == "role" || name.ends_with("arn") || name.ends_with("arns")
}

fn is_arn(format: &str) -> bool {
    format.ends_with(".Arn")
}

/// Returns the type of a property. The path may lead into objects: `Endpoint.Address`.
fn property_of(block: &Block, body: Id, path: &str) -> Option<Id> {
    path.split('.').try_fold(body, |node, name| match block.node(node) {
        Node::Object(object) => {
            object.properties.iter().find(|known| block.text(known.name) == name).map(|known| known.node)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::ReturnedValue;

    #[test]
    fn a_reference_returns_what_the_schema_says() {
        let vpc = "AWS::EC2::VPC.Id";
        let is_other = |type_name, attribute, wanted: &str| {
            ReturnedValue::new(type_name, attribute).is_some_and(|returned| returned.is_other(wanted))
        };
        assert!(!is_other("AWS::EC2::VPC", "", vpc));
        assert!(!is_other("AWS::EC2::Instance", "VpcId", vpc));
        assert!(!is_other("AWS::CloudFormation::CustomResource", "", vpc));
        assert!(!is_other("AWS::SSM::Parameter", "Value", vpc));
        assert!(is_other("AWS::IAM::Role", "", vpc));
        assert!(is_other("AWS::EC2::Subnet", "", vpc));
        assert!(!is_other("AWS::EC2::SecurityGroup", "", "AWS::EC2::SecurityGroup.Ids"));
        assert!(!is_other("AWS::EC2::SecurityGroup", "", "AWS::EC2::SecurityGroup.Name"));
        assert!(is_other("AWS::Lambda::Function", "Arn", "AWS::IAM::Role.Arn"));
        assert!(!is_other("AWS::IAM::Role", "Arn", "AWS::IAM::Role.Arn"));
        assert!(!is_other("AWS::KMS::Key", "KeyId", "AWS::KMS::Key.Arn"));
        // The data has no other identifier that only AWS gives.
        assert!(!is_other("AWS::EC2::EIP", "", vpc));
        // Nor the format of a name that has none in the schema.
        assert!(!is_other("AWS::EC2::SecurityGroup", "GroupName", "AWS::EC2::SecurityGroup.Id"));
        assert!(!is_other("AWS::EC2::VPC", "DefaultSecurityGroup", "AWS::EC2::SecurityGroup.Ids"));
        let is_scalar =
            |type_name, attribute| ReturnedValue::new(type_name, attribute).is_some_and(|returned| returned.is_scalar);
        assert!(is_scalar("AWS::IAM::Role", "Arn"));
        assert!(!is_scalar("AWS::EC2::VPC", "CidrBlockAssociations"));
    }
}
