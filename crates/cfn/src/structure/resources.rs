//! The declarations of resources.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resources-section-structure.html>.

use crate::diagnostic::common_checks::TEMPLATE_PROPERTY;
use crate::loops::Declaration;
use crate::sam::PREFIX as OF_SAM;
use crate::stack::{MACRO, Stack, is_module};
use crate::structure::{MAX_SHOWN, call, kind, names};
use crate::text::{Span, cut};
use crate::value::{Member, Object, Value};

/// The most resources of a template.
const MAX: usize = 500;

/// Attributes of resources. `Description` is in no reference, and stacks with it are deployed: the templates of AWS
/// `CodeStar` have it on each resource, and the AWS CDK keeps it (<https://github.com/aws/aws-cdk/pull/10522>).
const ATTRIBUTES: [&str; 10] = [
    "Condition",
    "CreationPolicy",
    "DeletionPolicy",
    "DependsOn",
    "Description",
    "Metadata",
    "Properties",
    "Type",
    "UpdatePolicy",
    "UpdateReplacePolicy",
];

/// Further attributes that the transform of SAM reads.
const OF_SERVERLESS: [&str; 2] = ["Connectors", "IgnoreGlobals"];

/// A resource that a function of the author makes.
const CUSTOM: &str = "AWS::CloudFormation::CustomResource";

/// Further attributes of a custom resource.
const OF_CUSTOM: [&str; 1] = ["Version"];

/// Metadata key that CloudFormation adds to the resources of a module.
const OF_MODULES: &str = "AWS::CloudFormation::Module";

/// The types of which CloudFormation can keep a snapshot.
const WITH_SNAPSHOTS: [&str; 9] = [
    "AWS::DocDB::DBCluster",
    "AWS::EC2::Volume",
    "AWS::ElastiCache::CacheCluster",
    "AWS::ElastiCache::ReplicationGroup",
    "AWS::Neptune::DBCluster",
    "AWS::Neptune::DBInstance",
    "AWS::RDS::DBCluster",
    "AWS::RDS::DBInstance",
    "AWS::Redshift::Cluster",
];

pub(super) fn check_resources(stack: &Stack<'_>) {
    let Some((resources, span)) = stack.declared("Resources") else { return };
    stack.refuse_more(("resources", "Resources"), resources.len(), MAX, span);
    for Declaration { member, path, variables } in stack.declarations("Resources") {
        // The names in loops are computed, and checked once they are known.
        if variables.is_empty() {
            check_name(stack, &member.key, member.key_span.or(member.value.span));
        }
        // What is no object is reported where resources are read.
        if let Some(resource) = member.value.as_object() {
            declaration(stack, &path, resource);
        }
    }
}

/// Reports the name of a resource that CloudFormation refuses.
pub(super) fn check_name(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    names::check_name(stack, name, span, ("a resource", ""));
    if stack.section("Parameters").is_some_and(|parameters| parameters.get_exact(name).is_some()) {
        stack.report_shape(span, format!("`{name}` is the name of a parameter, too"));
    }
}

fn declaration(stack: &Stack<'_>, path: &str, resource: &Object) {
    let more = OF_SERVERLESS.iter().filter(|_| stack.is_serverless);
    let type_name = resource.get_exact("Type").and_then(Value::as_str).unwrap_or_default();
    let version = OF_CUSTOM.iter().filter(|_| type_name.starts_with("Custom::") || type_name == CUSTOM);
    let known: Vec<&str> = ATTRIBUTES.iter().chain(more).chain(version).copied().collect();
    stack.refuse_unknown(TEMPLATE_PROPERTY, resource, ("a resource", path), &known);
    for attribute in resource.iter().filter(|attribute| !attribute.value.is_null()) {
        let (key, value) = (&*attribute.key, &attribute.value);
        match key {
            "Properties" if is_plain_call(value) => {
                stack.refuse(value, "`Properties` of a resource cannot be the result of a function".to_owned());
            }
            "Properties" | "Metadata" if value.as_object().is_none() => {
                stack.refuse(value, format!("`{key}` of a resource must be an object, found {}", kind(value)));
            }
            "Metadata" if value.as_object().is_some_and(|metadata| metadata.get_exact(OF_MODULES).is_some()) => {
                stack.refuse(value, format!("CloudFormation sets the metadata `{OF_MODULES}` itself; remove it"));
            }
            "CreationPolicy" | "UpdatePolicy" if is_module(type_name) => {
                stack.refuse_name(attribute, format!("a module has no `{key}`"));
            }
            "CreationPolicy" | "UpdatePolicy" if value.as_object().is_none() || is_plain_call(value) => {
                stack.refuse(value, format!("`{key}` must be an object with policies"));
            }
            "DeletionPolicy" => {
                policy(stack, attribute, &["Delete", "Retain", "RetainExceptOnCreate", "Snapshot"], type_name);
            }
            "UpdateReplacePolicy" => policy(stack, attribute, &["Delete", "Retain", "Snapshot"], type_name),
            "DependsOn" => depends_on(stack, value),
            _ => {}
        }
    }
}

/// Returns `true` if a value is the call of a function that cannot return an object with policies.
fn is_plain_call(value: &Value) -> bool {
    call(value).is_some_and(|call| *call.key != *"Fn::If" && *call.key != *MACRO)
}

/// Checks a policy for a resource that is deleted or replaced.
fn policy(stack: &Stack<'_>, Member { key, value, .. }: &Member, known: &[&str], type_name: &str) {
    let Some(name) = value.as_str() else {
        // With the language extensions, it may be computed.
        if call(value).is_none() {
            stack.refuse(value, format!("`{key}` must be one of {}, found {}", listed(known), kind(value)));
        }
        return;
    };
    if !known.contains(&name) {
        stack.refuse(value, format!("`{key}` must be one of {}, found `{}`", listed(known), cut(name, MAX_SHOWN)));
    } else if name == "Snapshot" && !may_have_snapshots(type_name) {
        stack.refuse(value, format!("there are no snapshots of `{type_name}`, so its `{key}` cannot be `Snapshot`"));
    }
}

fn may_have_snapshots(type_name: &str) -> bool {
    let is_made_of_others = type_name.starts_with(OF_SAM) || is_module(type_name);
    WITH_SNAPSHOTS.contains(&type_name) || !type_name.starts_with("AWS::") || is_made_of_others
}

/// Returns the names in backticks, with commas between them.
fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Checks that `DependsOn` is the name of another resource, or a list of such names. Whether they exist is known only
/// after transforms.
fn depends_on(stack: &Stack<'_>, value: &Value) {
    for item in value.as_array().unwrap_or(std::slice::from_ref(value)) {
        let is_computed = stack.has_extensions && call(item).is_some();
        if item.as_str().is_none() && !is_computed && !item.is_null() {
            stack.refuse(item, format!("`DependsOn` takes names of resources, found {}", kind(item)));
        }
    }
}
