//! The embedded rules: every file of `rules`.
//!
//! A test writes the list below, and fails where it differs from the folder: `INSTA_UPDATE=always cargo test` renews it.

/// The embedded rule files, ordered by name: the name of each and its text.
pub fn sources() -> &'static [(&'static str, &'static str)] {
    SOURCES
}

const SOURCES: &[(&str, &str)] = &[
    // begin of the list
    ("AWS-EC2-007.json", include_str!("../../rules/aws/AWS-EC2-007.json")),
    ("AWS-IAM-002.json", include_str!("../../rules/aws/AWS-IAM-002.json")),
    ("AWS-S3-006.json", include_str!("../../rules/aws/AWS-S3-006.json")),
    ("cloudfront.ruleset", include_str!("../../rules/aws/cloudfront.ruleset")),
    ("cloudtrail.ruleset", include_str!("../../rules/aws/cloudtrail.ruleset")),
    ("dynamodb.ruleset", include_str!("../../rules/aws/dynamodb.ruleset")),
    ("ec2.ruleset", include_str!("../../rules/aws/ec2.ruleset")),
    ("ecr.ruleset", include_str!("../../rules/aws/ecr.ruleset")),
    ("efs.ruleset", include_str!("../../rules/aws/efs.ruleset")),
    ("eks.ruleset", include_str!("../../rules/aws/eks.ruleset")),
    ("elasticache.ruleset", include_str!("../../rules/aws/elasticache.ruleset")),
    ("elb.ruleset", include_str!("../../rules/aws/elb.ruleset")),
    ("iam.ruleset", include_str!("../../rules/aws/iam.ruleset")),
    ("kms.ruleset", include_str!("../../rules/aws/kms.ruleset")),
    ("lambda.ruleset", include_str!("../../rules/aws/lambda.ruleset")),
    ("logs.ruleset", include_str!("../../rules/aws/logs.ruleset")),
    ("opensearch.ruleset", include_str!("../../rules/aws/opensearch.ruleset")),
    ("rds.ruleset", include_str!("../../rules/aws/rds.ruleset")),
    ("redshift.ruleset", include_str!("../../rules/aws/redshift.ruleset")),
    ("s3.ruleset", include_str!("../../rules/aws/s3.ruleset")),
    ("sns.ruleset", include_str!("../../rules/aws/sns.ruleset")),
    ("sqs.ruleset", include_str!("../../rules/aws/sqs.ruleset")),
    ("AZ-0001.json", include_str!("../../rules/azure/AZ-0001.json")),
    ("AZ-0002.json", include_str!("../../rules/azure/AZ-0002.json")),
    ("AZ-0003.json", include_str!("../../rules/azure/AZ-0003.json")),
    ("AZ-0004.json", include_str!("../../rules/azure/AZ-0004.json")),
    ("AZ-0005.json", include_str!("../../rules/azure/AZ-0005.json")),
    ("AZ-0006.json", include_str!("../../rules/azure/AZ-0006.json")),
    ("AZ-0007.json", include_str!("../../rules/azure/AZ-0007.json")),
    ("AZ-0008.json", include_str!("../../rules/azure/AZ-0008.json")),
    ("AZ-0009.json", include_str!("../../rules/azure/AZ-0009.json")),
    ("AZ-0010.json", include_str!("../../rules/azure/AZ-0010.json")),
    ("AZ-0011.json", include_str!("../../rules/azure/AZ-0011.json")),
    ("AZ-0012.json", include_str!("../../rules/azure/AZ-0012.json")),
    ("AZ-0013.json", include_str!("../../rules/azure/AZ-0013.json")),
    ("AZ-0014.json", include_str!("../../rules/azure/AZ-0014.json")),
    ("AZ-0015.json", include_str!("../../rules/azure/AZ-0015.json")),
    ("AZ-0016.json", include_str!("../../rules/azure/AZ-0016.json")),
    ("AZ-0017.json", include_str!("../../rules/azure/AZ-0017.json")),
    ("AZ-0018.json", include_str!("../../rules/azure/AZ-0018.json")),
    ("AZ-0019.json", include_str!("../../rules/azure/AZ-0019.json")),
    ("AZ-0020.json", include_str!("../../rules/azure/AZ-0020.json")),
    ("AZ-0021.json", include_str!("../../rules/azure/AZ-0021.json")),
    ("AZ-0022.json", include_str!("../../rules/azure/AZ-0022.json")),
    ("AZ-0023.json", include_str!("../../rules/azure/AZ-0023.json")),
    ("AZ-0024.json", include_str!("../../rules/azure/AZ-0024.json")),
    ("AZ-0025.json", include_str!("../../rules/azure/AZ-0025.json")),
    ("AZ-0026.json", include_str!("../../rules/azure/AZ-0026.json")),
    ("AZ-0027.json", include_str!("../../rules/azure/AZ-0027.json")),
    ("AZ-0028.json", include_str!("../../rules/azure/AZ-0028.json")),
    ("AZ-0029.json", include_str!("../../rules/azure/AZ-0029.json")),
    ("AZ-0030.json", include_str!("../../rules/azure/AZ-0030.json")),
    ("AZ-0031.json", include_str!("../../rules/azure/AZ-0031.json")),
    ("AZ-0032.json", include_str!("../../rules/azure/AZ-0032.json")),
    ("AZ-0033.json", include_str!("../../rules/azure/AZ-0033.json")),
    ("AZ-0034.json", include_str!("../../rules/azure/AZ-0034.json")),
    // end of the list
];
