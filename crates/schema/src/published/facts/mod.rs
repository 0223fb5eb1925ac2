//! Combinations and values that AWS rejects although the schemas of the resource types allow them.
//!
//! `FACTS` lists the checks of single values and where they apply. `between` compares resources with each other. The
//! references are the pages of each service, and the rules of cfn-lint 1.58 that are named beside each row.

mod apis;
mod between;
mod compute;
mod data;
mod distributions;
mod engines;
mod names;
mod numbers;
mod order;
mod pipelines;
mod references;
mod schedules;
mod sizes;
mod versions;
mod zones;

pub(super) use self::between::check_contradictions;
pub(super) use self::order::check_order;
pub(super) use self::references::referred;

use std::borrow::Cow;

use crate::diagnostic::Check;
use crate::published::misfit::MisfitStep;
use crate::published::tolerance::{is_placeholder, scalar_text};
use crate::value::{Traits, Value};

/// A problem at or below a value.
pub(super) struct FactViolation<'a> {
    pub(super) check: Check,
    /// Path from the value to the problem.
    pub(super) steps: Vec<MisfitStep<'a>>,
    pub(super) message: String,
}

impl<'a> FactViolation<'a> {
    fn new(check: Check, steps: &[MisfitStep<'a>], message: String) -> Self {
        Self { check, steps: steps.to_vec(), message }
    }
}

/// A check of one value.
type FactCheck = for<'a> fn(&'a Value) -> Vec<FactViolation<'a>>;

/// Checks of single values: a resource type, the path of a value below its properties, where `*` matches every item,
/// and the check.
const FACTS: &[(&str, &str, FactCheck)] = &[
    // E3706
    ("AWS::AutoScaling::AutoScalingGroup", "", numbers::group_sizes),
    ("AWS::AutoScaling::AutoScalingGroup", "AvailabilityZones/*", zones::zone),
    // E3504
    ("AWS::Backup::BackupPlan", "BackupPlan/BackupPlanRule/*/CopyActions/*/Lifecycle", numbers::cold_storage),
    ("AWS::Backup::BackupPlan", "BackupPlan/BackupPlanRule/*/Lifecycle", numbers::cold_storage),
    // E3013
    ("AWS::CloudFront::Distribution", "DistributionConfig/Aliases/*", names::alias),
    // E3503
    ("AWS::CertificateManager::Certificate", "DomainValidationOptions/*", distributions::validation),
    // E3057
    ("AWS::CloudFront::Distribution", "DistributionConfig", distributions::origins),
    // E3700
    ("AWS::CodePipeline::Pipeline", "Stages", pipelines::sources),
    // E3702
    ("AWS::CodePipeline::Pipeline", "Stages/*/Actions/*", pipelines::counts),
    // E3701, E3703
    ("AWS::CodePipeline::Pipeline", "Stages", pipelines::artifacts),
    ("AWS::DMS::ReplicationInstance", "AvailabilityZone", zones::zone),
    ("AWS::DocDB::DBCluster", "AvailabilityZones/*", zones::zone),
    ("AWS::DocDB::DBInstance", "AvailabilityZone", zones::zone),
    // E3039
    ("AWS::DynamoDB::Table", "", data::keys),
    // E3002
    ("AWS::DynamoDB::Table", "GlobalSecondaryIndexes/*/KeySchema", data::attributes),
    ("AWS::DynamoDB::Table", "KeySchema", data::order),
    ("AWS::DynamoDB::Table", "LocalSecondaryIndexes/*/KeySchema", data::order),
    // E3673
    ("AWS::EC2::Instance", "", compute::image),
    ("AWS::EC2::Instance", "AvailabilityZone", zones::zone),
    // Of EC2's documentation.
    ("AWS::EC2::SecurityGroup", "SecurityGroupEgress/*", numbers::port_range),
    ("AWS::EC2::SecurityGroup", "SecurityGroupIngress/*", numbers::port_range),
    ("AWS::EC2::SecurityGroupEgress", "", numbers::port_range),
    ("AWS::EC2::SecurityGroupIngress", "", numbers::port_range),
    ("AWS::EC2::Subnet", "AvailabilityZone", zones::zone),
    ("AWS::EC2::Volume", "AvailabilityZone", zones::zone),
    // E3053
    ("AWS::ECS::TaskDefinition", "", compute::ports),
    ("AWS::ElastiCache::CacheCluster", "PreferredAvailabilityZone", zones::zone),
    ("AWS::ElastiCache::CacheCluster", "PreferredAvailabilityZones/*", zones::zone),
    ("AWS::ElasticLoadBalancing::LoadBalancer", "AvailabilityZones/*", zones::zone),
    // E3027
    ("AWS::Events::Rule", "ScheduleExpression", schedules::expression),
    // E3663, E3697
    ("AWS::Lambda::Function", "Environment/Variables", compute::environment),
    // E2531, E2533
    ("AWS::Lambda::Function", "Runtime", compute::runtime),
    // E2530
    ("AWS::Lambda::Function", "", compute::snap_start),
    ("AWS::Neptune::DBCluster", "AvailabilityZones/*", zones::zone),
    ("AWS::Neptune::DBInstance", "AvailabilityZone", zones::zone),
    ("AWS::RDS::DBCluster", "AvailabilityZones/*", zones::zone),
    ("AWS::RDS::DBCluster", "Engine", engines::of_rds),
    ("AWS::RDS::DBInstance", "AvailabilityZone", zones::zone),
    ("AWS::RDS::DBInstance", "Engine", engines::of_rds),
    ("AWS::Redshift::Cluster", "AvailabilityZone", zones::zone),
    // E3041
    ("AWS::Route53::RecordSet", "", names::record),
    // E3621 to E3675: instance types
    ("AWS::AmazonMQ::Broker", "HostInstanceType", sizes::of_mq),
    (
        "AWS::AutoScaling::AutoScalingGroup",
        "MixedInstancesPolicy/LaunchTemplate/Overrides/*/InstanceType",
        sizes::of_ec2,
    ),
    ("AWS::AutoScaling::LaunchConfiguration", "InstanceType", sizes::of_ec2),
    ("AWS::Cloud9::EnvironmentEC2", "InstanceType", sizes::of_ec2),
    ("AWS::DAX::Cluster", "NodeType", sizes::of_dax),
    ("AWS::DocDB::DBInstance", "DBInstanceClass", sizes::of_docdb),
    ("AWS::EC2::Instance", "InstanceType", sizes::of_ec2),
    ("AWS::EC2::LaunchTemplate", "LaunchTemplateData/InstanceType", sizes::of_ec2),
    ("AWS::EKS::Nodegroup", "InstanceTypes/*", sizes::of_ec2),
    ("AWS::EMR::Cluster", "Instances/CoreInstanceGroup/InstanceType", sizes::of_ec2),
    ("AWS::EMR::Cluster", "Instances/MasterInstanceGroup/InstanceType", sizes::of_ec2),
    ("AWS::ElastiCache::CacheCluster", "CacheNodeType", sizes::of_cache),
    ("AWS::ElastiCache::ReplicationGroup", "CacheNodeType", sizes::of_cache),
    ("AWS::Elasticsearch::Domain", "ElasticsearchClusterConfig/DedicatedMasterType", sizes::of_elasticsearch),
    ("AWS::Elasticsearch::Domain", "ElasticsearchClusterConfig/InstanceType", sizes::of_elasticsearch),
    ("AWS::GameLift::Fleet", "EC2InstanceType", sizes::of_ec2),
    ("AWS::Neptune::DBInstance", "DBInstanceClass", sizes::of_neptune),
    ("AWS::OpenSearchService::Domain", "ClusterConfig/DedicatedMasterType", sizes::of_search),
    ("AWS::OpenSearchService::Domain", "ClusterConfig/InstanceType", sizes::of_search),
    ("AWS::RDS::DBCluster", "DBClusterInstanceClass", sizes::of_rds),
    ("AWS::RDS::DBInstance", "DBInstanceClass", sizes::of_rds),
    ("AWS::Redshift::Cluster", "NodeType", sizes::of_redshift),
    ("AWS::SageMaker::EndpointConfig", "ProductionVariants/*/InstanceType", sizes::of_ml),
    ("AWS::SageMaker::NotebookInstance", "InstanceType", sizes::of_ml),
    // E3690, E3691, E3695
    ("AWS::ElastiCache::CacheCluster", "", versions::of_cache),
    ("AWS::RDS::DBCluster", "", versions::of_rds),
    ("AWS::RDS::DBInstance", "", versions::of_rds),
];

/// A violation about a value below the properties of a resource.
pub(super) struct LocatedViolation<'a> {
    pub(super) violation: FactViolation<'a>,
    /// Chosen alternatives of unknown values, as in a `Misfit`.
    pub(super) chosen: Vec<(usize, &'a Value)>,
}

/// Returns the violations about the properties of a resource of this type.
pub(super) fn check_values<'a>(type_name: &str, properties: &'a Value) -> Vec<LocatedViolation<'a>> {
    let mut all = Vec::new();
    for (_, path, check) in FACTS.iter().filter(|(name, ..)| *name == type_name) {
        let mut walk = FactWalk {
            check: *check,
            steps: vec![MisfitStep::Member("Properties")],
            chosen: Vec::new(),
            all: &mut all,
        };
        walk.value(properties, path);
    }
    all
}

/// Walk to the values at a path.
struct FactWalk<'a, 'o> {
    check: FactCheck,
    steps: Vec<MisfitStep<'a>>,
    chosen: Vec<(usize, &'a Value)>,
    all: &'o mut Vec<LocatedViolation<'a>>,
}

impl<'a> FactWalk<'a, '_> {
    fn value(&mut self, value: &'a Value, path: &'static str) {
        if let Some(unknown) = value.as_unknown() {
            for choice in &unknown.choices {
                self.chosen.push((self.steps.len(), choice));
                self.value(choice, path);
                self.chosen.pop();
            }
            return;
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        match first {
            "" => {
                for mut violation in (self.check)(value) {
                    violation.steps.splice(0..0, self.steps.iter().copied());
                    self.all.push(LocatedViolation { violation, chosen: self.chosen.clone() });
                }
            }
            "*" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.within(MisfitStep::Item(index), item, rest);
                }
            }
            name => {
                if let Some(member) = member(value, name) {
                    self.within(MisfitStep::Member(name), member, rest);
                }
            }
        }
    }

    fn within(&mut self, step: MisfitStep<'a>, value: &'a Value, rest: &'static str) {
        self.steps.push(step);
        self.value(value, rest);
        self.steps.pop();
    }
}

/// Returns the member of an object unless it is absent or `null`.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.as_object()?.get_exact(name).filter(|value| !value.is_null())
}

/// Returns a string that is known and not secret.
fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !is_placeholder(text) && !value.traits.has(Traits::SECRET))
}

/// Returns an integer that is known and not secret; a string may spell it.
fn number(value: &Value) -> Option<i64> {
    shown(value)?.trim().parse().ok()
}

/// Returns a scalar as a string, if it is known and not secret.
fn shown(value: &Value) -> Option<Cow<'_, str>> {
    scalar_text(value).filter(|text| !is_placeholder(text) && !value.traits.has(Traits::SECRET))
}
