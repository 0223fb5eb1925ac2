//! Large CloudFormation templates, and rulesets for them.

use std::fmt::Write as _;

use serde_json::Value;

/// 20 rules: 10 plain, 5 with wildcards, 2 with `|OR|`, 2 with `WHEN`, 1 with a variable.
pub(crate) const RULESET: &str = "\
let stages = [dev,test,prod]
AWS::EC2::Volume Size <= 990
AWS::EC2::Volume Encrypted == true
AWS::EC2::Volume VolumeType != io1
AWS::S3::Bucket AccessControl != PublicRead << a bucket is not public
AWS::S3::Bucket BucketName == /^[a-z0-9-]+$/
AWS::S3::Bucket .DeletionPolicy == Retain
AWS::Lambda::Function MemorySize >= 128
AWS::Lambda::Function Runtime NOT_IN [python2.7, nodejs8.10]
AWS::Lambda::Function Timeout < 900
AWS::EC2::SecurityGroup GroupDescription != /password/
AWS::EC2::SecurityGroup SecurityGroupIngress.*.CidrIp != 0.0.0.0/0
AWS::EC2::SecurityGroup SecurityGroupIngress.*.FromPort NOT_IN [22, 3389]
AWS::EC2::Volume Tags.*.Key == Owner
AWS::S3::Bucket Tags.*.Value != secret
AWS::Lambda::Function Tags.*.Key IN [Owner, Team]
AWS::EC2::Volume VolumeType == gp3 |OR| AWS::EC2::Volume VolumeType == gp2
AWS::Lambda::Function Runtime == /^python3/ |OR| AWS::Lambda::Function Runtime == /^nodejs/
AWS::EC2::Volume WHEN VolumeType == io2 CHECK Iops <= 64000
AWS::S3::Bucket WHEN Tags.*.Value == prod CHECK .DeletionPolicy == Retain
AWS::S3::Bucket Stage IN %stages
";

/// Four rules, each of which every resource of its type breaks.
pub(crate) const FINDINGS_RULESET: &str = "\
AWS::EC2::Volume Size > 1000
AWS::S3::Bucket BucketName == one
AWS::Lambda::Function MemorySize > 1000
AWS::EC2::SecurityGroup GroupDescription == one
";

/// A template of about 490 bytes a resource; one in 25 breaks a rule.
pub(crate) fn stack(resources: usize) -> String {
    let mut text = String::from("{\n\"AWSTemplateFormatVersion\": \"2010-09-09\",\n\"Resources\": {\n");
    for at in 0..resources {
        let comma = if at + 1 < resources { "," } else { "" };
        let _ = writeln!(text, "\"Resource{at}\": {}{comma}", resource(at));
    }
    text.push_str("}\n}\n");
    text
}

/// The same template in YAML, each member on a line of its own.
pub(crate) fn yaml(resources: usize) -> String {
    let mut text = String::from("AWSTemplateFormatVersion: \"2010-09-09\"\nResources:\n");
    for at in 0..resources {
        let _ = writeln!(text, "  Resource{at}:");
        let value = serde_json::from_str(&resource(at)).unwrap_or_default();
        block(&value, "    ", &mut text);
    }
    text
}

/// Writes the members of an object, or the items of an array, in the block style of YAML.
fn block(value: &Value, indent: &str, text: &mut String) {
    let deeper = format!("{indent}  ");
    let mut entry = |start: &str, value: &Value| match value {
        Value::Array(_) | Value::Object(_) => {
            let _ = writeln!(text, "{indent}{start}");
            block(value, &deeper, text);
        }
        scalar => {
            let _ = writeln!(text, "{indent}{start} {scalar}");
        }
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| entry(&format!("{key}:"), value)),
        Value::Array(items) => items.iter().for_each(|value| entry("-", value)),
        _ => {}
    }
}

fn resource(at: usize) -> String {
    let stage = ["dev", "test", "prod"][at % 3];
    let is_wrong = at.is_multiple_of(25);
    let filler = "x".repeat(150);
    let tags = format!(
        r#"[{{"Key": "Owner", "Value": "team-{}"}}, {{"Key": "Stage", "Value": "{stage}"}}, {{"Key": "Purpose", "Value": "{filler}"}}]"#,
        at % 40
    );
    let (type_name, properties) = match at % 4 {
        0 => (
            "AWS::EC2::Volume",
            format!(r#""Size": {}, "Encrypted": {}, "VolumeType": "gp3", "Iops": 3000"#, at % 500, !is_wrong),
        ),
        1 => (
            "AWS::S3::Bucket",
            format!(
                r#""BucketName": "bucket-{at}", "AccessControl": "{}", "Stage": "{stage}""#,
                if is_wrong { "PublicRead" } else { "Private" }
            ),
        ),
        2 => (
            "AWS::Lambda::Function",
            format!(
                r#""MemorySize": 256, "Runtime": "python3.12", "Timeout": {}, "Handler": "index.handler""#,
                if is_wrong { 900 } else { 30 }
            ),
        ),
        _ => (
            "AWS::EC2::SecurityGroup",
            format!(
                r#""GroupDescription": "group {at}", "SecurityGroupIngress": [{{"CidrIp": "10.0.{}.0/24", "FromPort": {}, "ToPort": 443}}]"#,
                at % 250,
                if is_wrong { 22 } else { 443 }
            ),
        ),
    };
    format!(r#"{{"Type": "{type_name}", "DeletionPolicy": "Retain", "Properties": {{{properties}, "Tags": {tags}}}}}"#)
}

/// One rule with a wildcard over objects of which no two have a name in common.
pub(crate) const KEYS_RULESET: &str = "AWS::Glue::Table Parameters.* != forbidden\n";

/// A template of resources with an object of `keys` members each, whose names are all different.
pub(crate) fn distinct_keys(resources: usize, keys: usize) -> String {
    let mut text = String::from("{\"AWSTemplateFormatVersion\": \"2010-09-09\", \"Resources\": {\n");
    for at in 0..resources {
        let members: Vec<String> = (0..keys).map(|key| format!("\"key{at}x{key}\": \"value\"")).collect();
        let comma = if at + 1 < resources { "," } else { "" };
        let members = members.join(", ");
        let _ = writeln!(
            text,
            r#""Table{at}": {{"Type": "AWS::Glue::Table", "Properties": {{"Parameters": {{{members}}}}}}}{comma}"#
        );
    }
    text.push_str("}}\n");
    text
}
