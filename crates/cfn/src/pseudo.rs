//! Pseudo parameters, such as `AWS::Region`.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/pseudo-parameter-reference.html>.

use crate::given::Arguments;
use crate::value::{Ends, Kind, Unknown, Value};

/// Pseudo parameter that removes the property whose value it is.
pub(super) const NO_VALUE: &str = "AWS::NoValue";

/// The pseudo parameters that have a value, sorted.
pub(super) const NAMES: [&str; 7] = [
    "AWS::AccountId",
    "AWS::NotificationARNs",
    "AWS::Partition",
    "AWS::Region",
    "AWS::StackId",
    "AWS::StackName",
    "AWS::URLSuffix",
];

/// Returns the value of a pseudo parameter: given by the user, derived from the region that the user gave, or unknown.
/// `None` for any other name.
pub(super) fn value(name: &str, given: &Arguments) -> Option<Value> {
    if !NAMES.contains(&name) {
        return None;
    }
    if let Some(value) = given.get(name) {
        return Some(value.clone());
    }
    let region = given.get("AWS::Region").and_then(Value::as_str);
    if let Some(known) = region.and_then(|region| of_region(name, region)) {
        return Some(Value::from(known));
    }
    let kind = if name == "AWS::NotificationARNs" { Kind::Array } else { Kind::String };
    let why = format!("only a deployment knows `{name}`");
    Some(Value::unknown(match kind {
        Kind::String => {
            let ends = Ends { is_filled: true, ..Ends::default() };
            Unknown::like(kind, why, Value::from(format!("${{{name}}}"))).between(ends)
        }
        _ => Unknown::new(kind, why),
    }))
}

/// Returns the value of a pseudo parameter that the region determines.
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
