//! Keys and attributes of `DynamoDB` tables.

use std::collections::BTreeSet;

use crate::checks::{SCHEMA_COMBINATION, SCHEMA_LENGTH, SCHEMA_MISSING_PROPERTY, SCHEMA_VALUE};
use crate::published::facts::{FactViolation, member, text};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// Properties of a table that list its indexes.
const INDEXES: [&str; 2] = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"];

/// Reports attributes that a table does not declare although a key uses them, and declared ones that no key uses.
/// Reference:
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html>.
pub(super) fn keys(table: &Value) -> Vec<FactViolation<'_>> {
    compare(table).unwrap_or_default()
}

/// Reports a key schema that is not a partition key, optionally followed by a sort key. Reference:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_KeySchemaElement.html>.
pub(super) fn order(key: &Value) -> Vec<FactViolation<'_>> {
    let parts = key.as_array().unwrap_or_default().iter().enumerate();
    parts
        .filter_map(|(at, part)| {
            let kind = text(member(part, "KeyType")?)?;
            let expected = if at == 0 { "HASH" } else { "RANGE" };
            let message = format!("`KeyType` of item {at} is `{kind}`; expected `{expected}`");
            let steps = [MisfitStep::Item(at), MisfitStep::Member("KeyType")];
            (kind != expected).then(|| FactViolation::new(SCHEMA_VALUE, &steps, message))
        })
        .collect()
}

/// Reports a global secondary index with more than four attributes in its partition key or sort key. Reference:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.DesignPattern.MultiAttributeKeys.html>.
pub(super) fn attributes(key: &Value) -> Vec<FactViolation<'_>> {
    const MAX: usize = 4;
    let parts = key.as_array().unwrap_or_default();
    let kinds: Vec<Option<&str>> = parts.iter().map(|part| member(part, "KeyType").and_then(text)).collect();
    let mut violations = Vec::new();
    if let Some(kind) = kinds.first().copied().flatten().filter(|kind| *kind != "HASH") {
        let message = format!("`KeyType` of item 0 is `{kind}`; expected `HASH`");
        violations.push(FactViolation::new(
            SCHEMA_VALUE,
            &[MisfitStep::Item(0), MisfitStep::Member("KeyType")],
            message,
        ));
    }
    for name in ["HASH", "RANGE"] {
        let count = kinds.iter().filter(|kind| **kind == Some(name)).count();
        if count > MAX {
            let message =
                format!("a key of an index has {count} attributes with the `KeyType` `{name}`; expected at most {MAX}");
            violations.push(FactViolation::new(SCHEMA_LENGTH, &[], message));
        }
    }
    violations
}

/// Returns the violations of [`keys`]. `None` if a name that matters is not known.
fn compare(table: &Value) -> Option<Vec<FactViolation<'_>>> {
    let declared = names(list(table, "AttributeDefinitions")?)?;
    let mut used = names(list(table, "KeySchema")?)?;
    for name in INDEXES {
        for index in list(table, name)? {
            used.extend(names(list(index, "KeySchema")?)?);
        }
    }
    let steps = [MisfitStep::Member("AttributeDefinitions")];
    if declared.is_empty() && member(table, "AttributeDefinitions").is_none() && !used.is_empty() {
        let message = "`AWS::DynamoDB::Table` lacks `AttributeDefinitions`, which the attributes of its keys need";
        return Some(vec![FactViolation::new(SCHEMA_MISSING_PROPERTY, &steps, message.to_owned())]);
    }
    let mut violations = Vec::new();
    for name in used.difference(&declared) {
        let message = format!("`AttributeDefinitions` lacks `{name}`, which a key uses");
        violations.push(FactViolation::new(SCHEMA_COMBINATION, &steps, message));
    }
    for name in declared.difference(&used) {
        let message = format!("`AttributeDefinitions` has `{name}`, which no key uses");
        violations.push(FactViolation::new(SCHEMA_COMBINATION, &steps, message));
    }
    Some(violations)
}

/// Returns a list; empty if it is absent, `None` if it is not known.
fn list<'a>(value: &'a Value, name: &str) -> Option<&'a [Value]> {
    match member(value, name) {
        None => value.as_object().map(|_| &[] as &[Value]),
        Some(list) => list.as_array(),
    }
}

fn names(attributes: &[Value]) -> Option<BTreeSet<&str>> {
    attributes.iter().map(|attribute| text(member(attribute, "AttributeName")?)).collect()
}
