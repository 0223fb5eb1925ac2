//! Risks of changes, according to tables.
//!
//! A risk is about the change, not about its result: rules report problems of the result. **Invariant:** an unknown
//! value is not a risk, except that a property of CloudFormation that gets one may replace its resource. No risk shows
//! a value.

mod table;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;

use crate::diagnostic::Severity;
use crate::pair::{ComparedResource, TypedBody};
use crate::value::Value;
use crate::{Fate, leaves, sets};

use self::table::{RiskRow, RowEvent};
use self::value::{RiskValue, gathered, is_blurred, is_one_of, is_unknown, member, number, word};

/// Kind of a risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskKind {
    /// A new resource replaces the old one.
    Replacement,
    /// A property changes that cannot be changed, so the deployment fails.
    Immutable,
    /// Data are lost, or no longer managed.
    Data,
    /// The resource becomes reachable for more, or someone gains rights.
    Access,
    /// Data or connections lose encryption.
    Encryption,
    /// A protection against deletion is removed.
    Lock,
    /// Backups are lost or no longer made.
    Backup,
    /// Events are no longer recorded or monitored.
    Audit,
    /// The new API version refuses what the resource has.
    Version,
}

impl RiskKind {
    /// All kinds of risks.
    pub const ALL: [Self; 9] = [
        Self::Replacement,
        Self::Immutable,
        Self::Data,
        Self::Access,
        Self::Encryption,
        Self::Lock,
        Self::Backup,
        Self::Audit,
        Self::Version,
    ];

    /// Returns the name in the tables and in machine-readable output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Replacement => "replacement",
            Self::Immutable => "immutable",
            Self::Data => "data",
            Self::Access => "access",
            Self::Encryption => "encryption",
            Self::Lock => "lock",
            Self::Backup => "backup",
            Self::Audit => "audit",
            Self::Version => "version",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A risk of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    /// Severity of the effect.
    pub severity: Severity,
    pub kind: RiskKind,
    /// Description of the effect.
    pub message: String,
    /// Path of the property; `None` for the whole resource.
    pub path: Option<String>,
    /// Documentation page of the effect.
    pub source: &'static str,
}

/// AWS's documentation of replacements.
const REPLACEMENT: &str =
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html";

/// AWS's documentation of changed types of logical IDs.
const TYPE: &str = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html";

/// Risks that are listed per resource.
const MAX_OF_RESOURCE: usize = 50;

/// Returns the risks of changing a resource that both sides deploy.
pub(super) fn of_change(old: TypedBody<'_>, new: TypedBody<'_>) -> Vec<Risk> {
    let type_name = new.type_name;
    let mut risks = Vec::new();
    for row in table::rows(type_name).filter(|row| !row.path.is_empty()) {
        if [old, new].iter().any(|item| is_blurred(item.body, &row.path)) || lacks_array(row, old, new) {
            continue;
        }
        let [before, after] = [old, new].map(|item| value::values_at(item.body, &row.path, new.rules()));
        let mut places: BTreeMap<&String, &String> = before.iter().map(|(key, (path, _))| (key, path)).collect();
        places.extend(after.iter().map(|(key, (path, _))| (key, path)));
        let items = items_of(row, old);
        for (key, path) in places {
            if items.as_ref().is_some_and(|items| !items.iter().any(|item| key.starts_with(item))) {
                continue;
            }
            let [before, after] = [&before, &after].map(|all| all.get(key).map(|(_, found)| *found));
            let happens = happens(row, before, after, new);
            risks.extend(happens.then(|| of_row(row, row.severity, row.message.to_owned(), Some(path.clone()))));
        }
    }
    if new.is_of_stack {
        risks.extend(replacement(old, new));
    }
    finished(risks)
}

/// Returns the risks of a resource that only one side deploys. `other` is its renamed counterpart.
pub(super) fn of_one(
    item: &ComparedResource<'_>,
    is_gone: bool,
    fate: Option<Fate>,
    other: Option<&ComparedResource<'_>>,
) -> Vec<Risk> {
    // Under another name, the same content protects, opens, and records the same, and Azure keeps the first resource.
    let is_renamed = other.is_some_and(|other| item.is_renamed(other));
    if is_renamed && (!is_gone || fate == Some(Fate::Untouched)) {
        return Vec::new();
    }
    let mut risks = Vec::new();
    let item = item.typed();
    for row in table::rows(item.type_name) {
        match (&row.event, is_gone) {
            (RowEvent::Goes, true) if row.path.is_empty() => risks.extend(gone(row, fate, other.is_some())),
            (RowEvent::Appears, false) if row.path.is_empty() => {
                risks.push(of_row(row, row.severity, row.message.to_owned(), None));
            }
            (RowEvent::Becomes { counts_new: true, .. }, false) => {
                let all = value::values_at(item.body, &row.path, item.rules());
                let bad = all.values().filter(|(_, found)| happens(row, None, Some(*found), item));
                risks
                    .extend(bad.map(|(path, _)| of_row(row, row.severity, row.message.to_owned(), Some(path.clone()))));
            }
            _ => {}
        }
    }
    finished(risks)
}

/// True if a row is about an item that is added or removed, and the side without the item does not write the array. Its
/// items may be resources of their own then, and without an array of allowed values, everything may be allowed.
fn lacks_array(row: &RiskRow, old: TypedBody<'_>, new: TypedBody<'_>) -> bool {
    let Some(last) = row.path.iter().rposition(|step| *step == table::RowStep::Items) else { return false };
    let is_item = last + 1 == row.path.len();
    let array = row.path.get(..last).unwrap_or_default();
    let item = match row.event {
        RowEvent::Goes | RowEvent::Leaves(_) => new,
        RowEvent::Appears if is_item => old,
        _ => return false,
    };
    value::values_at(item.body, array, item.rules()).is_empty()
}

/// Returns the keys of the items on the path that the old side has, if the row is only about existing items: a new item
/// with a bad value opens nothing. `None` if new items count, too.
fn items_of(row: &RiskRow, old: TypedBody<'_>) -> Option<Vec<String>> {
    let last = row.path.iter().rposition(|step| *step == table::RowStep::Items)?;
    let is_about_items = matches!(row.event, RowEvent::Becomes { counts_new: false, .. } | RowEvent::Changes { .. });
    let items = is_about_items.then(|| row.path.get(..=last)).flatten()?;
    Some(value::values_at(old.body, items, old.rules()).into_keys().collect())
}

/// Returns the risk of a logical ID whose type changes.
pub(super) fn other_type() -> Risk {
    Risk {
        severity: Severity::High,
        kind: RiskKind::Immutable,
        message: "CloudFormation does not change the type of a logical ID; it needs another one".to_owned(),
        path: Some("Type".to_owned()),
        source: TYPE,
    }
}

/// True if the event of a row happens to a property.
fn happens(row: &RiskRow, old: Option<RiskValue<'_>>, new: Option<RiskValue<'_>>, item: TypedBody<'_>) -> bool {
    let [before, after] = [old, new].map(|found| found.map(|found| found.value));
    let is_known = [before, after].into_iter().flatten().all(|value| !is_unknown(value));

    match &row.event {
        RowEvent::Becomes { values, .. } => {
            let is_bad = |found: RiskValue<'_>| is_one_of(found.value, values) && row.applies_beside(found.around);
            is_known && new.is_some_and(is_bad) && !old.is_some_and(is_bad)
        }
        RowEvent::Leaves(values) => {
            let [had, has] = [before, after].map(|value| value.is_some_and(|value| is_one_of(value, values)));
            is_known && old.is_none_or(|found| row.applies_beside(found.around)) && had && !has
        }
        RowEvent::Changes { missing } => {
            let applies = new.is_none_or(|found| row.applies_beside(found.around));
            is_known && applies && changes(row, *missing, [before, after], item)
        }
        RowEvent::Moves => is_known && before.zip(after).is_some_and(|(old, new)| region(old) != region(new)),
        RowEvent::Falls => {
            let numbers = before.and_then(number).zip(after.and_then(number));
            numbers.is_some_and(|(old, new)| new < old)
        }
        RowEvent::Appears => before.is_none() && after.is_some_and(|value| !is_unknown(value)),
        RowEvent::Goes => before.is_some() && after.is_none(),
    }
}

fn changes(row: &RiskRow, missing: Option<&str>, sides: [Option<&Value>; 2], item: TypedBody<'_>) -> bool {
    match (sides, missing) {
        ([Some(old), Some(new)], _) => {
            !is_same_word(old, new) && !leaves::values(item.rules(), item.type_name, &row.names(), old, new).is_empty()
        }
        ([Some(one), None] | [None, Some(one)], Some(default)) => !is_one_of(one, &[default]),
        _ => false,
    }
}

/// True if two scalars are equal; names in Azure are case-insensitive.
fn is_same_word(old: &Value, new: &Value) -> bool {
    word(old).zip(word(new)).is_some_and(|(old, new)| old.eq_ignore_ascii_case(&new))
}

/// Returns the name of a region without spaces and in lower case: `westeurope` for `West Europe`.
fn region(value: &Value) -> Option<String> {
    Some(word(value)?.to_ascii_lowercase().replace(' ', ""))
}

/// Returns the risk of a resource that is no longer deployed, or is deployed under another name.
fn gone(row: &RiskRow, fate: Option<Fate>, is_renamed: bool) -> Option<Risk> {
    let what = row.message;
    let lower = if row.severity == Severity::High { Severity::Medium } else { Severity::Low };
    let (severity, message) = match (fate?, row.kind) {
        (Fate::Deleted, RiskKind::Data) => (row.severity, format!("{what}, and is deleted")),
        (Fate::Deleted, _) => (row.severity, "it is deleted".to_owned()),
        (Fate::Snapshot, _) => (lower, format!("{what}, and is deleted after a snapshot of it is made")),
        (Fate::Kept, _) => return None,
        (Fate::Untouched, RiskKind::Data) if is_renamed => {
            (row.severity, format!("{what}, and its successor with another name begins empty"))
        }
        (Fate::Untouched, RiskKind::Data) => (lower, format!("{what}; nothing deploys it any more")),
        (Fate::Untouched, _) => (row.severity, what.to_owned()),
    };
    Some(of_row(row, severity, message, None))
}

fn of_row(row: &RiskRow, severity: Severity, message: String, path: Option<String>) -> Risk {
    Risk { severity, kind: row.kind, message, path, source: row.source }
}

/// Returns the risk that CloudFormation replaces a resource because of a property that cannot be changed in place.
fn replacement(old: TypedBody<'_>, new: TypedBody<'_>) -> Option<Risk> {
    let type_name = new.type_name;
    let properties = [old, new].map(|item| {
        let properties = member(item.body, "Properties")?;
        Some(sets::sorted(new.rules(), type_name, "properties", properties))
    });
    let [before, after] = properties.each_ref().map(Option::as_ref);
    let mut sure: Vec<&str> = Vec::new();
    let mut possible: Vec<&str> = Vec::new();
    for fixed in table::fixed(type_name) {
        let names: Vec<&str> = fixed.path.split('/').collect();
        let values = [before, after].map(|properties| {
            let mut values = Vec::new();
            if let Some(properties) = properties {
                gathered(properties, &names, &mut values);
            }
            values
        });
        let [one, two] = values.each_ref().map(|values| {
            let digests = values.iter().map(|value| new.rules().digest(value));
            digests.collect::<Vec<_>>()
        });
        if one == two {
            continue;
        }
        let is_sure = fixed.always && values.iter().flatten().all(|value| !is_unknown(value));
        if is_sure { &mut sure } else { &mut possible }.push(fixed.path);
    }
    let path = sure.first().or(possible.first())?;
    let is_sure = !sure.is_empty();
    let data = table::rows(type_name)
        .find(|row| row.kind == RiskKind::Data && row.event == RowEvent::Goes && row.path.is_empty());
    let keeps =
        member(new.body, "UpdateReplacePolicy").is_some_and(|policy| is_one_of(policy, &["Retain", "Snapshot"]));
    let (severity, rest) = match (data, keeps) {
        (Some(_), false) => (Severity::High, "the old one is deleted with its data"),
        (Some(_), true) => (Severity::Medium, "its `UpdateReplacePolicy` keeps the data of the old one"),
        (None, true) => (Severity::Low, "its `UpdateReplacePolicy` keeps the old one"),
        (None, false) => (Severity::Medium, "the old one is deleted"),
    };
    let severity = match (is_sure, severity) {
        (true, severity) => severity,
        (false, Severity::High) => Severity::Medium,
        (false, _) => Severity::Low,
    };
    let verb = if is_sure { "is replaced" } else { "may be replaced" };
    Some(Risk {
        severity,
        kind: RiskKind::Replacement,
        message: format!("the resource {verb}; {rest}"),
        path: Some(format!("Properties.{}", path.replace('/', "."))),
        source: REPLACEMENT,
    })
}

/// Sorts risks by severity and removes duplicates. Of the risks of one kind about the whole resource, and of those
/// about one property, the most severe is kept.
fn finished(mut risks: Vec<Risk>) -> Vec<Risk> {
    risks.sort_by(|a, b| (a.severity, a.kind, &a.path, &a.message).cmp(&(b.severity, b.kind, &b.path, &b.message)));
    let mut kept: Vec<Risk> = Vec::new();
    for risk in risks {
        if kept.len() < MAX_OF_RESOURCE
            && !kept
                .iter()
                .any(|other: &Risk| other.kind == risk.kind && (risk.path.is_none() || other.path == risk.path))
        {
            kept.push(risk);
        }
    }
    kept
}
