//! The tables of risks. They are data: `azure.risks`, `aws.risks`, and `cloudformation.fixed`.
//!
//! A row has the severity, the kind, the types (`*` for all), a path below the body of the resource, an event, and what it
//! means. `[*]` in a path stands for each item of an array, and `-` for the resource itself. The events are:
//!
//! | event | happens if |
//! |---|---|
//! | `changes` | both sides have values that differ; with `else V`, a missing value counts as V |
//! | `moves` | as `changes`, for the name of a region, in any of its spellings |
//! | `becomes V, W` | the new value is one of these, and the old one of a resource that was there is not |
//! | `is V, W` | as `becomes`, and also for a new resource |
//! | `leaves V, W` | the old value is one of these, and the new one is not, and may be missing |
//! | `falls` | the number, or the duration such as `P7D`, is lower |
//! | `appears` | only the new side has it; an item of an array, if the old side has the array |
//! | `goes` | only the old side has it |
//!
//! `where a=V, b=W/X` after an event adds what the object around the new value must have, too; around the old one for `leaves`. A value may begin with `*`, which
//! stands for anything.

use std::sync::LazyLock;

use foldhash::HashMap;

use crate::diagnostic::Severity;
use crate::risk::RiskKind;
use crate::risk::value::{is_one_of, member};
use crate::value::Value;

/// A row of the table.
#[derive(Debug)]
pub(super) struct RiskRow {
    pub(super) severity: Severity,
    pub(super) kind: RiskKind,
    /// Types in lower case; empty for all types.
    types: Vec<String>,
    /// Names and items on the path of the value; empty for the resource itself.
    pub(super) path: Vec<RowStep>,
    pub(super) event: RowEvent,
    /// Required members of the object around the value, each with its allowed values.
    pub(super) given: Vec<(&'static str, Vec<&'static str>)>,
    pub(super) message: &'static str,
    /// Documentation page of the effect.
    pub(super) source: &'static str,
}

impl RiskRow {
    /// Returns the names on the path, separated by slashes.
    pub(super) fn names(&self) -> String {
        let names = self.path.iter().filter_map(|step| match step {
            RowStep::Member(name) => Some(*name),
            RowStep::Items => None,
        });
        names.collect::<Vec<_>>().join("/")
    }

    /// True if the object around a value has the members that the row requires.
    pub(super) fn applies_beside(&self, around: &Value) -> bool {
        self.given.iter().all(|(name, words)| member(around, name).is_some_and(|value| is_one_of(value, words)))
    }
}

/// A segment of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowStep {
    Member(&'static str),
    Items,
}

/// Condition of a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RowEvent {
    Changes { missing: Option<&'static str> },
    Moves,
    Becomes { values: Vec<&'static str>, counts_new: bool },
    Leaves(Vec<&'static str>),
    Falls,
    Appears,
    Goes,
}

/// Rows about resources of Azure.
static AZURE: LazyLock<RiskTable> = LazyLock::new(|| RiskTable::read(include_str!("azure.risks")));

/// Rows about resources of AWS.
static AWS: LazyLock<RiskTable> = LazyLock::new(|| RiskTable::read(include_str!("aws.risks")));

/// Returns the rows about a type.
pub(super) fn rows(type_name: &str) -> impl Iterator<Item = &'static RiskRow> {
    let rows: &'static RiskTable = if type_name.contains("::") { &AWS } else { &AZURE };
    let own = rows.by_type.get(&type_name.to_ascii_lowercase()).into_iter().flatten();
    own.chain(&rows.of_all).filter_map(|at| rows.list.get(*at))
}

#[derive(Debug)]
struct RiskTable {
    list: Vec<RiskRow>,
    by_type: HashMap<String, Vec<usize>>,
    of_all: Vec<usize>,
}

impl RiskTable {
    fn read(text: &'static str) -> Self {
        let mut rows = Self { list: Vec::new(), by_type: HashMap::default(), of_all: Vec::new() };
        let mut source = "";
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(page) = line.strip_prefix("@ ") {
                source = page;
            } else if let Some(row) = row(line, source) {
                let at = rows.list.len();
                for name in &row.types {
                    rows.by_type.entry(name.clone()).or_default().push(at);
                }
                rows.of_all.extend(row.types.is_empty().then_some(at));
                rows.list.push(row);
            }
        }
        rows
    }
}

fn row(line: &'static str, source: &'static str) -> Option<RiskRow> {
    let mut columns = line.split(" | ");
    let mut next = || columns.next();
    let severity = match next()? {
        "high" => Severity::High,
        "medium" => Severity::Medium,
        "low" => Severity::Low,
        _ => return None,
    };
    let kind = RiskKind::named(next()?)?;
    let types = next()?.split(' ').filter(|name| *name != "*").map(str::to_ascii_lowercase).collect();
    let path = path(next()?);
    let text = next()?;
    let (event, given) = text.split_once(" where ").unwrap_or((text, ""));
    let given = given.split(", ").filter_map(|part| part.split_once('='));
    let given = given.map(|(name, values)| (name, values.split('/').collect())).collect();
    let row = RiskRow { severity, kind, types, path, event: self::event(event)?, given, message: next()?, source };
    next().is_none().then_some(row)
}

fn path(text: &'static str) -> Vec<RowStep> {
    let mut steps = Vec::new();
    for part in text.split('.').filter(|part| *part != "-") {
        steps.push(RowStep::Member(part.trim_end_matches("[*]")));
        steps.extend(part.ends_with("[*]").then_some(RowStep::Items));
    }
    steps
}

fn event(text: &'static str) -> Option<RowEvent> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let values = || rest.split(", ").collect::<Vec<_>>();
    Some(match word {
        "changes" => RowEvent::Changes { missing: rest.strip_prefix("else ") },
        "moves" => RowEvent::Moves,
        "becomes" => RowEvent::Becomes { values: values(), counts_new: false },
        "is" => RowEvent::Becomes { values: values(), counts_new: true },
        "leaves" => RowEvent::Leaves(values()),
        "falls" => RowEvent::Falls,
        "appears" => RowEvent::Appears,
        "goes" => RowEvent::Goes,
        _ => return None,
    })
}

/// A property of CloudFormation that cannot be changed in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedProperty {
    /// Names on the path from the properties, separated by slashes; `*` stands for all items.
    pub(super) path: &'static str,
    /// True if every change of it replaces the resource.
    pub(super) always: bool,
}

static FIXED: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("cloudformation.fixed").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// Returns the properties of a type that cannot be changed in place.
pub(super) fn fixed(type_name: &str) -> impl Iterator<Item = FixedProperty> {
    let paths = FIXED.get(type_name).copied().unwrap_or_default().split(' ').filter(|path| !path.is_empty());
    paths.map(|path| FixedProperty { path: path.trim_start_matches('?'), always: !path.starts_with('?') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_row_with_a_page() {
        for (text, rows) in [(include_str!("azure.risks"), &*AZURE), (include_str!("aws.risks"), &*AWS)] {
            let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '@']));
            let bad: Vec<&str> = lines.clone().filter(|line| row(line, "x").is_none()).collect();
            assert_eq!(bad, [] as [&str; 0]);
            assert_eq!(lines.count(), rows.list.len());
            assert!(rows.list.iter().all(|row| row.source.starts_with("https://")));
        }
        assert!(AZURE.of_all.len() < 10 && AWS.of_all.len() < 10);
    }

    #[test]
    fn every_path_leads_to_something() {
        use crate::text::Suggestions;
        use formwork_schema::{Known, PathPart, look_up};

        let mut wrong = Vec::new();
        for row in AZURE.list.iter().chain(&AWS.list) {
            let is_attribute = row.types.is_empty();
            let parts: Vec<PathPart<'_>> = row
                .path
                .iter()
                .map(|step| match step {
                    RowStep::Member(name) => PathPart::Name(name),
                    RowStep::Items => PathPart::Item,
                })
                .collect();
            // The types know the properties of a stack's resource without the word `Properties`.
            let parts = if parts.first() == Some(&PathPart::Name("Properties")) { &parts[1..] } else { &parts };
            for name in row.types.iter().filter(|_| !is_attribute) {
                if let known @ (Known::NoType(_) | Known::NoProperty(..)) =
                    look_up(name, parts, &Suggestions::default())
                {
                    wrong.push(format!("{name} {parts:?} {known:?}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
