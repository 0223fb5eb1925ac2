//! Checks the resources of a stack against the schemas of CloudFormation's resource types.

mod references;

use std::sync::LazyLock;

use crate::checks::{SCHEMA_RESOURCE_TYPE, SCHEMA_RETIRED, SCHEMA_VALUE};
use crate::diagnostic::Severity;
use crate::model::{Document, Issue, Resource, ResourceId};
use crate::published::catalog::{DescribedType, cloudformation};
use crate::published::cloudformation::references::Targets;
use crate::published::judge::judge_properties;
use crate::published::misfit::{Misfit, MisfitKind, MisfitStep};
use crate::published::near::NearestNames;
use crate::published::pack::{Block, Pack};
use crate::published::services::{Examined, Neighbors};
use crate::published::tolerance::Cloud;
use crate::published::{attributes, check_all, facts, issue, value_fix};
use crate::text::only_near;
use crate::value::Value;

/// Types of AWS that have no published schema and are not expanded.
const UNCHECKED: &[&str] = &["AWS::Serverless::", "AWS::CloudFormation::CustomResource"];

/// Properties that hold a local path until `aws cloudformation package` uploads it. Reference:
/// <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/package.html>.
const PACKAGED: &[(&str, &str)] = &[
    ("AWS::ApiGateway::RestApi", "BodyS3Location"),
    ("AWS::ElasticBeanstalk::ApplicationVersion", "SourceBundle"),
    ("AWS::Lambda::Function", "Code"),
    ("AWS::Lambda::LayerVersion", "Content"),
    ("AWS::StepFunctions::StateMachine", "DefinitionS3Location"),
];

/// True if a misfit is a local path that will be packaged.
fn is_packaged(type_name: &str, misfit: &Misfit<'_>) -> bool {
    let [MisfitStep::Member("Properties"), MisfitStep::Member(name)] = misfit.steps.as_slice() else { return false };
    PACKAGED.contains(&(type_name, name)) && misfit.kind.actual().is_some_and(|actual| actual.as_str().is_some())
}

/// Properties that a type forbids beside the value of another property, although AWS only ignores them. Reference:
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-rds-dbinstance.html>.
const IGNORED: &[(&str, &str)] = &[("AWS::RDS::DBInstance", "CopyTagsToSnapshot")];

/// Types, or beginnings of them, of services that AWS ends or that take no new customers, from the schemas in cfn-lint
/// 1.58.0 of 2026-10-20 (MIT-0).
const RETIRING: &[(&str, &str)] = &[
    ("AWS::AppMesh::", "AWS ends the service on 2026-09-30"),
    ("AWS::AutoScaling::LaunchConfiguration", "new accounts cannot create it; use a launch template"),
    ("AWS::Cloud9::EnvironmentEC2", "new customers cannot use the service"),
    ("AWS::CodeGuruReviewer::", "new customers cannot use the service"),
    ("AWS::FinSpace::", "AWS ends the service on 2026-10-07"),
    ("AWS::Forecast::", "new customers cannot use the service"),
    ("AWS::FraudDetector::", "new customers cannot use the service"),
    ("AWS::Greengrass::", "AWS ends the service on 2026-10-01"),
    ("AWS::Inspector::", "AWS ends the service on 2026-05-20"),
    ("AWS::MediaStore::", "AWS ends the service on 2025-11-13"),
    ("AWS::Pinpoint::", "AWS ends the service on 2026-10-30"),
    ("AWS::Proton::", "AWS ends the service on 2026-10-07"),
    ("AWS::SimSpaceWeaver::", "AWS ends the service on 2026-05-20"),
    ("AWS::Timestream::Database", "new customers cannot use the service"),
    ("AWS::Timestream::ScheduledQuery", "new customers cannot use the service"),
    ("AWS::Timestream::Table", "new customers cannot use the service"),
    ("AWS::WAF::", "AWS ends WAF Classic; use `AWS::WAFv2`"),
    ("AWS::WAFRegional::", "AWS ends WAF Classic; use `AWS::WAFv2`"),
];

/// True if a misfit is a property that AWS ignores.
fn is_ignored(type_name: &str, misfit: &Misfit<'_>) -> bool {
    let [MisfitStep::Member("Properties"), MisfitStep::Member(name)] = misfit.steps.as_slice() else { return false };
    IGNORED.contains(&(type_name, name)) && matches!(misfit.kind, MisfitKind::Forbidden)
}

/// Checks every resource of a document whose type AWS publishes.
pub(super) fn check_stack(document: &Document) -> Vec<Issue> {
    let Some(pack) = cloudformation() else { return Vec::new() };
    if document.deployments.iter().any(|deployment| has_macro(&deployment.template)) {
        return Vec::new();
    }
    let near = NearestNames::default();
    let targets = &Targets::new(document);
    let neighbors = &Neighbors::new(document, Cloud::Aws);
    let mut issues = check_all(
        document,
        |id, resource, issues| {
            let start = issues.len();
            let is_known =
                !is_published(&resource.type_name) || StackCheck { pack, resource, id, targets }.judge(issues);
            let (cloud, type_name) = (Cloud::Aws, &*resource.type_name);
            let provider = provider_of(type_name);
            Examined { cloud, resource, id, type_name, provider, neighbors }.add_issues(issues, start);
            is_known
        },
        |id, resource, issues| issues.extend(StackCheck { pack, resource, id, targets }.unknown(&near)),
    );
    issues.extend(facts::check_contradictions(document));
    issues.extend(facts::check_order(document));
    issues
}

/// True if a macro of the account rewrites the template: its resources need not be those of CloudFormation then.
fn has_macro(template: &Value) -> bool {
    let Some(transform) = template.get("Transform") else { return false };
    is_macro(transform) || transform.as_array().unwrap_or_default().iter().any(is_macro)
}

fn is_macro(name: &Value) -> bool {
    name.as_str().is_some_and(|name| !name.starts_with("AWS::"))
}

/// True if AWS publishes the schemas of types with such a name.
pub(super) fn is_published(type_name: &str) -> bool {
    let is_of_aws = type_name.starts_with("AWS::") && !type_name.ends_with("::MODULE");
    is_of_aws && !UNCHECKED.iter().any(|unchecked| type_name.starts_with(unchecked))
}

/// True if a type name has the form of CloudFormation, `AWS::S3::Bucket`.
pub(super) fn is_type(type_name: &str) -> bool {
    type_name.contains("::")
}

/// Returns the first two parts of a type, `AWS::S3`.
pub(super) fn provider_of(type_name: &str) -> &str {
    let end = type_name.match_indices("::").nth(1).map(|(end, _)| end);
    end.and_then(|end| type_name.get(..end)).unwrap_or(type_name)
}

/// Check of one resource.
struct StackCheck<'a> {
    pack: &'static Pack,
    resource: &'a Resource,
    id: ResourceId,
    targets: &'a Targets<'a>,
}

impl StackCheck<'_> {
    /// Adds the issues of the resource if its type is known. Returns `false` if it is not.
    fn judge(&self, issues: &mut Vec<Issue>) -> bool {
        let type_name: &str = &self.resource.type_name;
        let found = self.pack.provider(provider_of(type_name)).and_then(|block| DescribedType::new(block, type_name));
        let found = found.filter(|found| found.block.text(found.kind.name) == type_name);
        found.inspect(|found| self.properties(*found, issues)).is_some()
    }

    /// Returns the issue for a type that is not known.
    fn unknown(&self, near: &NearestNames) -> Option<Issue> {
        let type_name: &str = &self.resource.type_name;
        match self.pack.provider(provider_of(type_name)) {
            Some(block) => Some(self.unknown_type(block, type_name, near)),
            None => self.unknown_provider(type_name, near),
        }
    }

    /// Returns the issue for a type of a service that does not exist. AWS adds services so often that only a name
    /// similar to a known one is reported.
    fn unknown_provider(&self, type_name: &str, near: &NearestNames) -> Option<Issue> {
        let provider = near.nearest(&provider_of(type_name).to_lowercase(), || self.pack.names())?;
        let block = self.pack.provider(provider)?;
        let near = near.nearest(type_name, || block.types.iter().map(|kind| block.text(kind.name)))?;
        let message = format!("CloudFormation has no resource type `{type_name}`, did you mean `{near}`?");
        Some(issue(self.resource, self.id, SCHEMA_RESOURCE_TYPE, &[MisfitStep::Member("Type")], message))
    }

    fn unknown_type(&self, block: &'static Block, type_name: &str, near: &NearestNames) -> Issue {
        let types = || block.types.iter().map(|kind| block.text(kind.name));
        let hint = near.hint(type_name, types);
        let message = format!("CloudFormation has no resource type `{type_name}`{hint}");
        let mut issue = issue(self.resource, self.id, SCHEMA_RESOURCE_TYPE, &[MisfitStep::Member("Type")], message);
        let meant = only_near(type_name, types().filter(|_| !hint.is_empty()));
        issue.value_fixes.extend(meant.and_then(|meant| value_fix::of_member(self.resource, "Type", meant)));
        issue
    }

    fn properties(&self, found: DescribedType, issues: &mut Vec<Issue>) {
        static NO_PROPERTIES: LazyLock<Value> = LazyLock::new(|| Value::object(Vec::new()));
        let properties = self.resource.body.get("Properties").unwrap_or(&NO_PROPERTIES);
        let type_name: &str = &self.resource.type_name;
        for body in found.kind.versions.iter().flat_map(|version| version.bodies.iter()) {
            let (misfits, references) = judge_properties(found.block, *body, properties);
            let mut has_throughput = false;
            for misfit in misfits {
                if is_packaged(type_name, &misfit) || is_ignored(type_name, &misfit) {
                    continue;
                }
                if let Some(steps) = throughput_on_demand(properties, &misfit) {
                    if !std::mem::replace(&mut has_throughput, true) {
                        issues.push(issue(self.resource, self.id, SCHEMA_VALUE, steps, ON_DEMAND.to_owned()));
                    }
                    continue;
                }
                issues.push(super::issue_of(self.resource, self.id, &misfit, type_name, Cloud::Aws));
            }
            for reference in references {
                if let Some((check, message)) = self.targets.contradiction(self.resource, &reference) {
                    let walk = super::walk(self.resource, &reference.steps, &reference.chosen);
                    issues.push(super::issue_at(&walk, self.id, check, message));
                }
            }
        }
        if let Some(day) = attributes::shutdown(found) {
            let message = format!("AWS shut down the service of `{type_name}` on {day}");
            issues.push(issue(self.resource, self.id, SCHEMA_RETIRED, &[MisfitStep::Member("Type")], message));
        }
        if let Some((_, why)) = RETIRING.iter().find(|(start, _)| type_name.starts_with(start)) {
            let message = format!("`{type_name}` is retired: {why}");
            let steps = [MisfitStep::Member("Properties")];
            let mut issue = issue(self.resource, self.id, SCHEMA_RETIRED, &steps, message);
            issue.severity = Some(Severity::Low);
            issues.push(issue);
        }
        let facts = facts::check_values(type_name, properties);
        issues.extend(facts.into_iter().map(|found| super::issue_of_fact(self.resource, self.id, found)));
    }
}

/// Message about a table that has a throughput, although it needs none.
const ON_DEMAND: &str = "`BillingMode` is `PAY_PER_REQUEST`, which takes no `ProvisionedThroughput`; remove it";

/// Returns the steps to `ProvisionedThroughput` for a misfit of one of its units in a table that is billed by request: the
/// type takes only zero for each, and people remove both.
fn throughput_on_demand<'a>(properties: &Value, misfit: &'a Misfit<'_>) -> Option<&'a [MisfitStep<'a>]> {
    let is_on_demand = properties.get("BillingMode").and_then(Value::as_str) == Some("PAY_PER_REQUEST");
    let (last, above) = misfit.steps.split_last().filter(|_| is_on_demand)?;
    let is_unit = matches!(last, MisfitStep::Member("ReadCapacityUnits" | "WriteCapacityUnits"));
    let is_value = misfit.kind.failed_check() == SCHEMA_VALUE;
    (is_unit && is_value && above.last() == Some(&MisfitStep::Member("ProvisionedThroughput"))).then_some(above)
}

#[cfg(test)]
mod tests;
