//! Tests of the findings about resources: types, properties, and rules that schemas lack.

use arcstr::ArcStr;

use super::{DescribedType, cloudformation, facts, has_macro, judge_properties, provider_of};
use crate::published::message::message;
use crate::published::tolerance::Cloud;
use crate::value::{Data, Kind, Member, Str, Unknown, Value};

#[test]
fn a_transform_that_is_not_of_aws_is_a_macro() {
    let template = |transform: Value| Value::object(vec![Member::new("Transform", transform)]);
    assert!(has_macro(&template(Value::from("Explode"))));
    assert!(!has_macro(&template(Value::from("AWS::Serverless-2016-10-31"))));
}

/// Checks the findings about the properties of a resource, written as JSON. `"?"` stands for an unknown value, and
/// `"?no"` for one that may be missing.
#[track_caller]
fn check(type_name: &str, properties: &str, expected: &[&str]) {
    let properties = formwork_syntax::json::parse_computed(&ArcStr::from(properties), 50).expect("it is JSON");
    let properties = unknown(&properties);
    let block = cloudformation().and_then(|pack| pack.provider(provider_of(type_name))).expect("there is a provider");
    let found = DescribedType::new(block, type_name).expect("there is a type");
    let misfits = found.bodies(None).into_iter().flat_map(|body| judge_properties(block, body, &properties).0);
    let mut messages: Vec<String> = misfits.map(|misfit| message(&misfit, type_name, Cloud::Aws)).collect();
    messages.extend(facts::check_values(type_name, &properties).into_iter().map(|found| found.violation.message));
    messages.sort();
    assert_eq!(messages, expected, "{type_name}");
}

fn unknown(value: &Value) -> Value {
    match &value.data {
        Data::String(text) if text.starts_with('?') => {
            let is_optional = &**text == "?no";
            Value::unknown(Unknown { is_optional, ..Unknown::new(Kind::Any, Str::from("a test does not say it")) })
        }
        Data::Array(items) => Value::array(items.iter().map(unknown).collect()),
        Data::Object(members) => {
            let member = |member: &Member| Member { value: unknown(&member.value), ..member.clone() };
            Value::object(members.iter().map(member).collect())
        }
        _ => value.clone(),
    }
}

#[test]
fn a_rule_holds_under_a_condition() {
    let rule = |rule: &str| format!(r#"{{"GroupDescription": "x", "SecurityGroupIngress": [{rule}]}}"#);
    let group = |text: &str, expected: &[&str]| check("AWS::EC2::SecurityGroup", &rule(text), expected);
    group(r#"{"IpProtocol": "tcp", "CidrIp": "10.0.0.0/8", "FromPort": 1, "ToPort": 2}"#, &[]);
    group(
        r#"{"IpProtocol": 6, "CidrIp": "10.0.0.0/8", "FromPort": 1}"#,
        &["an item of `SecurityGroupIngress` lacks the required property `ToPort` when `IpProtocol` is `6`"],
    );
    group(r#"{"IpProtocol": -1, "CidrIp": "10.0.0.0/8"}"#, &[]);
    group(r#"{"IpProtocol": "?", "CidrIp": "10.0.0.0/8"}"#, &[]);
    group(r#"{"IpProtocol": "tcp", "CidrIp": "10.0.0.0/8", "FromPort": "?no", "ToPort": "?no"}"#, &[]);
}

#[test]
fn properties_exclude_each_other() {
    let check = |properties: &str, expected: &[&str]| check("AWS::EC2::Subnet", properties, expected);
    check(r#"{"AvailabilityZone": "us-east-1a", "VpcId": "?", "CidrBlock": "?"}"#, &[]);
    check(
        r#"{"AvailabilityZone": "us-east-1a", "AvailabilityZoneId": "use1-az1", "VpcId": "?", "CidrBlock": "?"}"#,
        &[
            "`AvailabilityZoneId` cannot be set beside `AvailabilityZone`",
            "`AvailabilityZone` cannot be set beside `AvailabilityZoneId`",
        ],
    );
    check(r#"{"AvailabilityZone": "us-east-1a", "AvailabilityZoneId": "?no", "VpcId": "?", "CidrBlock": "?"}"#, &[]);
}

#[test]
fn an_empty_list_excludes_nothing() {
    let alarm = |dimensions: &str| {
        format!(
            r#"{{"ComparisonOperator": "GreaterThanThreshold", "EvaluationPeriods": 1, "Threshold": 1, "Metrics":
            [{{"Id": "m", "Expression": "1"}}], "Dimensions": {dimensions}}}"#
        )
    };
    let check = |dimensions: &str, expected: &[&str]| check("AWS::CloudWatch::Alarm", &alarm(dimensions), expected);
    check("[]", &[]);
    check(r#"[{"Name": "a", "Value": "b"}]"#, &["`Dimensions` cannot be set beside `Metrics`"]);
}

#[test]
fn a_property_is_forbidden_by_the_value_of_another() {
    let check = |properties: &str, expected: &[&str]| check("AWS::Route53::RecordSet", properties, expected);
    check(r#"{"HostedZoneId": "Z1", "Name": "a.b.", "Type": "A", "TTL": "1", "ResourceRecords": ["1.2.3.4"]}"#, &[]);
    check(
        r#"{"HostedZoneId": "Z1", "Name": "a.b.", "Type": "A", "TTL": "1", "ResourceRecords": ["1.2.3.400", "?"]}"#,
        &["item 0 is `1.2.3.400`; expected an IPv4 address when `Type` is `A`"],
    );
    check(
        r#"{"HostedZoneId": "Z1", "Name": "a.b.", "Type": "A", "TTL": "1", "AliasTarget": {"DNSName": "c", "HostedZoneId": "Z"}}"#,
        &["`TTL` cannot be set when `AliasTarget` is set"],
    );
}

/// Checks the findings about properties, apart from those of the schema.
#[track_caller]
fn check_facts(type_name: &str, properties: &str, expected: &[&str]) {
    let properties = formwork_syntax::json::parse_computed(&ArcStr::from(properties), 50).expect("it is JSON");
    let properties = unknown(&properties);
    let messages: Vec<String> =
        facts::check_values(type_name, &properties).into_iter().map(|found| found.violation.message).collect();
    assert_eq!(messages, expected, "{properties:?}");
}

#[test]
fn a_region_is_not_a_zone() {
    let check = |zone: &str, expected: &[&str]| {
        check_facts("AWS::RDS::DBCluster", &format!(r#"{{"AvailabilityZones": [{zone}]}}"#), expected);
    };
    check(r#""eu-west-1a", "us-west-2-lax-1a", "?""#, &[]);
    check(
        r#""eu-west-1a", "eu-west-1""#,
        &["`eu-west-1` is a Region; expected one of its Availability Zones, such as `eu-west-1a`"],
    );
}

#[test]
fn an_engine_may_be_misspelled() {
    let check = |engine: &str, expected: &[&str]| {
        check_facts("AWS::RDS::DBInstance", &format!(r#"{{"Engine": "{engine}"}}"#), expected);
    };
    for engine in ["postgres", "MySQL", "aurora-mysql", "oracle-se3", "another", "?"] {
        check(engine, &[]);
    }
    check("postgresql", &["`Engine` is `postgresql`, which RDS does not name; did you mean `postgres`?"]);
    check(
        "aurora-postgres",
        &["`Engine` is `aurora-postgres`, which RDS does not name; did you mean `aurora-postgresql`?"],
    );
}

#[test]
fn items_differ() {
    let check = |arns: &str, expected: &[&str]| {
        check("AWS::IAM::Group", &format!(r#"{{"ManagedPolicyArns": [{arns}]}}"#), expected);
    };
    check(r#""arn:aws:iam::aws:policy/A", "arn:aws:iam::aws:policy/B", "?", "?""#, &[]);
    check(
        r#""arn:aws:iam::aws:policy/A", "arn:aws:iam::aws:policy/A""#,
        &["item 1 of `ManagedPolicyArns` repeats an earlier item"],
    );
}

#[test]
fn one_of_several_formats() {
    let check = |key: &str, expected: &[&str]| {
        check(
            "AWS::EC2::Volume",
            &format!(r#"{{"AvailabilityZone": "us-east-1a", "Size": 1, "KmsKeyId": "{key}"}}"#),
            expected,
        );
    };
    check("alias/x", &[]);
    check("arn:aws:kms:us-east-1:123456789012:key/12345678-1234-1234-1234-123456789012", &[]);
    check("?", &[]);
    check(
        "aws/x",
        &[
            "`KmsKeyId` is `aws/x`; expected the ARN of a key, the ID of a key, or the name of an alias, such as `alias/x`",
        ],
    );
}

#[test]
fn keys_of_tables() {
    let table = |attributes: &str| {
        let attributes: Vec<String> =
            attributes.chars().map(|name| format!(r#"{{"AttributeName": "{name}", "AttributeType": "S"}}"#)).collect();
        format!(
            r#"{{"BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{}], "KeySchema": [{{"AttributeName": "a", "KeyType": "HASH"}}]}}"#,
            attributes.join(", ")
        )
    };
    check("AWS::DynamoDB::Table", &table("a"), &[]);
    check("AWS::DynamoDB::Table", &table("ab"), &["`AttributeDefinitions` has `b`, which no key uses"]);
    check(
        "AWS::DynamoDB::Table",
        r#"{"BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "a", "KeyType": "RANGE"}]}"#,
        &[
            "`AWS::DynamoDB::Table` lacks `AttributeDefinitions`, which the attributes of its keys need",
            "`KeyType` of item 0 is `RANGE`; expected `HASH`",
        ],
    );
    check(
        "AWS::DynamoDB::Table",
        &table("b"),
        &["`AttributeDefinitions` has `b`, which no key uses", "`AttributeDefinitions` lacks `a`, which a key uses"],
    );
}

#[test]
fn the_keys_of_a_global_index_have_up_to_four_attributes() {
    let table = |kinds: &[&str]| {
        let names = || (0..kinds.len()).map(|at| format!(r#""AttributeName": "a{at}""#));
        let declared: Vec<String> = names().map(|name| format!(r#"{{{name}, "AttributeType": "S"}}"#)).collect();
        let key = names().zip(kinds).map(|(name, kind)| format!(r#"{{{name}, "KeyType": "{kind}"}}"#));
        let key: Vec<String> = key.collect();
        format!(
            r#"{{"BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{}],
                "KeySchema": [{{"AttributeName": "a0", "KeyType": "HASH"}}],
                "GlobalSecondaryIndexes": [{{"IndexName": "abc", "Projection": {{}}, "KeySchema": [{}]}}]}}"#,
            declared.join(", "),
            key.join(", ")
        )
    };
    let check = |kinds: &[&str], expected: &[&str]| check("AWS::DynamoDB::Table", &table(kinds), expected);
    check(&["HASH", "HASH"], &[]);
    check(&["HASH", "HASH", "HASH", "HASH", "RANGE", "RANGE", "RANGE", "RANGE"], &[]);
    check(&["RANGE"], &["`KeyType` of item 0 is `RANGE`; expected `HASH`"]);
    check(
        &["HASH", "HASH", "HASH", "HASH", "HASH"],
        &["a key of an index has 5 attributes with the `KeyType` `HASH`; expected at most 4"],
    );
}

#[test]
fn artifacts_of_pipelines() {
    let pipeline = |input: &str| {
        let action = |name: &str, category: &str, more: &str| {
            format!(
                r#"{{"Name": "{name}", "Actions": [{{"Name": "{name}", "ActionTypeId": {{"Category": "{category}", "Owner": "AWS", "Provider": "S3", "Version": "1"}}, {more}}}]}}"#
            )
        };
        let source = action("s", "Source", r#""OutputArtifacts": [{"Name": "a"}]"#);
        let target = action("d", "Deploy", &format!(r#""InputArtifacts": [{{"Name": "{input}"}}]"#));
        format!(
            r#"{{"RoleArn": "arn:aws:iam::123456789012:role/x", "ArtifactStore": {{"Type": "S3", "Location": "b"}}, "Stages": [{source}, {target}]}}"#
        )
    };
    check("AWS::CodePipeline::Pipeline", &pipeline("a"), &[]);
    check("AWS::CodePipeline::Pipeline", &pipeline("b"), &["no action before this one gives the artifact `b`"]);
    check("AWS::CodePipeline::Pipeline", &pipeline("?"), &[]);
}

#[test]
fn sizes_and_days() {
    let group = |min: &str, max: &str| {
        format!(
            r#"{{"MinSize": "{min}", "MaxSize": "{max}", "LaunchConfigurationName": "x", "AvailabilityZones": ["a"]}}"#
        )
    };
    check("AWS::AutoScaling::AutoScalingGroup", &group("1", "3"), &[]);
    check(
        "AWS::AutoScaling::AutoScalingGroup",
        &group("3", "1"),
        &["`MaxSize` is 1; expected at least 3, the `MinSize`"],
    );
    check("AWS::AutoScaling::AutoScalingGroup", &group("?", "1"), &[]);
}

#[test]
fn ports_from_the_lower_to_the_higher() {
    let rule = |protocol: &str, from: &str, to: &str| {
        format!(
            r#"{{"GroupId": "sg-0123456789abcdef0", "IpProtocol": "{protocol}", "FromPort": {from}, "ToPort": {to}, "CidrIp": "10.0.0.0/8"}}"#
        )
    };
    let ingress = "AWS::EC2::SecurityGroupIngress";
    check(ingress, &rule("tcp", "443", "80"), &["`ToPort` is 80; expected at least 443, the `FromPort`"]);
    check(ingress, &rule("tcp", "80", "443"), &[]);
    check(ingress, &rule("icmp", "8", "-1"), &[]);
}
