//! Names and identifiers of resources in AWS.

use crate::value::{Str, Value};

/// The tag with the logical ID of a resource that CloudFormation deployed.
const LOGICAL_ID: &str = "aws:cloudformation:logical-id";

/// Returns the properties that name a resource of a type: `BucketName` and `Name` of `AWS::S3::Bucket`.
fn names_of(type_name: &str) -> [String; 4] {
    let last = type_name.rsplit("::").next().unwrap_or_default();
    [format!("{last}Name"), "Name".to_owned(), format!("{last}Identifier"), format!("{last}Id")]
}

/// Returns the texts by which a resource is found: the parts of its identifier, and its names.
pub(crate) fn words<'a>(type_name: &str, identifier: &'a str, properties: &'a Value) -> Vec<&'a str> {
    let mut words: Vec<&str> = identifier.split('|').collect();
    words.extend(names_of(type_name).iter().filter_map(|name| properties.get(name)?.as_str()));
    words.sort_unstable();
    words.dedup();
    words
}

/// True if a template names a resource.
pub(crate) fn has_name(type_name: &str, properties: &Value) -> bool {
    names_of(type_name).iter().any(|name| properties.get(name).is_some_and(|value| value.as_str().is_some()))
}

/// True if a resource that exists has the identifier or the name that a template gives it.
pub(crate) fn is_identified(type_name: &str, template: &Value, identifier: &str, live: &Value) -> bool {
    names_of(type_name).iter().any(|name| is_equal(template, live, name))
        || identifier.split('|').all(|part| has_part(template, live, part))
}

/// True if both sides have the same text at a property.
fn is_equal(template: &Value, live: &Value, name: &str) -> bool {
    let text = template.get(name).and_then(Value::as_str);
    text.is_some() && text == live.get(name).and_then(Value::as_str)
}

/// True if a template sets a part of an identifier. Some properties that identify a resource are not returned.
fn has_part(template: &Value, live: &Value, part: &str) -> bool {
    let mut members = template.as_object().into_iter().flatten();
    members.any(|member| {
        member.value.as_str() == Some(part)
            && (live.get(&member.key).is_none() || is_equal(template, live, &member.key))
    })
}

/// Returns the logical ID in the tags of a resource, which are a list or an object.
pub(crate) fn logical_id(properties: &Value) -> Option<&Str> {
    let tags = properties.get("Tags")?;
    let Some(list) = tags.as_array() else { return tags.as_object()?.get_exact(LOGICAL_ID)?.as_shared_str() };
    let tag = list.iter().find(|tag| tag.get("Key").and_then(Value::as_str) == Some(LOGICAL_ID))?;
    tag.get("Value")?.as_shared_str()
}

/// True for types that exist only inside of CloudFormation.
pub(crate) fn is_of_stack_only(type_name: &str) -> bool {
    ["Custom::", "AWS::CloudFormation::", "AWS::CDK::"].iter().any(|prefix| type_name.starts_with(prefix))
}
