//! What a change puts at risk, according to tables.
//!
//! A risk is about what the change does, and not about what the result is: what is wrong with the result is a finding of a
//! rule. **Invariant:** what is not known is no risk, except that a property of CloudFormation that gets an unknown value may
//! replace its resource. No risk shows a value.

mod table;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;

use crate::diagnostic::Severity;
use crate::pair::Item;
use crate::value::Value;
use crate::{Fate, leaves, sets};

use self::table::{Event, Row};
use self::value::{Found, gathered, is_blurred, is_one_of, is_unknown, member, number, word};

/// What is at risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskKind {
    /// The resource is replaced by a new one.
    Replacement,
    /// A property changes that cannot be changed, so that the deployment fails.
    Immutable,
    /// Data are lost, or no longer managed.
    Data,
    /// More can reach the resource, or someone gets rights.
    Access,
    /// Data or connections are encrypted less.
    Encryption,
    /// What protects from deletion goes away.
    Lock,
    /// What could be restored cannot be restored any more.
    Backup,
    /// What happens is no longer recorded, or watched.
    Audit,
}

impl RiskKind {
    /// All of them, as tables and programs name them.
    pub const ALL: [Self; 8] = [
        Self::Replacement,
        Self::Immutable,
        Self::Data,
        Self::Access,
        Self::Encryption,
        Self::Lock,
        Self::Backup,
        Self::Audit,
    ];

    /// The word of the tables and of machine-readable output.
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
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Something that a change puts at risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    /// How bad it would be.
    pub severity: Severity,
    /// What is at risk.
    pub kind: RiskKind,
    /// What the change means.
    pub message: String,
    /// The property that it is about, if it is not the whole resource.
    pub path: Option<String>,
    /// The page that says so.
    pub source: &'static str,
}

/// Where AWS says what a replacement is.
const REPLACEMENT: &str =
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html";

/// Where AWS says what the type of a resource is.
const TYPE: &str = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html";

/// How many risks one resource has at most.
const MAX_OF_RESOURCE: usize = 50;

/// The risks of changing a resource that both sides deploy.
pub(super) fn of_change(old: &Item<'_>, new: &Item<'_>) -> Vec<Risk> {
    let type_name = &*new.resource.type_name;
    let mut risks = Vec::new();
    for row in table::rows(type_name).filter(|row| !row.path.is_empty()) {
        if [old, new].iter().any(|item| is_blurred(&item.body, &row.path)) || lacks_array(row, old, new) {
            continue;
        }
        let [before, after] = [old, new].map(|item| value::at(&item.body, &row.path, new.rules()));
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

/// The risks of a resource that one side does not deploy. `other` is what it has under another name.
pub(super) fn of_one(item: &Item<'_>, is_gone: bool, fate: Option<Fate>, other: Option<&Item<'_>>) -> Vec<Risk> {
    // Under another name, the same content protects, opens, and records the same, and Azure keeps the first resource.
    let is_renamed = other.is_some_and(|other| item.is_renamed(other));
    if is_renamed && (!is_gone || fate == Some(Fate::Untouched)) {
        return Vec::new();
    }
    let mut risks = Vec::new();
    for row in table::rows(&item.resource.type_name) {
        match (&row.event, is_gone) {
            (Event::Goes, true) if row.path.is_empty() => risks.extend(gone(row, fate, other.is_some())),
            (Event::Appears, false) if row.path.is_empty() => {
                risks.push(of_row(row, row.severity, row.message.to_owned(), None));
            }
            (Event::Becomes { counts_new: true, .. }, false) => {
                let all = value::at(&item.body, &row.path, item.rules());
                let bad = all.values().filter(|(_, found)| happens(row, None, Some(*found), item));
                risks
                    .extend(bad.map(|(path, _)| of_row(row, row.severity, row.message.to_owned(), Some(path.clone()))));
            }
            _ => {}
        }
    }
    finished(risks)
}

/// Whether a row is about an item that comes or goes, and the side without it does not write the array: its items may be resources
/// of their own, and without an array of what is allowed, everything may be.
fn lacks_array(row: &Row, old: &Item<'_>, new: &Item<'_>) -> bool {
    let Some(last) = row.path.iter().rposition(|step| *step == table::Step::Items) else { return false };
    let is_item = last + 1 == row.path.len();
    let array = row.path.get(..last).unwrap_or_default();
    let lacks = |item: &Item<'_>| value::at(&item.body, array, item.rules()).is_empty();
    match row.event {
        Event::Goes | Event::Leaves(_) => lacks(new),
        Event::Appears => is_item && lacks(old),
        _ => false,
    }
}

/// The items on the way that the old side has, if only what becomes of them counts: a new item with a bad value opens nothing.
fn items_of(row: &Row, old: &Item<'_>) -> Option<Vec<String>> {
    let last = row.path.iter().rposition(|step| *step == table::Step::Items)?;
    let is_about_items = matches!(row.event, Event::Becomes { counts_new: false, .. } | Event::Changes { .. });
    let items = is_about_items.then(|| row.path.get(..=last)).flatten()?;
    Some(value::at(&old.body, items, old.rules()).into_keys().collect())
}

/// The risk of a logical ID that stands for another type now.
pub(super) fn other_type() -> Risk {
    Risk {
        severity: Severity::High,
        kind: RiskKind::Immutable,
        message: "CloudFormation does not change the type of a logical ID; it needs another one".to_owned(),
        path: Some("Type".to_owned()),
        source: TYPE,
    }
}

/// Whether the event of a row happens to a property.
fn happens(row: &Row, old: Option<Found<'_>>, new: Option<Found<'_>>, item: &Item<'_>) -> bool {
    let [before, after] = [old, new].map(|found| found.map(|found| found.value));
    let is_known = [before, after].into_iter().flatten().all(|value| !is_unknown(value));
    let is_given = |found: Found<'_>| {
        let has =
            |(name, words): &(&str, Vec<&str>)| member(found.around, name).is_some_and(|value| is_one_of(value, words));
        row.given.iter().all(has)
    };
    match &row.event {
        Event::Becomes { values, .. } => {
            let is = |found: Found<'_>| is_one_of(found.value, values) && is_given(found);
            is_known && new.is_some_and(is) && !old.is_some_and(is)
        }
        Event::Leaves(values) => {
            let is = |value: &Value| is_one_of(value, values);
            is_known && old.is_none_or(is_given) && before.is_some_and(is) && !after.is_some_and(is)
        }
        Event::Changes { missing } => {
            let is_given = new.is_none_or(is_given);
            is_known && is_given && changes(row, *missing, [before, after], item)
        }
        Event::Moves => is_known && before.zip(after).is_some_and(|(old, new)| region(old) != region(new)),
        Event::Falls => {
            let numbers = before.and_then(number).zip(after.and_then(number));
            numbers.is_some_and(|(old, new)| new < old)
        }
        Event::Appears => before.is_none() && after.is_some_and(|value| !is_unknown(value)),
        Event::Goes => before.is_some() && after.is_none(),
    }
}

fn changes(row: &Row, missing: Option<&str>, sides: [Option<&Value>; 2], item: &Item<'_>) -> bool {
    match (sides, missing) {
        ([Some(old), Some(new)], _) => {
            let differ = || leaves::values(item.rules(), &item.resource.type_name, &row.names(), old, new);
            !is_same_word(old, new) && !differ().is_empty()
        }
        ([Some(one), None] | [None, Some(one)], Some(default)) => !is_one_of(one, &[default]),
        _ => false,
    }
}

/// Names in Azure ignore case.
fn is_same_word(old: &Value, new: &Value) -> bool {
    word(old).zip(word(new)).is_some_and(|(old, new)| old.eq_ignore_ascii_case(&new))
}

/// `West Europe` and `westeurope` are the same.
fn region(value: &Value) -> Option<String> {
    Some(word(value)?.to_ascii_lowercase().replace(' ', ""))
}

/// The risk of a resource that is not deployed any more, or under another name.
fn gone(row: &Row, fate: Option<Fate>, is_renamed: bool) -> Option<Risk> {
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

fn of_row(row: &Row, severity: Severity, message: String, path: Option<String>) -> Risk {
    Risk { severity, kind: row.kind, message, path, source: row.source }
}

/// The risk that CloudFormation replaces a resource, because a property changes that it cannot change in place.
fn replacement(old: &Item<'_>, new: &Item<'_>) -> Option<Risk> {
    let type_name = &*new.resource.type_name;
    let properties = [old, new].map(|item| {
        let properties = member(&item.body, "Properties")?;
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
        .find(|row| row.kind == RiskKind::Data && row.event == Event::Goes && row.path.is_empty());
    let keeps =
        member(&new.body, "UpdateReplacePolicy").is_some_and(|policy| is_one_of(policy, &["Retain", "Snapshot"]));
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

/// The worst ones first. Of those of one kind about the whole resource, and of those about one property, the worst counts.
fn finished(mut risks: Vec<Risk>) -> Vec<Risk> {
    risks.sort_by(|a, b| (a.severity, a.kind, &a.path, &a.message).cmp(&(b.severity, b.kind, &b.path, &b.message)));
    let mut kept: Vec<Risk> = Vec::new();
    for risk in risks {
        let is_covered = |other: &Risk| other.kind == risk.kind && (risk.path.is_none() || other.path == risk.path);
        if kept.len() < MAX_OF_RESOURCE && !kept.iter().any(is_covered) {
            kept.push(risk);
        }
    }
    kept
}
