//! Versions of database engines.
//!
//! AWS adds versions each month. A version that is not in the table is refused only if it can be none of the later ones.

use std::cmp::Ordering;
use std::sync::OnceLock;

use foldhash::HashMap;

use crate::checks::SERVICE_VALUE;
use crate::published::facts::{FactViolation, member, shown, text};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// The versions by engine; its header describes the format.
const VERSIONS: &str = include_str!("../../../data/aws.versions");

/// Number of versions that a message lists.
const MAX_LISTED: usize = 5;

fn table() -> &'static HashMap<(&'static str, &'static str), Vec<&'static str>> {
    static TABLE: OnceLock<HashMap<(&'static str, &'static str), Vec<&'static str>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let lines = VERSIONS.lines().filter(|line| !line.starts_with('#'));
        let row = |line: &'static str| {
            let mut words = line.split(' ');
            Some(((words.next()?, words.next()?), words.collect()))
        };
        lines.filter_map(row).collect()
    })
}

/// Reports a version that an engine of RDS does not have.
pub(super) fn of_rds(database: &Value) -> Vec<FactViolation<'_>> {
    compare_version(database, "rds", None)
}

/// Reports a version that an engine of `ElastiCache` does not have.
pub(super) fn of_cache(cluster: &Value) -> Vec<FactViolation<'_>> {
    compare_version(cluster, "elasticache", Some("redis"))
}

fn compare_version<'a>(resource: &'a Value, service: &'static str, default: Option<&str>) -> Vec<FactViolation<'a>> {
    let engine = match member(resource, "Engine") {
        Some(engine) => text(engine),
        None => default,
    };
    let version = member(resource, "EngineVersion").and_then(shown);
    let (Some(engine), Some(version)) = (engine, version) else { return Vec::new() };
    let engine_name = engine.to_lowercase();
    let mut rows = table().iter();
    let row = rows.find(|((of, name), _)| *of == service && *name == engine_name);
    let Some((_, known)) = row else { return Vec::new() };
    if version.is_empty() || version.contains(['{', '$']) || may_exist(&version, known) {
        return Vec::new();
    }
    let last: Vec<String> = known.iter().rev().take(MAX_LISTED).map(|version| format!("`{version}`")).collect();
    let message = format!("`{engine}` has no version `{version}`; expected one such as {}", last.join(", "));
    vec![FactViolation::new(SERVICE_VALUE, &[MisfitStep::Member("EngineVersion")], message)]
}

/// True if a version is known, is the start of a known one, or may have come later.
fn may_exist(version: &str, known: &[&str]) -> bool {
    let parts: Vec<&str> = version.split('.').collect();
    let is_start =
        |known: &&str| known.split('.').zip(&parts).filter(|(one, other)| one == *other).count() == parts.len();
    if known.iter().any(is_start) {
        return true;
    }
    let Some((first, line)) = parts.first().zip(parts.len().checked_sub(1)) else { return true };
    if first.parse::<u32>().is_err() {
        return false;
    }
    // Within the same major version, or within the same line of minor versions, all known ones are older.
    let is_after = |count: usize| {
        let mut same = known.iter().map(|known| known.split('.').collect::<Vec<_>>());
        let mut same = same.by_ref().filter(|known| known.get(..count) == parts.get(..count)).peekable();
        same.peek().is_some() && same.all(|known| compare(&parts, &known) == Ordering::Greater)
    };
    let is_later_major = known.iter().all(|known| number(known.split('.').next().unwrap_or_default()) < number(first));
    is_later_major || is_after(1) || line > 0 && is_after(line)
}

fn number(part: &str) -> u32 {
    part.parse().unwrap_or(0)
}

/// Compares versions by their parts: numbers by value, and others as strings.
fn compare(one: &[&str], other: &[&str]) -> Ordering {
    for (one, other) in one.iter().zip(other) {
        let order = match (one.parse::<u64>(), other.parse::<u64>()) {
            (Ok(one), Ok(other)) => one.cmp(&other),
            _ => one.cmp(other),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    one.len().cmp(&other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_known_or_later_ones() {
        let known = table().get(&("rds", "mysql")).unwrap();
        for right in ["8.0", "8", "8.0.999", "9.1", "99"] {
            assert!(may_exist(right, known), "{right}");
        }
        for wrong in ["5.1.99", "foo", "8.2.1", "8.0.1"] {
            assert!(!may_exist(wrong, known), "{wrong}");
        }
        let known = table().get(&("rds", "postgres")).unwrap();
        assert!(may_exist("16.99", known) && may_exist("16", known) && !may_exist("1.2.3", known));
    }
}
