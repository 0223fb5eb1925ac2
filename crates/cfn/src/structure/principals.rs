//! Principals of policies: accounts, and services of AWS.
//!
//! Reference: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html>.

use crate::text::only_near;

/// Ends of the names of services.
const DOMAINS: [&str; 7] = [
    ".amazonaws.com",
    ".amazonaws.com.cn",
    ".amazonaws.eu",
    ".amazon.com",
    ".aws.internal",
    ".aws.dev",
    ".amazonaws-us-gov.com",
];

/// Names of services that people let assume roles, without their domain. AWS has others, so only slips are reported.
const SERVICES: [&str; 104] = [
    "access-analyzer",
    "acm",
    "acm-pca",
    "airflow",
    "airflow-env",
    "amplify",
    "apigateway",
    "appconfig",
    "appflow",
    "application-autoscaling",
    "appmesh",
    "apprunner",
    "appstream",
    "appsync",
    "athena",
    "autoscaling",
    "backup",
    "batch",
    "bedrock",
    "build.apprunner",
    "cloudformation",
    "cloudfront",
    "cloudtrail",
    "cloudwatch",
    "codebuild",
    "codecommit",
    "codedeploy",
    "codepipeline",
    "codestar-notifications",
    "cognito-idp",
    "cognito-identity",
    "config",
    "connect",
    "credentials.iot",
    "databrew",
    "datapipeline",
    "datasync",
    "dax",
    "delivery.logs",
    "dlm",
    "dms",
    "ds",
    "dynamodb",
    "ec2",
    "ec2fleet",
    "ecr",
    "ecs",
    "ecs-tasks",
    "edgelambda",
    "eks",
    "eks-fargate-pods",
    "elasticache",
    "elasticbeanstalk",
    "elasticfilesystem",
    "elasticloadbalancing",
    "elasticmapreduce",
    "elastictranscoder",
    "emr-serverless",
    "es",
    "events",
    "firehose",
    "forecast",
    "fsx",
    "gamelift",
    "glacier",
    "glue",
    "grafana",
    "guardduty",
    "iam",
    "imagebuilder",
    "inspector",
    "iot",
    "iotanalytics",
    "kafka",
    "kafkaconnect",
    "kinesis",
    "kinesisanalytics",
    "kms",
    "lakeformation",
    "lambda",
    "lex",
    "logger.cloudfront",
    "logs",
    "macie",
    "mediaconvert",
    "monitoring",
    "monitoring.rds",
    "opensearchservice",
    "pipes",
    "ram",
    "rds",
    "redshift",
    "rekognition",
    "replicator.lambda",
    "route53",
    "s3",
    "sagemaker",
    "scheduler",
    "secretsmanager",
    "servicecatalog",
    "ses",
    "sns",
    "spotfleet",
    "sqs",
];

/// Returns the problem of the name of a service.
pub(super) fn service_problem(text: &str) -> Option<String> {
    if text.contains(['$', '{', '*']) || text.is_empty() {
        return None;
    }
    let Some(name) = DOMAINS.iter().find_map(|domain| text.strip_suffix(domain)) else {
        return Some(format!("the service is `{text}`; expected a name that ends with `.amazonaws.com`"));
    };
    if SERVICES.contains(&name) || !text.ends_with(".amazonaws.com") {
        return None;
    }
    // Of short names, many are near each other.
    let near = only_near(name, SERVICES).filter(|near| is_one_slip(name, near) && name.len() > 4)?;
    Some(format!("there is no service `{text}`, did you mean `{near}.amazonaws.com`?"))
}

/// Returns `true` if one character is missing, added, or changed.
fn is_one_slip(one: &str, other: &str) -> bool {
    let start = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let (longer, shorter) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    let end = longer.bytes().rev().zip(shorter.bytes().rev()).take_while(|(a, b)| a == b).count();
    longer.len() - shorter.len() <= 1 && start + end + 1 >= longer.len()
}

/// Returns the problem of what stands for an account, a user, or a role.
pub(super) fn account_problem(text: &str) -> Option<String> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_unique_id = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let is_right = text == "*"
        || text.starts_with("arn:")
        || text.contains(['$', '{', '<'])
        || is_number && text.len() == 12
        || is_unique_id && !is_number;
    (!is_right && !text.is_empty())
        .then(|| format!("the principal is `{text}`; expected `*`, the 12 digits of an account, or an ARN"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_have_a_domain_of_aws() {
        for right in
            ["lambda.amazonaws.com", "alexa-appkit.amazon.com", "logs.eu-west-1.amazonaws.com", "new.amazonaws.com"]
        {
            assert_eq!(service_problem(right), None, "{right}");
        }
        for wrong in ["dlm.amazoneaws.com", "ecs-task.amazonaws.com", "lambda", "lamda.amazonaws.com"] {
            assert!(service_problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn accounts_have_twelve_digits() {
        for right in ["*", "123456789012", "arn:aws:iam::123456789012:root", "AIDAEXAMPLEEXAMPLE12", "${Account}"] {
            assert_eq!(account_problem(right), None, "{right}");
        }
        for wrong in ["12345678901", "me", "root"] {
            assert!(account_problem(wrong).is_some(), "{wrong}");
        }
    }
}
