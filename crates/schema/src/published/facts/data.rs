//! Keys and attributes of the tables of `DynamoDB`.

use std::collections::BTreeSet;

use crate::diagnostic::Check;
use crate::published::facts::{Remark, member, text};
use crate::published::misfit::Step;
use crate::value::Value;

/// The lists of indexes of a table.
const INDEXES: [&str; 2] = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"];

/// A table declares the attributes of its keys and those of its indexes, and no others. Reference:
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html>.
pub(super) fn keys(table: &Value) -> Vec<Remark<'_>> {
    compare(table).unwrap_or_default()
}

/// A key is a partition key, perhaps with a sort key after it. Reference:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_KeySchemaElement.html>.
pub(super) fn order(key: &Value) -> Vec<Remark<'_>> {
    let parts = key.as_array().unwrap_or_default().iter().enumerate();
    let remark = |(at, part)| {
        let kind = text(member(part, "KeyType")?)?;
        let expected = if at == 0 { "HASH" } else { "RANGE" };
        let message = format!("`KeyType` of item {at} is `{kind}`; expected `{expected}`");
        let steps = [Step::Item(at), Step::Member("KeyType")];
        (kind != expected).then(|| Remark::new(Check::SchemaValue, &steps, message))
    };
    parts.filter_map(remark).collect()
}

/// Each of the two keys of a global secondary index has up to four attributes. Reference:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.DesignPattern.MultiAttributeKeys.html>.
pub(super) fn attributes(key: &Value) -> Vec<Remark<'_>> {
    const MAX: usize = 4;
    let parts = key.as_array().unwrap_or_default();
    let kind = |part| text(member(part, "KeyType")?);
    let mut remarks = Vec::new();
    if let Some(kind) = parts.first().and_then(kind).filter(|kind| *kind != "HASH") {
        let message = format!("`KeyType` of item 0 is `{kind}`; expected `HASH`");
        remarks.push(Remark::new(Check::SchemaValue, &[Step::Item(0), Step::Member("KeyType")], message));
    }
    for name in ["HASH", "RANGE"] {
        let count = parts.iter().filter(|part| kind(part) == Some(name)).count();
        if count > MAX {
            let message =
                format!("a key of an index has {count} attributes with the `KeyType` `{name}`; expected at most {MAX}");
            remarks.push(Remark::new(Check::SchemaLength, &[], message));
        }
    }
    remarks
}

/// `None` if something that counts is not known.
fn compare(table: &Value) -> Option<Vec<Remark<'_>>> {
    let declared = names(list(table, "AttributeDefinitions")?)?;
    let mut used = names(list(table, "KeySchema")?)?;
    for name in INDEXES {
        for index in list(table, name)? {
            used.extend(names(list(index, "KeySchema")?)?);
        }
    }
    let steps = [Step::Member("AttributeDefinitions")];
    if declared.is_empty() && member(table, "AttributeDefinitions").is_none() && !used.is_empty() {
        let message = "`AWS::DynamoDB::Table` lacks `AttributeDefinitions`, which the attributes of its keys need";
        return Some(vec![Remark::new(Check::SchemaMissingProperty, &steps, message.to_owned())]);
    }
    let mut remarks = Vec::new();
    for name in used.difference(&declared) {
        let message = format!("`AttributeDefinitions` lacks `{name}`, which a key uses");
        remarks.push(Remark::new(Check::SchemaCombination, &steps, message));
    }
    for name in declared.difference(&used) {
        let message = format!("`AttributeDefinitions` has `{name}`, which no key uses");
        remarks.push(Remark::new(Check::SchemaCombination, &steps, message));
    }
    Some(remarks)
}

/// A list that is known, or not there.
fn list<'a>(value: &'a Value, name: &str) -> Option<&'a [Value]> {
    match member(value, name) {
        None => value.as_object().map(|_| &[] as &[Value]),
        Some(list) => list.as_array(),
    }
}

fn names(attributes: &[Value]) -> Option<BTreeSet<&str>> {
    attributes.iter().map(|attribute| text(member(attribute, "AttributeName")?)).collect()
}
