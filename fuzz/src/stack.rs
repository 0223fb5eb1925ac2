//! Templates of CloudFormation and AWS SAM, with all functions, conditions, and loops, in JSON or in YAML with short forms.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

use crate::{Bytes, MANY, any, members, scalar, seldom, several};

const NAMES: &[&str] = &["r0", "r1", "p0", "p1", "AWS::Region", "AWS::NoValue", "AWS::StackName", "c0", "${x}", "x"];
const CONDITIONS: &[&str] = &["c0", "c1"];
const PROPERTIES: &[&str] = &[
    "Tags",
    "Key",
    "Value",
    "Encrypted",
    "Policies",
    "Events",
    "Runtime",
    "Handler",
    "CodeUri",
    "Path",
    "Method",
    "Type",
    "Properties",
    "BucketName",
    "PolicyDocument",
    "Statement",
    "Effect",
    "Action",
    "Resource",
    "Principal",
    "DefinitionBody",
    "AutoPublishAlias",
    "Environment",
    "Variables",
    "VpcConfig",
    "Auth",
    "StageName",
    "PrimaryKey",
    "Name",
    "Password",
];
const TYPES: &[&str] = &[
    "AWS::S3::Bucket",
    "AWS::EC2::Volume",
    "AWS::EC2::SecurityGroup",
    "AWS::IAM::Role",
    "AWS::IAM::Policy",
    "AWS::RDS::DBInstance",
    "AWS::DynamoDB::Table",
    "AWS::Lambda::Function",
    "AWS::CloudFormation::Stack",
    "AWS::Serverless::Function",
    "AWS::Serverless::Api",
    "AWS::Serverless::HttpApi",
    "AWS::Serverless::SimpleTable",
    "AWS::Serverless::StateMachine",
    "AWS::Serverless::LayerVersion",
    "AWS::Serverless::Application",
    "AWS::Serverless::Connector",
    "AWS::Serverless::GraphQLApi",
    "AWS::EC2::Instance",
    "Custom::X",
    "",
];
const FUNCTIONS: &[&str] = &[
    "Ref",
    "Fn::GetAtt",
    "Fn::Sub",
    "Fn::Join",
    "Fn::Select",
    "Fn::Split",
    "Fn::If",
    "Fn::FindInMap",
    "Fn::Base64",
    "Fn::Cidr",
    "Fn::ImportValue",
    "Fn::GetAZs",
    "Fn::Length",
    "Fn::ToJsonString",
    "Fn::Transform",
    "Fn::Equals",
    "Fn::And",
    "Fn::Or",
    "Fn::Not",
    "Condition",
    "Fn::GetStackOutput",
    "Fn::Unknown",
];

/// The text of a template.
pub fn text(bytes: &[u8]) -> Option<String> {
    let mut bytes = Unstructured::new(bytes);
    let template = stack(&mut bytes).ok()?;
    if bytes.arbitrary().ok()? {
        return serde_json::to_string_pretty(&template).ok();
    }
    let mut out = String::new();
    write(&template, 0, &mut bytes, &mut out).ok()?;
    Some(out)
}

fn stack(bytes: Bytes<'_, '_>) -> Result<Value> {
    let mut all = json!({"AWSTemplateFormatVersion": "2010-09-09"});
    if bytes.arbitrary()? {
        all["Transform"] = json!([
            any(bytes, &["AWS::Serverless-2016-10-31", "AWS::LanguageExtensions", "AWS::Include"])?,
            "AWS::LanguageExtensions"
        ]);
        all["Globals"] = members(bytes, &["Function", "Api", "HttpApi", "SimpleTable"], |bytes| value(bytes, 2))?;
    }
    all["Parameters"] = members(bytes, &["p0", "p1"], parameter)?;
    all["Mappings"] = members(bytes, &["m0", "m1"], |bytes| value(bytes, 2))?;
    all["Conditions"] = members(bytes, CONDITIONS, |bytes| call(bytes, 2))?;
    all["Resources"] = resources(bytes)?;
    all["Outputs"] = members(bytes, &["o0", "o1"], |bytes| {
        Ok(
            json!({"Value": value(bytes, 2)?, "Condition": any(bytes, CONDITIONS)?, "Export": {"Name": value(bytes, 1)?}}),
        )
    })?;
    Ok(all)
}

fn parameter(bytes: Bytes<'_, '_>) -> Result<Value> {
    let kinds = [
        "String",
        "Number",
        "CommaDelimitedList",
        "List<Number>",
        "AWS::SSM::Parameter::Value<String>",
        "AWS::EC2::VPC::Id",
    ];
    let mut own = json!({"Type": any(bytes, &kinds)?});
    for _ in 0..bytes.int_in_range(0..=MANY)? {
        let names = ["Default", "AllowedValues", "AllowedPattern", "MinLength", "MaxValue", "NoEcho"];
        own[any(bytes, &names)?] = if seldom(bytes)? { Value::Array(several(bytes, scalar)?) } else { scalar(bytes)? };
    }
    Ok(own)
}

fn resources(bytes: Bytes<'_, '_>) -> Result<Value> {
    let mut all = Map::new();
    for _ in 0..bytes.int_in_range(1..=MANY)? {
        if seldom(bytes)? {
            let name = any(bytes, &["Fn::ForEach::L0", "Fn::ForEach::L1"])?;
            let body = json!({any(bytes, &["r${x}", "r0"])?: resource(bytes)?});
            all.insert(name.to_owned(), json!([any(bytes, &["x", "y"])?, value(bytes, 1)?, body]));
        } else {
            all.insert(any(bytes, &["r0", "r1", "r2"])?.to_owned(), resource(bytes)?);
        }
    }
    Ok(Value::Object(all))
}

fn resource(bytes: Bytes<'_, '_>) -> Result<Value> {
    let mut own =
        json!({"Type": any(bytes, TYPES)?, "Properties": members(bytes, PROPERTIES, |bytes| value(bytes, 3))?});
    for _ in 0..bytes.int_in_range(0..=2)? {
        match bytes.int_in_range(0..=4)? {
            0 => own["Condition"] = json!(any(bytes, CONDITIONS)?),
            1 => own["DependsOn"] = value(bytes, 1)?,
            2 => own["Metadata"] = value(bytes, 1)?,
            3 => own[any(bytes, &["DeletionPolicy", "UpdateReplacePolicy"])?] = value(bytes, 1)?,
            _ => own["Connectors"] = value(bytes, 2)?,
        }
    }
    Ok(own)
}

fn value(bytes: Bytes<'_, '_>, depth: usize) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=7)? {
        0 | 1 => scalar(bytes)?,
        _ if depth == 0 => json!(any(bytes, NAMES)?),
        2..=4 => call(bytes, depth)?,
        5 => Value::Array(several(bytes, |bytes| value(bytes, depth - 1))?),
        _ => members(bytes, PROPERTIES, |bytes| value(bytes, depth - 1))?,
    })
}

/// A call of a function, with arguments as it has them or not.
fn call(bytes: Bytes<'_, '_>, depth: usize) -> Result<Value> {
    let name = any(bytes, FUNCTIONS)?;
    let depth = depth.saturating_sub(1);
    let argument = match bytes.int_in_range(0..=4)? {
        0 => json!(any(bytes, NAMES)?),
        1 => json!([any(bytes, NAMES)?, value(bytes, depth)?]),
        2 => json!([any(bytes, CONDITIONS)?, value(bytes, depth)?, value(bytes, depth)?]),
        3 => Value::Array(several(bytes, |bytes| call(bytes, depth.saturating_sub(1)))?),
        _ => value(bytes, depth)?,
    };
    Ok(json!({name: argument}))
}

/// Writes a value as YAML, with short forms of functions here and there.
fn write(value: &Value, depth: usize, bytes: Bytes<'_, '_>, out: &mut String) -> Result<()> {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(all) if all.len() == 1 && depth < 40 => {
            let (name, inner) = all.iter().next().ok_or(arbitrary::Error::IncorrectFormat)?;
            let short = name.strip_prefix("Fn::").unwrap_or(name);
            if FUNCTIONS.contains(&name.as_str()) && bytes.arbitrary()? {
                out.push_str(&format!(" !{short}"));
            } else {
                out.push_str(&format!("\n{indent}{}:", json!(name)));
            }
            write(inner, depth + 1, bytes, out)
        }
        Value::Object(all) if !all.is_empty() => all.iter().try_for_each(|(name, inner)| {
            out.push_str(&format!("\n{indent}{name}:"));
            write(inner, depth + 1, bytes, out)
        }),
        Value::Array(items) if !items.is_empty() => items.iter().try_for_each(|item| {
            out.push_str(&format!("\n{indent}-"));
            write(item, depth + 1, bytes, out)
        }),
        other => {
            out.push_str(&format!(" {other}\n"));
            Ok(())
        }
    }
}
