//! Pseudo parameters: `AWS::Region` and its kin.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/pseudo-parameter-reference.html>.

use crate::cfn::given::Arguments;
use crate::value::{Kind, Unknown, Value};

/// Takes the property away that it is the value of.
pub(super) const NO_VALUE: &str = "AWS::NoValue";

/// All that have a value.
pub(super) const NAMES: [&str; 7] = [
    "AWS::AccountId",
    "AWS::NotificationARNs",
    "AWS::Partition",
    "AWS::Region",
    "AWS::StackId",
    "AWS::StackName",
    "AWS::URLSuffix",
];

/// The value of a pseudo parameter: what the user gave, what follows from the region that he gave, or unknown. `None`
/// for any other name.
pub(super) fn value(name: &str, given: &Arguments) -> Option<Value> {
    if !NAMES.contains(&name) {
        return None;
    }
    if let Some(value) = given.get(name) {
        return Some(value.clone());
    }
    let region = given.get("AWS::Region").and_then(Value::as_str);
    if let Some(known) = region.and_then(|it| of_region(name, it)) {
        return Some(Value::from(known));
    }
    let kind = if name == "AWS::NotificationARNs" { Kind::Array } else { Kind::String };
    let why = format!("only a deployment knows `{name}`");
    Some(Value::unknown(match kind {
        Kind::String => Unknown::like(kind, why, Value::from(format!("${{{name}}}"))),
        _ => Unknown::new(kind, why),
    }))
}

/// What a region determines.
fn of_region(name: &str, region: &str) -> Option<&'static str> {
    let is_china = region.starts_with("cn-");
    match name {
        "AWS::Partition" if is_china => Some("aws-cn"),
        "AWS::Partition" if region.starts_with("us-gov-") => Some("aws-us-gov"),
        "AWS::Partition" => Some("aws"),
        "AWS::URLSuffix" if is_china => Some("amazonaws.com.cn"),
        "AWS::URLSuffix" => Some("amazonaws.com"),
        _ => None,
    }
}
