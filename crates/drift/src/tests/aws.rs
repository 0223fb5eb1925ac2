//! Stacks against the output of Cloud Control. Identifiers and shapes are those of the resource types' documentation,
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/>, read on 2026-11-29.

use arcstr::ArcStr;
use formwork_cfn as cfn;
use formwork_model::model::{Budget, Limits, Offline};
use formwork_model::text::Sources;
use formwork_syntax::json;

use crate::body::BodyComparison;
use crate::scalars::CloudRules;
use crate::tests::told;
use crate::value::{Member, Value};
use crate::{Comparison, DriftOptions, Export};

/// A resource of an export: its type, its identifier, and its properties as JSON.
type Live<'a> = (&'a str, &'a str, &'a str);

/// Compares a stack with an export: `resources` is the content of `Resources`.
#[track_caller]
fn check(resources: &str, exported: &[Live<'_>], expected: &[&str]) {
    let text = format!(
        r#"{{"AWSTemplateFormatVersion": "2010-09-09", "Parameters": {{"Open": {{"Type": "String"}},
        "Secret": {{"Type": "String", "NoEcho": true}}}}, "Resources": {{{resources}}}}}"#
    );
    let sources = Sources::new();
    let file = sources.add("stack.json", text.as_str());
    let limits = Limits::default();
    let template = json::parse(file, sources.get(file).text(), limits.nesting).value.unwrap();
    let expansion = cfn::expand(&cfn::Request {
        file,
        name: "stack",
        template: &template,
        parameters: &[],
        overrides: &[],
        raw: false,
        scenario: None,
        loader: &Offline,
        budget: &Budget::new(&limits),
    });
    let mut export = Export::default();
    for (at, (type_name, identifier, properties)) in exported.iter().enumerate() {
        // Cloud Control writes properties as a string.
        let properties =
            if at % 2 == 0 { serde_json::to_string(properties).unwrap() } else { (*properties).to_owned() };
        let description = format!(r#"{{"Identifier": "{identifier}", "Properties": {properties}}}"#);
        let text = match at % 3 {
            0 => format!(r#"{{"TypeName": "{type_name}", "ResourceDescription": {description}}}"#),
            1 => format!(r#"{{"TypeName": "{type_name}", "ResourceDescriptions": [{description}], "NextToken": "x"}}"#),
            _ => {
                format!(r#"[{{"TypeName": "{type_name}", "Identifier": "{identifier}", "Properties": {properties}}}]"#)
            }
        };
        export.add(&json::parse_computed(&ArcStr::from(text), 100).unwrap()).unwrap();
    }
    let mut comparison = Comparison::new(&export, DriftOptions::default());
    comparison.add(&expansion.document.unwrap(), |span| span);
    assert_eq!(told(&comparison.finish()), expected, "{resources} {exported:?}");
}

/// Compares a resource with the only one of its type.
#[track_caller]
fn check_one(type_name: &str, properties: &str, live: &str, expected: &[&str]) {
    check(
        &format!(r#""A": {{"Type": "{type_name}", "Properties": {properties}}}"#),
        &[(type_name, "x", live)],
        expected,
    );
}

const BUCKET: &str = "AWS::S3::Bucket";
const QUEUE: &str = "AWS::SQS::Queue";

#[test]
fn resources_pair_by_their_primary_identifiers() {
    for (type_name, name, identifier, other) in [
        (BUCKET, "BucketName", "logs", "Arn"),
        ("AWS::Lambda::Function", "FunctionName", "thumbs", "Arn"),
        ("AWS::IAM::Role", "RoleName", "deployer", "Arn"),
        ("AWS::DynamoDB::Table", "TableName", "orders", "Arn"),
        ("AWS::Logs::LogGroup", "LogGroupName", "/app/web", "Arn"),
        ("AWS::RDS::DBInstance", "DBInstanceIdentifier", "main", "DBInstanceArn"),
        ("AWS::KMS::Alias", "AliasName", "alias/app", "Arn"),
        ("AWS::ECS::Cluster", "ClusterName", "apps", "Arn"),
        ("AWS::SSM::Parameter", "Name", "/app/x", "Type"),
        ("AWS::ECR::Repository", "RepositoryName", "web", "Arn"),
        ("AWS::CloudWatch::Alarm", "AlarmName", "cpu", "Arn"),
        ("AWS::Kinesis::Stream", "Name", "clicks", "Arn"),
    ] {
        let template = format!(r#""A": {{"Type": "{type_name}", "Properties": {{"{name}": "{identifier}"}}}}"#);
        let own = format!(r#"{{"{name}": "{identifier}", "{other}": "x"}}"#);
        let two = format!(r#"{{"{name}": "another", "{other}": "x"}}"#);
        check(&template, &[(type_name, "another", &two), (type_name, identifier, &own)], &["Unmanaged another"]);
    }
}

#[test]
fn resources_with_generated_identifiers_pair_by_name() {
    for (type_name, name, identifier) in [
        (QUEUE, "QueueName", "https://sqs.eu-west-1.amazonaws.com/111122223333/jobs"),
        ("AWS::SNS::Topic", "TopicName", "arn:aws:sns:eu-west-1:111122223333:jobs"),
        ("AWS::Events::Rule", "Name", "arn:aws:events:eu-west-1:111122223333:rule/jobs"),
        ("AWS::SecretsManager::Secret", "Name", "arn:aws:secretsmanager:eu-west-1:111122223333:secret:jobs-a1b2c3"),
        (
            "AWS::StepFunctions::StateMachine",
            "StateMachineName",
            "arn:aws:states:eu-west-1:111122223333:stateMachine:jobs",
        ),
        ("AWS::Route53::HostedZone", "Name", "Z111111QQQQQQQ"),
    ] {
        let template = format!(r#""A": {{"Type": "{type_name}", "Properties": {{"{name}": "jobs"}}}}"#);
        let live = format!(r#"{{"{name}": "jobs", "Arn": "x"}}"#);
        let other = format!(r#"{{"{name}": "other"}}"#);
        check(&template, &[(type_name, "o", &other), (type_name, identifier, &live)], &["Unmanaged o"]);
    }
}

#[test]
fn resources_pair_by_composite_identifiers() {
    let stage = r#""A": {"Type": "AWS::ApiGateway::Stage", "Properties": {"RestApiId": "a1", "StageName": "prod"}}"#;
    let live = [
        ("AWS::ApiGateway::Stage", "a1|test", r#"{"RestApiId": "a1", "StageName": "test"}"#),
        ("AWS::ApiGateway::Stage", "a1|prod", r#"{"RestApiId": "a1", "StageName": "prod"}"#),
    ];
    check(stage, &live, &["Unmanaged a1|test"]);
    let service = r#""A": {"Type": "AWS::ECS::Service", "Properties": {"ServiceName": "web", "Cluster": "apps"}}"#;
    let arn = "arn:aws:ecs:eu-west-1:111122223333:service/apps/web|apps";
    check(service, &[("AWS::ECS::Service", arn, r#"{"ServiceName": "web", "Cluster": "apps"}"#)], &[]);
}

#[test]
fn resources_pair_by_the_tags_of_their_stack() {
    let template = r#""A": {"Type": "AWS::EC2::Instance", "Properties": {"InstanceType": "t3.micro"}},
        "B": {"Type": "AWS::EC2::Instance", "Properties": {"InstanceType": "t3.large"}}"#;
    let live = |logical: &str, kind: &str| {
        format!(
            r#"{{"InstanceType": "{kind}", "Tags": [{{"Key": "aws:cloudformation:logical-id", "Value": "{logical}"}}]}}"#
        )
    };
    let (one, two) = (live("B", "t3.large"), live("A", "t3.small"));
    let exported = [("AWS::EC2::Instance", "i-1", one.as_str()), ("AWS::EC2::Instance", "i-2", two.as_str())];
    check(template, &exported, &["Drifted A", r#"Properties.InstanceType "t3.micro" "t3.small" Medium"#]);
}

#[test]
fn a_resource_without_a_name_pairs_with_the_only_one() {
    check_one("AWS::EC2::VPC", r#"{"CidrBlock": "10.0.0.0/16"}"#, r#"{"CidrBlock": "10.0.0.0/16", "VpcId": "x"}"#, &[]);
    let two = [
        ("AWS::EC2::VPC", "vpc-1", r#"{"CidrBlock": "10.0.0.0/16"}"#),
        ("AWS::EC2::VPC", "vpc-2", r#"{"CidrBlock": "10.1.0.0/16"}"#),
    ];
    let vpc = |block: &str| format!(r#""A": {{"Type": "AWS::EC2::VPC", "Properties": {{"CidrBlock": "{block}"}}}}"#);
    check(&vpc("10.1.0.0/16"), &two, &["Unmanaged vpc-1"]);
    check(&vpc("10.2.0.0/16"), &two, &["Uncertain A", "Unmanaged vpc-1", "Unmanaged vpc-2"]);
}

#[test]
fn a_type_that_is_not_exported_is_uncertain() {
    let template = r#""A": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "a"}},
        "Q": {"Type": "AWS::SQS::Queue", "Properties": {}}, "C": {"Type": "Custom::Thing", "Properties": {"ServiceToken": "x"}}"#;
    check(template, &[(BUCKET, "b", r#"{"BucketName": "b"}"#)], &["Missing A", "Uncertain Q", "Unmanaged b"]);
}

#[test]
fn values_may_be_written_in_another_way() {
    let same = |type_name: &str, properties: &str, live: &str| check_one(type_name, properties, live, &[]);
    same(QUEUE, r#"{"VisibilityTimeout": "30"}"#, r#"{"VisibilityTimeout": 30}"#);
    same(QUEUE, r#"{"FifoQueue": "true"}"#, r#"{"FifoQueue": true}"#);
    same("AWS::Lambda::Function", r#"{"MemorySize": 128}"#, r#"{"MemorySize": 128, "Timeout": 3, "Arn": "x"}"#);
    same("AWS::Lambda::Function", r#"{"Architectures": ["x86_64"]}"#, r#"{"Architectures": ["x86_64"]}"#);
    same("AWS::Lambda::Function", r#"{"Layers": ["a", "b"]}"#, r#"{"Layers": ["b", "a"]}"#);
    let policy = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}"#;
    let written = policy.replace('"', "\\\"");
    same(
        "AWS::SNS::TopicPolicy",
        &format!(r#"{{"PolicyDocument": {policy}}}"#),
        &format!(r#"{{"PolicyDocument": "{written}"}}"#),
    );
    let listed = policy.replace(r#""s3:*""#, r#"["s3:*"]"#);
    same(
        "AWS::S3::BucketPolicy",
        &format!(r#"{{"PolicyDocument": {policy}}}"#),
        &format!(r#"{{"PolicyDocument": {listed}}}"#),
    );
    let single = policy.replace(['[', ']'], "");
    same(
        "AWS::S3::BucketPolicy",
        &format!(r#"{{"PolicyDocument": {policy}}}"#),
        &format!(r#"{{"PolicyDocument": {single}}}"#),
    );
    let rules = |first: &str, second: &str| format!(r#"{{"SecurityGroupIngress": [{first}, {second}]}}"#);
    let (http, https) = (
        r#"{"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80}"#,
        r#"{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443}"#,
    );
    same("AWS::EC2::SecurityGroup", &rules(http, https), &rules(https, http));
    same(
        BUCKET,
        r#"{"Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]}"#,
        r#"{"Tags": [{"Key": "b", "Value": "2"}, {"Key": "a", "Value": "1"}, {"Key": "aws:cloudformation:stack-id", "Value": "x"}]}"#,
    );
}

#[test]
fn changes_are_found() {
    check_one(
        BUCKET,
        r#"{"VersioningConfiguration": {"Status": "Enabled"}}"#,
        r#"{"VersioningConfiguration": {"Status": "Suspended"}}"#,
        &["Drifted A", r#"Properties.VersioningConfiguration.Status "Enabled" "Suspended" High"#],
    );
    check_one(
        BUCKET,
        r#"{"PublicAccessBlockConfiguration": {"BlockPublicAcls": true}}"#,
        r#"{"PublicAccessBlockConfiguration": {"BlockPublicAcls": false}}"#,
        &["Drifted A", "Properties.PublicAccessBlockConfiguration.BlockPublicAcls true false High"],
    );
    check_one(
        QUEUE,
        r#"{"QueueName": "Jobs", "MessageRetentionPeriod": 60}"#,
        r#"{"QueueName": "Jobs", "MessageRetentionPeriod": 61}"#,
        &["Drifted A", "Properties.MessageRetentionPeriod 60 61 Medium"],
    );
    check_one(
        "AWS::Lambda::Function",
        r#"{"Handler": "Index.main"}"#,
        r#"{"Handler": "index.main"}"#,
        &["Drifted A", r#"Properties.Handler "Index.main" "index.main" Medium"#],
    );
    check_one(
        BUCKET,
        r#"{"Tags": [{"Key": "team", "Value": "a"}]}"#,
        r#"{"Tags": [{"Key": "team", "Value": "b"}, {"Key": "by", "Value": "hand"}]}"#,
        &["Drifted A", "Properties.Tags[key=by] - present Low", r#"Properties.Tags[key=team].Value "a" "b" Low"#],
    );
    check_one(
        "AWS::EC2::SecurityGroup",
        r#"{"SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}]}"#,
        r#"{"SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"},
            {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "0.0.0.0/0"}]}"#,
        &["Drifted A", "Properties.SecurityGroupIngress[1] - present High"],
    );
    check_one(
        "AWS::IAM::Role",
        r#"{"ManagedPolicyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess"]}"#,
        r#"{"ManagedPolicyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess", "arn:aws:iam::aws:policy/AdministratorAccess"]}"#,
        &[
            "Drifted A",
            r#"Properties.ManagedPolicyArns ["arn:aws:iam::aws:policy/ReadOnlyAccess"] ["arn:aws:iam::aws:policy/ReadOnlyAccess","arn:aws:iam::aws:policy/AdministratorAccess"] High"#,
        ],
    );
    check_one(
        "AWS::DynamoDB::Table",
        r#"{"DeletionProtectionEnabled": true}"#,
        r#"{"DeletionProtectionEnabled": false}"#,
        &["Drifted A", "Properties.DeletionProtectionEnabled true false High"],
    );
}

#[test]
fn write_only_properties_are_unseen() {
    let unseen = |type_name: &str, properties: &str, live: &str, path: &str| {
        check_one(type_name, properties, live, &[&format!("unseen Properties.{path}")]);
    };
    unseen(
        "AWS::RDS::DBInstance",
        r#"{"MasterUserPassword": "x", "Engine": "mysql"}"#,
        r#"{"Engine": "mysql"}"#,
        "MasterUserPassword",
    );
    unseen("AWS::SecretsManager::Secret", r#"{"SecretString": "x"}"#, r#"{"Id": "x"}"#, "SecretString");
    unseen("AWS::Lambda::Function", r#"{"Code": {"S3Bucket": "b", "S3Key": "k"}}"#, r#"{"Arn": "x"}"#, "Code");
    unseen("AWS::KMS::Key", r#"{"PendingWindowInDays": 7}"#, r#"{"KeyId": "x"}"#, "PendingWindowInDays");
    unseen("AWS::Cognito::UserPoolClient", r#"{"GenerateSecret": true}"#, r#"{"ClientId": "x"}"#, "GenerateSecret");
}

#[test]
fn parameters_without_values_and_secrets_are_not_compared() {
    check_one(
        "AWS::RDS::DBInstance",
        r#"{"MasterUsername": {"Ref": "Open"}, "MasterUserPassword": {"Ref": "Secret"}}"#,
        r#"{"MasterUsername": "admin", "MasterUserPassword": "hunter2"}"#,
        &["uncompared Properties.MasterUsername", "uncompared Properties.MasterUserPassword"],
    );
    check_one(
        "AWS::Lambda::Function",
        r#"{"Environment": {"Variables": {"API_TOKEN": "a"}}}"#,
        r#"{"Environment": {"Variables": {"API_TOKEN": "b"}}}"#,
        &["Drifted A", r#"Properties.Environment.Variables.API_TOKEN "{{Secret}}" "{{Secret}}" Medium"#],
    );
}

#[test]
fn lists_in_lists_have_a_bound() {
    let list = |item: &str| format!("[{}]", vec![format!(r#"{{"L": {item}}}"#); 20].join(","));
    let [own, other] = ["1", "2"].map(|leaf| format!(r#"{{"L": {}}}"#, list(&list(&list(leaf)))));
    let [own, other] = [own, other].map(|text| {
        let properties = json::parse_computed(&ArcStr::from(text), 100).unwrap();
        Value::object(vec![Member::new("Properties", properties)])
    });
    let found = BodyComparison::new(CloudRules::Aws, false).resource(&own, &other);
    // Without a bound, 8,000 leaves would be compared with each other.
    assert_eq!(found.changes.len() + found.more, 8_000);
}
