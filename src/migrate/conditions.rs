//! The conditions of suppression groups that concern names, types, and paths of resources.

use crate::migrate::ImportedSuppression;
use crate::value::{Object, Value};

/// Maximum number of suppressions for one condition.
const MAX_ENTRIES: usize = 64;

/// Comparisons that a pattern can express, with the prefix and suffix of the pattern.
const COMPARISONS: [(&str, &str, &str); 6] = [
    ("equals", "", ""),
    ("in", "", ""),
    ("isTypeOf", "", ""),
    ("startsWith", "", "*"),
    ("endsWith", "*", ""),
    ("contains", "*", "*"),
];

/// The part of a resource that a condition compares.
#[derive(Clone, Copy)]
enum ConditionSubject {
    Name,
    Type,
}

/// Returns suppressions that together match the same findings as a condition. The error describes the part that
/// cannot be expressed.
pub(super) fn condition(value: &Value) -> Result<Vec<ImportedSuppression>, String> {
    let Some(object) = value.as_object() else { return Err("its condition is not an object".to_owned()) };
    if object.is_empty() {
        return Ok(vec![ImportedSuppression::default()]);
    }
    if let Some(parts) = object.get("anyOf").and_then(Value::as_array) {
        let mut entries = Vec::new();
        for part in parts {
            entries.extend(condition(part)?);
        }
        return Some(entries).filter(|entries| entries.len() <= MAX_ENTRIES).ok_or_else(too_many);
    }
    if let Some(parts) = object.get("allOf").and_then(Value::as_array) {
        let mut entries = vec![ImportedSuppression::default()];
        for part in parts {
            let others = condition(part)?;
            if entries.len().saturating_mul(others.len()) > MAX_ENTRIES {
                return Err(too_many());
            }
            let joined = entries.iter().flat_map(|entry| others.iter().map(move |other| both(entry, other)));
            entries = joined.collect::<Result<_, _>>()?;
        }
        return Ok(entries);
    }
    comparison(object).map(|entry| vec![entry])
}

fn comparison(object: &Object) -> Result<ImportedSuppression, String> {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    if text("source").is_some() {
        return path(object);
    }
    let subject = match (text("name"), text("type"), text("field")) {
        (Some("."), ..) => ConditionSubject::Name,
        (_, Some("."), _) => ConditionSubject::Type,
        (.., Some(field)) if field.eq_ignore_ascii_case("name") => ConditionSubject::Name,
        (.., Some(field)) if field.eq_ignore_ascii_case("type") => ConditionSubject::Type,
        _ => return Err(unsupported(object)),
    };
    let compared = COMPARISONS.iter().find_map(|row| Some((row, object.get(row.0)?)));
    let Some(((_, before, after), values)) = compared.filter(|_| object.len() == 2) else {
        return Err(unsupported(object));
    };
    let items = values.as_array().unwrap_or_else(|| std::slice::from_ref(values));
    let texts: Option<Vec<String>> =
        items.iter().map(|item| item.as_str().map(|text| format!("{before}{text}{after}"))).collect();
    let Some(patterns) = texts.filter(|texts| !texts.is_empty()) else { return Err(unsupported(object)) };
    Ok(match subject {
        ConditionSubject::Name => ImportedSuppression { names: patterns, ..ImportedSuppression::default() },
        ConditionSubject::Type => ImportedSuppression { types: patterns, ..ImportedSuppression::default() },
    })
}

/// Converts `source: Template` with `withinPath` to files and folders.
fn path(object: &Object) -> Result<ImportedSuppression, String> {
    let is_file = |source: &str| source.eq_ignore_ascii_case("template") || source.eq_ignore_ascii_case("file");
    let is_supported = object.get("source").and_then(Value::as_str).is_some_and(is_file) && object.len() == 2;
    let Some(paths) = object.get("withinPath").filter(|_| is_supported) else { return Err(unsupported(object)) };
    let items = paths.as_array().unwrap_or_else(|| std::slice::from_ref(paths));
    let glob = |item: &Value| {
        let path = item.as_str()?.trim_start_matches("./").trim_end_matches('/');
        // Without a slash, a glob would match in any folder.
        Some(if path.contains('/') { path.to_owned() } else { format!("./{path}") })
    };
    let paths: Option<Vec<String>> = items.iter().map(glob).collect();
    let paths = paths.filter(|paths| !paths.is_empty()).ok_or_else(|| unsupported(object))?;
    Ok(ImportedSuppression { paths, ..ImportedSuppression::default() })
}

/// Returns the intersection of two suppressions. Two lists about the same subject cannot be joined.
fn both(one: &ImportedSuppression, other: &ImportedSuppression) -> Result<ImportedSuppression, String> {
    Ok(ImportedSuppression {
        names: intersect(&one.names, &other.names)?,
        types: intersect(&one.types, &other.types)?,
        paths: intersect(&one.paths, &other.paths)?,
        ..ImportedSuppression::default()
    })
}

fn intersect(a: &[String], b: &[String]) -> Result<Vec<String>, String> {
    match (a.is_empty(), b.is_empty()) {
        (false, false) => Err("its condition restricts the same subject twice".to_owned()),
        (true, _) => Ok(b.to_vec()),
        (_, true) => Ok(a.to_vec()),
    }
}

fn unsupported(object: &Object) -> String {
    let keys: Vec<String> = object.iter().map(|member| format!("`{}`", member.key)).collect();
    format!("its condition has {}, which `suppressions` cannot express", keys.join(", "))
}

fn too_many() -> String {
    format!("its condition has more than {MAX_ENTRIES} cases")
}
