//! ARNs in policies.
//!
//! Reference: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html>.

use crate::sam::policies::managed_path;
use crate::text::only_near;

/// Parts of an ARN: `arn`, the partition, the service, the Region, the account, and the resource.
const PARTS: usize = 6;

/// Types whose `Ref` is a name, an ID, or a URL, according to the page of each type.
const NAMED: [&str; 22] = [
    "AWS::CodeBuild::Project",
    "AWS::CodeCommit::Repository",
    "AWS::CodePipeline::Pipeline",
    "AWS::Cognito::UserPool",
    "AWS::DynamoDB::GlobalTable",
    "AWS::DynamoDB::Table",
    "AWS::ECR::Repository",
    "AWS::ECS::Cluster",
    "AWS::EFS::FileSystem",
    "AWS::Events::EventBus",
    "AWS::Events::Rule",
    "AWS::IAM::Group",
    "AWS::IAM::Role",
    "AWS::IAM::User",
    "AWS::Kinesis::Stream",
    "AWS::KinesisFirehose::DeliveryStream",
    "AWS::KMS::Key",
    "AWS::Lambda::Function",
    "AWS::Logs::LogGroup",
    "AWS::S3::Bucket",
    "AWS::Serverless::Function",
    "AWS::SQS::Queue",
];

/// Policies that AWS replaced: they cannot be attached anymore. The name, and the one that replaces it, with its path.
///
/// Sources: <https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_managed-deprecated.html>,
/// <https://github.com/pulumi/pulumi-aws/issues/1275> (2020-12-21),
/// <https://github.com/hashicorp/terraform-provider-aws/issues/29129> (2023-01-27), and
/// <https://github.com/aws-samples/aws-service-catalog-reference-architectures/issues/115> (2023-03-19).
const REPLACED: [(&str, &str); 4] = [
    ("AWSCodePipelineFullAccess", "AWSCodePipeline_FullAccess"),
    ("AWSConfigRole", "service-role/AWS_ConfigRole"),
    ("AWSLambdaFullAccess", "AWSLambda_FullAccess"),
    ("AWSLambdaReadOnlyAccess", "AWSLambda_ReadOnlyAccess"),
];

/// Returns `true` if `Ref` of a resource of this type is not an ARN.
pub(super) fn is_named(type_name: &str) -> bool {
    NAMED.contains(&type_name)
}

/// Returns the problem of an ARN in a policy, with `${Name}` for what is not known.
pub(super) fn problem(text: &str) -> Option<String> {
    let known = without_names(text);
    let parts: Vec<&str> = known.splitn(PARTS, ':').collect();
    let [arn, partition, service, rest @ ..] = parts.as_slice() else { return None };
    if *arn != "arn" || known.starts_with('\u{1}') {
        return None;
    }
    // A name may stand for several parts.
    let is_open = |part: &str| part.contains('\u{1}');
    if rest.len() < PARTS - 3 {
        let may_have_more = parts.iter().any(|part| is_open(part)) && !is_complete(text);
        return (!may_have_more)
            .then(|| format!("the ARN `{text}` has {} parts between colons; expected {PARTS}", parts.len()));
    }
    let is_partition = partition.starts_with("aws") || partition.contains(['*', '?']) || is_open(partition);
    if !is_partition {
        return Some(format!("the ARN `{text}` has the partition `{partition}`; expected `aws`"));
    }
    let resource = rest.last().copied().unwrap_or_default();
    if *service == "s3" && resource.contains("://") {
        return Some(format!("the ARN `{text}` contains a URL; expected `arn:aws:s3:::bucket`"));
    }
    None
}

/// Replaces `${Name}` by one character, since names have colons.
fn without_names(text: &str) -> String {
    let mut known = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        known.push_str(before);
        known.push('\u{1}');
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    known.push_str(rest);
    known
}

/// Returns `true` if all names in a text are pseudo parameters, which have no colons.
fn is_complete(text: &str) -> bool {
    let names = text.split("${").skip(1).filter_map(|rest| rest.split_once('}'));
    // In S3, the rest is the name of a bucket and of objects.
    names.into_iter().all(|(name, _)| name.starts_with("AWS::")) || without_names(text).starts_with("arn:aws:s3::")
}

/// Returns the problem of the ARN of a policy that AWS manages.
pub(super) fn managed_problem(text: &str) -> Option<String> {
    let (partition, name) = text.strip_prefix("arn:")?.split_once(":iam::aws:policy/")?;
    if partition.contains(':') || name.contains(['$', '{', '*']) {
        return None;
    }
    let (path, last) = name.rsplit_once('/').map_or(("", name), |(path, last)| (path, last));
    if let Some((_, new)) = REPLACED.iter().find(|(old, _)| *old == last) {
        return Some(format!("the policy `{name}` cannot be attached anymore; use `{new}`"));
    }
    match managed_path(last) {
        Some(known) if known.trim_end_matches('/') == path => None,
        Some(known) => Some(format!("AWS has no policy `{name}`, did you mean `{known}{last}`?")),
        None => {
            let near = only_near(last, crate::sam::policies::managed_names())?;
            Some(format!(
                "AWS has no policy `{name}`, did you mean `{}{near}`?",
                managed_path(near).unwrap_or_default()
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arns_have_six_parts() {
        for right in [
            "arn:aws:s3:::bucket/*",
            "arn:${AWS::Partition}:s3:::${Bucket}/*",
            "arn:aws:lambda:${AWS::Region}:${AWS::AccountId}:function:a",
            "${Table}/index/*",
            "arn:aws:*:*:*:*",
            "arn:aws:${Rest}",
        ] {
            assert_eq!(problem(right), None, "{right}");
        }
        for wrong in
            ["arn:aws:s3::${X}/*", "arn:aws:s3:bucket", "arn:aws:s3:::s3://bucket", "arn:asw:s3:::a", "arn:aws:logs:*"]
        {
            assert!(problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn managed_policies_have_their_path() {
        assert_eq!(managed_problem("arn:aws:iam::aws:policy/AdministratorAccess"), None);
        assert_eq!(managed_problem("arn:aws:iam::aws:policy/SomethingThatIsNew"), None);
        for old in ["service-role/AWSConfigRole", "AWSLambdaFullAccess"] {
            let problem = managed_problem(&format!("arn:aws:iam::aws:policy/{old}"));
            assert!(problem.is_some_and(|problem| problem.contains("anymore")), "{old}");
        }
        for wrong in ["AWSLambdaBasicExecutionRole", "service-role/AdministratorAccess", "AmazonS3ReadOnlyAcces"] {
            assert!(managed_problem(&format!("arn:aws:iam::aws:policy/{wrong}")).is_some(), "{wrong}");
        }
    }
}
