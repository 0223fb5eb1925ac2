//! Dynamic references, `{{resolve:ssm:name}}`, whose values other services have.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html>.

use crate::diagnostic::common_checks::{EXPRESSION_PLACEMENT, EXPRESSION_SYNTAX};
use crate::stack::Stack;
use crate::text::{Span, cut};

/// Prefix of dynamic references.
const START: &str = "{{resolve:";

/// The service that has secrets.
const SECRETS: &str = "secretsmanager";

/// The services that a reference can name.
const SERVICES: [&str; 3] = ["ssm", "ssm-secure", SECRETS];

/// The service with strings that only a few properties take.
const SECURE: &str = "ssm-secure";

/// The properties that take a secure string, below the resources of each type. Reference:
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references-ssm-secure-strings.html>.
const WITH_SECURE: &[(&str, &str)] = &[
    ("AWS::DirectoryService::MicrosoftAD", "Password"),
    ("AWS::DirectoryService::SimpleAD", "Password"),
    ("AWS::ElastiCache::ReplicationGroup", "AuthToken"),
    ("AWS::IAM::User", "LoginProfile.Password"),
    ("AWS::KinesisFirehose::DeliveryStream", "RedshiftDestinationConfiguration.Password"),
    ("AWS::OpsWorks::App", "AppSource.Password"),
    ("AWS::OpsWorks::Stack", "CustomCookbooksSource.Password"),
    ("AWS::OpsWorks::Stack", "RdsDbInstances.DbPassword"),
    ("AWS::RDS::DBCluster", "MasterUserPassword"),
    ("AWS::RDS::DBInstance", "MasterUserPassword"),
    ("AWS::Redshift::Cluster", "MasterUserPassword"),
];

/// The greatest length of a reference in a message, in bytes.
const MAX_SHOWN: usize = 100;

/// Reports references in a string that CloudFormation refuses.
pub(super) fn check_dynamic_references(
    stack: &Stack<'_>,
    path: impl Fn() -> String,
    is_in_output: bool,
    text: &str,
    span: Option<Span>,
) {
    let spaced = text.strip_prefix("{{").filter(|inner| inner.starts_with(' '));
    if spaced.is_some_and(|inner| inner.trim_start().starts_with("resolve:")) {
        let message = "CloudFormation does not resolve a reference with blanks after `{{`; remove them";
        stack.breach(EXPRESSION_SYNTAX, path(), message.to_owned(), span);
    }
    for (start, _) in text.match_indices(START) {
        let rest = text.get(start + START.len()..).unwrap_or_default();
        let Some((inner, _)) = rest.split_once("}}").filter(|(inner, _)| !inner.contains("${")) else { continue };
        let shown = cut(inner, MAX_SHOWN);
        let (service, name) = inner.split_once(':').unwrap_or((inner, ""));
        if !SERVICES.contains(&service) {
            let message = format!("a dynamic reference is to `ssm`, `ssm-secure`, or `{SECRETS}`, found `{shown}`");
            stack.breach(EXPRESSION_SYNTAX, path(), message, span);
        } else if name.is_empty() {
            let message = format!("the dynamic reference `{shown}` has no name after `{service}`");
            stack.breach(EXPRESSION_SYNTAX, path(), message, span);
        } else if service == SECURE && !takes_secure(stack, &path()) {
            let message = format!("only the passwords of some resources can have a dynamic reference to `{SECURE}`");
            stack.breach(EXPRESSION_PLACEMENT, path(), message, span);
        } else if is_in_output && service == SECRETS {
            let message = format!("an output cannot have a dynamic reference to `{SECRETS}`, only a resource can");
            stack.breach(EXPRESSION_PLACEMENT, path(), message, span);
        }
    }
}

/// Returns `true` if the property at a path may be a secure string. What SAM or a custom resource makes of one is not
/// known.
fn takes_secure(stack: &Stack<'_>, path: &str) -> bool {
    let Some((name, rest)) = path.strip_prefix("Resources.").and_then(|path| path.split_once('.')) else {
        return false;
    };
    let declared = stack.section("Resources").and_then(|resources| resources.get_exact(name)?.as_object());
    let Some(type_name) = declared.and_then(|declared| declared.get_exact("Type")?.as_str()) else { return true };
    let steps: Vec<&str> = rest.split('.').map(|step| step.split('[').next().unwrap_or_default()).collect();
    let property: Vec<&str> = steps.into_iter().skip(1).filter(|step| !step.starts_with("Fn::")).collect();
    let property = property.join(".");
    let is_open = !type_name.starts_with("AWS::") || type_name.starts_with("AWS::Serverless::");
    is_open || WITH_SECURE.iter().any(|(known, allowed)| *known == type_name && property == *allowed)
}
