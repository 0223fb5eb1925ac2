//! Instance types of EC2, and those of services that run on it.
//!
//! AWS adds types each month. A type that is not in the table is refused only if it can be none of the later ones: a
//! size that its family does not have, a family of an older generation, or a name of another form.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::checks::SERVICE_VALUE;
use crate::published::facts::{FactViolation, text};
use crate::published::message::listed;
use crate::text::did_you_mean;
use crate::value::Value;

/// The types by list; its header describes the format.
const TYPES: &str = include_str!("../../../data/aws.instances");

/// Number of generations after the last known one that may exist by now.
const LATER: u32 = 3;

/// Families, with the sizes of each.
type Families = HashMap<&'static str, Vec<&'static str>>;

fn lists() -> &'static HashMap<&'static str, Families> {
    static TABLE: OnceLock<HashMap<&'static str, Families>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let lines = TYPES.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| {
                let mut words = line.split(' ');
                let name = words.next().unwrap_or_default();
                let family = |word: &'static str| {
                    let (family, sizes) = word.split_once(':')?;
                    Some((family, sizes.split(',').collect()))
                };
                (name, words.filter_map(family).collect())
            })
            .collect()
    })
}

/// Reports an instance type of EC2.
pub(super) fn of_ec2(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "ec2", "", &[])
}

/// Reports a class of RDS.
pub(super) fn of_rds(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "rds", "db.", &[])
}

/// Reports a class of `DocumentDB`.
pub(super) fn of_docdb(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "docdb", "db.", &[])
}

/// Reports a class of Neptune.
pub(super) fn of_neptune(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "neptune", "db.", &[])
}

/// Reports a node type of `ElastiCache`.
pub(super) fn of_cache(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "cache", "cache.", &[])
}

/// Reports a node type of DAX.
pub(super) fn of_dax(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "dax", "dax.", &[])
}

/// Reports an instance type of Amazon MQ.
pub(super) fn of_mq(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "mq", "mq.", &[])
}

/// Reports an instance type of `SageMaker`.
pub(super) fn of_ml(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "ml", "ml.", &[])
}

/// Reports a node type of Redshift.
pub(super) fn of_redshift(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "redshift", "", &[])
}

/// Reports an instance type of `OpenSearch`.
pub(super) fn of_search(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "search", "", &[".search"])
}

/// Reports an instance type of Elasticsearch.
pub(super) fn of_elasticsearch(value: &Value) -> Vec<FactViolation<'_>> {
    compare_type(value, "search", "", &[".elasticsearch"])
}

fn compare_type<'a>(
    value: &'a Value,
    list: &str,
    prefix: &'static str,
    suffix: &[&'static str],
) -> Vec<FactViolation<'a>> {
    let found = text(value).filter(|text| !text.is_empty() && !text.contains(['{', '$']));
    let fault = found.zip(lists().get(list)).and_then(|(text, families)| {
        let suffix = suffix.first().copied().unwrap_or_default();
        let inner = text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        let problem = match inner {
            Some(inner) => fault(inner, families, (prefix, suffix))?,
            None => format!("expected a type such as `{prefix}{}{suffix}`", example(families)),
        };
        Some(format!("the type is `{text}`; {problem}"))
    });
    fault.map(|message| FactViolation::new(SERVICE_VALUE, &[], message)).into_iter().collect()
}

/// Returns a type of a list, for messages.
fn example(families: &Families) -> String {
    let family = ["t3", "r5", "m5", "ra3"].into_iter().find(|family| families.contains_key(family)).unwrap_or("m5");
    format!("{family}.{}", families.get(family).and_then(|sizes| sizes.last()).copied().unwrap_or("large"))
}

/// Returns the problem of a type without the prefix and suffix of its service.
fn fault(inner: &str, families: &Families, (prefix, suffix): (&str, &str)) -> Option<String> {
    let (family, size) = inner.split_once('.').unwrap_or((inner, "-"));
    if let Some(sizes) = families.get(family) {
        return (!sizes.contains(&size)).then(|| {
            format!(
                "the sizes of `{prefix}{family}` are {}{}",
                listed(sizes),
                did_you_mean(size, sizes.iter().copied())
            )
        });
    }
    let expected = || {
        let hint = did_you_mean(family, families.keys().copied().filter(|known| known.len() > 1));
        format!(
            "there is no family `{prefix}{family}`{}{hint}",
            if suffix.is_empty() { "" } else { " of this service" }
        )
    };
    let Some((letters, generation)) = split(family) else { return Some(expected()) };
    let known = families.keys().filter_map(|known| split(known)).filter(|(known, _)| *known == letters);
    let Some(last) = known.map(|(_, generation)| generation).max() else { return Some(expected()) };
    // A new variant of the last generation may exist by now.
    let may_exist = generation >= last && generation <= last + LATER && is_size(size);
    (!may_exist).then(expected)
}

/// Returns the letters and the generation of a family such as `c7gn`.
fn split(family: &str) -> Option<(&str, u32)> {
    let start = family.find(|char: char| char.is_ascii_digit())?;
    let (letters, rest) = family.split_at_checked(start)?;
    let end = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
    let is_lower =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    (is_lower(letters) && is_lower(rest)).then_some((letters, rest.get(..end)?.parse().ok()?))
}

/// True if a word has the form of a size.
fn is_size(size: &str) -> bool {
    let is_large = |rest: &str| rest.is_empty() || rest.bytes().all(|byte| byte.is_ascii_digit());
    matches!(size, "nano" | "micro" | "small" | "medium" | "large")
        || size.strip_suffix("xlarge").is_some_and(is_large)
        || size.starts_with("metal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known_or_later_ones() {
        for right in ["t3.micro", "m5.large", "m99.large", "m9zz.large", "c5.metal"] {
            let is_right = right != "m99.large";
            assert_eq!(of_ec2(&Value::from(right)).is_empty(), is_right, "{right}");
        }
        for wrong in
            ["t33.micro", "t3.mikro", "m5.3xlarge", "large", "db.t3.micro", "T3.micro", "m5a5.large", "zz1.large"]
        {
            assert_eq!(of_ec2(&Value::from(wrong)).len(), 1, "{wrong}");
        }
        assert!(of_rds(&Value::from("db.t3.micro")).is_empty() && of_rds(&Value::from("db.serverless")).is_empty());
        assert!(!of_rds(&Value::from("t3.micro")).is_empty() && !of_rds(&Value::from("db.t33.micro")).is_empty());
        assert!(of_search(&Value::from("t3.small.search")).is_empty());
        assert!(!of_search(&Value::from("t3.small.elasticsearch")).is_empty());
    }
}
