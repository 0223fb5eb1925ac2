//! Checks the resources of a stack against the schemas of CloudFormation's resource types.

mod references;

use std::sync::LazyLock;

use crate::diagnostic::Check;
use crate::model::{Document, Issue, Resource, ResourceId};
use crate::published::catalog::{Found, cloudformation};
use crate::published::cloudformation::references::Targets;
use crate::published::judge::judge_properties;
use crate::published::misfit::{Misfit, MisfitKind, Step};
use crate::published::near::Near;
use crate::published::pack::{Block, Pack};
use crate::published::services::{Examined, Neighbors};
use crate::published::tolerance::Cloud;
use crate::published::{attributes, check_all, facts, issue, value_fix};
use crate::text::only_near;
use crate::value::Value;

/// Types that AWS publishes no schema of, and that are not expanded.
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

/// Whether a misfit is a path that is to be packaged.
fn is_packaged(type_name: &str, misfit: &Misfit<'_>) -> bool {
    let [Step::Member("Properties"), Step::Member(name)] = misfit.steps.as_slice() else { return false };
    PACKAGED.contains(&(type_name, name)) && misfit.kind.actual().is_some_and(|actual| actual.as_str().is_some())
}

/// Properties that types rule out beside the value of another one, and that AWS then ignores, as the page of the type says:
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-rds-dbinstance.html>.
const IGNORED: &[(&str, &str)] = &[("AWS::RDS::DBInstance", "CopyTagsToSnapshot")];

/// Whether a misfit is a property that AWS ignores.
fn is_ignored(type_name: &str, misfit: &Misfit<'_>) -> bool {
    let [Step::Member("Properties"), Step::Member(name)] = misfit.steps.as_slice() else { return false };
    IGNORED.contains(&(type_name, name)) && matches!(misfit.kind, MisfitKind::Forbidden)
}

/// Checks every resource of a document whose type AWS publishes.
pub(super) fn check(document: &Document) -> Vec<Issue> {
    let Some(pack) = cloudformation() else { return Vec::new() };
    if document.deployments.iter().any(|deployment| has_macro(&deployment.template)) {
        return Vec::new();
    }
    let near = Near::default();
    let targets = &Targets::new(document);
    let neighbors = &Neighbors::new(document, Cloud::Aws);
    let mut issues = check_all(
        document,
        |id, resource, issues| {
            let start = issues.len();
            let is_known = !is_published(&resource.type_name) || Subject { pack, resource, id, targets }.judge(issues);
            let (cloud, type_name) = (Cloud::Aws, &*resource.type_name);
            let provider = provider_of(type_name);
            Examined { cloud, resource, id, type_name, provider, neighbors }.check(issues, start);
            is_known
        },
        |id, resource, issues| issues.extend(Subject { pack, resource, id, targets }.unknown(&near)),
    );
    issues.extend(facts::between(document));
    issues.extend(facts::order(document));
    issues
}

/// Whether a macro of an account rewrites the template, so that its resources need not be those of CloudFormation.
fn has_macro(template: &Value) -> bool {
    let Some(transform) = template.get("Transform") else { return false };
    let is_macro = |name: &Value| name.as_str().is_some_and(|name| !name.starts_with("AWS::"));
    is_macro(transform) || transform.as_array().unwrap_or_default().iter().any(is_macro)
}

/// Whether AWS would publish the schema of a type, if there were such a type.
pub(super) fn is_published(type_name: &str) -> bool {
    let is_of_aws = type_name.starts_with("AWS::") && !type_name.ends_with("::MODULE");
    is_of_aws && !UNCHECKED.iter().any(|unchecked| type_name.starts_with(unchecked))
}

/// Whether a type is one of CloudFormation.
pub(super) fn is_type(type_name: &str) -> bool {
    type_name.contains("::")
}

/// The first two parts of a type, `AWS::S3`.
pub(super) fn provider_of(type_name: &str) -> &str {
    let end = type_name.match_indices("::").nth(1).map(|(end, _)| end);
    end.and_then(|end| type_name.get(..end)).unwrap_or(type_name)
}

/// One resource that is checked.
struct Subject<'a> {
    pack: &'static Pack,
    resource: &'a Resource,
    id: ResourceId,
    targets: &'a Targets<'a>,
}

impl Subject<'_> {
    /// Whether the type is known. Then its issues are added.
    fn judge(&self, issues: &mut Vec<Issue>) -> bool {
        let type_name: &str = &self.resource.type_name;
        let found = self.pack.provider(provider_of(type_name)).and_then(|block| Found::new(block, type_name));
        let found = found.filter(|found| found.block.text(found.kind.name) == type_name);
        found.inspect(|found| self.properties(*found, issues)).is_some()
    }

    /// The issue of a type that is not known.
    fn unknown(&self, near: &Near) -> Option<Issue> {
        let type_name: &str = &self.resource.type_name;
        match self.pack.provider(provider_of(type_name)) {
            Some(block) => Some(self.unknown_type(block, type_name, near)),
            None => self.unknown_provider(type_name, near),
        }
    }

    /// A type of a service that does not exist. New services come too often to report one that is like no other.
    fn unknown_provider(&self, type_name: &str, near: &Near) -> Option<Issue> {
        let provider = near.nearest(&provider_of(type_name).to_lowercase(), || self.pack.names())?;
        let block = self.pack.provider(provider)?;
        let near = near.nearest(type_name, || block.types.iter().map(|kind| block.text(kind.name)))?;
        let message = format!("CloudFormation has no resource type `{type_name}`, did you mean `{near}`?");
        Some(issue(self.resource, self.id, Check::SchemaResourceType, &[Step::Member("Type")], message))
    }

    fn unknown_type(&self, block: &'static Block, type_name: &str, near: &Near) -> Issue {
        let types = || block.types.iter().map(|kind| block.text(kind.name));
        let hint = near.hint(type_name, types);
        let message = format!("CloudFormation has no resource type `{type_name}`{hint}");
        let mut issue = issue(self.resource, self.id, Check::SchemaResourceType, &[Step::Member("Type")], message);
        let meant = only_near(type_name, types().filter(|_| !hint.is_empty()));
        issue.value_fixes.extend(meant.and_then(|meant| value_fix::of_member(self.resource, "Type", meant)));
        issue
    }

    fn properties(&self, found: Found, issues: &mut Vec<Issue>) {
        static NO_PROPERTIES: LazyLock<Value> = LazyLock::new(|| Value::object(Vec::new()));
        let properties = self.resource.body.get("Properties").unwrap_or(&NO_PROPERTIES);
        let type_name: &str = &self.resource.type_name;
        for body in found.kind.versions.iter().flat_map(|version| version.bodies.iter()) {
            let (misfits, references) = judge_properties(found.block, *body, properties);
            let is_taken = |misfit: &Misfit<'_>| is_packaged(type_name, misfit) || is_ignored(type_name, misfit);
            for misfit in misfits.into_iter().filter(|misfit| !is_taken(misfit)) {
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
            issues.push(issue(self.resource, self.id, Check::SchemaRetired, &[Step::Member("Type")], message));
        }
        let facts = facts::look(type_name, properties);
        issues.extend(facts.into_iter().map(|found| super::issue_of_fact(self.resource, self.id, found)));
    }
}

#[cfg(test)]
mod tests;
